"""The project's version, in one place."""

VERSION = "0.9.0"

# The version of the shared library: changes if programs that were built before would break.
SOVERSION = "1"
