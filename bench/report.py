#!/usr/bin/python3
"""report.py - runs the benchmarks in rounds, and makes tables of Google Benchmark's JSON.

    ./bazelw run -c opt //bench:report  -- [--quick] [--only=TABLE,...] [--out=DIR] [FLAG...]
    ./bazelw run -c opt //bench:targets -- [FLAG...]
    bench/report.py scaling --json=FILE >scaling.svg

report   writes a table for servers, one for ingestion and one for benchmarks into DIR/report.md
         (docs/performance), and the targets into DIR/targets.md, between the comments that name
         them; or prints some TABLEs.  Filters of yours, DIR/NAME/peer.so (bench/peers/peer.h), are
         rows of the table benchmark.  docs/ takes only what at least 3 rounds (5 if not said)
         measured on a quiet machine; it waits SECONDS for that (--wait=300).  --quick: small
         filters, one round.
targets  prints what users notice, beside its limit, peer or plain filter of the same run; those
         of `lfbloom dedupe` are in //bench:dedupe, those of Redis in //bench:module
scaling  draws what bench:scaling measured on another machine

FLAGs: --repetitions=N rounds, whose medians are taken; --sizes=64KiB,...; --peers-dir=DIR;
--busy: also on a busy machine; --json=FILE for each round: measures nothing; --smoke: takes
seconds, the figures mean nothing.

The tables say which benchmarks they need, and those are run.  One that is missing afterwards is
an error: status 1, and nothing is written.  Status 2: wrong flags, or a busy machine.
"""
import argparse
import itertools
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict, namedtuple

SIZES = ["64KiB", "1MiB", "16MiB", "256MiB", "1GiB"]
MOST_LOAD, LEAST_ROUNDS, LOOK_SECONDS = 0.3, 3, 5
GUAVA = "/usr/share/java/guava.jar"
PEERS = {"targets": ["rocksdb", "libfilter"], "report": ["rocksdb", "boost-bloom", "libfilter"],
         "readme": ["fastbloom"]}


def stop(why, status=2):
    print(f"report.py: {why}", file=sys.stderr)
    sys.exit(status)


# ---- what was measured ------------------------------------------------------------------

# The median of the rounds, the least, the most, and the median of the row's limit or None.
Row = namedtuple("Row", "ns least most limit")


def full(name):
    """A row's name with all parts: OPERATION/FILTER/SIZE/CALL/KEYS/FPP/THREADS."""
    parts = name.split("/")
    return "/".join((parts + [""] * 6)[:6] + (parts[6:] or ["1"]))


def rows_of(text):
    """The rows of a benchmark's JSON: name, ns, and ns of the limit or None."""
    try:
        for one in json.loads(text)["benchmarks"]:
            if one["run_type"] == "iteration" and not one.get("error_occurred"):
                name = re.sub("/(iterations:[0-9]+/)?manual_time/threads:.*", "", one["run_name"])
                ns, ratio = float(one["ns_per_key"]), one.get("ratio")
                name = "/".join((name.split("/") + [""] * 6)[:6] + [str(one["threads"])])
                yield name, ns, ns / ratio if ratio else None
    except (ValueError, KeyError, TypeError) as error:
        stop(f"this is no JSON of the benchmarks: {error!r}", 1)


def medians(measured):
    """The Row of each name, of (name, ns, limit) of all rounds."""
    values = defaultdict(list)
    for name, ns, limit in measured:
        values[name].append((ns, limit))
    rows = {}
    for name, of in values.items():
        ns, limits = [one[0] for one in of], [one[1] for one in of if one[1] is not None]
        rows[name] = Row(statistics.median(ns), min(ns), max(ns),
                         statistics.median(limits) if limits else None)
    return rows


class Figures:
    """The rows.  Before the run there are none, and it notes which ones the tables need."""

    def __init__(self, rows, absent):
        self.rows, self.absent = rows, set(absent)  # filters that need not be there
        self.needed, self.missing = {}, []

    def of(self, name):
        """A row; None if it is not there."""
        name = full(name)
        self.needed[name] = True
        if self.rows is None:
            return Row(1, 1, 1, 1)
        if name not in self.rows and not self.absent.intersection(name.split("/")):
            self.missing.append(name)
        return self.rows.get(name)


# ---- cells and tables -------------------------------------------------------------------


def figure(x):
    return f"{x:.2f}" if x < 9.995 else f"{x:.1f}" if x < 99.95 else f"{x:.0f}"


