from __future__ import annotations

from os import PathLike
from typing import (
    Any, Dict, Final, Iterable, Literal, NoReturn, Optional, Self, Tuple, Union, final, overload,
    type_check_only,
)

__all__ = [
    "Building", "ConfigError", "Counting", "Error", "FileError", "Filter", "FormatError",
    "FullError", "Growing", "MismatchError", "OutOfMemory", "Section", "StateError", "Versions",
    "Window", "__version__", "plan",
]

__version__: Final[str]

# A str (its UTF-8 bytes), bytes, a bytearray or memoryview, or an int from 0 to 2^64-1.
Key = Union[str, bytes, bytearray, memoryview, int]
# Any object with Python's buffer protocol, or None; before Python 3.12 it has no type.
Buffer = Any
# An iterable of ints, or of str and bytes; or a buffer (a NumPy array, for example).
Keys = Union[Iterable[int], Iterable[Union[str, bytes]], Buffer]
Path = Union[str, bytes, PathLike[str], PathLike[bytes]]
# Whether the answers are wanted.
_No = Literal[False]
_Yes = Literal[True]
# A value and its standard error.
Estimate = Tuple[float, float]

class Error(Exception):
    status: int
    name: str

class ConfigError(Error, ValueError): ...
class MismatchError(Error, ValueError): ...
class FormatError(Error, ValueError): ...
class StateError(Error, RuntimeError): ...
class FullError(StateError):
    result: Any
class OutOfMemory(Error, MemoryError): ...
class FileError(Error, OSError): ...

def plan(
    expected_insertions: int, fpp: float, *,
    strategy: Optional[str] = None, hash: Optional[str] = None, seed: int = 0,
    key: Optional[bytes] = None, keep_key: bool = False, memory: str = "balanced",
    probes_formula: str = "guava-31", lazy_memory: bool = False,
    foldable: bool = False, like: Optional[Filter] = None,
) -> Dict[str, Any]: ...

# What several classes have.  The module has no such classes: each class has the functions itself.

@type_check_only
class _Asked:
    def might_contain(self, key: Key, /) -> bool: ...
    @overload
    def might_contain_many(self, keys: Keys, offsets: Buffer = None, *, answers: _No) -> int: ...
    @overload
    def might_contain_many(
        self, keys: Keys, offsets: Buffer = None, *, answers: _Yes = True
    ) -> bytearray: ...
    @overload
    def might_contain_many(self, keys: Keys, offsets: Buffer = None, *, answers: Any) -> Any: ...
    def __contains__(self, key: Key, /) -> bool: ...
    def __reduce__(self) -> NoReturn: ...

@type_check_only
class _Put(_Asked):
    def put(self, key: Key, /) -> bool: ...
    @overload
    def put_many(self, keys: Keys, offsets: Buffer = None, *, answers: _No = False) -> int: ...
    @overload
    def put_many(self, keys: Keys, offsets: Buffer = None, *, answers: _Yes) -> bytearray: ...
    @overload
    def put_many(self, keys: Keys, offsets: Buffer = None, *, answers: Any) -> Any: ...

@type_check_only
class _Claimed(_Put):
    def claim(self, key: Key, /) -> bool: ...
    @overload
    def claim_many(self, keys: Keys, offsets: Buffer = None, *, answers: _No) -> int: ...
    @overload
    def claim_many(
        self, keys: Keys, offsets: Buffer = None, *, answers: _Yes = True
    ) -> bytearray: ...
    @overload
    def claim_many(self, keys: Keys, offsets: Buffer = None, *, answers: Any) -> Any: ...

@type_check_only
class _Made:
    def __new__(
        cls, expected_insertions: int, fpp: float, *,
        strategy: Optional[str] = None, hash: Optional[str] = None, seed: int = 0,
        key: Optional[bytes] = None, keep_key: bool = False, memory: str = "balanced",
        probes_formula: str = "guava-31", lazy_memory: bool = False,
        foldable: bool = False, like: Optional[Filter] = None,
    ) -> Self: ...

@type_check_only
class _Read:
    @classmethod
    def load(
        cls, path: Path, *, max_bytes: int = 0, key: Optional[bytes] = None,
        open_damaged: bool = False,
    ) -> Self: ...
    @classmethod
    def from_bytes(
        cls, data: Buffer, *, max_bytes: int = 0, key: Optional[bytes] = None,
        open_damaged: bool = False,
    ) -> Self: ...
    def stats(self) -> Dict[str, Any]: ...
    def __sizeof__(self) -> int: ...

@type_check_only
class _Counted(_Read):
    def copy(self) -> Self: ...
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...

@type_check_only
class _Shared:
    @classmethod
    def open(
        cls, path: Path, *, read_only: bool = False, max_bytes: int = 0, key: Optional[bytes] = None
    ) -> Self: ...
    def sync(self) -> None: ...

@type_check_only
class _Saved:
    def save(self, path: Path, /) -> None: ...
    def to_bytes(self) -> bytes: ...

@final
class Filter(_Made, _Claimed, _Counted, _Shared):
    @classmethod
    def create(
        cls, path: Path, expected_insertions: int, fpp: float, *,
        strategy: Optional[str] = None, hash: Optional[str] = None, seed: int = 0,
        key: Optional[bytes] = None, keep_key: bool = False, memory: str = "balanced",
        probes_formula: str = "guava-31", lazy_memory: bool = False,
        foldable: bool = False, like: Optional[Filter] = None, file_mode: int = 0,
    ) -> Filter: ...
    def put_all(self, other: Filter, /) -> None: ...
    def compare(self, other: Filter, /) -> Dict[str, Estimate]: ...
    def fold(self, factor: int, /) -> Filter: ...
    def save(self, path: Path, *, form: str = "native") -> None: ...
    def to_bytes(self, *, form: str = "native") -> bytes: ...
    @property
    def read_only(self) -> bool: ...

