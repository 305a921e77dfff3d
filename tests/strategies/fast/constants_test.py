#!/usr/bin/env python3
"""constants_test.py FAST_KEY.H: the multipliers of the products have no short relation.

If whole numbers a are small and a(0) + a(1) M(0) + a(2) M(1) + ... = 0 mod 2^64, the products of a
hash are related in the same way, and so are the probes that they give to keys of one block.  The
shortest relation of n numbers is about 2^(64 / n) long if they are random.  It is found by the
algorithm of Lenstra, Lenstra and Lovasz, which in so few dimensions misses it by a factor below 2.
"""
import itertools
import re
import sys
from fractions import Fraction

MODULUS = 2**64
# The fourth multiplier until the layout of pairs: 2 M(0) + 1.
RELATED = 0x3C6EF372FE94F82B


def product(a, b):
    return sum(x * y for x, y in zip(a, b))


def orthogonal(basis):
    """Gram and Schmidt's vectors, and each vector's parts along those before it."""
    vectors, parts = [], []
    for row in basis:
        along = [product(row, v) / product(v, v) for v in vectors]
        rest = [Fraction(x) for x in row]
        for part, vector in zip(along, vectors):
            rest = [x - part * y for x, y in zip(rest, vector)]
        vectors.append(rest)
        parts.append(along)
    return vectors, parts


def reduced(basis):
    at = 1
    while at < len(basis):
        for before in reversed(range(at)):
            whole = round(orthogonal(basis)[1][at][before])
            basis[at] = [x - whole * y for x, y in zip(basis[at], basis[before])]
        vectors, parts = orthogonal(basis)
        here, before = product(vectors[at], vectors[at]), product(vectors[at - 1], vectors[at - 1])
        if here >= (Fraction(3, 4) - parts[at][at - 1] ** 2) * before:
            at += 1
        else:
            basis[at - 1 : at + 1] = basis[at], basis[at - 1]
            at = max(at - 1, 1)
    return basis


def relation(numbers):
    """A short vector a with a * numbers = 0 mod 2^64; numbers[0] is odd."""
    inverse = pow(numbers[0], -1, MODULUS)
    basis = [[MODULUS] + [0] * (len(numbers) - 1)]
    for i, number in enumerate(numbers[1:], 1):
        row = [-number * inverse % MODULUS] + [0] * (len(numbers) - 1)
        row[i] = 1
        basis.append(row)
    short = min(reduced(basis), key=lambda row: product(row, row))
    assert any(short) and product(short, numbers) % MODULUS == 0
    return short


def too_short(multipliers):
    """The relations of 1 and the multipliers, and of some of them, that are shorter than random."""
    for count in range(2, len(multipliers) + 2):
        for numbers in itertools.combinations([1] + multipliers, count):
            found = relation(list(numbers))
            if product(found, found) ** 0.5 < MODULUS ** (1 / count) / 8:
                yield [hex(number) for number in numbers], found


with open(sys.argv[1], encoding="utf-8") as source:
    multipliers = [int(word, 16) for word in re.findall(r"UINT64_C\((0x[0-9a-f]{16})\)", source.read())]
assert len(multipliers) == 3, multipliers
for numbers, found in too_short(multipliers):
    sys.exit(f"FAIL: a short relation of {numbers}: {found}")
found = [row for _, row in too_short(multipliers + [RELATED])]
assert [1, 2, -1] in found or [-1, -2, 1] in found, found
