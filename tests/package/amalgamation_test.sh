#!/bin/bash
# amalgamation_test.sh HEADER SOURCE VERSIONS ARCHIVE LIBRARY BYTES WORK GUAVA PUBLIC...: the amalgamation
# compiles as strictly as the library does, with gcc and clang. It gives the library's bytes,
# and takes less than 5 % more instructions for a put and a query. ARCHIVE is the library,
# linked into BYTES and WORK. LIBRARY is the shared library. Each header PUBLIC is in it, or its head
# names the header and states why not. Only programs with versions link VERSIONS and ConcurrencyKit.
#
# Seen to fail with one multiplier of fast_view.h changed in it (bytes), with
# LFB_SIMD_X86 left out (names), with it compiled by -O1 (instructions), and with a
# _mm256_zeroupper() left out (upper halves).
set -euo pipefail
source tests/support/steps.sh

here=$(cd "$(dirname "$0")" && pwd)
header=$PWD/$1 source=$PWD/$2 versions=$PWD/$3 archive=$PWD/$4 library=$PWD/$5
bytes=$PWD/$6 work=$PWD/$7 guava=$PWD/$8
shift 8
cd "$TEST_TMPDIR"

# As a user has it: the files next to the program.
cp "$header" "$source" "$versions" .
chmod u+w lfbloom*.[ch]
strict=(-O2 -DNDEBUG -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes
  -Wmissing-prototypes -Werror)

# build_with CC
build_with() {
  local cc=$1
  "$cc" -std=c11 "${strict[@]}" -c -o "$cc.o" lfbloom.c || fail "$cc does not compile it"
  "$cc" -std=c11 "${strict[@]}" -c -o "${cc}_versions.o" lfbloom_versions.c || fail "$cc does not compile versions"
  foreign=$(nm -g --defined-only "$cc.o" "${cc}_versions.o" | awk 'NF == 3 && $3 !~ /^lfb_/ { print $3 }')
  [[ -z $foreign ]] || fail "$cc: it has foreign names: $foreign"
  "$cc" -std=c11 "${strict[@]}" -DAMALGAMATED -I. -o "bytes_$cc" "$here/bytes.c" "$cc.o" -pthread -lm
  rm -rf "by_$cc" && mkdir "by_$cc"
  "./bytes_$cc" "by_$cc" "$guava"
  diff -r by_library "by_$cc" || fail "$cc's gives other bytes than the library"
  cmp "$guava" "by_$cc/java-guava" || fail "$cc's does not write what Java wrote"
  pass "$cc: as C11 without a warning; the library's bytes"
}

mkdir by_library
"$bytes" by_library "$guava"
(($(find by_library -type f -size +0 | wc -l) > 15)) || fail "the library wrote next to nothing"
for cc in gcc clang; do
  build_with $cc
done

awk '/^ \*\/$/ { exit } 1' lfbloom.h >head
for public in "$@"; do
  name=${public##*/}
  grep -q "^/\* ==== .*/lfbloom/$name ==== \*/$" lfbloom.h || grep -qE "[ /]$name[ ,:]" head ||
    fail "it lacks lfbloom/$name, and does not say why"
done
(($# > 20)) || fail "only $# public headers"
pass "each public header is in it, or left out for a stated reason"

if [[ $(uname -m) == x86_64 ]]; then # other processors have no such halves
  objdump -d --no-show-raw-insn gcc.o | awk -f "$here/upper_halves.awk" >dirty
  [[ ! -s dirty ]] || fail "upper halves of vectors stay in use after: $(cat dirty)"
  pass "no function leaves the upper halves of vectors in use"
fi

# Its headers under the names of an installed library, for programs written for one.
mkdir lfbloom
for name in filter versions; do
  echo '#include "../lfbloom.h"' >lfbloom/$name.h
done
for standard in 11 17; do
  g++ -std=c++$standard -Wall -Wextra -Wpedantic -Werror -I. -o use_cc "$here/../install/use.cc" gcc.o -pthread
  ./use_cc || fail "from C++$standard"
done
pass "C++11 and C++17 programs use it"

gcc -M lfbloom.c | grep '/ck_' && fail "without versions it needs ConcurrencyKit's headers"
gcc -std=c11 "${strict[@]}" -I. -o use_c "$here/../install/use.c" gcc.o gcc_versions.o -lck -pthread -lm
./use_c || fail "versions"
pass "only with versions it needs ConcurrencyKit"

external() { nm -g --defined-only "$@" | awk 'NF == 3 { print $3 }' | LC_ALL=C sort; }
diff <(external "$archive") <(external gcc{,_versions}.o) || fail "it has not all of the library inside"
gcc -std=c11 -O0 -fPIC -shared -o libuser.so lfbloom{,_versions}.c -lck -lm
shown() { nm -D --defined-only "$1" | awk '$2 ~ /[B-Z]/ { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort; }
diff <(shown "$library") <(shown libuser.so) || fail "a library that has it inside shows other names"
pass "it has the names that the library has, and shows those that the shared library shows"

# The number of instructions of one run.
instructions() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
    awk '/Collected/ { print $NF; found = 1 } END { exit !found }' || fail "no count of $*"
}

# compare WHAT PUTS QUERIES: the cost of 50,000 more of both.
compare() {
  local what=$1 program empty full
  local -A each
  for program in "$work" ./work_gcc; do
    empty=$(instructions "$program" 50000 $((50000 * $3)))
    full=$(instructions "$program" $((50000 + 50000 * $2)) $((100000 * $3)))
    each[$program]=$(((full - empty) / 500))
  done
  echo "$what: hundredths of instructions: library ${each[$work]}, amalgamation ${each[./work_gcc]}"
  ((each[./work_gcc] * 100 < each[$work] * 105)) || fail "$what takes more than the library's"
  ((each[$work] > 2000)) || fail "$what is not counted"
}
gcc -std=c11 "${strict[@]}" -DAMALGAMATED -I. -o work_gcc "$here/work.c" gcc.o -pthread -lm
compare put 1 0
compare query 0 1
pass "a put and a query take no more instructions than the library's, within 5 %"
echo "$passed passed, 0 failed"
