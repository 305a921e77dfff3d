"""The classes: what each does, and how it is made, saved and read."""

import copy
import os
import pickle
import resource
import sys
import tempfile
import time
import unittest
import weakref
from unittest import mock

import lfbloom

KEY = bytes(range(16))


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)


class Filter(Files):
    def test_weak_references_end_with_the_object(self):
        for make in (lambda: lfbloom.Filter(10, 0.1), lambda: lfbloom.Growing(fpp=0.1),
                     lambda: lfbloom.Counting(10, 0.1), lambda: lfbloom.Window(10, 0.1),
                     lambda: lfbloom.Versions(10, 0.1)):
            held = make()
            ended = []
            weak = weakref.ref(held, ended.append)
            self.assertIs(weak(), held)
            del held
            self.assertIsNone(weak())
            self.assertEqual(len(ended), 1)

    def test_made_as_described(self):
        seen = lfbloom.Filter(1000, 0.01, strategy="guava-mitz64", probes_formula="guava-current")
        stats = seen.stats()
        self.assertEqual((stats["strategy"], stats["expected_insertions"], stats["fpp"]), ("guava-mitz64", 1000, 0.01))
        self.assertEqual(lfbloom.plan(1000, 0.01, strategy="guava-mitz64")["bit_count"], stats["bit_count"])
        self.assertEqual(lfbloom.Filter(10, 0.1, hash="xxh3", seed=2**64 - 1).stats()["seed"], 2**64 - 1)
        smallest = lfbloom.plan(10**7, 1e-6, strategy="fast", memory="smallest")["bytes"]
        self.assertLess(smallest, lfbloom.plan(10**7, 1e-6, strategy="fast", memory="speed")["bytes"])

    def test_claims(self):
        seen = lfbloom.Filter(1000, 1e-6)
        self.assertEqual((seen.claim("a"), seen.claim("a"), seen.put("a")), (True, False, False))
        self.assertEqual(list(seen.claim_many(["a", "b", "b"])), [0, 1, 0])

    def test_saved_and_read(self):
        seen = lfbloom.Filter(1000, 0.01)
        seen.put_many(range(500))
        for path in (self.path("f"), os.fsencode(self.path("g"))):
            seen.save(path)
            again = lfbloom.Filter.load(path)
            self.assertEqual(again.to_bytes(), seen.to_bytes())
        again = lfbloom.Filter.from_bytes(memoryview(seen.to_bytes()))
        self.assertTrue(all(again.might_contain_many(range(500))))
        self.assertEqual(again.stats()["form"], "native")

    def test_guava(self):
        seen = lfbloom.Filter(1000, 0.01, strategy="guava-mitz64")
        seen.put("apple")
        again = lfbloom.Filter.from_bytes(seen.to_bytes(form="guava"))
        self.assertTrue("apple" in again and "pear" not in again)
        seen.save(self.path("f"), form="guava")
        with open(self.path("f"), "rb") as file:
            self.assertEqual(file.read(), seen.to_bytes(form="guava"))
        self.assertEqual(again.stats()["form"], "guava")
        with self.assertRaises(lfbloom.ConfigError):
            lfbloom.Filter(1000, 0.01).to_bytes(form="guava")

    def test_a_golden_file_of_guava(self):
        with open("tests/golden/guava-mitz64.guava", "rb") as file:
            data = file.read()
        self.assertEqual(lfbloom.Filter.from_bytes(data).to_bytes(form="guava"), data)

    def test_keyed(self):
        seen = lfbloom.Filter(1000, 0.01, hash="siphash13", key=KEY)
        seen.put("apple")
        seen.save(self.path("f"))
        with self.assertRaises(lfbloom.FormatError) as failed:
            lfbloom.Filter.load(self.path("f"))
        self.assertEqual(failed.exception.name, "LFB_ERROR_KEY_NEEDED")
        self.assertIn("apple", lfbloom.Filter.load(self.path("f"), key=KEY))
        with self.assertRaises(lfbloom.FormatError):
            lfbloom.Filter.load(self.path("f"), key=bytes(16))

    def test_together(self):
        a = lfbloom.Filter(1000, 0.001, foldable=True)
        b = lfbloom.Filter(1000, 0.001, foldable=True, like=a)
        a.put_many(range(0, 600))
        b.put_many(range(300, 900))
        both, error = a.compare(b)["both"]
        self.assertLess(abs(both - 300), 5 * error + 1)
        self.assertEqual(set(a.compare(b)), {"a", "b", "both", "either", "jaccard", "a_in_b", "b_in_a"})
        a.put_all(b)
        self.assertTrue(all(a.might_contain_many(range(900))))
        self.assertLess(abs(len(a) - 900), 50)
        folded = a.fold(2)
        self.assertTrue(all(folded.might_contain_many(range(900))))
        self.assertEqual(folded.stats()["bytes"] * 2, a.stats()["bytes"])
        with self.assertRaises(lfbloom.ConfigError):
            a.fold(0)
        copied = a.copy()
        copied.put("only")
        self.assertEqual(("only" in copied, "only" in a), (True, False))
        for call in (a.put_all, a.compare):
            with self.assertRaises(TypeError):
                call(lfbloom.Counting(1000, 0.001))
        with self.assertRaises(lfbloom.MismatchError):
            a.put_all(a)

    def test_mapped(self):
        seen = lfbloom.Filter.create(self.path("f"), 1000, 0.01, file_mode=0o600)
        other = lfbloom.Filter.open(self.path("f"))
        reader = lfbloom.Filter.open(self.path("f"), read_only=True)
        self.assertTrue(seen.put("apple"))
        self.assertTrue("apple" in other and "apple" in reader)
        self.assertEqual((seen.read_only, reader.read_only), (False, True))
        import io
        for call in (lambda: reader.put("a"), lambda: reader.claim("a"), lambda: reader.put_many(["a"]),
                     lambda: reader.put_all(seen)):
            with self.assertRaises(io.UnsupportedOperation):
                call()
        seen.sync()
        self.assertEqual(reader.copy().put("pear"), True)
        with self.assertRaises(FileExistsError):
            lfbloom.Filter.create(self.path("f"), 1000, 0.01)
        saved = lfbloom.Filter(1000, 0.01)
        saved.put("native")
        saved.save(self.path("g"))
        self.assertIn("native", lfbloom.Filter.open(self.path("g"), read_only=True))

    def test_truth(self):
        for cls in (lfbloom.Filter, lfbloom.Counting, lfbloom.Growing):
            seen = cls(1000, 0.01)
            self.assertFalse(seen)
            seen.put("apple")
            self.assertTrue(seen)
        full = lfbloom.Filter(10, 0.1)
        full.put_many(range(10_000))
        self.assertTrue(full)
        with self.assertRaises(OverflowError):
            len(full)

    def test_shown(self):
        seen = lfbloom.Filter(10**6, 0.01)
        self.assertRegex(repr(seen), r"^<lfbloom\.Filter strategy='fast(-pair)?' keys=0 bytes=\d+>$")
        self.assertGreater(sys.getsizeof(seen), 10**6)
        self.assertFalse(seen)
        full = lfbloom.Filter(1, 0.5)
        full.put_many(range(10_000))
        self.assertIsNone(full.stats()["approximate_count"])
        with self.assertRaises(OverflowError):
            len(full)


