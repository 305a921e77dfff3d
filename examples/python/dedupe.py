"""dedupe.py FILE.csv COLUMN [--threads N] [--fpp P] [--set] >OUT.csv

Keeps one row of a CSV file for each value of a column.  The header stays first; the other rows
come in any order.  --set uses a Python set instead, for comparison: it is exact, and takes the
memory of all values.

A filter drops a row wrongly with probability P, by default one in a million.  Threads share the
filter: claim_many() releases the GIL, and of all threads that claim a value, one wins.
"""

import argparse
import csv
import io
import os
import resource
import sys
import threading
import time

import lfbloom

CHUNK = 4 << 20  # bytes that a thread takes at a time


class Refused(Exception):
    """What is wrong with the file or an argument."""


class Chunks:
    """Hands out pieces of a file that end at the end of a line."""

    def __init__(self, file):
        self.file, self.lock = file, threading.Lock()

    def take(self):
        with self.lock:
            data = self.file.read(CHUNK)
            data += self.file.readline() if data else b""
        # The last piece may be written before another one.
        return data + b"\n" if data and not data.endswith(b"\n") else data


def values_of(rows, column):
    """The values of a column; rows is a list of lines without quotes, or what csv.reader gives."""
    try:
        return [row[column] for row in rows]
    except IndexError:
        raise Refused("a row has no column %d" % (column + 1)) from None


def rows_of(data):
    """The rows of a piece: split at commas if nothing is quoted, which is much faster."""
    if b'"' not in data:
        return [line.split(b",") for line in data.splitlines()]
    text = io.StringIO(data.decode(), newline="")
    return list(csv.reader(text, strict=True))  # the end of a piece within quotes is an error


def work(chunks, claim, column, write):
    while data := chunks.take():
        lines = data.splitlines(keepends=True)
        rows = rows_of(data)
        if len(lines) != len(rows):
            raise Refused("a quoted value has a line break")
        wins = claim(values_of(rows, column))
        write(b"".join(line for line, won in zip(lines, wins) if won))


def claim_of_set():
    """The claims of a set: a loop that needs the GIL or a lock."""
    seen, lock = set(), threading.Lock()

    def claim(values):
        wins = bytearray(len(values))
        with lock:
            for i, value in enumerate(values):
                value = value if isinstance(value, bytes) else value.encode()
                if value not in seen:
                    seen.add(value)
                    wins[i] = 1
        return wins

    return claim


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("at least 1 is needed")
    return number


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1])
    parser.add_argument("file")
    parser.add_argument("column")
    parser.add_argument("--threads", type=positive, default=os.cpu_count())
    parser.add_argument("--fpp", type=float, default=1e-6)
    parser.add_argument("--set", action="store_true")
    return parser.parse_args()


def run(options, out):
    with open(options.file, "rb") as file:
        header = file.readline()
        names = next(csv.reader([header.decode("utf-8-sig")]), [])
        if options.column not in names:
            raise Refused("%s has no column %s" % (options.file, options.column))
        # The number of values is unknown: the filter grows from a guess of 64 bytes a row.
        guess = os.fstat(file.fileno()).st_size // 64 + 1
        claim = claim_of_set() if options.set else lfbloom.Growing(guess, options.fpp).claim_many
        out.write(header)
        work_all(options, Chunks(file), claim, names.index(options.column), out)


def work_all(options, chunks, claim, column, out):
    lock, failures = threading.Lock(), []

    def write(data):
        with lock:
            out.write(data)

    def one():
        try:
            work(chunks, claim, column, write)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=one) for _ in range(options.threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def main():
    options = arguments()
    before = time.monotonic()
    try:
        run(options, sys.stdout.buffer)
    except (OSError, UnicodeDecodeError, csv.Error, lfbloom.Error, Refused) as error:
        print("dedupe: %s" % error, file=sys.stderr)
        sys.exit(2)
    sys.stdout.flush()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print("%.1f s, %.0f MiB at most" % (time.monotonic() - before, peak), file=sys.stderr)


main()
