#!/usr/bin/env python3
"""cut.py PREFIX <AMALGAMATED >CUT: leaves in C code, which amalgamate.awk made of one FILE, only what the
functions need whose names begin with PREFIX; all other functions become static.

The code is read by its layout: an item begins at the left margin, and ends with a line there that ends with ;
or with a line that begins with }.  An #if at the left margin, up to its #endif, is one item.  Prototypes go:
FILE includes its sources in such an order that each name is defined before it is used.
"""

import re
import sys

WORD = re.compile(r"[A-Za-z_]\w*")
INCLUDED = re.compile(r"#include (<(float|math|stdatomic|stdbool|stddef|stdint|stdlib|string)\.h>|\")")


def without_guards(lines):
    """Without the lines of a header's guard."""
    left, depth, guards = [], 0, []
    for i, line in enumerate(lines):
        if line.startswith("#if"):
            depth += 1
            guard = re.fullmatch(r"#ifndef (\w+_H)", line)
            if guard and lines[i + 1] == f"#define {guard[1]}":
                guards.append(depth)
                continue
        elif line.startswith("#endif"):
            depth -= 1
            if guards and guards[-1] == depth + 1:
                guards.pop()
                continue
        elif re.fullmatch(r"#define \w+_H", line):
            continue
        left.append(line)
    return left


def in_c(text):
    """Without what only C++ compiles."""
    return re.sub(r"^#ifdef __cplusplus\n(?:.*\n)*?#else\n((?:.*\n)*?)#endif\n", r"\1", text, flags=re.M)


def dense(item):
    """Without empty lines; what was broken for an older width is one line again if it fits."""
    out = []
    for line in item:
        last = out[-1] if out else ""
        joint = last + ("" if last.endswith("(") else " ") + line.strip()
        if last.endswith((",", "=", "(", "&&", "||", "? 1", " :")) and len(joint) <= 118 and (
                "#" not in last + line and not line.startswith("}")):
            out[-1] = joint
        elif line:
            out.append(line)
    return out


def items(lines):
    """The items, as lists of lines."""
    item, depth, kind = [], 0, ""
    for line in lines:
        if not item and not line.strip():
            continue
        item.append(line)
        if len(item) == 1:
            kind = "if" if line.startswith("#if") else "#" if line.startswith("#") else (
                "comment" if line.startswith("/*") else "C")
        if kind == "if":
            depth += line.startswith("#if") - line.startswith("#endif")
            done = depth == 0
        elif kind == "#":
            done = not line.endswith("\\")
        elif kind == "comment":
            done = line.endswith("*/")
        else:
            text = "".join(item)
            done = line.startswith(("}", "LFB_EXTERN_C_")) or (
                line.endswith(";") and text.count("{") == text.count("}"))
        if done:
            yield item
            item = []
    assert not item, item


def names(item):
    """The names that an item defines."""
    if item[0].startswith("#if"):
        inner = re.sub(r"^#(?!define)(.*\\\n)*.*\n", "", "\n".join(item) + "\n", flags=re.M).split("\n")
        return {name for one in items(inner) for name in names(one)}
    text = "\n".join(item)
    if text.startswith("#"):
        return set(re.findall(r"^#(?:define|undef) (\w+)", text))
    head, brace, body = text.partition("{")
    head = re.sub(r"__attribute__\(\(.*?\)\)", "", head)
    if "enum" in head.split("(")[0] and brace:
        return set(WORD.findall(re.sub(r"=[^,}]*", "", body)))
    if head.startswith("typedef"):
        tail = text[text.rindex("}"):] if brace else re.sub(r".*\(\*(\w+)\)\(.*", r"\1", head, flags=re.S)
        return set(WORD.findall(tail)[-1:]) | set(re.findall(r"^typedef struct (\w+)", head))
    if head.startswith("struct") and brace:
        return {WORD.findall(head)[1]}
    return set(WORD.findall(re.split(r"[(\[=]", head)[0])[-1:])


def is_function(item):
    return not item[0].startswith(("#", "typedef", "/*")) and item[-1] == "}"


def is_prototype(item):
    text = " ".join(item)
    return not text.startswith(("#", "typedef", "/*", "static", "_Static_assert")) and "{" not in text


prefix = sys.argv[1]
lines = in_c(sys.stdin.read()).split("\n")
head = lines.index(" */") + 1
found, there = [], set()
for item in items(without_guards(lines[head:])):
    of = names(item)
    if item[0].startswith(("#pragma", "LFB_EXTERN_C", "/*")) or is_prototype(item):
        continue
    if not (of <= there and (is_function(item) or item[0].startswith("typedef"))):  # else FILE has its own
        found.append(([line for line in item if not line.endswith("_HAZARD();")], of))
    there |= of
wanted = {name for item, of in found if is_function(item) for name in of if name.startswith(prefix)}
needed = set()
while wanted:
    needed |= wanted
    wanted = {word for item, of in found if of & needed
              for word in WORD.findall(re.sub(r'"[^"\n]*"', "", "\n".join(item)))} - needed
while found[-1][0][0].startswith("#undef"):  # nothing is after them
    found.pop()
print("\n".join(lines[:head]))
for item, of in found:
    if of & needed or INCLUDED.match(item[0]) or (item[0].startswith("#if") and not of):
        if is_function(item) and not item[0].startswith(("static", "LFB_INLINE")) and not min(of).startswith(prefix):
            item[0] = "static " + item[0]
        print("\n".join(dense(item)))