class Counting(Files):
    def test_removes(self):
        for strategy in (None, "fast"):
            self.removes(lfbloom.Counting(1000, 1e-6, strategy=strategy))
        counts = lfbloom.Counting(1000, 1e-6, strategy="guava-mitz64")
        counts.put_many(range(50))
        plain = counts.to_filter()
        self.assertIs(type(plain), lfbloom.Filter)
        self.assertEqual(sum(plain.might_contain_many(range(100))), 50)
        with self.assertRaises(lfbloom.ConfigError):
            lfbloom.Counting(10, 0.1).to_filter()

    def removes(self, counts):
        self.assertEqual((counts.put("a"), counts.put("a"), counts.remove("a")), (True, True, True))
        self.assertIn("a", counts)
        self.assertEqual((counts.remove("a"), counts.remove("a"), "a" in counts), (True, False, False))
        self.assertEqual(counts.put_many(range(100)), 100)
        self.assertTrue(all(counts.remove_many(range(50))))
        self.assertEqual(sum(counts.might_contain_many(range(100))), 50)
        self.assertLess(abs(len(counts) - 50), 5)

    # Seen to fail with answers of keys that were not stored.
    def test_says_when_it_is_full(self):
        counts = lfbloom.Counting(1000, 0.01, copies=16)
        self.assertEqual(counts.put_many(["a"] * 64), 64)
        with self.assertRaises(lfbloom.FullError) as caught:
            counts.put("a")
        self.assertEqual((caught.exception.name, caught.exception.result), ("LFB_ERROR_FULL", False))
        self.assertTrue(str(caught.exception).startswith("the counting filter is full: "))
        for answers, result in ((False, 1), (True, bytearray([0, 1]))):
            with self.assertRaises(lfbloom.FullError) as caught:
                counts.put_many(["a", "b"], answers=answers)
            self.assertEqual(caught.exception.result, result)
        self.assertEqual(sum(counts.remove_many(["a"] * 65)), 64)
        figures = counts.stats()
        self.assertEqual((figures["copies"], figures["puts_refused"]), (2, 3))
        self.assertGreater(figures["slots"], lfbloom.Counting(1000, 0.01).stats()["slots"])
        full = lfbloom.Counting(1000, 0.01)
        full.put_many(range(1000))
        with self.assertRaises(lfbloom.FullError):
            full.copy().put_all(full)
        for copies, error in ((17, lfbloom.ConfigError), (-1, OverflowError), ("2", TypeError)):
            with self.assertRaises(error):
                lfbloom.Counting(10, 0.1, copies=copies)
        with self.assertRaises(lfbloom.ConfigError):
            lfbloom.Filter(10, 0.1, strategy="tags")

    def test_saved_and_read(self):
        counts = lfbloom.Counting(1000, 0.01)
        counts.put_many(["a", "b"])
        counts.save(self.path("c"))
        for again in (lfbloom.Counting.load(self.path("c")), lfbloom.Counting.from_bytes(counts.to_bytes())):
            self.assertTrue(again.remove("a") and "b" in again)
        with self.assertRaises(lfbloom.FormatError):
            lfbloom.Filter.load(self.path("c"))
        twice = counts.copy()
        twice.put_all(counts)
        self.assertTrue(twice.remove("a") and twice.remove("a"))


