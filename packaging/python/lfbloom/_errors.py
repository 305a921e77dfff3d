"""The library's statuses as exceptions.  The compiled part calls make()."""

import errno as _errno
import os as _os

from . import _lfbloom


class Error(Exception):
    """A call of the library failed.

    status: its number, which never changes; docs/errors.md has them all.
    name: its name in C, for example "LFB_ERROR_TRUNCATED".
    """

    status = 0
    name = ""


class ConfigError(Error, ValueError):
    """No filter can be made as it is described."""


class MismatchError(Error, ValueError):
    """Two filters cannot be put together or compared."""


class FormatError(Error, ValueError):
    """The bytes are no filter, are damaged, or hold another kind of filter."""


class StateError(Error, RuntimeError):
    """The call is not possible now."""


class FullError(StateError):
    """A Counting has no place for a key, or a Growing is full and cannot grow: status says why.

    result: what the call would have returned.  Of a Counting, each False is a key that was not
    stored.  Of a Growing, keys were put or claimed as in a filter that is too full: of claims each
    True is right, a False may be wrong, and more and more so.
    """

    result = None


class OutOfMemory(Error, MemoryError):
    """There is not enough memory."""


class FileError(Error, OSError):
    """A file cannot be opened, read or written: see errno and filename.

    It is also a FileNotFoundError, FileExistsError or PermissionError if errno says so.
    """


class _NotFound(FileError, FileNotFoundError):
    pass


class _Exists(FileError, FileExistsError):
    pass


class _Permission(FileError, PermissionError):
    pass


_BY_ERRNO = {
    _errno.ENOENT: _NotFound,
    _errno.EEXIST: _Exists,
    _errno.EACCES: _Permission,
    _errno.EPERM: _Permission,
}

_PREFIX = "LFB_ERROR_"

_BY_NAME = {
    OutOfMemory: "NO_MEMORY SIZE_OVERFLOW",
    ConfigError: """FPP_TOO_LOW FPP_TOO_HIGH NO_BITS TOO_MANY_PROBES TOO_MANY_BITS UNKNOWN_STRATEGY
        UNKNOWN_FORMULA UNKNOWN_HASH UNKNOWN_PREFERENCE CANNOT_GROW NO_PAIRS NO_SUCH_FORM
        CANNOT_FOLD BAD_GENERATIONS BAD_SPAN FORM_CANNOT_HOLD RESERVED TAGS TOO_MANY_COPIES
        BAD_BYTES""",
    MismatchError: """SAME_FILTER PROBES_DIFFER PROBES_DIFFER_BY_FORMULA BIT_COUNT_DIFFERS
        STRATEGY_DIFFERS HASH_DIFFERS""",
    FormatError: """UNKNOWN_FORM TRUNCATED TRAILING_BYTES BAD_STRATEGY BAD_PROBES BAD_WORD_COUNT
        OVER_LIMIT BAD_HEADER BAD_CHECKSUM UNKNOWN_VERSION OLD_FAST KEY_NEEDED WRONG_KEY GROWING
        NOT_GROWING COUNTING NOT_COUNTING WINDOW NOT_WINDOW BYTE_ORDER GROWING_MAPPED DELTA""",
    StateError: """NOT_MAPPED WRONG_GENERATION WINDOW_HELD REBUILDING NOT_REBUILDING NO_PREVIOUS
        NO_THREAD IN_SECTION NOTHING_YET""",
    FullError: "FULL",
    FileError: "OPEN READ WRITE SYNC RENAME EXISTS NOT_REGULAR MAP REPLACED",
}
_CLASSES = {_PREFIX + name: cls for cls, names in _BY_NAME.items() for name in names.split()}


def _file_error(name, text, errno, path):
    """A FileError with errno, from the status itself if the system call left none."""
    if name == _PREFIX + "EXISTS":
        errno = _errno.EEXIST
    elif name == _PREFIX + "NOT_REGULAR":
        errno = _errno.EINVAL
    cause = ": " + _os.strerror(errno) if errno else ""
    return _BY_ERRNO.get(errno, FileError)(errno or None, text + cause, path)


def make(status, text, errno, path):
    """The exception for a status other than LFB_OK; path is bytes, or None."""
    name = _lfbloom.statuses.get(status, "")
    cls = _CLASSES.get(name, Error)
    path = None if path is None else _os.fsdecode(path)
    if cls is FileError:
        error = _file_error(name, text, errno, path)
    else:
        error = cls(text if path is None else path + ": " + text)
    error.status, error.name = status, name
    return error


def make_full(status, text, errno, result):
    """The exception for a filter that takes no more keys, from a call with this result."""
    name = _lfbloom.statuses.get(status, "")
    error = FullError(text if name == _PREFIX + "FULL" else "the filter is full and cannot grow: " + text)
    error.status, error.name, error.result = status, name, result
    return error
