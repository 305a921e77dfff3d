#!/usr/bin/env python3
"""model_test.py LFBLOOM [CASES]: dedupe, claim, and build with query print what a loop over the
lines prints, for random files and options: fields, JSON, --bad-lines, --header, -i, -c, -d, -u, -0,
--seen, compressed files and pipes, any number of threads, little memory.

Seen to fail with the last byte of a field lost, with the capitals of keys of 7 bytes kept by -i, and
with the last byte of a gzip member lost.
"""

import collections
import gzip
import json
import lzma
import os
import random
import subprocess
import sys
import tempfile

PACK = {
    "plain": lambda text: text,
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "zstd": lambda text: subprocess.run(["zstd", "-qc"], input=text, check=True,
                                        stdout=subprocess.PIPE).stdout,
}


def some_lines(draw, end):
    """Lines without their ends: words, fields, JSON, long ones, and bytes that are no text."""
    words = [b"a", b"B", b"b", b"A", b"\xc3\xa9", b"\xc3\x89", b"\r", b" ", b"\t", b",",
             b"\xff", b"\0\n".replace(end, b"")]
    # 300,000: more than a chunk for each thread.
    count = draw.choice([0, 1, 3, 40, 3000, 30000] * 5 + [300000])
    kinds = draw.choice([1, 5, 200, 10**9])
    for _ in range(count):
        kind = draw.randrange(100)
        if kind < 3:
            yield b""
        elif kind < 4 and count < 100:
            yield draw.choice([b"x", b"X"]) * draw.choice([65535, 65536, 300000])
        elif kind < 50:
            yield b"".join(draw.choices(words, k=draw.randrange(7)))
        else:
            yield b"%d,Word %d" % (draw.randrange(kinds), draw.randrange(3))


def some_objects(draw):
    bad = draw.choice([0, 0, 0, 0.02])
    for _ in range(draw.choice([1, 50, 2000])):
        value = draw.choice([draw.randrange(30), "text", "t\u00e9", True, None])
        line = json.dumps({"x": [1], "id": value, "y": {"id": 0}}, ensure_ascii=draw.random() < 0.5)
        yield b"no JSON" if draw.random() < bad else b" " if draw.random() < 0.02 else line.encode()


def field_of(line, first, last, separator):
    """The bytes from the first to the last of these fields, or none."""
    if separator:
        return separator.join(line.split(separator)[first - 1 : last])
    places, at = [], 0
    for word in line.replace(b"\t", b" ").replace(b"\n", b" ").split(b" "):
        if word:
            places.append((at, at + len(word)))
        at += len(word) + 1
    wanted = places[first - 1 : last]
    return line[wanted[0][0] : wanted[-1][1]] if wanted else b""


class Case:
    """A command with options, and what they say of a line's key."""

    def __init__(self, draw):
        self.end, self.header, self.options, self.of = b"\n", 0, ["-q"], lambda line: line
        self.shown, self.numbered, self.seen, self.bad = "first", False, False, "fail"
        self.command = draw.choice(["dedupe", "dedupe", "claim", "query"])
        self.objects = draw.random() < 0.3
        if self.objects:
            self.bad = draw.choice(["fail", "skip", "pass"])
            self.options += ["--jsonl", "id"] + ["--bad-lines=" + self.bad] * (self.bad != "fail")
            self.of = self.member_of
        else:
            if draw.random() < 0.2:
                self.end = b"\0"
                self.options += ["-0"]
            if draw.random() < 0.4:
                self.choose_fields(draw)
            if draw.random() < 0.3 and self.command == "dedupe":
                self.header = draw.choice([1, 2])
                self.options += ["--header", str(self.header)]
        if draw.random() < 0.3:
            of = self.of
            self.options += ["-i"]
            self.of = lambda line: of(line) and of(line).translate(LOWER)
        self.options += ["--threads", str(draw.choice([1, 2, 3, 8]))]
        if self.command == "dedupe":
            self.choose_of_dedupe(draw)
        elif self.command == "claim":
            self.options += ["-n", "1M", "-p", "1e-9"]
        elif draw.random() < 0.5:
            self.shown = "absent"
        else:
            self.shown = "present"

    def choose_of_dedupe(self, draw):
        if draw.random() < 0.3:
            self.options += ["--seen", "seen"]
            self.seen = True
        elif draw.random() < 0.5 and self.bad == "fail":
            self.shown, option = draw.choice([("first", "-c"), ("again", "-d"), ("once", "-u")])
            self.numbered = option == "-c"
            self.options += [option]
        elif draw.random() < 0.5:
            self.options += ["--memory", "72M"]

    def choose_fields(self, draw):
        separator = draw.choice([b"", b",", b" "])
        if separator:
            self.options += ["-t", separator.decode()]
        ranges = []
        for _ in range(draw.choice([1, 1, 2])):
            first = draw.randrange(1, 4)
            last = first + draw.choice([0, 0, 1, 5])
            ranges.append((first, last))
            self.options += ["-k", "%d,%d" % (first, last) if last > first else str(first)]
        self.of = lambda line: b"\xff".join(field_of(line, *of, separator) for of in ranges)

    def is_line(self, line):
        return not self.objects or line.strip()

    @staticmethod
    def member_of(line):
        if line == b"no JSON":
            return None
        value = json.loads(line)["id"]
        return (value if isinstance(value, str) else json.dumps(value)).encode()

    def model(self, files, keys):
        """What is printed of these files.  `keys` has those of earlier runs, or of a filter."""
        kept = files[0][: self.header]
        lines = [line for file in files for line in file[self.header :] if self.is_line(line)]
        if self.bad == "fail" and b"no JSON" in lines and self.objects:
            del lines[lines.index(b"no JSON") :]
        self.matched = False
        times = collections.Counter(self.of(line) for line in lines)
        for line in lines:
            key = self.of(line)
            if key is None:
                shown = self.bad == "pass"
            elif self.command == "query":
                shown = (key in keys) == (self.shown == "present")
            elif self.shown == "once":
                shown = times[key] == 1
            else:
                shown = key not in keys and (self.shown == "first" or times[key] > 1)
                keys.add(key)
            if shown:
                kept.append((b"%7d " % times[key] if self.numbered else b"") + line)
            self.matched = self.matched or shown and key is not None
        return b"".join(line + self.end for line in kept)


