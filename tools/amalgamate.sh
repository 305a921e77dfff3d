#!/bin/bash
# amalgamate.sh OUT SOURCE...: writes OUT/lfbloom.h, OUT/lfbloom.c, and OUT/lfbloom_versions.c, which
# has what needs ConcurrencyKit.
#
# Run at the root of the tree.
set -euo pipefail

out=$1
shift
amalgamate=tools/amalgamate.awk

# The file that the compiler includes for <xxhash.h>.
xxhash=$(cc -M -x c - <<<'#include <xxhash.h>' | grep -oE '[^ ]*/xxhash\.h')

awk -v root=packaging/amalgamation.h -f $amalgamate >"$out/lfbloom.h"
# joined HEAD: the head, and the sources that are read from standard input.
joined() {
  { cat "$1" && LC_ALL=C sort | sed 's/.*/#include "&"/'; } |
    awk -v root=- -v own=lfbloom.h -v xxhash="$xxhash" -f $amalgamate
}
versions='^(atomic/threads/sections|bloom/versions/.*)\.c$'
printf '%s\n' "$@" | grep '\.c$' | grep -vE "$versions" | joined packaging/amalgamation.c >"$out/lfbloom.c"
printf '%s\n' "$@" | grep -E "$versions" | joined packaging/amalgamation_versions.c >"$out/lfbloom_versions.c"
