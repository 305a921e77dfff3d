"""The project's version, in one place."""

VERSION = "0.1.0"

# Of the shared library's interface: changes when a program built before would break.
SOVERSION = "0"

# Of the names that it shows: "LFBLOOM_" and this.  A name that comes later is of a later one.
INTERFACE = VERSION.rpartition(".")[0]
