#!/bin/bash
# abi_test.sh ABI SHARED_LIBRARY REDIS_LIBRARY: the interface is as packaging/interface.txt says
# (docs/abi.md), and programs run with a library whose structs have a field more.
#
# Seen to fail with two fields of lfb_config exchanged, with lfb_stats.probes of 64 bits, with a
# function taken away, with another type of an argument, and with a reserved word less in lfb_stats.
set -euo pipefail
source tests/support/skip.sh
source tests/support/steps.sh

abi=$1 today=$2
here=$(cd "$(dirname "$0")" && pwd)
if [[ $(uname -m) != x86_64 ]]; then
  skip "the interface is described for x86-64 only"
  exit
fi

# Each field and each value on a line of its own, after its type's name.
flat() {
  awk '/^  / { gsub(/; */, "\n" type ": "); print type ": " substr($0, 3); next }
    { type = $1 " " $2; print }' "$1" | grep -v ': $'
}
"$abi" "$2" "$3" "$TEST_TMPDIR/interface.txt"
diff <(flat packaging/interface.txt) <(flat "$TEST_TMPDIR/interface.txt") ||
  fail "the interface has changed, as above: see docs/abi.md, What checks it"
pass "the interface is as described"
(($(wc -l <packaging/interface.txt) <= 500)) || fail "packaging/interface.txt has over 500 lines"

# Headers with a field more in each struct that has reserved words.
mkdir -p "$TEST_TMPDIR"/{now,grown}/lfbloom "$TEST_TMPDIR"/{objects,today,new}
cp include/lfbloom/*.h "$TEST_TMPDIR/now/lfbloom/"
for header in "$TEST_TMPDIR"/now/lfbloom/*.h; do
  awk 'match($0, /uint64_t reserved\[[0-9]+\];/) {
      words = substr($0, RSTART + 18, RLENGTH - 20)
      sub(/uint64_t reserved\[[0-9]+\];/, "uint64_t grown; uint64_t reserved[" words - 1 "];")
    } { print }' "$header" >"$TEST_TMPDIR/grown/lfbloom/$(basename "$header")"
done
grown=$(cat "$TEST_TMPDIR"/grown/lfbloom/*.h | grep -c 'uint64_t grown;')
((grown > 12)) || fail "only $grown structs have grown"
find -L atomic bloom -name '*.c' | xargs -P "$(nproc)" -I{} sh -c 'gcc -std=c11 -w -fPIC \
  -fvisibility=hidden -I. "-I$1/grown" -c "$2" -o "$1/objects/$(echo "$2" | tr / _).o"' sh "$TEST_TMPDIR" {}
gcc -shared -o "$TEST_TMPDIR/new/liblfbloom.so.0.9" "$TEST_TMPDIR"/objects/*.o \
  -Wl,-soname,liblfbloom.so.0.9 -Wl,--version-script=packaging/lfbloom.map -lck -lm -pthread
pass "a library of which $grown structs have a field more"

strict=(-std=c11 -O1 -Wall -Wextra -Werror)
gcc "${strict[@]}" -I"$TEST_TMPDIR/now" -o "$TEST_TMPDIR/old_program" "$here/abi_use.c" \
  "$today"
gcc "${strict[@]}" -DGROWN -I"$TEST_TMPDIR/grown" -o "$TEST_TMPDIR/new_program" "$here/abi_use.c" \
  "$today"
cp -L "$today" "$TEST_TMPDIR/today/liblfbloom.so.0.9"

# runs PROGRAM LIBRARY KNOWN
runs() {
  LD_LIBRARY_PATH=$TEST_TMPDIR/$2 "$TEST_TMPDIR/$1" "$3" "$TEST_TMPDIR/seen.lfb" \
    >"$TEST_TMPDIR/$1.$2" || fail "$1 with the library $2"
  pass "$1 with the library $2"
}
runs old_program today unknown
runs old_program new unknown
runs new_program new known
runs new_program today unknown
cmp "$TEST_TMPDIR/old_program.new" "$TEST_TMPDIR/new_program.new" || fail "sizes have changed"
(($(wc -l <"$TEST_TMPDIR/new_program.new") == 7)) || fail "not every struct was used"