class Growing(Files):
    # As in C, where the first layer then has 64 KiB.
    def test_a_first_guess_is_not_needed(self):
        for made in (lfbloom.Growing(fpp=0.01), lfbloom.Growing.create(self.path("least"), fpp=0.01)):
            self.assertEqual((made.stats()["bit_count"], made.stats()["fpp"]), (8 * 65536, 0.01))
        for call in (lambda: lfbloom.Growing(), lambda: lfbloom.Growing(10), lambda: lfbloom.Growing(fpp=None),
                     lambda: lfbloom.Growing.create(self.path("none")), lambda: lfbloom.Growing.create(self.path("none"), 10)):
            with self.assertRaises(TypeError):
                call()
        self.assertFalse(os.path.exists(self.path("none")))

    def test_grows(self):
        seen = lfbloom.Growing(1000, 0.001)
        self.assertGreater(seen.put_many(range(50_000)), 49_900)
        self.assertTrue(all(seen.might_contain_many(range(50_000))))
        self.assertGreater(seen.stats()["layers"], 3)
        self.assertEqual(seen.stats()["stuck"], 0)
        self.assertLess(abs(len(seen) - 50_000), 1000)
        self.assertEqual((seen.claim("a"), seen.claim("a")), (True, False))

    def test_says_when_it_cannot_grow(self):
        seen = lfbloom.Growing.create(self.path("full"), 1000, 0.001)
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(self.path("full")), before[1]))
        try:
            with self.assertRaises(lfbloom.FullError) as caught:
                seen.claim_many(range(3000))
            self.assertGreater(sum(caught.exception.result), 1024)
            self.assertEqual(caught.exception.name, "LFB_ERROR_WRITE")
            self.assertIn("is full and cannot grow: ", str(caught.exception))
            for call in (lambda: seen.claim(7), lambda: seen.put(7), lambda: seen.put_many([7])):
                self.assertRaises(lfbloom.FullError, call)
            self.assertIn(7, seen)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        for i in range(10_000_000, 10_000_000 + 100_000):  # until a layer is tried again
            try:
                seen.put(i)
            except lfbloom.FullError:
                continue
            if seen.stats()["stuck"] == 0:
                break
        self.assertEqual(seen.stats()["stuck"], 0)
        self.assertFalse(seen.claim(7))

    def test_saved_mapped_and_copied(self):
        seen = lfbloom.Growing(1000, 0.001)
        seen.put("a")
        seen.save(self.path("g"))
        self.assertTrue("a" in lfbloom.Growing.load(self.path("g")) and "a" in seen.to_filter())
        self.assertTrue("a" in lfbloom.Growing.from_bytes(seen.to_bytes()) and "a" in seen.copy())
        shared = lfbloom.Growing.create(self.path("m"), 1000, 0.001)
        reader = lfbloom.Growing.open(self.path("m"), read_only=True)
        shared.put_many(range(10_000))
        self.assertTrue(all(reader.might_contain_many(range(10_000))))
        self.assertTrue(lfbloom.Growing.open(self.path("m")).put("x") and "x" in reader)
        shared.sync()


