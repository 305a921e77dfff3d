"""units_reference.py UNIT FILE [annotate|plain]: prints what `lfbloom dedupe --unit UNIT` prints of FILE, slowly."""

import json
import re
import sys

unit, path = sys.argv[1:3]
way = sys.argv[3] if len(sys.argv) > 3 else ""
words_each = int(unit.split(":")[1]) if unit.startswith("ngram:") else 0
BLANK = " \t\n\v\f\r"
seen = set()


def goes(paragraph):
    """Whether it goes; None: it is blank.  It is seen from now on."""
    if not paragraph.strip(BLANK):
        return None
    if not words_each:
        known = paragraph in seen
        seen.add(paragraph)
        return known
    words = [word for word in re.split("[ \t\n\v\f\r]+", paragraph) if word]
    grams = [tuple(words[i : i + words_each]) for i in range(len(words) - words_each + 1)]
    known = sum(gram in seen for gram in grams)
    seen.update(grams)
    return known * 10 > 8 * len(grams)


def raw_paragraphs(raw):
    """The paragraphs of a JSON string as they stand, and the newlines between them."""
    pieces = [""]
    for match in re.finditer(r"\\u000[aA]|\\n|\\.|[^\\]+", raw, re.S):
        if match[0] in ("\\n", "\\u000a", "\\u000A"):
            pieces += [match[0], ""]
        else:
            pieces[-1] += match[0]
    return pieces


def left(raw, decided):
    """The string without the paragraphs that go; blank ones go with the one before."""
    pieces, kept, last = raw_paragraphs(raw), [], False
    for i, known in enumerate(decided):
        last = last if known is None else known
        if not last:
            kept += [pieces[2 * i - 1] if kept else "", pieces[2 * i]]
    return "".join(kept)


out = open(1, "w", encoding="utf-8", newline="", closefd=False)
text = open(path, encoding="utf-8", newline="").read()
if way == "plain":
    for paragraph in re.split("\n\n+", text.strip("\n")):
        if not goes(paragraph + "\n"):
            out.write(paragraph + "\n\n")
    sys.exit()
for line in text.split("\n")[:-1]:
    value = json.loads(line)["text"]
    if not isinstance(value, str):
        out.write(line + "\n")
        continue
    paragraphs = value.split("\n")
    decided = [goes(paragraph) for paragraph in paragraphs]
    if way == "annotate":
        spans, at = [], 0
        for paragraph, known in zip(paragraphs, decided):
            if known:
                spans.append([at, at + len(paragraph)])
            at += len(paragraph) + 1
        end = line.rindex("}")
        out.write('%s, "duplicate_spans": %s%s\n' % (line[:end], json.dumps(spans), line[end:]))
        continue
    real = [known for known in decided if known is not None]
    if real and all(real):
        continue
    if any(real):
        match = re.search(r'"text": "((?:[^"\\]|\\.)*)"', line)
        line = line[: match.start(1)] + left(match[1], decided) + line[match.end(1) :]
    out.write(line + "\n")