LOWER = bytes(byte + 32 if 65 <= byte <= 90 else byte for byte in range(256))


def some_file(case, draw, path):
    """Writes a file.  Returns its lines."""
    header = [b"Id,Head", b"two"][: case.header]
    lines = header + list(some_objects(draw) if case.objects else some_lines(draw, case.end))
    text = b"".join(line + case.end for line in lines)
    if len(lines) > len(header) and lines[-1] and draw.random() < 0.4:
        text = text[:-1]
    with open(path, "wb") as file:
        file.write(PACK[draw.choice(list(PACK))](text))
    return lines


def run(tool, case, draw, keys):
    """Whether one run prints what the model prints."""
    paths, before = ["file%d" % number for number in range(draw.choice([1, 1, 2, 3]))], []
    files = [some_file(case, draw, path) for path in paths]
    if case.command == "query":
        before = ["filter"]
        keys |= {case.of(line) for line in files[0] if case.is_line(line)} - {None}
        skip = ["--bad-lines=skip"] if case.objects and case.bad == "fail" else []
        build = [tool, "build", *case.options, *skip, "-p", "1e-12", "-o", "filter", paths[0]]
        subprocess.run(build, stderr=subprocess.DEVNULL, check=True)
        before = ["-v"] * (case.shown == "absent") + before
    operands, given = before + paths, b""
    if len(paths) == 1 and draw.random() < 0.3:
        operands = before
        with open(paths[0], "rb") as file:
            given = file.read()
    options = [option for option in case.options if case.command != "query" or option != "-q"]
    done = subprocess.run([tool, case.command, *options, *operands], input=given,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    refused = case.bad == "fail" and case.objects and any(b"no JSON" in lines for lines in files)
    # A run that fails adds nothing to the file of --seen.
    expected = case.model(files, set(keys) if refused else keys)
    status = 2 if refused else 1 if case.command == "query" and not case.matched else 0
    notes = [line for line in done.stderr.splitlines()
             if b"carriage return" not in line and b"without a key" not in line]
    if done.returncode == status and len(notes) == refused and done.stdout == expected:
        return True
    print("FAILED:", case.command, *options, *operands)
    print("  status", done.returncode, notes, "and", len(done.stdout), "bytes, not", len(expected))
    return False


def main():
    tool, cases = os.path.realpath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 60
    failed = 0
    with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as work:
        os.chdir(work)
        for number in range(cases):
            draw = random.Random(number)
            case, seen = Case(draw), set()
            for _ in range(3 if case.seen else 1):
                if not run(tool, case, draw, seen):
                    print("case", number)
                    failed += 1
                    break
            if case.seen and os.path.exists("seen"):
                os.remove("seen")
    print(cases, "cases,", failed, "failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