@final
class Counting(_Made, _Put, _Counted, _Saved):
    def remove(self, key: Key, /) -> bool: ...
    @overload
    def remove_many(self, keys: Keys, offsets: Buffer = None, *, answers: _No) -> int: ...
    @overload
    def remove_many(
        self, keys: Keys, offsets: Buffer = None, *, answers: _Yes = True
    ) -> bytearray: ...
    @overload
    def remove_many(self, keys: Keys, offsets: Buffer = None, *, answers: Any) -> Any: ...
    def put_all(self, other: Counting, /) -> None: ...
    def to_filter(self) -> Filter: ...

@final
class Growing(_Claimed, _Counted, _Shared, _Saved):
    @overload
    def __new__(
        cls, expected_insertions: int, fpp: float, *,
        strategy: Optional[str] = None, hash: Optional[str] = None, seed: int = 0,
        key: Optional[bytes] = None, keep_key: bool = False, memory: str = "balanced",
        probes_formula: str = "guava-31", lazy_memory: bool = False,
        foldable: bool = False, like: Optional[Filter] = None,
    ) -> Growing: ...
    @overload
    def __new__(
        cls, expected_insertions: int = 0, *, fpp: float,
        strategy: Optional[str] = None, hash: Optional[str] = None, seed: int = 0,
        key: Optional[bytes] = None, keep_key: bool = False, memory: str = "balanced",
        probes_formula: str = "guava-31", lazy_memory: bool = False,
        foldable: bool = False, like: Optional[Filter] = None,
    ) -> Growing: ...
    @overload
    @classmethod
    def create(
        cls, path: Path, expected_insertions: int, fpp: float, *,
        strategy: Optional[str] = None, hash: Optional[str] = None, seed: int = 0,
        key: Optional[bytes] = None, keep_key: bool = False, memory: str = "balanced",
        probes_formula: str = "guava-31", lazy_memory: bool = False,
        foldable: bool = False, like: Optional[Filter] = None, file_mode: int = 0,
    ) -> Growing: ...
    @overload
    @classmethod
    def create(
        cls, path: Path, expected_insertions: int = 0, *, fpp: float,
        strategy: Optional[str] = None, hash: Optional[str] = None, seed: int = 0,
        key: Optional[bytes] = None, keep_key: bool = False, memory: str = "balanced",
        probes_formula: str = "guava-31", lazy_memory: bool = False,
        foldable: bool = False, like: Optional[Filter] = None, file_mode: int = 0,
    ) -> Growing: ...
    def to_filter(self) -> Filter: ...
    @property
    def raises_when_full(self) -> bool: ...
    @raises_when_full.setter
    def raises_when_full(self, value: bool) -> None: ...
    @property
    def read_only(self) -> bool: ...

@final
class Window(_Claimed, _Read, _Shared, _Saved):
    def __new__(
        cls, expected_insertions: int, fpp: float, *, span: float = 0, generations: int = 3,
        by_insertions: bool = False, hash: Optional[str] = None, seed: int = 0,
        key: Optional[bytes] = None, keep_key: bool = False, lazy_memory: bool = False,
        memory: str = "balanced",
    ) -> Window: ...
    @classmethod
    def create(
        cls, path: Path, expected_insertions: int, fpp: float, *, span: float = 0,
        generations: int = 3, by_insertions: bool = False, hash: Optional[str] = None,
        seed: int = 0, key: Optional[bytes] = None, keep_key: bool = False,
        lazy_memory: bool = False, memory: str = "balanced", file_mode: int = 0,
    ) -> Window: ...
    def advance(self, generation: Optional[int] = None) -> bool: ...
    def tick(self) -> int: ...
    def start_clock(self) -> None: ...
    def stop_clock(self) -> None: ...
    @property
    def generation(self) -> int: ...

@final
class Versions(_Made, _Put):
    @classmethod
    def of(cls, filter: Filter, /) -> Versions: ...
    def section(self) -> Section: ...
    def rebuild(
        self, expected_insertions: int, fpp: float, *,
        strategy: Optional[str] = None, hash: Optional[str] = None, seed: int = 0,
        key: Optional[bytes] = None, keep_key: bool = False, memory: str = "balanced",
        probes_formula: str = "guava-31", lazy_memory: bool = False,
        foldable: bool = False, like: Optional[Filter] = None,
    ) -> Building: ...
    def rebuild_of(self, filter: Filter, /) -> Building: ...
    def rollback(self) -> int: ...
    def drop_previous(self) -> None: ...
    def reclaim(self) -> int: ...
    @property
    def number(self) -> int: ...

@final
class Section(_Asked):
    def stats(self) -> Dict[str, Any]: ...
    def copy(self) -> Filter: ...
    @property
    def number(self) -> int: ...
    def __enter__(self) -> Section: ...
    def __exit__(self, *exception: Any) -> None: ...

@final
class Building(_Put):
    def stats(self) -> Dict[str, Any]: ...
    def publish(self, *, keep_previous: bool = False) -> int: ...
    def abandon(self) -> None: ...
    def __enter__(self) -> Building: ...
    def __exit__(self, *exception: Any) -> Literal[False]: ...
