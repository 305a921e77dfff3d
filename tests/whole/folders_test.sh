#!/bin/bash
# folders_test.sh HOUSE LIST CORE REDIS TOOL FILE...: each source includes only its own folder and those above
# it in the list, in no circle, by its path in the tree. By their places in the list, atomic/
# knows nothing of bloom/, and only redis/ and cli/ know Redis. Nor do object files of the archives CORE,
# REDIS and TOOL call each other in a circle. Then the check must find each error in a small tree.
set -euo pipefail
source tests/support/complain.sh

house=$1
list=$2
archives=("$3" "$4" "$5")
shift 5

awk -v list="$list" -v check=1 -f "$house" "$@" || complain "the house does not stand"
nm -A "${archives[@]:0:2}" | awk -v calls=1 -f "$house" || complain "calls go in a circle"
nm -A "${archives[2]}" | awk -v calls=1 -f "$house" || complain "calls of the tool go in a circle"
if grep -lE '# *include *<hiredis' "$@" | grep -v '^redis/'; then complain "these include hiredis"; fi

small=$(mktemp -d "$TEST_TMPDIR/house.XXXXXX")
mkdir -p "$small"/{low,high}
house=$PWD/$house
cd "$small"
printf '%s\n' '# the list' low high >list

# files NAME TEXT...: makes a tree of these files.
files() {
  rm -f low/* high/*
  while (($# > 0)); do
    printf '%b\n' "$2" >"$1"
    shift 2
  done
}

# finds STATUS TEXT: the expected result of the check on the tree.
finds() {
  local status=0 said
  said=$(awk -v list=list -v check=1 -f "$house" low/* high/*) || status=$?
  ((status == $1)) || complain "status $status and not $1: $said"
  [[ $said == *"$2"* ]] || complain "not said: $2 .. but: $said"
}

files low/a.h '' high/b.c '#include "low/a.h"\n#include <stdio.h>'
finds 0 '1 includes of 2 files checked, 0 wrong'
files low/a.c '#include "high/b.h"' high/b.h ''
finds 1 'low/a.c includes high/b.h, which is further down the list'
files low/a.c '#include "low/b.h"' low/a.h '' low/b.h '#include "low/a.h"' high/c.c ''
finds 1 'a circle of files: low/a -> low/b -> low/a'
files low/a.c '#include "b.h"' low/b.h '' high/c.c ''
finds 1 'name it by its path in the tree'
files low/a.c ''
rm -rf high
mkdir high
finds_missing=$(awk -v list=list -v check=1 -f "$house" low/*) && complain "a folder without a file is not found"
[[ $finds_missing == *'high is in the list and has no file'* ]] || complain "$finds_missing"
printf '%s\n' low >list
files low/a.c '' high/b.c ''
finds 1 'high/b.c is in a folder that is not in the list'

printf '%s\n' 'x.a:a.o:0 T one' 'x.a:a.o: U two' 'x.a:b.o:0 T two' 'x.a:b.o: U three' 'x.a:c.o:0 D three' 'x.a:c.o: U one' >list
circle=$(awk -v calls=1 -f "$house" list) && complain "a circle of calls is not found"
[[ $circle == *'.o -> '*'.o -> '*'.o -> '* ]] || complain "$circle"
sed -i '$d' list
awk -v calls=1 -f "$house" list || complain "a circle is found where there is none"

((wrong == 0))
