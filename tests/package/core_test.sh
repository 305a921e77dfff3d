#!/bin/bash
# core_test.sh HEADER SOURCE ARCHIVE: the kernel in two files is at most 1,060 lines of C11 without a
# warning, and includes nothing of an operating system; its answers, sizes and words are those of the
# library, ARCHIVE; so they are when it is compiled for Windows, where Wine runs it.
set -euo pipefail
source tests/support/steps.sh
source tests/support/skip.sh

header=$1 source=$2 archive=$PWD/$3
cp "$header" "$source" tests/package/core.c "$TEST_TMPDIR"
cp -rL include "$TEST_TMPDIR"
cd "$TEST_TMPDIR"
strict=(-O2 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I.)
c=(-std=c11 -Wstrict-prototypes "${strict[@]}")

lines=$(cat lfbloom_core.[ch] | wc -l)
((lines <= 1060)) || fail "it has $lines lines"
foreign=$(grep -h '^#include' lfbloom_core.[ch] |
  grep -vE '<(cpuid|float|math|stdatomic|stdbool|stddef|stdint|stdlib|string)\.h>|"lfbloom_core.h"' || true)
[[ -z $foreign ]] || fail "it includes $foreign"
pass "$lines lines, which include C's headers and the compiler's"

gcc "${c[@]}" -Iinclude -DWITH_LIBRARY -o with core.c lfbloom_core.c "$archive" -lm -pthread
./with >with.txt || fail "it differs from the library"
(($(wc -l <with.txt) > 150)) || fail "few filters: $(wc -l <with.txt)"
pass "answers, sizes and words are the library's"
gcc "${c[@]}" -c lfbloom_core.c
names=$(nm -g --defined-only lfbloom_core.o | awk '$3 !~ /^lfb_core_/ { print $3 }')
[[ -z $names ]] || fail "it has other names: $names"
clang "${c[@]}" -o by_clang core.c lfbloom_core.c -lm
./by_clang | diff - with.txt || fail "by clang it differs"
echo '#include "lfbloom_core.h"' | g++ -std=c++17 "${strict[@]}" -fsyntax-only -x c++ - || fail "C++ refuses its header"
pass "the same by clang; it has no other names; C++ takes its header"

mingw=x86_64-w64-mingw32-gcc
if command -v $mingw >/dev/null; then
  $mingw "${c[@]}" -D__USE_MINGW_ANSI_STDIO=1 -static -o core.exe core.c lfbloom_core.c -lm
  pass "mingw-w64 compiles it"
  if command -v wine >/dev/null; then
    WINEPREFIX=$PWD/wine WINEDEBUG=-all wine core.exe 2>/dev/null | tr -d '\r' | diff - with.txt || fail "under Wine it differs"
    pass "the same under Wine"
  else
    skip "there is no wine, so what mingw-w64 compiled was not run"
  fi
else
  skip "there is no mingw-w64 (Debian: apt-get install gcc-mingw-w64-x86-64)"
fi
echo "$passed passed, 0 failed"
