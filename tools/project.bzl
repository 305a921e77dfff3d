"""The maintainers that packages name.

The domain is reserved for examples (RFC 2606): nothing answers there.  A published copy of the
project changes the line.
"""

MAINTAINER = "lfbloom maintainers <maintainers@lfbloom.example>"
