#!/usr/bin/env python3
"""proofs.py: prints "HASH LABEL" for each test tagged proof: that a planted bug is caught, or a model.

The hash covers what the test is about:
- the patch or mutation, and the files that it changes;
- the sources of the test;
- all files of this repository that these include by "...";
- the arguments and options of their rules.
It leaves out the rest of the library that the test is linked with. .ci/run runs a proof again if its
hash is not the one that .ci/all recorded. .ci/all runs all of them.

Run at the root of the tree.
"""

import hashlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

# Of rules in these packages nothing is followed: they are the rest of the library, and helpers of all
# tests. The files of these packages count if a proof's own rules name or include them.
APART = re.compile(r"^(@|//(include|atomic|bloom|redis|cli|packaging|tests/support)([:/]|$)|//:)")
ATTRIBUTES = ("args", "cmd", "copts", "defines", "linkopts", "local_defines")
INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
PROOFS = 'attr(tags, "[\\[ ]proof[,\\]]", tests(//...))'


def query(expression, output):
    done = subprocess.run(["./bazelw", "query", f"--output={output}", expression], stdout=subprocess.PIPE, check=True)
    return done.stdout


def path_of(label):
    return label.removeprefix("//").replace(":", "/").lstrip("/")


def attributes_of(rule):
    """The text of what the rule gives to compilers, commands and tests."""
    parts = []
    for element in rule:
        if element.get("name") in ATTRIBUTES:
            values = [element.get("value") or ""] + [part.get("value") or "" for part in element]
            parts.append(element.get("name") + "=" + "\n".join(values))
    return "\n".join(sorted(parts))


class Tree:
    def __init__(self, graph):
        self.rules, self.generated, self.contents = {}, {}, {}
        for element in graph:
            name = element.get("name")
            if element.tag == "rule":
                inputs = [child.get("name") for child in element if child.tag == "rule-input"]
                self.rules[name] = (attributes_of(element), inputs)
            elif element.tag == "generated-file":
                self.generated[name] = element.get("generating-rule")

    def content(self, path):
        """The file's bytes; None if there is no such file."""
        if path not in self.contents:
            try:
                with open(path, "rb") as file:
                    self.contents[path] = file.read()
            except OSError:
                self.contents[path] = None
        return self.contents[path]

    def reached(self, label):
        """The rules' attributes and the files that a label depends on, without what is apart."""
        attributes, files, seen, todo = [], set(), set(), [label]
        while todo:
            at = todo.pop()
            at = self.generated.get(at, at)
            if at in seen:
                continue
            seen.add(at)
            if at in self.rules:
                if not APART.match(at):
                    attributes.append(at + "\n" + self.rules[at][0])
                    todo += self.rules[at][1]
            elif not at.startswith("@") and self.content(path_of(at)) is not None:
                files.add(path_of(at))
        todo = list(files)
        while todo:
            for name in INCLUDE.findall(self.content(todo.pop())):
                name = name.decode()
                if name not in files and self.content(name) is not None:
                    files.add(name)
                    todo.append(name)
        return attributes, files

    def hash(self, label):
        attributes, files = self.reached(label)
        digest = hashlib.sha256("\n".join(sorted(attributes)).encode())
        for path in sorted(files):
            digest.update(f"\n{path} ".encode() + hashlib.sha256(self.content(path)).digest())
        return digest.hexdigest()


def main():
    labels = query(PROOFS, "label").decode().split()
    tree = Tree(ElementTree.fromstring(query(f"deps({PROOFS})", "xml")))
    if sys.argv[1:2] == ["--files"]:  # by hand: what a proof's hash covers
        for label in sys.argv[2:]:
            print("\n".join(sorted(tree.reached(label)[1])))
        return
    for label in sorted(labels):
        print(tree.hash(label), label)


main()
