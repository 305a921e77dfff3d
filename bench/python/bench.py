"""bench.py LIBRARY: times the Python module beside the C library, LIBRARY, and beside ctypes.

Each figure is the least CPU time of several rounds, in which all ways take turns.  All filters hash
by the same key.
"""

import ctypes
import os
import sys
import tempfile
import time

import lfbloom
import numpy

KEYS = 1_000_000
ROUNDS = 15


def c_library(path):
    """The library, by ctypes.  A filter is loaded from a file: so no struct is described twice."""
    library = ctypes.CDLL(path)
    library.lfb_filter_load.argtypes = [ctypes.c_char_p, ctypes.c_void_p,
                                        ctypes.POINTER(ctypes.c_void_p)]
    library.lfb_filter_free.argtypes = [ctypes.c_void_p]
    many = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
    library.lfb_filter_put_many_u64.argtypes = many
    library.lfb_filter_put_many_u64.restype = ctypes.c_size_t
    library.lfb_filter_put_u64.argtypes = [ctypes.c_void_p, ctypes.c_uint64]
    library.lfb_filter_put_u64.restype = ctypes.c_bool
    library.lfb_filter_put.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
    library.lfb_filter_put.restype = ctypes.c_bool
    return library


def c_filter(library, path):
    made = ctypes.c_void_p()
    if library.lfb_filter_load(os.fsencode(path), None, ctypes.byref(made)) != 0:
        sys.exit("bench: %s cannot be loaded" % path)
    return made


def timed(call):
    before = time.process_time_ns()
    call()
    return time.process_time_ns() - before


def least(ways):
    """The least time of each way, {name: function that makes the call to time}."""
    best = {}
    for _ in range(ROUNDS):
        for name, make in ways.items():
            taken = timed(make())
            best[name] = min(best.get(name, taken), taken)
    return best


def many(library, path):
    """A million new keys in one call."""
    numbers = numpy.random.default_rng(1).integers(0, 2**64, KEYS, dtype=numpy.uint64)
    objects = numbers.tolist()
    made = []

    def by_c():
        made.append(c_filter(library, path))
        return lambda: library.lfb_filter_put_many_u64(made[-1], numbers.ctypes.data, KEYS, None)

    def put_many(keys):
        return lambda: lambda seen=lfbloom.Filter.load(path): seen.put_many(keys)

    words = [b"a key of 20 byt%5d" % (i % 100_000) for i in range(KEYS)]
    ways = {
        "C": by_c,
        "NumPy array": put_many(numbers),
        "list": put_many(objects),
        "list of bytes": put_many(words),
        "tuple of bytes": put_many(tuple(words)),
        "set(list)": lambda: lambda: set(objects),
    }
    best = least(ways)
    print("%d keys in one put_many" % KEYS)
    for name, taken in best.items():
        print("  %-14s %7.2f ms   %5.2f times C" % (name, taken / 1e6, taken / best["C"]))
    for filter in made:
        library.lfb_filter_free(filter)


def one(library, path):
    """One key in a call; the loop's own time is in each figure: callable() does nothing else."""
    calls = 100_000
    cached = lfbloom.Filter(1000, 0.01)
    seen, other = lfbloom.Filter.load(path), c_filter(library, path)
    put, c_u64, c_bytes = seen.put, library.lfb_filter_put_u64, library.lfb_filter_put
    numbers = list(range(calls))
    words = ["a key of 20 letters %d" % (i % 1000) for i in range(calls)]

    def loop(function, keys):
        def run():
            for key in keys:
                function(key)

        return lambda: run

    ways = {
        "callable(int)": loop(callable, numbers),
        "put(int)": loop(put, numbers),
        "put(int), full": loop(cached.put, numbers),
        "put(str)": loop(put, words),
        "key in filter": loop(seen.__contains__, numbers),
        "ctypes, int": loop(lambda key: c_u64(other, key), numbers),
        "ctypes, str": loop(lambda key: c_bytes(other, key.encode(), len(key)), words),
        "set.add(int)": loop(set().add, numbers),
    }
    print("one key in a call")
    for name, taken in least(ways).items():
        print("  %-14s %7.1f ns" % (name, taken / calls))
    library.lfb_filter_free(other)


def main(path):
    library = c_library(path)
    with tempfile.TemporaryDirectory() as folder:
        empty = os.path.join(folder, "empty")
        lfbloom.Filter(KEYS, 0.01).save(empty)
        many(library, empty)
        one(library, empty)


main(*sys.argv[1:])
