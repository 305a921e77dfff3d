#!/usr/bin/env python3
"""mutate.py: plants single changes into a C file, one at a time, and runs the tests that cover it.

    tools/mutate.py FILE [--list] [--only KIND] [--line N] [--some N] [--elsewhere] [--seconds N]

Prints the changes that no test notices, and how many of the others the tests notice (killed). A change
that does not compile, or that gives the same code, is not counted.

The tests are those that tests/covers.txt names for FILE; with --elsewhere also those that need more
than the library, such as the scripts of the tool. --some draws N of the changes. Works in a copy of
the tree's tracked files, in which Bazel builds what depends on FILE for each change: some 10 s each.
A test that runs for SECONDS (60) counts as failed. Kinds: compare, logic, sign, shift, bits, negate, constant, order, drop.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile

TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\#(?:[^\n\\]|\\.|\\\n)*)
      | (?P<number>(?:0[xX][\da-fA-F]+|\d+)(?![\w.])|[\d.][\w.]*)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<sign><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.VERBOSE | re.DOTALL,
)
SWAPS = {
    "compare": {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
    "logic": {"&&": "||", "||": "&&"},
    "sign": {"+": "-", "-": "+", "+=": "-=", "-=": "+="},
    "shift": {"<<": ">>", ">>": "<<", "<<=": ">>=", ">>=": "<<="},
    "bits": {"&": "|", "|": "&", "|=": "&=", "&=": "|="},
    "negate": {"true": "false", "false": "true", "?": "== 0 ?"},
    "order": {f"memory_order_{order}": "memory_order_relaxed"
              for order in ("acquire", "release", "acq_rel", "seq_cst")},
}
# These are changed only between two operands.
BINARY = {"+", "-", "&", "|"}
# No test can see a change of their arguments.
UNSEEN = re.compile(r"\b(?:assert|_Static_assert|__attribute__|__asm__)\s*\(")
# A statement on a line of its own: an assignment, a call, or the end of a function or a loop.
STATEMENT = re.compile(r"^ +((?:return|break|continue|(?:\(void\)|\*|\+\+|--)?[\w.>\[\]-]+"
                       r"(?: [-+*/%&|^<>]*= .*|\(.*\)|\+\+|--)));$", re.MULTILINE)
CONDITION = re.compile(r"\b(if|while) \((.*)\)(?= \{$|$)", re.MULTILINE)
# Which builds run the tests, and which kinds they see.
BUILDS = {"test": [], "elsewhere": [], "asan": ["--config=asan"], "tsan": ["--config=tsan"], "model": []}


def mutants_of(source):
    """All changes, in the file's order: start, end, kind, text."""
    found, before, at = [], "", 0
    unseen = [(m.start(), source.index(";", m.start())) for m in UNSEEN.finditer(source)]
    while at < len(source):
        match = TOKEN.match(source, at)
        token, start, at = match.group(), at, match.end()
        if match.lastgroup == "skip":
            continue
        for kind, pairs in SWAPS.items():
            if token in pairs and (token not in BINARY or re.match(r"[\w)\]]", before[-1:])):
                found.append((start, at, kind, pairs[token]))
        if match.lastgroup == "number" and re.fullmatch(r"0[xX][\da-fA-F]+|0|[1-9]\d*", token):
            value, spell = int(token, 0), hex if token[:2] in ("0x", "0X") else str
            found += [(start, at, "constant", spell(other)) for other in (value + 1, value - 1) if other >= 0]
        before = token
    found += [(m.start(2), m.end(2), "negate", f"!({m[2]})") for m in CONDITION.finditer(source)]
    found += [(m.start(1), m.end(1), "drop", "") for m in STATEMENT.finditer(source)]
    return sorted(m for m in found if not any(first <= m[0] < last for first, last in unseen))


