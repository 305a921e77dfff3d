"""The project's version, in one place."""

VERSION = "0.9.0"

# The version in the names of the shared libraries: changes if programs that were built before would
# break.  Before 1.0.0 each MINOR has its own, and from then on each MAJOR.
SOVERSION = "0.9"
