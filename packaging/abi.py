#!/usr/bin/env python3
"""Describes the interface of both shared libraries: docs/abi.md.

abi.py LIBRARY... OUT

The names and their versions come from the libraries, by nm; the types from gcc's debugging
information about the installed headers, by readelf.  Only names and types of the interface are
written: what a struct points to but no header defines is opaque.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

HEAD = """\
# The interface of both shared libraries: each function that they export, with its version, and the
# sizes, offsets and values of the public types on x86-64.  docs/abi.md says what may change.  Made by
# ./bazelw run //packaging:abi -- $PWD/packaging/interface.txt
# The linker exports the functions that are here (exports.awk): name a new one here before that.
"""
ENTRY = re.compile(r"^ <(\d+)><([0-9a-f]+)>: Abbrev Number: \d+ \(DW_TAG_(\w+)\)")
VALUE = re.compile(r"^ +<[0-9a-f]+> +DW_AT_(\w+) *: (?:\(.*?\): )?(.*?)\s*(?:\t.*)?$")


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def exported(library):
    """Each version of the library, with its functions."""
    versions = {}
    for line in run("nm", "-D", "--defined-only", "--with-symbol-versions", library).splitlines():
        name, at, version = line.split()[-1].partition("@@")
        if at:  # not a version's own name
            versions.setdefault(version, []).append(name)
    return versions


class Entry:
    """An entry of DWARF: its tag, its attributes, and the entries within it."""

    def __init__(self, tag):
        self.tag, self.attributes, self.inner = tag, {}, []

    def get(self, attribute, default=None):
        return self.attributes.get(attribute, default)


def entries(functions):
    """What the installed headers declare, by offset; `functions` must be among it."""
    headers = sorted(h.name for h in pathlib.Path("include/lfbloom").glob("*.h"))
    with tempfile.TemporaryDirectory() as work:
        code, compiled = pathlib.Path(work, "interface.c"), str(pathlib.Path(work, "interface.o"))
        # gcc describes only the functions that something uses.
        code.write_text("".join(f"#include <lfbloom/{h}>\n" for h in headers)
                        + "".join(f"void (*use_{f})(void) = (void (*)(void)){f};\n" for f in functions))
        run("gcc", "-std=c11", "-w", "-gdwarf-5", "-fno-eliminate-unused-debug-types",
            "-Iinclude", "-c", str(code), "-o", compiled)
        text = run("readelf", "--debug-dump=info", compiled)
    found, path = {}, []
    for line in text.splitlines():
        if match := ENTRY.match(line):
            depth, entry = int(match[1]), Entry(match[3])
            found["<0x" + match[2] + ">"] = entry
            path[depth:] = [entry]
            if depth:
                path[depth - 1].inner.append(entry)
        elif path and (match := VALUE.match(line)):
            path[-1].attributes[match[1]] = match[2]
    return found


class Types:
    """Writes types as C does, but a function's or an array's name comes before all of it."""

    def __init__(self, found):
        self.found = found

    def name(self, offset):
        if offset is None:
            return "void"
        entry = self.found[offset]
        if entry.get("name"):
            tag = entry.tag.split("_")[0] + " " if entry.tag.endswith("n_type") else ""
            return {"structure ": "struct ", "enumeration ": "enum "}.get(tag, tag) + entry.get("name")
        inner = self.name(entry.get("type"))
        if entry.tag == "pointer_type":
            return inner + ("*" if inner.endswith("*") else " *")
        if entry.tag == "array_type":
            return inner + "".join(f"[{int(b.get('upper_bound', '-1'), 0) + 1}]" for b in entry.inner)
        if entry.tag == "subroutine_type":
            return self.function(entry)
        if entry.tag in ("structure_type", "union_type"):
            return entry.tag.split("_")[0] + " {" + "; ".join(self.fields(entry)) + "}"
        word = entry.tag[: -len("_type")]  # const, volatile, atomic
        return f"{inner} {word}" if inner.endswith("*") else f"{word} {inner}"

    def function(self, entry):
        given = [self.name(p.get("type")) for p in entry.inner if p.tag == "formal_parameter"]
        given += ["..." for p in entry.inner if p.tag == "unspecified_parameters"]
        return f"{self.name(entry.get('type'))} ({', '.join(given) or 'void'})"

    def fields(self, entry):
        return [f"{f.get('data_member_location', '0')} {f.get('name', '')} {self.name(f.get('type'))}"
                for f in entry.inner if f.tag == "member"]

    def described(self, entry):
        """The lines of one type of the interface, or none."""
        name = entry.get("name") or ""
        if not name.startswith("lfb_"):
            return []
        if entry.tag == "typedef":
            of = self.found.get(entry.get("type"))
            return [f"typedef {name} {self.name(entry.get('type'))}"] if of and of.get("name") != name else []
        if entry.get("declaration") or entry.tag not in ("structure_type", "enumeration_type"):
            return [f"struct {name}, opaque"] if entry.tag == "structure_type" else []
        if entry.tag == "enumeration_type":
            inner = [f"{e.get('const_value')} {e.get('name')}" for e in entry.inner]
        else:
            inner = self.fields(entry)
        head = {"structure_type": "struct", "enumeration_type": "enum"}[entry.tag]
        # Lines are broken between fields only.
        inner = [i.replace(" ", "\0") for i in inner]
        wrapped = textwrap.wrap("; ".join(inner), 98, initial_indent="  ", subsequent_indent="  ",
                                break_long_words=False, break_on_hyphens=False)
        return [f"{head} {name}, {entry.get('byte_size')} bytes"] + [line.replace("\0", " ") for line in wrapped]


def main():
    *libraries, out = sys.argv[1:]
    versions = {v: names for library in libraries for v, names in exported(library).items()}
    found = entries(sorted(name for names in versions.values() for name in names))
    types = Types(found)
    functions = {e.get("name"): e for e in found.values() if e.tag == "subprogram"}
    lines = []
    for version, names in versions.items():
        lines += ["", version]
        lines += [f"{name} {types.function(functions[name])}" for name in sorted(names)]
    described = {tuple(types.described(e)) for e in found.values()}
    lines += ["", "types"]
    for type_lines in sorted(described - {()}, key=lambda of: of[0].split()[1].rstrip(",")):
        lines += type_lines
    # `bazel run` starts it elsewhere than its caller's folder.
    pathlib.Path(os.environ.get("BUILD_WORKING_DIRECTORY", ""), out).write_text(HEAD + "\n".join(lines) + "\n")


main()
