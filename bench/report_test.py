#!/usr/bin/python3
"""report_test.py [PROGRAM...]: tests report.py over a small fixed JSON; then runs it with the
programs, and dedupe.py, on tiny inputs: each table is whole, and what must be refused is.

Seen to fail with a mean for the median, with the limit of one round for the median of the limits,
with a missing row that is left out in silence, and without the check that the page has the comment
of each table.
"""
import contextlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, "bench")
import report  # noqa: E402

PROGRAMS, TMP = sys.argv[1:], pathlib.Path(tempfile.mkdtemp())
QUERY, READ = "query_present/fast/64KiB/many/hash/1%", "limit/read/64KiB"


def bench_json(*rows):
    return json.dumps({"benchmarks": [
        {"run_name": f"{name}/iterations:64/manual_time/threads:{threads}", "run_type": "iteration",
         "threads": threads, "ns_per_key": ns, **({"ratio": ratio} if ratio else {})}
        for name, threads, ns, ratio in rows] + [
        {"run_name": QUERY, "run_type": "aggregate", "threads": 1, "ns_per_key": 99},
        {"run_name": QUERY, "run_type": "iteration", "error_occurred": True, "threads": 1}]})


ROUNDS = (bench_json((READ, 1, 2, None), (QUERY, 1, 3, 1.5), (QUERY, 2, 2, 4)),
          bench_json((READ, 1, 1, None), (QUERY, 1, 8, 2), (QUERY, 2, 2, 2)),
          bench_json((READ, 1, 4, None), (QUERY, 1, 4, 0.5), (QUERY, 2, 2, 1)))


def figures(*absent):
    rows = report.medians(row for text in ROUNDS for row in report.rows_of(text))
    return report.Figures(rows, absent)