def limits(of):
    """Medians, half of what lies between least and most, and the multiples of the limits."""
    for row in of:
        half = 50 * (row.most - row.least) / row.ns if row else 0
        ratio = f" ({row.ns / row.limit:.2f})" if row and row.limit else ""
        yield figure(row.ns) + f" ±{half:.0f}%" * (half > 0) + ratio if row else "not measured"


def spreads(of):
    """As limits(), without the multiples."""
    return limits([row and row._replace(limit=None) for row in of])


def ratios(of, bases=None):
    """Medians, with the multiples of their bases (the first)."""
    for row, base in zip(of, bases or [of[0]] * len(of)):
        ratio = f" ({row.ns / base.ns:.2f})" if row and base and row is not base else ""
        yield figure(row.ns) + ratio if row else ""


def words(name):
    return re.sub("^mixed", "mixed ", re.sub("([KMG]iB)", r" \1", name.replace("_", " ")))


def table(columns, first, rows):
    """Lines of a table; columns from the `first`-th on are figures."""
    columns = columns.split("|") if isinstance(columns, str) else columns
    yield "| " + " | ".join(columns) + " |"
    yield "|" + "".join("---|" if i < first else "--:|" for i in range(len(columns)))
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def some(sizes, wanted):
    """Those of the sizes that are wanted, or the first."""
    return [size for size in sizes if size in wanted.split()] or sizes[:1]


def each(text):
    """The names of "a|b c|d": a c, a d, b c, b d."""
    return itertools.product(*(part.split("|") for part in text.split()))


# The rows of users: OPERATION FILTER CALL KEYS FPP THREADS : limit : peers : sizes (ALL, or IN the
# caches).  A limit is "own", that of the row, or another row; of it and of peers only the parts are
# named that differ.
SERVER = """
query_present|query_absent|put_new|put_present fast single hash 1% 1 : own : rocksdb mutex : ALL
query_present|put_new fast single hash 0.1% 1 : own : rocksdb mutex : IN
query_present|put_new fast single hash 1% 2 : own : rocksdb mutex : ALL
mixed90 fast single hash 1% 2 : own : mutex : ALL
put_new fast claim hash 0.1% 1|2 : fast/single : mutex/single : ALL
query_present|put_new versions single u64 1% 1|2 : fast : mutex : IN
query_present versions section u64 1% 1|2 : fast/single : mutex/single : IN
query_present|put_new counting single u64 0.1% 1|2 : fast : : IN
put_new counting put_remove u64 0.1% 1|2 : fast/single : : IN
query_present|put_new window single u64 1% 1|2 : fast : : IN
put_new window claim u64 1% 1 : fast/single : : IN
"""
INGESTION = """
put_new|put_present|query_present|query_absent fast many hash 1% 1 : own : AHEAD : ALL
put_new|query_present fast many hash 0.1%|1e-6 1 : own : AHEAD : IN
put_new|query_present fast many hash 1% 2 : own : rocksdb/ahead mutex : ALL
put_new|query_present guava-mitz64 many bytes36 1% 1 : default : guava/single : 16MiB
put_new fast claim_many hash 1%|0.1% 1|2 : fast/many : mutex/many : ALL
fill|ask_present|ask_absent growing single|many u64 1% 1 : plain : : IN
claim growing many u64 1% 1 : plain : : IN
put_new counting many u64 0.1% 1|2 : fast : : ALL
put_new counting put_remove_many u64 0.1% 1 : fast/many : : ALL
wall one|exact : lossy : mawk sort : 30%
""".replace("AHEAD", "rocksdb/ahead libfilter/ahead boost-bloom/ahead")
ALONE = ("libfilter", "boost-bloom")  # are not for threads
# Of //bench:dedupe, which has no calls.
DEDUPE = {"one": "lfbloom dedupe, 30 % repeats", "exact": "lfbloom dedupe, 30 % repeats, 2 threads",
          "lossy": "claim -p 1e-6", "sort": "sort -u", "mawk": "mawk"}


def near(name, text):
    """A name of the same operation, call, keys, ... but for the parts of "FILTER/CALL"."""
    what, _, *rest = name.split("/")
    if text.startswith("limit/"):
        return text
    who, *call = text.split("/")
    return "/".join([what, who, *(call + rest[len(call):])])


def kind_of(name):
    """The filter, or what a tool does."""
    return re.split("[,:] ", titled(name))[1]


def fpp_of(name):
    return (name.split("/") + ["", "", "-"])[4]


