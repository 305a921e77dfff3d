#!/bin/bash
# masks_test.sh ARCHIVE: no object stores a mask of eight bits by kmovb.  gcc 12 spills a __mmask8 so, as one
# byte, and reloads four: some answers are then wrong (avx512_eight() in bloom/strategies/fast/fast.c).
set -euo pipefail
source tests/support/complain.sh

# stores: the lines of a disassembly that store a mask of eight bits.
stores() {
  grep -E $'\tkmovb +%k[0-7],.*\\('
}

objdump -d "$1" >"$TEST_TMPDIR/code"
if stores <"$TEST_TMPDIR/code"; then complain "a mask goes to memory as one byte"; fi

printf '%s\n' $'  d4:\tc5 f9 92 c8          \tkmovb  %eax,%k1' $' 7bcb:\tc5 f9 93 c0          \tkmovb  %k0,%eax' \
  $'  10:\tc5 f9 90 4c 24 3c    \tkmovb  0x3c(%rsp),%k1' | stores && complain "what is no store is found"
printf '%s\n' $'  e0:\tc5 f9 91 4c 24 3c    \tkmovb  %k1,0x3c(%rsp)' | stores >"$TEST_TMPDIR/found" ||
  complain "a store is not found"
[[ $(uname -m) != x86_64 ]] || grep -q $'\tkmovb ' "$TEST_TMPDIR/code" || complain "no object has a mask at all"
((wrong == 0))
