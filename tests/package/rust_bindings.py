#!/usr/bin/env python3
"""rust_bindings.py SYS.rs: prints a C program that compiles only if each function, struct and constant that
the Rust crate declares is that of the headers.

A struct is declared once more, from Rust's fields: its size, and each field's offset and type, must be the
same.  A function must be a value of the type that Rust's arguments make.
"""

import re
import sys

C = {"u64": "uint64_t", "u32": "uint32_t", "u8": "uint8_t", "f64": "double", "usize": "size_t", "bool": "bool",
     "c_void": "void", "c_char": "char"}


def name(rust):
    """A type of this library: WindowConfig is lfb_window_config."""
    snake = re.sub("(?<=[a-z])(?=[A-Z])", "_", rust).lower()
    return "lfb_strategy_id" if rust == "Strategy" else "lfb_" + snake


def declared(rust, what=""):
    """A declaration of `what` in C."""
    rust = rust.strip()
    if match := re.fullmatch(r"\*(const|mut) (.*)", rust, re.S):
        return declared(match[2]) + (" const" if match[1] == "const" else "") + " *" + what
    if match := re.fullmatch(r"\[(.*); (\d+)\]", rust):
        return f"{declared(match[1])} {what}[{match[2]}]"
    return (C.get(rust) or name(rust)) + " " + what


def split(text):
    """Pairs of a name and a type."""
    return [pair.split(": ") for pair in re.split(r"[,;]\s+(?=\w+:)", text.strip()) if pair]


def prototype(arguments, result, what):
    types = ", ".join(declared(rust) for _, rust in split(arguments)) or "void"
    return f"{declared(result) if result else 'void'} {what}({types})"


text = re.sub("^ *//.*\n", "", open(sys.argv[1]).read(), flags=re.M)
out = ["#include <lfbloom/any.h>", "#include <lfbloom/mapped.h>", "#include <lfbloom/growing_mapped.h>",
       "#include <lfbloom/versions.h>", "#include <lfbloom/window_mapped.h>"]

numbers = re.search(r"^numbers! \{\n(.*?)^\}", text, re.S | re.M)[1]
for _, prefix, values in re.findall(r'(\w+) "(\w+)" \{(.*?)\}', numbers, re.S):
    out += [f"_Static_assert({prefix}{n} == {v}, \"\");" for n, v in re.findall(r"(\w+) = (\d+)", values)]

structs = re.search(r"^structs! \{\n(.*?)^\}", text, re.S | re.M)[1]
for struct, fields in re.findall(r"(\w+) \{ (.*?) \}", structs, re.S):
    fields = split(fields)
    out.append("typedef struct { %s } rust_%s;" % (" ".join(declared(t, f) + ";" for f, t in fields), struct))
    out.append(f'_Static_assert(sizeof(rust_{struct}) == sizeof({name(struct)}), "{struct}");')
    for field, _ in fields:
        out.append(f'_Static_assert(offsetof(rust_{struct}, {field}) == offsetof({name(struct)}, {field}) && '
                   f'_Generic(&((rust_{struct} *)0)->{field}, __typeof__(&(({name(struct)} *)0)->{field}): 1, '
                   f'default: 0), "{struct}.{field}");')

for alias, arguments, result in re.findall(r'pub type (\w+) = extern "C" fn\((.*?)\) -> (\w+);', text):
    out.append(f"{prototype(arguments, result, 'rust_' + alias)}; {name(alias)} alias_{alias} = rust_{alias};")
functions = re.findall(r"pub fn (lfb_\w+)\((.*?)\)(?: -> (.*?))?;", text, re.S)
for function, arguments, result in functions:
    out.append(f"{prototype(arguments, result, f'(*use_{function})')} = {function};")
print("\n".join(out))
print(f"{len(functions)} functions", file=sys.stderr)