def best_peer(mine, peers):
    """The fastest of {title: row} for threads, a faster one that is for one thread, and which ones
    were not measured."""
    there = sorted((row.ns, title) for title, row in peers.items() if row)
    said = [f"{title} {figure(ns)} ({mine.ns / ns:.2f})" + ", not for threads" * (title in ALONE)
            for ns, title in (*there[:1], *[one for one in there if one[1] not in ALONE][:1])]
    absent = ", ".join(title for title, row in peers.items() if not row)
    said = list(dict.fromkeys(said)) + [f"not measured: {absent}"] * bool(absent)
    return "; ".join(said) or "none has it"


def user_row(f, name, limit, peers, size):
    mine, other = at_size(f, name, size), limit
    if limit == "own":
        what = {"put_new": "locked operations", "mixed90": "reads, locked"}.get(
            name.split("/")[0], "read")
        other = mine and mine.limit
    else:
        what, plain = kind_of(near(name, limit)), at_size(f, near(name, limit), size)
        other = plain and plain.ns
    peers = {kind_of(near(name, peer)): at_size(f, near(name, peer), size) for peer in peers}
    if not mine or not other:
        return [titled(name), *["not measured"] * 5]
    return [titled(name), fpp_of(name), words(size),
            *spreads([mine]),
            f"{what} {figure(other)} ({mine.ns / other:.2f})", best_peer(mine, peers)]


def users_table(f, sizes, lines):
    rows = []
    for line in lines.strip().splitlines():
        names, limit, peers, wanted = (part.strip() for part in line.split(":"))
        wanted = wanted.replace("ALL", "IN 256MiB").replace("IN", "64KiB 16MiB").split()
        for name, size in itertools.product(map("/".join, each(names)), wanted):
            if size in sizes or size not in SIZES:
                rows.append(user_row(f, name, limit, peers.split(), size))
    return table("operation|p|size|ns|limit, or plain filter|best peer", 3, rows)


def server_table(f, sizes):
    return users_table(f, sizes, SERVER)


def ingestion_table(f, sizes):
    return users_table(f, sizes, INGESTION)


# Rows over sizes: OPERATION FILTER CALL KEYS FPP THREADS.
LIMITS = """limit read|load
limit lock_cmpxchg|two_lines_cmpxchg|cmpxchg16b|two_cmpxchg16b|four_cmpxchg16b"""
CALLS = "\n".join([LIMITS] + [f"""{what} fast many|single hash 1%
{what} fast many hash 0.1%|0.01%|1e-6
{what} sbbf|mutex many hash 1%
{what} PEERS ahead|single hash 1%""" for what in (
    "query_present", "query_absent", "put_new", "put_present")])


def sizes_table(f, sizes, calls):
    rows = []
    for what, who, *rest in (name for line in calls.splitlines() for name in each(line)):
        of = [f.of("/".join([what, who, size, *rest])) for size in sizes]
        rows.append([", ".join(map(words, [what, who, *rest])), *limits(of)])
    return table(["ns"] + [words(size) for size in sizes], 1, rows)


def benchmark_table(f, sizes):
    return sizes_table(f, sizes, CALLS.replace("PEERS", "|".join(PEERS["report"])))


HASHES = ("xxh3", "aes", "siphash13", "murmur3_128", "murmur64a")  # the last has no call of many


def hashes_table(f, sizes):
    rows = []
    bytes_of = "|bytes".join("u64 8 16 24 36 100 1000".split())
    for call, keys in each("single|chain|many " + bytes_of):
        names = ["xxh3//inline_chain" if call == "chain" else "xxh3//inline",
                 *(f"{name}//{call}" for name in HASHES[:4 if call == "many" else 5])]
        of = [f.of(f"hash/{name}/{keys}") for name in names]
        rows.append([f"hash, {call}", keys, *ratios(of), *[""] * (6 - len(of))])
    for size in some(sizes, "1MiB"):
        for what, call, keys in each("query_present|query_absent single|many u64|bytes36"):
            of = [f.of(f"{what}/{who}/{size}/{call}/{keys}/1%")
                  for who in ("fast", "fast-aes", "fast-siphash13")]
            title = f"{words(what)}, {call}, fast, {words(size)}"
            rows.append([title, keys, "", *ratios(of), "", ""])
    return table("what|keys|XXH3 inlined|XXH3|AES|SipHash-1-3|Murmur3 128|MurmurHash64A", 2, rows)


