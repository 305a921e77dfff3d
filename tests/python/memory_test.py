"""No call keeps memory, also where it fails: by tracemalloc, by references, and by the process."""

import gc
import sys
import tracemalloc
import unittest

import numpy

import lfbloom


def resident():
    """The process's memory in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def refused(call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except Exception:
        return
    raise AssertionError("%r took %r" % (call, args))


class Memory(unittest.TestCase):
    def setUp(self):
        self.seen = lfbloom.Filter(100_000, 0.01)
        self.numbers = numpy.arange(3000, dtype="u8")
        self.words = numpy.array([b"word %d" % i for i in range(3000)])
        self.strings = ["größe %d" % i for i in range(3000)]
        self.offsets = numpy.arange(3001, dtype="i4")

    def calls(self):
        seen = self.seen
        key = "key %d" % 5
        seen.put(key), seen.claim(key), seen.might_contain(key), key in seen, seen.put(2**63)
        seen.put_many(self.numbers), seen.claim_many(self.words), seen.put_many(self.strings, answers=True)
        seen.might_contain_many(self.strings, answers="numpy"), seen.put_many(range(300))
        seen.put_many(bytes(3000), self.offsets), seen.put_many(self.numbers.tolist())
        seen.put_many(self.numbers, answers=bytearray(3000)), seen.put_many(iter(self.strings))
        lfbloom.Filter.from_bytes(seen.to_bytes()).put_all, seen.copy().stats(), repr(seen), len(seen)
        seen.compare(seen), seen.fold(1), lfbloom.Filter(10, 0.1, like=seen).stats()
        versions = lfbloom.Versions.of(seen)
        with versions.section() as section:
            section.might_contain_many(self.numbers), section.copy()
        with versions.rebuild(100, 0.01) as building:
            building.put_many(self.strings)
        lfbloom.Counting(100, 0.1, strategy="fast").to_filter(), lfbloom.Growing(100, 0.1).copy(), lfbloom.Window(100, 0.1, span=1).stats()

    def failures(self):
        seen = self.seen
        refused(seen.put, 1.5), refused(seen.put, 2**70), refused(seen.put, "\ud800")
        refused(seen.put_many, [1, "a"]), refused(seen.put_many, ["a"] * 5000 + [1])
        refused(seen.put_many, numpy.array([1.5])), refused(seen.put_many, self.numbers, answers=bytearray(5))
        refused(seen.put_many, b"a", self.offsets), refused(seen.put_many, self.numbers, answers="list")
        refused(seen.put_many, iter(["a"] * 700 + [5.5])), refused(seen.put_many, b"a", b"b")
        refused(lfbloom.Filter, 10, 0), refused(lfbloom.Filter, 10, 0.1, memory="much")
        refused(lfbloom.Filter.load, "/no/such"), refused(lfbloom.Filter.from_bytes, seen.to_bytes() + b"x")
        refused(lfbloom.Filter.from_bytes, b"wrong"), refused(lfbloom.Filter.create, "/no/such", 10, 0.1)
        refused(seen.to_bytes, form="sbbf"), refused(seen.save, "/no/such/file")
        refused(lfbloom.Window, 10, 0.1, span="a"), refused(lfbloom.Window.create, "/no/such/file", 10, 0.1)
        refused(lfbloom.Window.open, "/no/such"), refused(lfbloom.Window.open, "/no/such", read_only=True)
        refused(seen.__reduce__), refused(seen.put_all, seen), refused(seen.put_all, 5), refused(seen.fold, 0)
        refused(lfbloom.Filter.open, "/no/such", read_only=True), refused(lfbloom.Filter, 10, 0.1, like=5)
        versions = lfbloom.Versions(100, 0.1)
        building = versions.rebuild(100, 0.1)
        refused(versions.rebuild, 100, 0.1), refused(versions.rollback), refused(versions.rebuild_of, 5)
        del building

    def grown(self, calls, times):
        """How many bytes of Python's memory `times` rounds keep."""
        calls(), calls()
        gc.collect()
        tracemalloc.start()
        try:
            calls()
            gc.collect()
            before = tracemalloc.get_traced_memory()[0]
            for _ in range(times):
                calls()
            gc.collect()
            return tracemalloc.get_traced_memory()[0] - before
        finally:
            tracemalloc.stop()

    # One object that is kept in each round is 250 objects, at least 28 bytes each: 7,000 bytes.  Python's
    # own lists of free objects grow and shrink by some thousand bytes however many rounds there are, so
    # the least growth of three runs counts: at most 3,000 in 24 times three runs.
    def test_python_keeps_nothing(self):
        for calls in (self.calls, self.failures):
            self.assertLess(min(self.grown(calls, 250) for _ in range(3)), 250 * 28, calls)

    # One buffer of the keys, 24 KB, that is kept in each round is 7 MB.
    def test_the_process_keeps_nothing(self):
        for calls in (self.calls, self.failures):
            for _ in range(10):
                calls()
            before = resident()
            for _ in range(300):
                calls()
            self.assertLess(resident() - before, 4 << 20, calls)

    def test_references(self):
        key, keys = "a key of this test", [b"a", b"b"]
        versions = lfbloom.Versions(10, 0.1)
        counted = (key, keys, keys[0], self.numbers, self.seen, versions, None, True, False,
                   lfbloom.Filter, lfbloom.Building, lfbloom.Section)

        def round():
            self.seen.put(key), self.seen.put_many(keys), self.seen.put_many(self.numbers)
            self.seen.claim_many(tuple(keys)), self.seen.copy(), self.seen.sync
            versions.rebuild_of(self.seen).abandon()
            with versions.section():
                pass
            refused(self.seen.put_many, [key, 5])
            refused(self.seen.put_all, versions)

        round()
        before = [sys.getrefcount(of) for of in counted]
        for _ in range(50):
            round()
        after = [sys.getrefcount(of) for of in counted]
        for of, grown in zip(counted, (b - a for a, b in zip(before, after))):
            self.assertLess(abs(grown), 25, of)
