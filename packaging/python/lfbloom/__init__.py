"""Bloom filters that any number of threads and processes put into and query at once.

>>> import lfbloom
>>> seen = lfbloom.Filter(1_000_000, 0.001)
>>> seen.claim('apple'), seen.claim('apple'), 'pear' in seen
(True, False, False)

docs/python.md describes it; lfbloom/filter.h and the other headers of the library have the
guarantees.
"""

from ._errors import ConfigError, Error, FileError, FormatError, FullError
from ._errors import MismatchError, OutOfMemory, StateError
from ._lfbloom import Building, Counting, Filter, Growing, Section, Versions, Window, plan
from ._lfbloom import version as __version__

# Tracebacks name them as programs do.
for _error in (Error, *Error.__subclasses__(), FullError):
    _error.__module__ = __name__
del _error

__all__ = [
    "Building", "ConfigError", "Counting", "Error", "FileError", "Filter", "FormatError",
    "FullError", "Growing", "MismatchError", "OutOfMemory", "Section", "StateError", "Versions",
    "Window", "__version__", "plan",
]
