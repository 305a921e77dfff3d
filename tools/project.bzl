"""Where the project is, and how to reach its maintainers, in one place.

The domain is reserved for examples (RFC 2606): nothing answers there.  A published copy of the
project changes the two lines, and its recipes (//tests/package:recipes_test compares them).
"""

HOMEPAGE = "https://lfbloom.example/"

MAINTAINER = "lfbloom maintainers <maintainers@lfbloom.example>"
