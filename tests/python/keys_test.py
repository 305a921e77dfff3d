"""Which objects are keys, one and many, and which bits they become."""

import array
import collections
import ctypes
import unittest
import unittest.mock

import numpy

import lfbloom


def made(**config):
    return lfbloom.Filter(10_000, 1e-9, hash="xxh3", seed=7, **config)


class OneKey(unittest.TestCase):
    def test_a_str_is_its_utf8_bytes(self):
        seen = made()
        for text in ("apple", "", "größe", "日本", "\0nul\0"):
            self.assertTrue(seen.put(text))
            self.assertIn(text.encode(), seen)
            self.assertFalse(seen.put(text.encode()))

    def test_an_int_is_a_number(self):
        seen = made()
        for number in (0, 1, 2**31, 2**63, 2**64 - 1):
            self.assertNotIn(number, seen)
            self.assertTrue(seen.put(number))
            self.assertIn(number, seen)
        self.assertNotIn(b"\0" * 8, seen)
        self.assertIn(True, seen)
        self.assertIn(numpy.uint64(2**63), seen)
        self.assertIn(numpy.int32(1), seen)

    def test_subclasses_are_keys(self):
        class Text(str):
            pass

        class Raw(bytes):
            pass

        class Number(int):
            pass

        seen = made()
        self.assertTrue(seen.put(Text("a")) and seen.put(Raw(b"b")) and seen.put(Number(3)))
        self.assertTrue("a" in seen and b"b" in seen and 3 in seen)
        self.assertIn(numpy.str_("a"), seen)
        self.assertIn(numpy.bytes_(b"b"), seen)

    def test_bytearrays_and_memoryviews_are_their_bytes(self):
        seen, changing = made(), bytearray(b"abc")
        self.assertTrue(seen.put(changing) and seen.claim(memoryview(b"x")) and seen.put(memoryview(b"abcd")[2:]))
        changing += b"def"  # it is not held
        self.assertTrue(b"abc" in seen and b"x" in seen and b"cd" in seen and bytearray(b"abc") in seen)
        self.assertNotIn(changing, seen)
        for many in ([bytearray(b"a")], (memoryview(b"a"),)):  # another thread could change them meanwhile
            with self.assertRaisesRegex(TypeError, "str, bytes or an int"):
                seen.put_many(many)
        with self.assertRaises(BufferError):
            seen.put(memoryview(b"abcd")[::2])

    def test_others_are_refused(self):
        seen = made()
        for wrong in (None, 1.5, [], (), object()):
            for call in (seen.put, seen.claim, seen.might_contain, seen.__contains__):
                with self.assertRaisesRegex(TypeError, "str, bytes or an int"):
                    call(wrong)
        for wrong in (-(2**63) - 1, 2**64, -(2**80)):
            with self.assertRaisesRegex(OverflowError, r"put str\(it\)"):
                seen.put(wrong)
        with self.assertRaises(UnicodeEncodeError):
            seen.put("\ud800")
        self.assertEqual(len(seen), 0)

    def test_an_index_that_fails(self):
        class Broken:
            def __index__(self):
                raise KeyError("broken")

        with self.assertRaises(KeyError):
            made().put(Broken())