# ---- targets ----------------------------------------------------------------------------

# OPERATION/FILTER/CALL/KEYS/FPP[/THREADS]; what it is compared with; SIZE=MOST, or all=MOST.
TARGETS = """
query_present/fast/many/hash/1% limit/read_or_load 64KiB=1.25 1MiB=1.25 256MiB=1.2
query_absent/fast/many/hash/1% limit/read_or_load 64KiB=1.25 1MiB=1.25 256MiB=1.2
query_present/fast/many/hash/0.1% limit/read_or_load 64KiB=1.35 1MiB=1.35 256MiB=1.2
query_absent/fast/many/hash/0.1% limit/read_or_load 64KiB=1.35 1MiB=1.35 256MiB=1.2
query_present/fast/many/hash/0.01% limit/read_or_load 64KiB=1.35 1MiB=1.35 256MiB=1.2
query_present/fast/many/hash/1e-6    limit/read_or_load                   64KiB=2 1MiB=2 256MiB=1.4
query_absent/fast/many/hash/1e-6     limit/read_or_load                   64KiB=2 1MiB=2 256MiB=1.4
put_present/fast/many/hash/1%        query_present/fast/many/hash/1%      all=1.35
put_present/fast/many/hash/0.1%      query_present/fast/many/hash/0.1%    all=1.35
put_present/fast/many/hash/1e-6      query_present/fast/many/hash/1e-6    all=1.35
put_new/fast/many/hash/1% limit/cmpxchg16b 64KiB=1.2 1MiB=1.2 16MiB=1.2 256MiB=1.3
put_new/fast/many/hash/0.1% limit/two_cmpxchg16b 64KiB=1.2 1MiB=1.2 16MiB=1.2 256MiB=1.3
put_new/fast/many/hash/1e-6 limit/four_cmpxchg16b 64KiB=1.2 1MiB=1.2 16MiB=1.2 256MiB=1.3
put_new/fast/single/hash/1% put_new/rocksdb/single/hash/1% 64KiB=1 1MiB=1 16MiB=1 256MiB=1.1
put_new/fast/many/hash/1%/2          put_new/fast/many/hash/1%            1MiB=0.55
put_new/fast/many/hash/1e-6/2        put_new/fast/many/hash/1e-6          1MiB=0.55
put_new/fast/many/hash/1%            put_new/mutex/many/hash/1%           64KiB=1
fill/growing/many/u64/1%       fill/plain/many/u64/1%       64KiB=2.5 1MiB=2.5 16MiB=2.5
claim/growing/many/u64/1%      fill/plain/many/u64/1%       64KiB=3.5 1MiB=3.5 16MiB=3.5
ask_absent/growing/many/u64/1% ask_absent/plain/many/u64/1% 64KiB=6 1MiB=6 16MiB=6
ask_absent/growing/single/u64/1% ask_absent/plain/single/u64/1% 16MiB=6
put_new/counting/many/u64/0.1%       limit/two_lines_cmpxchg              all=1.3
put_new/counting/many/u64/0.1%/2     put_new/counting/many/u64/0.1%       1MiB=0.55
put_new/counting/put_remove_many/u64/0.1% put_new/counting/many/u64/0.1%       all=2.2
query_present/counting/many/u64/0.1% query_present/fast/many/u64/0.1%     all=2
query_absent/counting/many/u64/0.1%  query_absent/fast/many/u64/0.1%      all=2
query_present/window/many/u64/1%     query_present/fast/many/u64/1%       64KiB=4 1MiB=4
query_present/window/many/u64/1e-6   query_present/fast/many/u64/1e-6     64KiB=4 1MiB=4
put_new/window/claim/u64/1%          put_new/fast/claim/hash/1%           64KiB=1 1MiB=1
put_new/fast/claim_many/hash/1%      put_new/fast/many/hash/1%            all=1.1
put_new/fast/claim_many/hash/0.1%    put_new/fast/many/hash/0.1%          all=2.2
put_new/fast/claim_many/hash/1e-6    put_new/fast/many/hash/1e-6          all=2.2
copy/native                          copy/plain                           256MiB=1.3
query_present/sbbf/many/hash/1%      query_present/libfilter/ahead/hash/1% 64KiB=1.1 1MiB=1.1
"""

