#!/bin/bash
# amalgamate.sh OUT SOURCE... --apart SOURCE...: writes OUT/lfbloom.h and OUT/lfbloom.c.
#
# Run at the root of the tree.  The sources after --apart are compiled only if
# LFBLOOM_WITH_VERSIONS is defined.
set -euo pipefail

out=$1
shift
amalgamate=tools/amalgamate.awk

includes() {
  printf '%s\n' "$@" | grep '\.c$' | LC_ALL=C sort | sed 's/.*/#include "&"/'
}

# The file that the compiler includes for <xxhash.h>.
xxhash=$(cc -M -x c - <<<'#include <xxhash.h>' | grep -oE '[^ ]*/xxhash\.h')

together=()
while [[ $1 != --apart ]]; do
  together+=("$1")
  shift
done
shift

awk -v root=packaging/amalgamation.h -f $amalgamate >"$out/lfbloom.h"
{
  cat packaging/amalgamation.c
  includes "${together[@]}"
  echo '#ifdef LFBLOOM_WITH_VERSIONS'
  includes "$@"
  echo '#endif'
} | awk -v root=- -v own=lfbloom.h -v xxhash="$xxhash" -f $amalgamate >"$out/lfbloom.c"
