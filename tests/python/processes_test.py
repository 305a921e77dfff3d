"""Processes that share a filter in a file, or fork."""

import multiprocessing
import os
import tempfile
import unittest

import lfbloom

PROCESSES = 4
KEYS = 5000


def claim_all(seen, results):
    results.put(bytes(seen.claim_many(range(KEYS))))


def claim_all_of_path(path, results):
    claim_all(lfbloom.Filter.open(path), results)


def claim_all_of_window(path, results):
    claim_all(lfbloom.Window.open(path), results)


class Mapped(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "f")

    def claims(self, context, target, argument):
        """Starts processes that claim the same keys; returns the number of winners of each key."""
        results = context.SimpleQueue()
        processes = [context.Process(target=target, args=(argument, results)) for _ in range(PROCESSES)]
        for process in processes:
            process.start()
        wins = [results.get() for _ in processes]
        for process in processes:
            process.join()
            self.assertEqual(process.exitcode, 0)
        return [sum(win) for win in zip(*wins)]

    def test_children_of_fork_use_the_parents(self):
        seen = lfbloom.Filter.create(self.path, KEYS, 1e-12)
        wins = self.claims(multiprocessing.get_context("fork"), claim_all, seen)
        self.assertEqual(wins, [1] * KEYS)
        self.assertTrue(all(seen.might_contain_many(range(KEYS))))
        self.assertLess(abs(len(seen) - KEYS), 200)

    def test_new_processes_open_the_path(self):
        seen = lfbloom.Filter.create(self.path, KEYS, 1e-12)
        wins = self.claims(multiprocessing.get_context("spawn"), claim_all_of_path, self.path)
        self.assertEqual(wins, [1] * KEYS)
        self.assertTrue(all(seen.might_contain_many(range(KEYS))))

    def test_a_window(self):
        recent = lfbloom.Window.create(self.path, KEYS, 1e-12, span=1e6)
        wins = self.claims(multiprocessing.get_context("spawn"), claim_all_of_window, self.path)
        self.assertEqual(wins, [1] * KEYS)
        self.assertTrue(all(recent.might_contain_many(range(KEYS))))

    def test_a_growing_filter(self):
        seen = lfbloom.Growing.create(self.path, 1024, 1e-9)
        pid = os.fork()
        if pid == 0:
            os._exit(0 if seen.put_many(range(20_000)) == 20_000 else 1)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        self.assertTrue(all(seen.might_contain_many(range(20_000))))

    def test_private_memory_is_copied(self):
        seen = lfbloom.Filter(1000, 1e-9)
        seen.put("before")
        pid = os.fork()
        if pid == 0:
            os._exit(0 if "before" in seen and seen.put("child") else 1)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        self.assertNotIn("child", seen)