class Window(Files):
    def test_forgets(self):
        window = lfbloom.Window(1000, 0.001)
        first = window.generation
        self.assertTrue(window.put("a") and window.claim("b") and not window.claim("b"))
        self.assertEqual((window.advance(), window.generation), (True, first + 1))
        self.assertFalse(window.advance(first))
        for _ in range(3):
            self.assertIn("a", window)
            self.assertTrue(window.advance(generation=window.generation))
        self.assertNotIn("a", window)
        self.assertEqual(len(window.stats()["live"]), 4)
        for generations in (1, 3, 7):
            live = lfbloom.Window(1000, 0.01, generations=generations).stats()["live"]
            self.assertEqual(len(live), generations + 1)

    def test_made_as_described(self):
        stats = lfbloom.Window(1000, 1e-4, span=60, hash="xxh3", seed=1).stats()
        self.assertEqual((stats["span"], stats["generations"], stats["hash"]), (60, 3, "xxh3"))
        size = {memory: lfbloom.Window(10**6, 1e-3, memory=memory).stats() for memory in ("speed", "balanced", "smallest")}
        self.assertLess(size["balanced"]["bytes"], size["speed"]["bytes"])
        self.assertLess(size["smallest"]["bytes"], size["balanced"]["bytes"])
        self.assertEqual([size[memory]["block_words"] for memory in size], [2, 4, 8])
        for wrong in (-1, 1e10, float("nan")):
            with self.assertRaises(lfbloom.ConfigError):
                lfbloom.Window(1000, 0.01, span=wrong)
        with self.assertRaises(TypeError):
            lfbloom.Window(1000, 0.01, span="1h")
        with self.assertRaises(TypeError):
            lfbloom.Window(1000, 0.01, 60)  # by name only

    def test_ticks(self):
        self.assertEqual(lfbloom.Window(1000, 0.001).tick(), 0)
        self.assertEqual(lfbloom.Window(1000, 0.001, span=1e6).tick(), 0)
        window = lfbloom.Window(1000, 1e-6, span=0.03)
        window.put("a")
        first, ended = window.generation, 0
        while "a" in window:
            ended += window.tick()
        self.assertEqual(window.generation, first + ended)
        self.assertGreaterEqual(ended, 4)

    def test_by_insertions(self):
        window = lfbloom.Window(300, 1e-6, by_insertions=True)
        first = window.generation
        window.put("a")
        for i in range(1000):
            window.claim(i)
        self.assertGreaterEqual(window.generation, first + 6)
        self.assertTrue("a" not in window and 999 in window)

    def test_clock(self):
        without_span = lfbloom.Window(1000, 0.001)
        self.assertRaises(lfbloom.ConfigError, without_span.start_clock)
        self.assertRaises(TypeError, without_span.start_clock, 60)
        window = lfbloom.Window(1000, 0.001, span=0.003)
        first = window.generation
        window.start_clock()
        while window.generation < first + 3:
            time.sleep(0.001)
        window.stop_clock()
        last = window.generation
        time.sleep(0.02)
        self.assertEqual(window.generation, last)
        window.start_clock()  # freed while its clock runs

    def test_saved_and_read(self):
        window = lfbloom.Window(1000, 0.001, by_insertions=True)
        window.put_many(range(100))
        window.save(self.path("w"))
        for again in (lfbloom.Window.load(self.path("w")), lfbloom.Window.from_bytes(window.to_bytes())):
            self.assertEqual(sum(again.might_contain_many(range(100))), 100)

    def test_shared_in_a_file(self):
        window = lfbloom.Window.create(self.path("w"), 1000, 1e-6, span=1000, generations=7, file_mode=0o640)
        other = lfbloom.Window.open(self.path("w"))
        self.assertEqual((window.claim("a"), other.claim("a"), other.claim("b"), window.claim("b")),
                         (True, False, True, False))
        self.assertEqual((other.tick(), other.stats()["span"], other.stats()["generations"]), (0, 1000, 7))
        self.assertTrue(other.advance() and window.generation == other.generation)
        self.assertFalse(window.advance(window.generation - 1))
        window.sync()
        del window, other
        again = lfbloom.Window.open(self.path("w"))
        self.assertEqual([key in again for key in "abc"], [True, True, False])
        for _ in range(7):
            again.advance()
        self.assertTrue("a" not in again and again.claim("a"))
        copy_of = lfbloom.Window.load(self.path("w"))
        self.assertTrue("a" in copy_of and copy_of.claim("c") and "c" not in again)

    def test_files_that_cannot_be_opened(self):
        window = lfbloom.Window.create(self.path("w"), 1000, 0.001)
        with self.assertRaises(FileExistsError):
            lfbloom.Window.create(self.path("w"), 1000, 0.001)
        with self.assertRaises(FileNotFoundError):
            lfbloom.Window.open(self.path("none"))
        with self.assertRaises(ValueError):
            lfbloom.Window.open(self.path("w"), read_only=True)
        with self.assertRaises(lfbloom.FormatError):
            lfbloom.Window.open(self.path("w"), max_bytes=1)
        window.save(self.path("saved"))
        for call in (lambda: lfbloom.Window.open(self.path("saved")), lfbloom.Window(10, 0.1).sync):
            with self.assertRaises(lfbloom.StateError) as caught:
                call()
            self.assertEqual(caught.exception.name, "LFB_ERROR_NOT_MAPPED")
        lfbloom.Filter(10, 0.1).save(self.path("filter"))
        with self.assertRaises(lfbloom.FormatError) as caught:
            lfbloom.Window.open(self.path("filter"))
        self.assertEqual(caught.exception.name, "LFB_ERROR_NOT_WINDOW")
        for open_filter in (lfbloom.Filter.load, lfbloom.Filter.open):
            with self.assertRaises(lfbloom.FormatError) as caught:
                open_filter(self.path("w"))
            self.assertEqual(caught.exception.name, "LFB_ERROR_WINDOW")


