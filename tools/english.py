#!/usr/bin/env python3
"""Measures the English of comments and documents: tools/english.py [-v] [PATH...]

Prints one row per folder of the files that git tracks (below PATH, if given; without third_party/
and tests/golden/):

    words    words of comments in code, of text in documents and manual pages
    who      who, whose, whom, whoever, he, his, him, himself per 1,000 words
    idiom    words for which this project uses plainer ones (IDIOMS) per 1,000 words
    long     sentences of more than 30 words, and their share of all sentences of more than two

With -v it also prints each place found, with the line on which its paragraph begins.  A sentence
also ends at a colon or semicolon that a capital letter follows.  Comments in languages other than
C, C++, JavaScript, Java, Go, Python, Starlark, CMake, awk and the shell are not read.

It is a measure, not a test: hits do not change its exit status.
"""

import os
import re
import subprocess
import sys

PEOPLE = re.compile(r"\b(who|whose|whom|whoever|he|his|him|himself)\b", re.I)
IDIOMS = re.compile(
    r"\b(beside|under way|hangs? on|for ever|how manieth|nobody|anybody|everybody|"
    r"(?:is|are|was|were) in(?=[.,;:)]|$| and\b| it\b)|(?:is|are) told|lies? about|but for|"
    r"save for|whatever|wherever|meanwhile)\b|^\.\. ", re.I)
LONG = 30
C_LIKE = (".c", ".h", ".cc", ".pml", ".js", ".mjs", ".java", ".go")
HASH_LIKE = (".sh", ".py", ".awk", ".bzl", ".bazel", ".bazelrc", "CMakeLists.txt")
TEXT = (".md", ".dox")
MANUAL = (".1.in", ".3.in")
COLUMN_LABEL = re.compile(r"^([0-9]+\. )?[A-Za-z][A-Za-z0-9_-]*(,? [A-Za-z]+){0,3}  +\S")
# Between two sentences.
CUT = re.compile(r"(?<=[.!?:;])\)?\s+(?=[A-Z`\"(\[*])|(?<=[.!?])(?<!e\.g\.)\)?\s+(?=[a-z0-9])")
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?\*/', re.S)


def c_comments(text):
    """(line, [comment lines]) of each comment; adjacent // comments are one comment."""
    last_end = -2
    group = None
    for found in TOKEN.finditer(text):
        body = found.group()
        if body[0] in "\"'":
            continue
        line = text.count("\n", 0, found.start()) + 1
        if body.startswith("//"):
            alone = text[text.rfind("\n", 0, found.start()) + 1:found.start()].strip() == ""
            if group and alone and line == last_end + 1:
                group[1].append(body[2:])
            else:
                if group:
                    yield group
                group = (line, [body[2:]])
            last_end = line
            continue
        yield line, [re.sub(r"^ *\*( |$)", "", row) for row in body[2:-2].split("\n")]
    if group:
        yield group


def hash_comments(text):
    """The same for # comments, and for docstrings."""
    for found in re.finditer(r'"""(.*?)"""', text, re.S):
        yield text.count("\n", 0, found.start()) + 1, found.group(1).split("\n")
    group = None
    for number, row in enumerate(text.split("\n"), 1):
        found = re.match(r"\s*#(?!!|include|define|if|endif|undef)(.*)", row)
        trailing = re.match(r"[^#\"']*\s# ([^\"']*)$", row)
        if found and group:
            group[1].append(found.group(1))
        elif found:
            group = (number, [found.group(1)])
        else:
            if group:
                yield group
                group = None
            if trailing:
                yield number, [trailing.group(1)]
    if group:
        yield group


def document(text):
    fenced = False
    rows = []
    for row in text.split("\n"):
        if row.lstrip().startswith("```"):
            fenced = not fenced
            row = ""
        # Code and the lines between table rows are not sentences; the cells of a table are.
        rows.append("" if fenced or row.startswith("    ") or re.match(r"^[|: -]+$", row) else row)
    yield 1, rows


