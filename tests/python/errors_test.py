"""Exceptions, and wrong arguments."""

import errno
import pickle
import traceback
import unittest

import lfbloom
from lfbloom import _errors, _lfbloom


class Classes(unittest.TestCase):
    def test_each_status_has_a_fitting_class(self):
        for number, name in _lfbloom.statuses.items():
            error = _errors.make(number, "text", errno.ENOENT, b"a path")
            self.assertEqual((error.status, error.name), (number, name))
            self.assertIsInstance(error, lfbloom.Error)
        # Only what no call of this module returns is a plain Error.
        plain = {name for name in _lfbloom.statuses.values() if name not in _errors._CLASSES}
        outside = ("LFB_OK", "LFB_ERROR_REDIS", "LFB_ERROR_MODULE")
        self.assertEqual(
            {name for name in plain if not name.startswith(outside)},
            {"LFB_ERROR_" + name for name in (
                "NO_RANDOM", "TOO_MANY_LAYERS", "BAD_SOURCE",
                "STOPPED", "FOLLOWING", "NO_CHANGES", "NOT_DELTA", "BAD_DELTA", "BITS_LOST")})

    def test_names_exist(self):
        self.assertEqual(set(_errors._CLASSES) - set(_lfbloom.statuses.values()), set())

    def test_files(self):
        with self.assertRaises(FileNotFoundError) as failed:
            lfbloom.Filter.load("/no/such/file")
        self.assertIsInstance(failed.exception, lfbloom.FileError)
        self.assertEqual((failed.exception.errno, failed.exception.filename), (errno.ENOENT, "/no/such/file"))
        self.assertEqual(failed.exception.name, "LFB_ERROR_OPEN")
        with self.assertRaises(lfbloom.FileError):
            lfbloom.Filter.load("/dev/null")
        with self.assertRaises(lfbloom.FileError):
            lfbloom.Filter(10, 0.1).save("/no/such/folder/file")
        with self.assertRaisesRegex(lfbloom.FormatError, "^tests/golden/counting-v1-fast.lfb: "):
            lfbloom.Filter.load("tests/golden/counting-v1-fast.lfb")

    def test_memory(self):
        with self.assertRaises(MemoryError) as failed:
            lfbloom.Filter(2**42, 1e-9, strategy="fast")
        self.assertIsInstance(failed.exception, lfbloom.OutOfMemory)


class Names(unittest.TestCase):
    def test_as_in_a_traceback(self):
        with self.assertRaises(lfbloom.ConfigError) as failed:
            lfbloom.Filter(10, 0)
        self.assertTrue(traceback.format_exception_only(type(failed.exception), failed.exception)[0]
                        .startswith("lfbloom.ConfigError: "))
        again = pickle.loads(pickle.dumps(failed.exception))
        self.assertEqual((type(again), again.name), (lfbloom.ConfigError, failed.exception.name))


class Arguments(unittest.TestCase):
    def test_configurations(self):
        other = lfbloom.Filter(10, 0.1)
        for config, error in (
            (dict(expected_insertions=10, fpp=0), lfbloom.ConfigError),
            (dict(expected_insertions=10, fpp=1.5), ValueError),
            (dict(expected_insertions=10, fpp=float("nan")), ValueError),
            (dict(expected_insertions=-1, fpp=0.1), OverflowError),
            (dict(expected_insertions=2**64, fpp=0.1), OverflowError),
            (dict(expected_insertions="10", fpp=0.1), TypeError),
            (dict(expected_insertions=10), TypeError),
            (dict(expected_insertions=10, fpp=0.1, strategy="none such"), lfbloom.ConfigError),
            (dict(expected_insertions=10, fpp=0.1, strategy="fast\0"), ValueError),
            (dict(expected_insertions=10, fpp=0.1, strategy=5), TypeError),
            (dict(expected_insertions=10, fpp=0.1, hash="md5"), lfbloom.ConfigError),
            (dict(expected_insertions=10, fpp=0.1, memory="much"), lfbloom.ConfigError),
            (dict(expected_insertions=10, fpp=0.1, probes_formula="mine"), lfbloom.ConfigError),
            (dict(expected_insertions=10, fpp=0.1, key=b"short"), ValueError),
            (dict(expected_insertions=10, fpp=0.1, key="a str of 16 char"), TypeError),
            (dict(expected_insertions=10, fpp=0.1, like="a"), TypeError),
            (dict(expected_insertions=10, fpp=0.1, like=other, seed=5), ValueError),
            (dict(expected_insertions=10, fpp=0.1, like=other, hash="xxh3"), ValueError),
            (dict(expected_insertions=10, fpp=0.1, like=other, key=b"sixteen letters."), ValueError),
            (dict(expected_insertions=10, fpp=0.1, wrong=1), TypeError),
        ):
            for cls in (lfbloom.Filter, lfbloom.Counting, lfbloom.Growing, lfbloom.Versions):
                with self.assertRaises(error, msg=config):
                    cls(**config)
        with self.assertRaises(lfbloom.ConfigError):
            lfbloom.Window(10, 0.1, generations=4)
        with self.assertRaises(lfbloom.ConfigError):
            lfbloom.Growing(10, 0.1, strategy="go-fnv14")

    def test_calls(self):
        seen = lfbloom.Filter(10, 0.1)
        for call in (lambda: seen.put(), lambda: seen.put(1, 2), lambda: seen.put_many(),
                     lambda: seen.put_many([1], None, False), lambda: seen.fold("a"), lambda: seen.save(5),
                     lambda: seen.save("f", form=5), lambda: seen.copy(5), lambda: lfbloom.Filter.load(),
                     lambda: lfbloom.Filter.from_bytes("text"), lambda: lfbloom.Filter.from_bytes(5),
                     lambda: lfbloom.Filter.open("f", mode=1)):
            with self.assertRaises(TypeError):
                call()
        with self.assertRaises(lfbloom.ConfigError):
            seen.save("f", form="none such")
        with self.assertRaises(ValueError):
            seen.save("a\0b")
        with self.assertRaises(TypeError):
            type("Mine", (lfbloom.Filter,), {})