class ManyKeys(unittest.TestCase):
    def same(self, keys, one_by_one, **offsets):
        """Checks that many keys become the bits of the same keys put one by one."""
        one, many = made(), made()
        expected = [one.put(key) for key in one_by_one]
        self.assertEqual(list(many.put_many(keys, **offsets, answers=True)), expected)
        self.assertEqual(many.to_bytes(), one.to_bytes())
        counted = made()
        self.assertEqual(counted.put_many(keys, **offsets), sum(expected))
        self.assertEqual(counted.to_bytes(), one.to_bytes())

    def test_ints(self):
        numbers = [3, 1, 4, 1, 5, 2**64 - 1, 0]
        for keys in (numbers, tuple(numbers), collections.deque(numbers), numpy.array(numbers, "u8"),
                     array.array("Q", numbers), memoryview(array.array("Q", numbers)),
                     (ctypes.c_uint64 * 7)(*numbers), numpy.array(numbers, object), [numpy.uint64(n) for n in numbers], [3, True, *numbers[2:]]):
            self.same(keys, numbers)
        self.same(range(10_000), range(10_000))
        self.same(numpy.arange(10_000), range(10_000))

    def test_strings(self):
        strings = ["a", b"b", "größe", "", b"", "a" * 1000, b"a"]
        for keys in (strings, tuple(strings), collections.deque(strings)):
            self.same(keys, strings)

    def test_fixed_strings(self):
        words = [b"a", b"bcd", b"", b"a", b"\0x"]
        self.same(numpy.array(words), words)
        self.same(numpy.array(words * 3000), words * 3000)
        self.same(numpy.array(words, "S10")[::2], words[::2])

    def test_views_that_are_not_in_a_row(self):
        numbers = numpy.arange(9000, dtype="u8")
        self.same(numbers[::3], range(0, 9000, 3))
        self.same(numbers[::-1], range(8999, -1, -1))
        pairs = numpy.zeros(5, dtype=[("letter", "S1"), ("number", "u8")])
        pairs["number"] = [5, 6, 7, 8, 9]
        self.same(pairs["number"], [5, 6, 7, 8, 9])

    def test_offsets(self):
        words = [b"apple", b"", b"pear", b"apple"] * 3000
        values = b"".join(words)
        for kind in ("i4", "i8"):
            offsets = numpy.concatenate([[0], numpy.cumsum([len(word) for word in words])]).astype(kind)
            self.same(values, words, offsets=offsets)
            self.same(bytearray(values), words[5:], offsets=offsets[5:].copy())
        self.same(b"", [], offsets=numpy.zeros(1, "i4"))
        self.same(b"", [], offsets=numpy.zeros(0, "i8"))

    def test_rounds_and_pieces(self):
        for count in (0, 1, 63, 64, 65, 4095, 4096, 4097, 65536, 65537, 140_000):
            seen = lfbloom.Filter(200_000, 1e-9)
            self.assertEqual(seen.put_many(iter(range(count))), count)
            answers = seen.might_contain_many(numpy.arange(count + 1, dtype="u8"))
            self.assertEqual(bytes(answers), b"\1" * count + b"\0")

    def test_negative_ints_are_those_of_java(self):
        numbers = [-1, -(2**63), 5, -(2**63) + 1]
        for kind in (list, tuple, iter, numpy.array):
            seen = made()
            self.assertEqual(seen.put_many(kind(numbers)), 4)
            for number in numbers:
                self.assertIn(number, seen)
                self.assertIn(number % 2**64, seen)
                self.assertFalse(seen.put(number))
        guava = lfbloom.Filter(100, 1e-9, strategy="guava-mitz64")
        self.assertTrue(guava.put(-2))
        self.assertIn((-2).to_bytes(8, "little", signed=True), guava)

    def test_wrong_keys_put_nothing(self):
        seen = made()
        cases = [
            ("apple", TypeError), (b"apple", TypeError), (bytearray(b"a"), TypeError), (5, TypeError),
            ([1, "a"], TypeError), (["a", 1], TypeError), ([1, 2, 3.5], TypeError), ([1, -(2**63) - 1], OverflowError),
            (["a", None], TypeError), (["a", "\ud800"], UnicodeEncodeError), ((1, 2**64), OverflowError),
            (numpy.array([1.5]), TypeError), (numpy.array([1], ">u8"), TypeError),
            (numpy.array([1], "u4"), TypeError), (numpy.array(["a"]), TypeError),
            (numpy.zeros((2, 2), "u8"), ValueError),
            (memoryview(b"abc"), TypeError), ((ctypes.c_int * 2)(1, 2), TypeError), (numpy.array(["2020-01-01"], "M8[D]"), TypeError),
        ]
        for keys, error in cases:
            for call in (seen.put_many, seen.claim_many, seen.might_contain_many):
                with self.assertRaises(error, msg=repr(keys)):
                    call(keys)
        with self.assertRaisesRegex(TypeError, "tolist"):
            seen.put_many(numpy.array(["a"]))
        self.assertEqual(seen.stats()["bits_set"], 0)

    def test_wrong_offsets_put_nothing(self):
        seen = made()
        for offsets in ([0, 4], [2, 1], [-1, 2], [0, 2**31 - 1], [3, 3, 2], [2**31 - 1] * 2):
            with self.assertRaisesRegex(ValueError, "offset"):
                seen.put_many(b"abc", numpy.array(offsets, "i4"))
        for offsets in (b"\0" * 8, [0, 1], numpy.zeros(2, "u4"), numpy.zeros((2, 2), "i4"), numpy.zeros(2)):
            with self.assertRaises(TypeError):
                seen.put_many(b"abc", offsets)
        with self.assertRaises(TypeError):
            seen.put_many(["abc"], numpy.zeros(2, "i4"))
        self.assertEqual(seen.stats()["bits_set"], 0)

    def test_an_iterator_that_fails(self):
        def keys():
            yield from range(70_000)
            raise KeyError("at the end")

        seen = lfbloom.Filter(100_000, 1e-9)
        with self.assertRaises(KeyError):
            seen.put_many(keys())
        # The first round was put, the second was not.
        self.assertTrue(65535 in seen and 65536 not in seen)


class Answers(unittest.TestCase):
    def test_each_kind(self):
        seen = made()
        self.assertEqual(seen.put_many([1, 2, 1]), 2)
        self.assertEqual(seen.put_many([1, 3], answers=True), bytearray(b"\0\1"))
        array = seen.might_contain_many([1, 9], answers="numpy")
        self.assertEqual((array.dtype, array.tolist()), (numpy.dtype(bool), [True, False]))
        array[0] = False  # it is the caller's own
        self.assertEqual(seen.might_contain_many([1, 9], answers=False), 1)
        self.assertEqual(seen.might_contain_many([]), bytearray())
        self.assertEqual(seen.might_contain_many([], answers="numpy").tolist(), [])

    def test_a_buffer(self):
        seen = made()
        seen.put_many(range(0, 10_000, 2))
        for out in (numpy.empty(10_000, bool), bytearray(10_000)):
            self.assertIs(seen.might_contain_many(range(10_000), answers=out), out)
            self.assertEqual(bytes(out), b"\1\0" * 5000)
        for wrong, error in ((bytearray(3), ValueError), (bytearray(1), ValueError), (bytes(2), BufferError),
                             (numpy.empty(2, "u8"), TypeError), ("list", TypeError), (None, TypeError),
                             (numpy.empty((1, 2), bool), TypeError)):
            with self.assertRaises(error, msg=repr(wrong)):
                seen.might_contain_many([1, 2], answers=wrong)

    def test_a_wrong_argument_puts_nothing(self):
        seen = made()
        for wrong in (bytearray(3), bytearray(1), bytes(2), "list", None):
            for keys in ([1, 2], ["a", "b"], numpy.array([1, 2], "u8")):
                with self.assertRaises((ValueError, TypeError, BufferError)):
                    seen.claim_many(keys, answers=wrong)
        with unittest.mock.patch.dict("sys.modules", numpy=None):
            with self.assertRaises(ImportError):
                seen.claim_many([1, 2], answers="numpy")
        self.assertEqual(seen.stats()["bits_set"], 0)
        with self.assertRaises(ValueError):
            seen.claim_many(iter([1, 2]), answers=bytearray(3))