class Versions(unittest.TestCase):
    def test_replaced(self):
        versions = lfbloom.Versions(1000, 1e-6)
        versions.put("old")
        with versions.section() as section:
            self.assertEqual((section.number, "old" in section), (1, True))
        building = versions.rebuild(1000, 1e-6)
        building.put_many(["new"])
        versions.put("meanwhile")
        self.assertTrue("new" in building and "new" not in versions)
        self.assertEqual(building.publish(keep_previous=True), 2)
        self.assertEqual([key in versions for key in ("old", "new", "meanwhile")], [False, True, True])
        self.assertEqual((versions.rollback(), "old" in versions), (3, True))
        with self.assertRaises(lfbloom.StateError):
            versions.drop_previous()
        self.assertEqual(versions.reclaim(), 0)

    def test_a_section_keeps_its_version(self):
        versions = lfbloom.Versions(1000, 1e-6)
        versions.put("old")
        building = versions.rebuild(1000, 1e-6)
        with versions.section() as section:
            building.publish()
            self.assertTrue("old" in section and "old" not in versions)
            self.assertEqual(list(section.might_contain_many(["old", "x"])), [1, 0])
            self.assertTrue("old" in section.copy() and section.stats()["bits_set"] > 0)
            self.assertEqual(versions.reclaim(), 1)
            with versions.section() as inner:
                self.assertEqual((section.number, inner.number), (1, 2))
        self.assertEqual(versions.reclaim(), 0)
        for call in (lambda: "old" in section, lambda: section.number, lambda: section.copy(),
                     lambda: section.might_contain_many(["a"]), lambda: section.__exit__(None, None, None)):
            with self.assertRaises(RuntimeError):
                call()
        with section as section:  # again
            self.assertEqual(section.number, 2)
            with self.assertRaisesRegex(RuntimeError, "already"):
                section.__enter__()
            with self.assertRaisesRegex(RuntimeError, "leave the section"):
                versions.rebuild(1000, 0.01)

    def test_a_building_ends_once(self):
        versions = lfbloom.Versions(1000, 1e-6)
        with versions.rebuild(1000, 1e-6) as building:
            building.put("a")
            with self.assertRaises(lfbloom.StateError):
                versions.rebuild(1000, 1e-6)
        self.assertIn("a", versions)
        for call in (lambda: building.put("b"), lambda: building.put_many(["b"]), building.publish,
                     building.abandon, building.stats, lambda: "a" in building):
            with self.assertRaisesRegex(RuntimeError, "published or abandoned"):
                call()
        with self.assertRaises(KeyError), versions.rebuild(1000, 1e-6) as building:
            raise KeyError
        self.assertEqual(versions.number, 2)
        with versions.rebuild(1000, 1e-6) as building:
            building.abandon()
        versions.rebuild(1000, 1e-6)  # abandoned with its last reference
        versions.rebuild(1000, 1e-6).abandon()
        self.assertEqual(versions.number, 2)

    def test_of_a_filter(self):
        seen = lfbloom.Filter(1000, 1e-6)
        seen.put("a")
        versions = lfbloom.Versions.of(seen)
        seen.put("b")
        self.assertTrue("a" in versions and "b" not in versions)
        versions.rebuild_of(seen).publish()
        self.assertIn("b", versions)

    def test_only_versions_make_them(self):
        for cls in (lfbloom.Section, lfbloom.Building):
            with self.assertRaises(TypeError):
                cls()


