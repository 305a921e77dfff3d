#!/bin/bash
# amalgamate.sh OUT SOURCE...: writes OUT/lfbloom.h and OUT/lfbloom.c.
#
# Run at the root of the tree.
set -euo pipefail

out=$1
shift
amalgamate=tools/amalgamate.awk

# The file that the compiler includes for <xxhash.h>.
xxhash=$(cc -M -x c - <<<'#include <xxhash.h>' | grep -oE '[^ ]*/xxhash\.h')

awk -v root=packaging/amalgamation.h -f $amalgamate >"$out/lfbloom.h"
{
  cat packaging/amalgamation.c
  printf '%s\n' "$@" | grep '\.c$' | LC_ALL=C sort | sed 's/.*/#include "&"/'
} | awk -v root=- -v own=lfbloom.h -v xxhash="$xxhash" -f $amalgamate >"$out/lfbloom.c"