def refused(call):
    """The status and the words with which a call ends the program."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            call()
    except SystemExit as end:
        return end.code, said.getvalue()
    return 0, ""


class Tables(unittest.TestCase):
    def test_golden(self):
        f = figures()
        two = f.of(QUERY + "/2")
        calls = "limit read\nquery_present fast many hash 1%"
        self.assertEqual(list(report.sizes_table(f, ["64KiB"], calls)), [
            "| ns | 64 KiB |", "|---|--:|", "| limit, read | 2.00 ±75% |",
            "| query present, fast, many, hash, 1% | 4.00 ±62% (1.00) |"])
        self.assertEqual(list(report.ratios([f.of(QUERY), two, None])), ["4.00", "2.00 (0.50)", ""])
        self.assertEqual(f.missing, [])

    def test_users(self):
        f, name = figures("rocksdb", "boost-bloom"), "query_present fast many hash 1% 1|2"
        lines = list(report.users_table(f, ["64KiB"], f"""
            {name} : own : : 64KiB 1MiB\n{name} : limit/read : rocksdb/ahead : 64KiB"""))[2:]
        one = "| query present, fast, many | 1% | 64 KiB | 4.00 ±62% |"
        two = "| query present, fast, many, 2 threads | 1% | 64 KiB | 2.00 |"
        self.assertEqual(lines, [
            f"{one} read 4.00 (1.00) | none has it |", f"{two} read 1.00 (2.00) | none has it |",
            f"{one} read 2.00 (2.00) | not measured: rocksdb |",
            f"{two} read 2.00 (1.00) | not measured: rocksdb |"])
        mine, peer = report.Row(4, 4, 4, None), report.Row(8, 7, 9, None)
        slow = report.Row(9, 8, 9, None)
        self.assertEqual(report.best_peer(mine, {"a": slow, "b": None, "c": peer}),
                         "c 8.00 (0.50); not measured: b")
        self.assertEqual(report.best_peer(mine, {"a": slow, "libfilter": peer}),
                         "libfilter 8.00 (0.50), not for threads; a 9.00 (0.44)")

    def test_targets(self):
        one = report.Row(10, 9, 11, None)
        for other, most, verdict in ((report.Row(10, 10, 10, None), 1, "1.00 | <= 1: met"),
                                     (report.Row(5, 5, 5, None), 1.5, "2.00 | <= 1.5: **missed**"),
                                     (report.Row(9.5, 9, 10, None), 1,
                                      "1.05 | <= 1: **missed**, within the rounds' spread"),
                                     (None, 1, " | <= 1: not measured")):
            line = " | ".join(report.target("t", "1%", "1MiB", one, "x", other, most))
            self.assertTrue(line.endswith(f"| {verdict}"), line)

    def test_missing(self):
        f = figures("rocksdb")
        list(report.sizes_table(f, ["64KiB"], "limit read|load\nput_new rocksdb single hash 1%"))
        self.assertEqual(f.missing, ["limit/load/64KiB////1"])
        path = TMP / "round.json"
        path.write_text(ROUNDS[0])
        sys.argv = ["report.py", "targets", "--sizes=64KiB", f"--json={path}"]
        status, said = refused(report.main)
        self.assertEqual(status, 1)
        self.assertRegex(said, "benchmarks are missing: ask_absent/growing/64KiB/many/u64/1%/1 ")

    def test_bad_input(self):
        for text in ("", "{}", "[1]", '{"benchmarks": [{}]}', ROUNDS[0].replace("3", '"x"', 1)):
            self.assertEqual(refused(lambda text=text: list(report.rows_of(text)))[0], 1, text)
        page = "a\n<!-- sizes -->\nold\n<!-- end -->\nb\n"
        self.assertEqual(report.filled(page, {"sizes": ["x", "y"]}),
                         "a\n<!-- sizes -->\nx\ny\n<!-- end -->\nb\n")
        self.assertEqual(refused(lambda: report.filled(page, {"peers": []}))[0], 1)

    def test_selection(self):
        names = [report.full(name) for name in (QUERY, READ, "hash/xxh3//inline/u64")]
        of = report.selection(names)
        for name in (QUERY + "/iterations:9/manual_time/threads:1", READ + "/manual_time/threads:1",
                     "hash/xxh3//inline/u64/manual_time/threads:1"):
            self.assertRegex(name, of)
        self.assertNotRegex(QUERY + "/manual_time/threads:2", of)

    def test_picture(self):
        rows = {f"{what}/fast/1MiB/many/hash/1%/{n}": report.Row(10 / n, 1, 1, None)
                for what in ("query_present", "put_new") for n in (1, 2, 16)}
        drawn = report.picture(rows, "1MiB")
        for points in ("60.0,400.0 165.0,348.8 480.0,195.3", "560.0,400.0 665.0,348.8 980.0,195.3"):
            self.assertEqual(drawn.count(f'points="{points}"'), 1, drawn)
        self.assertEqual(refused(lambda: report.picture({}, "1MiB"))[0], 1)

    def test_docs_take_quiet_figures_only(self):
        load = TMP / "load"
        os.environ.update(BUILD_WORKSPACE_DIRECTORY=str(TMP), LFB_BENCH_LOADAVG=str(load))
        for flags, line, words in (("--repetitions=2", "0.00 0", "3 rounds or more"),
                                   ("--smoke --repetitions=5", "0.00 0", "3 rounds or more"),
                                   ("--busy", "0.00 0", "--busy"),
                                   (f"--quick --out={TMP}/docs/x", "0.00 0", "--quick"),
                                   ("--wait=0", "0.31 0", "not quiet: load 0.31"),
                                   ("--wait=0", "x", "no load average"),
                                   ("--repetitions=0", "0.00 0", "invalid choice"),
                                   ("--sizes=2MiB", "0.00 0", "--sizes takes"),
                                   ("--only=all", "0.00 0", "--only of"),
                                   ("--what", "0.00 0", "--what"),
                                   ("--peers-dir=/no/such", "0.00 0", "no directory")):
            load.write_text(line)
            sys.argv = ["report.py", "report", *flags.split()]
            status, said = refused(report.main)
            self.assertEqual(status, 2, flags)
            self.assertIn(words, said, flags)
        del os.environ["LFB_BENCH_LOADAVG"]


@unittest.skipUnless(PROGRAMS, "there are no programs")
class Runs(unittest.TestCase):
    def run_program(self, *words):
        return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_smoke(self):
        out = TMP / "out"
        flags = ("--smoke", f"--out={out}")
        done = self.run_program("bench/report.py", "report", *PROGRAMS, *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        pages = [(out / name).read_text() for name in ("report.md", "targets.md")]
        for page in pages:
            self.assertIn("others may have disturbed it", page)
            self.assertIn("none, since --peers-dir=DIR was not given", page)
        tables = re.findall(r"<!-- (\w+) -->\n(.*?)<!-- end -->", "".join(pages), re.S)
        self.assertEqual(len(tables), 6)
        for name, text in tables:
            if name != "machine":
                self.assertGreater(text.count("\n| "), 20, name)
            if name != "targets":  # figures of bits have no size
                self.assertNotRegex(text, r"\|  \|", name)
        self.assertIn("; not measured: rocksdb", pages[0])
        done = self.run_program("bench/report.py", "report", *PROGRAMS, "--smoke",
                                "--only=readme,benchmark", "--sizes=64KiB,1MiB")
        self.assertIn("rocksdb is not measured", done.stderr)
        self.assertRegex(done.stdout, r"put new, set-64, single, hash, 1% \| not measured \| [0-9.]+")
        self.assertRegex(done.stdout, r"put new, by call, 64 KiB, ns( \| ([0-9.]+|not measured)){7} ")
        self.assertEqual(done.stdout.count("no call"), 6, done.stdout)
        self.assertRegex(done.stdout, r"claim a new key.* \| [0-9.]+ / [0-9.]+ \| no claim ")

    def test_dedupe(self):
        tool = next(path for path in PROGRAMS if path.endswith("lfbloom"))
        done = self.run_program("bench/dedupe.py", tool, "--smoke")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\| cpu \| exact \| 50% \| [0-9.]+ \| claim -p 1e-6 \| ")
        wrong = TMP / "wrong"
        wrong.write_text('#!/bin/sh\n[ "$5$6" != --threads1 ] || echo more\n'
                         f'exec {tool} "$@"\n')
        wrong.chmod(0o755)
        done = self.run_program("bench/dedupe.py", wrong, "--smoke")
        self.assertEqual(done.returncode, 1)
        self.assertIn("print other lines", done.stderr)
        self.assertEqual(self.run_program("bench/dedupe.py", tool, "--text=/no/such").returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