def manual(text):
    """A page in mdoc: an item, a heading and a display end a sentence; a macro is not a word."""
    rows, display = [], False
    for row in text.split("\n"):
        if row.startswith((".Bd", ".Ed")):
            display = row.startswith(".Bd")
        if display or re.match(r"\.(\\\"|(Dd|Dt|Os|Sh|Ss|Pp|Bl|El|Bd|Ed|It|Ex)\b)", row):
            row = ""
        row = re.sub(r"^\.[A-Z][a-z]? |\b(Ar|Cm|Fl|Ns|Pq|Dq|Sy|Va|Xr|Ql|Fn|Pa|Ev)\b", "", row)
        rows.append(re.sub(r"\\f.|\\&", "", row).replace("\\-", "-"))
    yield 1, rows


def comments_of(path, text):
    name = os.path.basename(path)
    if name.endswith(C_LIKE):
        return c_comments(text)
    if name.endswith(HASH_LIKE) or text.startswith("#!/"):
        return hash_comments(text)
    if name.endswith(TEXT):
        return document(text)
    if name.endswith(MANUAL) and path.startswith("man/"):
        return manual(text)
    return []


def sentences(first_line, rows):
    """(line, sentence): rows joined; cut where a sentence ends, and where a list item, a heading or
    a label begins."""
    pending, start = [], first_line

    def flush():
        return [part for part in CUT.split(" ".join(pending).strip()) if part]

    for offset, row in enumerate(rows):
        bare = row.strip()
        cells = bare.split("|") if bare.startswith("|") or " | " in bare else None
        if (not bare or cells or re.match(r"^([-*+]|[0-9]+\.) ", bare) or COLUMN_LABEL.match(bare)
                or bare.startswith("#")):
            for part in flush():
                yield start, part
            pending, start = [], first_line + offset
        if cells:
            for cell in cells:
                for part in CUT.split(cell.strip()):
                    yield first_line + offset, part
        elif bare:
            if not pending:
                start = first_line + offset
            pending.append(bare)
    for part in flush():
        yield start, part


def words_of(sentence):
    return [word for word in re.findall(r"[A-Za-z][A-Za-z0-9_'()/.-]*", sentence)
            if word == "A" or re.search("[a-z]", word) and not word.startswith("http")]


class Row:
    def __init__(self):
        self.words = self.people = self.idioms = self.sentences = self.long = 0


def measure(path, text, row, verbose):
    for first_line, rows in comments_of(path, text):
        for line, sentence in sentences(first_line, rows):
            bare = re.sub(r"`[^`]*`|\]\([^)]*\)", "", sentence)
            words = words_of(sentence)
            people, idioms = PEOPLE.findall(bare), IDIOMS.findall(bare)
            row.words += len(words)
            row.people += len(people)
            row.idioms += len(idioms)
            row.sentences += len(words) > 2
            row.long += len(words) > LONG
            if verbose:
                for what, hit in (("who", people), ("idiom", idioms), ("long", len(words) > LONG)):
                    if hit:
                        print(f"{path}:{line}: {what}: {sentence[:200]}")


def main(arguments):
    verbose = "-v" in arguments
    paths = [argument for argument in arguments if argument != "-v"]
    listed = subprocess.run(["git", "ls-files", "--"] + paths, check=True, capture_output=True,
                            text=True).stdout.split("\n")
    rows = {}
    for path in filter(None, listed):
        if path.startswith(("third_party/", "tests/golden/")) or not os.path.isfile(path):
            continue
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except UnicodeDecodeError:
            continue
        measure(path, text, rows.setdefault(os.path.dirname(path) or ".", Row()), verbose)
    total = Row()
    print(f"{'folder':32} {'words':>7} {'who':>6} {'idiom':>6} {'long':>5}  share")
    for folder, row in sorted(rows.items()):
        for name, value in vars(row).items():
            setattr(total, name, getattr(total, name) + value)
        if row.words:
            show(folder, row)
    show("all", total)


def show(folder, row):
    per = 1000 / max(row.words, 1)
    print(f"{folder:32} {row.words:7} {row.people * per:6.1f} {row.idioms * per:6.1f} "
          f"{row.long:5}  {100 * row.long / max(row.sentences, 1):.1f} %")


if __name__ == "__main__":
    main(sys.argv[1:])