def shown(source, mutant):
    """The line of a change, its kind, and the changed line."""
    start, end, kind, text = mutant
    first, last = source.rfind("\n", 0, start) + 1, source.find("\n", end)
    changed = f"without {source[start:end]}" if kind == "drop" else source[first:start] + text + source[end:last]
    return f"{source.count(chr(10), 0, start) + 1}: {kind}: {' '.join(changed.split())}"


def tests_of(path, elsewhere):
    """The tests of the file's rows in tests/covers.txt, as (build, label)."""
    rows = [line.split() for line in pathlib.Path("tests/covers.txt").read_text().splitlines()]
    tests = {(row[0], row[1]) for row in rows if row[:1] and row[0] in BUILDS and path in row[2:]
             and (elsewhere or row[0] != "elsewhere")}
    if not tests:
        sys.exit(f"mutate.py: {path}: tests/covers.txt names no test of it that Bazel runs alone")
    return sorted((build, "//" + re.sub(r"/([^/]*)\.\w+$", r":\1", test)) for build, test in tests)


def copy_tree(into):
    tracked = subprocess.run(["git", "ls-files", "-z"], check=True, stdout=subprocess.PIPE).stdout
    subprocess.run(["tar", "-c", "--null", "-T-", "-f", into + ".tar"], input=tracked, check=True)
    subprocess.run(["tar", "-xf", into + ".tar", "-C", into], check=True)


def outcome(tree, tests, seconds):
    """killed, survived, equivalent or uncompiled."""
    what = "equivalent"
    for build in BUILDS:
        labels = [label for of, label in tests if of == build]
        if not labels:
            continue
        done = subprocess.run(["./bazelw", "test", f"--test_timeout={seconds}", "--test_output=summary",
                               *BUILDS[build], *labels], cwd=tree, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode == 3:
            return "killed"
        if done.returncode != 0:  # a model compiles C as C++, which accepts less
            if build != "model":
                return "uncompiled"
        elif "Executed 0 out of" not in done.stdout:  # the same code: results of before
            what = "survived"
    return what


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--list", action="store_true", help="print the changes, and run nothing")
    parser.add_argument("--only", choices=[*SWAPS, "constant", "drop"], metavar="KIND")
    parser.add_argument("--line", type=int, metavar="N")
    parser.add_argument("--some", type=int, metavar="N")
    parser.add_argument("--elsewhere", action="store_true")
    parser.add_argument("--seconds", type=int, default=60, metavar="N")
    wanted = parser.parse_args()
    source = pathlib.Path(wanted.file).read_text()
    mutants = [m for m in mutants_of(source) if wanted.only in (None, m[2])
               and wanted.line in (None, source.count("\n", 0, m[0]) + 1)]
    if wanted.some is not None:
        mutants = sorted(random.Random(1).sample(mutants, min(wanted.some, len(mutants))))
    if wanted.list:
        print(*(shown(source, m) for m in mutants), sep="\n")
        return
    tests = tests_of(wanted.file, wanted.elsewhere)
    count = dict.fromkeys(("killed", "survived", "equivalent", "uncompiled"), 0)
    with tempfile.TemporaryDirectory() as work:
        tree = pathlib.Path(work, "tree")
        tree.mkdir()
        copy_tree(str(tree))
        if outcome(tree, tests, 600) not in ("survived", "equivalent"):
            sys.exit(f"mutate.py: {wanted.file}: its tests fail without a change")
        for mutant in mutants:
            start, end, kind, text = mutant
            (tree / wanted.file).write_text(source[:start] + text + source[end:])
            seeing = [t for t in tests if (t[0] in ("tsan", "model")) == (kind == "order") or t[0] == "model"]
            what = outcome(tree, seeing, wanted.seconds)
            count[what] += 1
            if what == "survived":
                print(f"{wanted.file}:{shown(source, mutant)}", flush=True)
        subprocess.run(["./bazelw", "shutdown"], cwd=tree, check=False)
    print(f"{wanted.file}: " + ", ".join(f"{number} {what}" for what, number in count.items()))


if __name__ == "__main__":
    main()
