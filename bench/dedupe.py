#!/usr/bin/python3
"""dedupe.py TOOL - prints what `lfbloom dedupe` takes, beside `claim -p`, one thread
and 16, a limit of memory, `sort -u` and mawk, each with its target.

    ./bazelw run -c opt //bench:dedupe -- [--text=FILE] [--repetitions=N] [--busy] [--smoke]

10 M lines of 33 bytes, of which 2, 30 and 50 % repeat one before, and FILE; all of it in turns, N
times (3), and medians; two threads if not said.  2 GB in TMPDIR.  --smoke: takes seconds, to test
it; the figures mean nothing.  It stops with 2 on a busy machine.

Every way without loss has to print the same lines: else status 1.
"""
import argparse
import hashlib
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import report

# Of what, a way, beside which other way, and INPUT=MOST times its figure.
TARGETS = """
wall   exact    one      30%=0.6 50%=0.6
wall   sixteen  exact    2%=1.1 30%=1.1 50%=1.1
cpu    exact    lossy    2%=1.3 30%=2.2 50%=2.2
peak   exact    lossy    2%=0.5
cpu    limited  exact    2%=2 30%=2 50%=2
peak   limited  allowed  2%=1 30%=1 50%=1
wall   exact    sort     2%=0.1 30%=0.1 50%=0.1 text=0.1
wall   exact    mawk     2%=0.04 30%=0.04 50%=0.04 text=0.04
wall   lossy    build    2%=1.8
"""
TITLES = {"one": "1 thread", "sixteen": "16 threads", "lossy": "claim -p 1e-6",
          "limited": "--memory of a sixteenth", "allowed": "--memory and 64 MiB",
          "sort": "sort -u", "build": "build -p 1e-6"}


def spent(command, path):
    """What a command takes: wall seconds, CPU seconds, MiB (at least this interpreter's)."""
    before = time.monotonic()
    with open(path, "wb") as out:
        child = subprocess.Popen(command, stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        report.stop(f"{command[0]} ended with status {child.returncode}", 1)
    return time.monotonic() - before, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def ways(tool, path, lines, work):
    """{name: (command, whether it is without loss)}."""
    dedupe = [tool, "dedupe", "-q", "--temp", work, "--threads"]
    sized = ["-q", "--threads", "2", "-p", "1e-6", "-n", str(lines)]
    return {
        "exact": ([*dedupe, "2", path], True), "one": ([*dedupe, "1", path], True),
        "sixteen": ([*dedupe, "16", path], True),
        "limited": ([*dedupe, "2", "--memory", str(allowed(path)), path], True),
        "mawk": (["mawk", "!seen[$0]++", path], True),
        "sort": (["env", "LC_ALL=C", "sort", "-u", "--parallel=2", path], False),
        "lossy": ([tool, "claim", *sized, path], False),
        "build": ([tool, "build", *sized, "-o", f"{work}/built", path], False),
    }


def allowed(path):
    """A sixteenth of the input, and at least what two threads need."""
    return max(path.stat().st_size // 16, 8 << 20)


def sum_of(path):
    """A checksum, read by pieces: what this process has in memory counts as its children's."""
    made = hashlib.md5()
    with open(path, "rb") as file:
        for piece in iter(lambda: file.read(1 << 16), b""):
            made.update(piece)
    return made.digest()


def measure(tool, inputs, work):
    for name, (path, lines) in inputs.items():
        sums = {}
        for way, (command, exact) in ways(tool, path, lines, work).items():
            for what, figure in zip(("wall", "cpu", "peak"), spent(command, work / "out")):
                yield report.full(f"{what}/{way}/{name}"), figure, None
            if exact:
                sums.setdefault(sum_of(work / "out"), way)
        if len(sums) > 1:
            report.stop(f"{' and '.join(sums.values())} print other lines of {name}", 1)
        yield report.full(f"peak/allowed/{name}"), allowed(path) / 2**20 + 64, None


def make_inputs(work, count, text, shares=(2, 30, 50)):
    inputs = {"text": (text, sum(1 for _ in open(text, "rb")))} if text else {}
    for share in shares:
        draw, made, path = random.Random(1), 0, work / f"{share}%"
        with open(path, "w", encoding="ascii") as out:
            for _ in range(count):
                fresh = made == 0 or draw.random() >= share / 100
                key = made if fresh else int(draw.random() * made)
                made += fresh
                out.write(f"https://example.org/{key * 7919:012}\n")
        inputs[f"{share}%"] = path, count
    return inputs


def main():
    here = pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    take = argparse.ArgumentParser(description=__doc__,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
    take.add_argument("tool")
    take.add_argument("--text", type=here.joinpath)
    take.add_argument("--repetitions", type=int, choices=range(1, 1000), metavar="N")
    take.add_argument("--busy", action="store_true")
    take.add_argument("--smoke", action="store_true")
    take.add_argument("--rows", action="store_true", help="2 M lines, ns a line, for report.py")
    args = take.parse_args()
    if args.text and not os.access(args.text, os.R_OK):
        report.stop(f"--text={args.text} is no file that can be read")
    rounds, before = args.repetitions or (1 if args.smoke else 3), report.load_now()
    if not args.busy and not args.smoke:
        report.require_quiet(300)
    measured = []
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        if args.rows:
            count = 100000 if args.smoke else 2000000
            for name, seconds, _ in measure(args.tool, make_inputs(work, count, None, [30]), work):
                print(name, seconds * 1e9 / count)
            return
        inputs = make_inputs(work, 100000 if args.smoke else 10000000, args.text)
        for i in range(rounds):
            print(f"round {i + 1} of {rounds}", file=sys.stderr)
            measured += measure(args.tool, inputs, work)
    rows, lines = report.medians(measured), []
    for what, way, other, *wanted in map(str.split, TARGETS.strip().splitlines()):
        for name, most in (one.split("=") for one in wanted):
            if name in inputs:
                lines.append(report.target(
                    what, TITLES.get(way, way), name, rows[report.full(f"{what}/{way}/{name}")],
                    TITLES.get(other, other), rows[report.full(f"{what}/{other}/{name}")],
                    float(most)))
    print(f"- {report.machine(args.busy or args.smoke, before)}\n- seconds and MiB, medians of "
          f"{rounds} rounds: `./bazelw run -c opt //bench:dedupe`\n")
    print("\n".join(report.table("what|way|input|figure|against|the same|ratio|target", 3, lines)))


if __name__ == "__main__":
    main()