# What bits.c prints, its fpp, and the most bits per key.
BITS = (("growing-full", "1%", 21), ("growing-mean", "1%", 31), ("growing-full", "0.01%", 37),
        ("growing-mean", "0.01%", 56), ("default", "0.1%", 16.2), ("default", "0.01%", 23.5),
        ("default", "1e-5", 27.6), ("default", "1e-6", 35), ("default", "1e-9", 65.4))


def titled(name):
    what, who, *rest = name.split("/")
    if what == "limit":
        return "limit: " + words(who)
    if what == "wall":
        return "ns a line, " + DEDUPE[who]
    call, keys, _, n = (rest + [""] * 4)[:4]
    shown = [words(call), keys if keys != "hash" else "", f"{n} threads" if n > "1" else ""]
    return ", ".join([words(what), who, *filter(None, shown)])


def at_size(f, name, size):
    what, who, *rest = name.split("/")
    if who == "read_or_load":  # the faster of with and without prefetching
        both = [row for row in (f.of(f"limit/{one}/{size}") for one in ("read", "load")) if row]
        return min(both, default=None)
    return f.of("/".join([what, who, size, *rest]))


def target(title, fpp, size, mine, against, other, most):
    """A row: a figure, what it is compared with, the verdict."""
    if not mine or not other:
        ratio, verdict = "", "not measured"
    else:
        ratio = f"{mine.ns / other.ns:.2f}"
        close = mine.ns <= 1.1 * most * other.ns and mine.least <= most * other.most
        missed = "**missed**" + (", within the rounds' spread" if close else "")
        verdict = "met" if mine.ns <= most * other.ns else missed
    return [title, fpp, words(size), figure(mine.ns) if mine else "", against,
            figure(other.ns) if other and against else "", ratio, f"<= {most:g}: {verdict}"]


def targets_table(f, sizes):
    rows = []
    for name, against, *wanted in map(str.split, TARGETS.strip().splitlines()):
        most = dict(one.split("=") for one in wanted)
        for size in sizes:
            if size in most or "all" in most and size != "1GiB":
                rows.append(target(titled(name), fpp_of(name), size, at_size(f, name, size),
                                   titled(against), at_size(f, against, size),
                                   float(most.get(size) or most["all"])))
    for what, fpp, most in BITS:
        mine = f.of(f"bits/{what}////{fpp}")
        rows.append(target(f"bits per key, {what}", fpp, "", mine, "", Row(1, 1, 1, None), most))
    return table("operation|fpp|size|ns or bits|against|the same|ratio|target", 3, rows)


# The README's table: 1 %, one thread.  What has no call of many has its name alone.
README = {"lfbloom": "fast/single/hash fast/many/hash", "fastbloom": "fastbloom/single/hash",
          "RocksDB": "rocksdb/single/hash rocksdb/ahead/hash", "Guava": "guava/single/u64",
          "Boost.Bloom": "boost-bloom/single/hash boost-bloom/ahead/hash",
          "lfbloom, Guava's bytes": "guava-mitz64/single/u64 guava-mitz64/many/u64",
          "set, 64 mutexes": "set-64/single/hash"}


def readme_table(f, sizes):
    rows, size = [], some(sizes, "16MiB")[0]
    for i, call in enumerate(("by call", "of many")):
        for what in ("put_new", "query_present"):
            cells = []
            for ways in map(str.split, README.values()):
                cells += spreads([f.of(f"{what}/{ways[i].replace('/', f'/{size}/', 1)}/1%")]) \
                    if ways[i:] else ["no call"]
            rows.append([f"{words(what)}, {call}, {words(size)}, ns", *cells])
    mine, sets = (" / ".join(spreads(f.of(f"put_new/{way}/hash/1%{n}") for n in ("", "/2")))
                  for way in (f"fast/{size}/claim", f"set-64/{size}/single"))
    rows.append([f"claim a new key, {words(size)}, by one / two threads, ns", mine,
                 *["no claim"] * (len(README) - 2), sets])
    return table(["", *README], 1, rows)


PAGES = {"report": {"server": server_table, "ingestion": ingestion_table,
                    "benchmark": benchmark_table}, "targets": {"targets": targets_table}}
TABLES = {**PAGES["report"], **PAGES["targets"], "hashes": hashes_table, "readme": readme_table}


# ---- the picture ------------------------------------------------------------------------

CURVES = (("fast", "many", "lfbloom, many", "#0072b2"),
          ("fast", "single", "lfbloom, by call", "#56b4e9"),
          ("rocksdb", "ahead", "RocksDB, 128 keys ahead", "#e69f00"),
          ("rocksdb", "single", "RocksDB, by call", "#d55e00"),
          ("mutex", "single", "mutex", "#009e73"))