class Replaced(unittest.TestCase):
    """A program may replace the names of the module; the library's own objects keep their classes."""

    def test_names(self):
        class Small:
            pass

        counting, seen = lfbloom.Counting(10, 0.1, strategy="fast"), lfbloom.Filter(10, 0.1)
        growing = lfbloom.Growing(10, 0.1)
        versions = lfbloom.Versions(10, 0.1)
        for other in (Small, mock.MagicMock()):
            with mock.patch.multiple("lfbloom._lfbloom", Filter=other, Section=other, Building=other):
                for made in (counting.to_filter(), growing.to_filter()):
                    self.assertIs(type(made), lfbloom.Filter)
                    self.assertTrue(made.put("a") and "a" in made)
                seen.put_all(seen.copy())
                with self.assertRaisesRegex(TypeError, "a lfbloom.Filter is expected"):
                    seen.put_all(Small())
                with versions.section() as section:
                    self.assertIs(type(section), lfbloom.Section)
                with versions.rebuild(10, 0.1) as building:
                    self.assertTrue(building.put("a"))
                self.assertIn("a", versions)

    def test_module(self):
        for other in (mock.MagicMock(), os):
            with mock.patch.dict(sys.modules, {"lfbloom._lfbloom": other}):
                self.assertIs(type(lfbloom.Counting(10, 0.1, strategy="fast").to_filter()), lfbloom.Filter)


class NotPickled(unittest.TestCase):
    def test_each_class(self):
        versions = lfbloom.Versions(10, 0.1)
        for made in (lfbloom.Filter(10, 0.1), lfbloom.Counting(10, 0.1), lfbloom.Growing(10, 0.1),
                     lfbloom.Window(10, 0.1), versions, versions.section(), versions.rebuild(10, 0.1)):
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
                with self.assertRaisesRegex(TypeError, r"save\(\)"):
                    pickle.dumps(made, protocol)
            with self.assertRaisesRegex(TypeError, r"copy\(\)"):
                copy.copy(made)
