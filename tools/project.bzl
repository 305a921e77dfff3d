"""Where the project is, and how to reach its maintainers, in one place.

The domain is reserved for examples (RFC 2606): nothing answers there.  A published copy of the
project changes the two lines.
"""

HOMEPAGE = "https://lfbloom.example/"

MAINTAINER = "lfbloom maintainers <maintainers@lfbloom.example>"
