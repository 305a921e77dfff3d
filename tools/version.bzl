"""The project's version, in one place."""

VERSION = "1.0.0"

# The version of the shared library: changes if programs that were built before would break.
SOVERSION = "1"

# The version of the exported symbols: "LFBLOOM_" and this.  A symbol that is added later has a
# later version.
INTERFACE = VERSION.rpartition(".")[0]