def panel(rows, size, what, left):
    """Elements of an SVG: rates against threads, on logarithmic scales; and the legend."""
    names = [("limit of the machine", "#000000",
              f"limit/{'read' if what == 'query_present' else 'cmpxchg16b'}/{size}////")]
    names += [(title, colour, f"{what}/{who}/{size}/{call}/hash/1%/")
              for who, call, title, colour in CURVES]
    curves = {(title, colour): [(n, 1000 / rows[name + str(n)].ns) for n in range(1, 65)
                                if name + str(n) in rows] for title, colour, name in names}
    curves = {key: points for key, points in curves.items() if points}
    points = sum(curves.values(), []) or stop(f"there is no {what} at {size}", 1)
    most = max([n for n, _ in points] + [2])
    low = math.floor(math.log10(min(rate for _, rate in points)))
    high = math.ceil(math.log10(max(rate for _, rate in points)) + 0.01)

    def x(n):
        return round(left + 420 * math.log(n) / math.log(most), 1)

    def y(rate):
        return round(400 - 340 * (math.log10(rate) - low) / (high - low), 1)
    yield f'<text x="{left + 210}" y="52" text-anchor="middle">{words(what)}</text>'
    yield f'<text x="{left + 210}" y="437" text-anchor="middle">threads</text>'
    for rate in (10.0 ** power for power in range(low, high + 1)):
        yield (f'<path d="M{left} {y(rate)}h420" stroke="#ddd"/><text x="{left - 6}" '
               f'y="{y(rate) + 5}" text-anchor="end">{rate:g}</text>')
    for n in sorted({n for n, _ in points}):
        yield f'<text x="{x(n)}" y="420" text-anchor="middle">{n}</text>'
    for i, ((title, colour), curve) in enumerate(curves.items()):
        line = " ".join(f"{x(n)},{y(rate)}" for n, rate in curve)
        yield f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2.5"/>'
        if curve[-1][0] < most:
            yield (f'<text x="{x(curve[-1][0])}" y="{y(curve[-1][1]) - 24}" text-anchor="middle">'
                   f"measured by up to {curve[-1][0]} threads</text>")
        at, down = 30 + 240 * (i % 4), 455 + 25 * (i // 4)  # both panels have the same legend
        yield (f'<path d="M{at} {down}h30" stroke="{colour}" stroke-width="3"/>'
               f'<text x="{at + 38}" y="{down + 5}">{title}</text>')


def picture(rows, size):
    return "\n".join([
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 500" font-family="sans-serif" '
        'font-size="14"><rect width="1000" height="500" fill="white"/>',
        f'<text x="500" y="28" text-anchor="middle" font-size="18">threads in one filter of '
        f"{words(size)}, 1 %: million operations per second</text>",
        *panel(rows, size, "query_present", 60), *panel(rows, size, "put_new", 560), "</svg>", ""])


# ---- measuring --------------------------------------------------------------------------


def load_now():
    try:
        path = pathlib.Path(os.environ.get("LFB_BENCH_LOADAVG", "/proc/loadavg"))
        return float(path.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return stop("there is no load average")


def require_quiet(seconds):
    """Waits until the load is low: building the programs was load, too."""
    until = time.monotonic() + seconds
    while (load := load_now()) > MOST_LOAD:
        if time.monotonic() >= until:
            stop(f"the machine is not quiet: load {load}, more than {MOST_LOAD}, after {seconds} "
                 "s; stop what runs there, or add --busy --out=DIR")
        time.sleep(LOOK_SECONDS)


def machine(busy, load_before):
    text = output_of(["sh", "-c", "lscpu; gcc --version"])
    said = [(re.findall(f"^{what}(.*)", text, re.M) or ["unknown"])[0] for what in (
        "Model name: *", "CPU family: *", "Model: *", "L3 cache: *", r"(?=gcc \()")]
    return (f"{said[0]}, family {said[1]}, model {said[2]}, {os.cpu_count()} cores, {said[3]} L3; "
            f"{said[4]}; {time.strftime('%F', time.gmtime())}; load {load_before} before, "
            f"{load_now()} after" + "; **others may have disturbed it** (--busy)" * busy)


def selection(names):
    """An expression for these benchmarks, and all others of their sizes, calls and operations."""
    groups = defaultdict(lambda: (set(), set(), set()))
    for what, who, size, call, keys, fpp, n in (name.split("/") for name in names):
        for value, values in zip((what, size, call), groups[who, keys, fpp, n]):
            values.add(value)
    lines = []
    for (who, keys, fpp, n), parts in groups.items():
        what, size, call = ("|".join(sorted(part)) for part in parts)
        name = f"({what})/{who}/({size})/({call})/{keys}/{fpp}".replace("()", "").rstrip("/")
        lines.append(f"{name}/(iterations:[0-9]+/)?manual_time/threads:{n}")
    return "^(" + "|".join(lines) + ")$"


def output_of(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, **more)
    if done.returncode != 0:
        sys.exit(done.returncode)
    return done.stdout


def run_guava(source, work, haste, keys):
    """Rows of Guava, on the files of guava-mitz64, with keys "u64" or "bytes36"."""
    output_of(["javac", "-proc:none", "-cp", GUAVA, "-d", work, source])
    out = output_of(["java", "-XX:+UseParallelGC", "-Xms1g", "-Xmx3g", 
                     "-XX:+UseTransparentHugePages", "-cp", f"{GUAVA}:{work}", "GuavaBench",
                     f"{work}/scenes", "numbers" if keys == "u64" else "uuids", str(haste)])
    for what, size, ns in (line.split(",") for line in out.split()):
        yield f"{what}/guava/{size}/single/{keys}/1%/1", float(ns), None


def run_dedupe(programs, smoke):
    """Rows of the tool and its peers, ns a line."""
    for line in output_of([programs["dedupe.py"], programs["lfbloom"], "--rows", "--busy",
                           *["--smoke"] * smoke]).splitlines():
        name, ns = line.split()
        yield full(name), float(ns), None


def measure(args, programs, needed):
    """All rows of all rounds."""
    if args.json:
        return [row for path in args.json for row in rows_of(path.read_text())]
    measured = []
    names = [name for name in needed if not re.match("bits/|wall/|[^/]*/guava/", name)]
    with tempfile.TemporaryDirectory() as work:
        os.mkdir(f"{work}/scenes")
        command = [programs["bench"], f"--benchmark_filter={selection(names)}",
                   f"--scenes={work}/scenes", f"--benchmark_min_time={args.least}",
                   f"--puts={args.puts}", "--benchmark_format=json", *["--busy"] * args.busy,
                   *(f"--peer={peer}" for peer in args.peers.values())]
        for i in range(args.repetitions):
            print(f"round {i + 1} of {args.repetitions}", file=sys.stderr)
            measured += rows_of(output_of(command))
            for keys in {name.split("/")[4] for name in needed if "/guava/" in name}:
                measured += run_guava(programs["GuavaBench.java"], work, args.haste, keys)
            if any(name.startswith("wall/") for name in needed):
                measured += run_dedupe(programs, args.smoke)
    if any(name.startswith("bits/") for name in needed):
        for what, fpp, bits in map(str.split, output_of(
                [programs["bits"], str(args.keys)]).splitlines()):
            measured.append((f"bits/{what}////{fpp}/1", float(bits), None))
    return measured


# ---- the command line -------------------------------------------------------------------


def take_flags():
    here = pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    take = argparse.ArgumentParser(description=__doc__, allow_abbrev=False,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
    take.add_argument("name", choices=("report", "targets", "scaling"))
    take.add_argument("programs", nargs="*")
    for flag in ("--quick", "--busy", "--smoke"):
        take.add_argument(flag, action="store_true")
    take.add_argument("--repetitions", type=int, choices=range(1, 1000), metavar="N")
    take.add_argument("--wait", type=int, choices=range(10000), default=300, metavar="SECONDS")
    for flag in ("--sizes", "--only"):
        take.add_argument(flag, type=lambda text: text.split(","))
    for flag in ("--peers-dir", "--out"):
        take.add_argument(flag, type=here.joinpath)
    take.add_argument("--json", type=here.joinpath, action="append")
    args = take.parse_args()
    small = args.smoke or args.quick
    args.sizes = args.sizes or SIZES[:1 if args.smoke else 3 if args.quick else 4]
    args.repetitions = args.repetitions or (1 if small else 3 if args.name == "targets" else 5)
    args.least, args.puts = (0.0001, 1) if args.smoke else (0.02 if small else 0.05, 1 << 21)
    args.haste, args.keys = (1000, 200000) if args.smoke else (4, 10000000)
    args.busy = args.busy or args.smoke
    if set(args.sizes) - set(SIZES) or set(args.only or ()) - set(TABLES):
        stop(f"--sizes takes some of {','.join(SIZES)}, --only of {','.join(TABLES)}")
    if args.peers_dir and not args.peers_dir.is_dir():
        stop(f"--peers-dir={args.peers_dir} is no directory")
    return args


def find_peers(args, programs):
    """{name: file} of the peers; says which are not there."""
    found = {path.parent.name: path for path in sorted(args.peers_dir.glob("*/peer.so"))} \
        if args.peers_dir else {}
    for name in PEERS.get(args.name, []):
        if name not in found:
            print(f"report.py: {name} is not measured: there is no {args.peers_dir or 'DIR'}/{name}"
                  "/peer.so (bench/peers/peer.h)", file=sys.stderr)
    return {**found, "set-64": programs["set.so"]} if "readme" in (args.only or ()) else found


def check_docs(args):
    """Refuses figures for docs/ of few rounds, or of a busy machine."""
    docs = pathlib.Path(os.environ.get("BUILD_WORKSPACE_DIRECTORY", "."), "docs").resolve()
    args.out = args.out or docs / "performance"
    if args.only or docs not in args.out.resolve().parents:
        return
    if args.quick or args.smoke or args.busy or args.repetitions < LEAST_ROUNDS:
        stop(f"docs/ takes figures of {LEAST_ROUNDS} rounds or more, without --quick, --smoke and "
             "--busy; add --out=DIR")
    require_quiet(args.wait)


def filled(page, tables):
    """A page with each table after the comment that names it."""
    for name, lines in tables.items():
        text = "\n".join(lines) + "\n"
        page, found = re.subn(rf"(<!-- {name} -->\n).*?(<!-- end -->)",
                              lambda place: place[1] + text + place[2], page, flags=re.S)
        if found != 1:
            stop(f"the page has no place for {name}", 1)
    return page


def main():
    args = take_flags()
    programs = {os.path.basename(path): path for path in args.programs}
    if args.name == "scaling":
        sys.stdout.write(picture(medians(measure(args, programs, {})), "256MiB"))
        return
    args.peers = find_peers(args, programs)
    names = args.only or sum(map(list, PAGES.values()), [])
    tables = {name: TABLES[name] for name in (["targets"] if args.name == "targets" else names)}
    if args.name == "report":
        check_docs(args)
    PEERS["report"] += sorted(set(args.peers) - set(PEERS["report"]))
    absent = set(sum(PEERS.values(), []))  # a peer need not have all sizes and calls
    before = load_now()
    plan = Figures(None, absent)
    for made in tables.values():
        list(made(plan, args.sizes))
    rows = medians(measure(args, programs, plan.needed))
    figures = Figures(rows, absent)
    silent = [peer for peer in args.peers if not any(f"/{peer}/" in name for name in rows)]
    if silent and "benchmark" in tables:
        stop(f"nothing of {' '.join(silent)} was measured", 1)
    lines = {name: list(made(figures, args.sizes)) for name, made in tables.items()}
    if figures.missing:
        missing = sorted(set(figures.missing))
        stop(f"{len(missing)} benchmarks are missing: {' '.join(missing[:9])}", 1)
    flags = " ".join(flag for flag in sys.argv[1:] if flag.startswith("--"))
    lines["machine"] = [f"- {machine(args.busy, before)}",
                        f"- medians of {len(args.json or []) or args.repetitions} rounds: "
                        f"`./bazelw run -c opt //bench:{args.name}{' -- ' * bool(flags)}{flags}`",
                        "- peers: " + (", ".join(args.peers) or "none, since --peers-dir=DIR was "
                                       "not given; only mutex, Guava and the tools")]
    if args.name != "report" or args.only:
        for table_lines in [lines.pop("machine"), *lines.values()]:
            print("\n".join(table_lines + [""]))
        return
    args.out.mkdir(parents=True, exist_ok=True)
    pages = {f"{name}.md": filled(pathlib.Path(f"docs/performance/{name}.md").read_text(),
                                  {one: lines[one] for one in ("machine", *PAGES[name])})
             for name in PAGES}
    for name, text in pages.items():
        (args.out / name).write_text(text)
    verdicts = [line.count("**missed**") for line in lines["targets"][2:]]
    print(f"{args.out}: {len(verdicts)} targets, {sum(verdicts)} missed", file=sys.stderr)


if __name__ == "__main__":
    main()
