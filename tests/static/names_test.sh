#!/bin/bash
# names_test.sh DEFINITIONS ARCHIVE... -- SOURCE...: each function in the archives is defined in
# the sources under its own name, where grep, ctags and the user of a debugger find it. None is
# pasted together by a macro.
#
# DEFINITIONS is definitions.awk.
set -euo pipefail
export LC_ALL=C
source tests/support/complain.sh

definitions=$1
shift
archives=()
while [[ $1 != -- ]]; do
  archives+=("$1")
  shift
done
shift

# literal SOURCE...: the names that the sources give to functions.
literal() {
  awk -f "$definitions" "$@" | awk '$1 == "function" || $1 == "alias" { print $2 }' | sort -u
}

# compiled FILE...: OBJECT NAME of each function in archives or objects, except those of the
# headers of xxHash and ConcurrencyKit. A compiler's pieces of one function count as that
# function.
compiled() {
  nm -A --defined-only "$@" | awk 'NF > 2 && $(NF - 1) ~ /^[tTwWi]$/ {
    object = $1
    sub(/:[0-9a-f]*$/, "", object)
    sub(/.*[:\/]/, "", object)
    sub(/\..*/, "", object)
    sub(/\..*/, "", $NF)
    if ($NF !~ /^(XXH|ck_)/)
      print object, $NF
  }' | sort -u
}

# missing LITERAL COMPILED: OBJECT NAME of functions that are compiled and not literal.
missing() { awk 'NR == FNR { literal[$1] = 1; next } !($2 in literal)' "$1" "$2"; }

# check OBJECT_OR_ARCHIVE... -- SOURCE...: prints them.
check() {
  local binaries=() object name
  while [[ $1 != -- ]]; do
    binaries+=("$1")
    shift
  done
  shift
  literal "$@" >"$lists/literal"
  compiled "${binaries[@]}" >"$lists/compiled"
  missing "$lists/literal" "$lists/compiled" | while read -r object name; do
    echo "$name of $object is defined under its name in no source"
  done
}

lists=$(mktemp -d "$TEST_TMPDIR/names.XXXXXX")
found=$(check "${archives[@]}" -- "$@")
[[ -z $found ]] || complain "$found"
count=$(wc -l <"$lists/compiled")
echo "$count functions in ${archives[*]}"
((count > 500)) || complain "that is not the whole library"

# A small source in which only a macro's function is wrong.
small=$lists/small.c
cat >"$small" <<'END'
/* int commented(void) { */
#define PASTED(verb)          \
  int small_##verb(int more); \
  int small_##verb(int more)  \
  {                           \
    return more;              \
  }
#define SMALL_NAME small_given
#define SMALL_ROWS(row) \
  row(small_in_a_row)
int small_declared(int more, int and_more);
int SMALL_NAME(int more);
#define MADE(name) int name(int more) { return more; }
SMALL_ROWS(MADE)
PASTED(pasted)
PASTED(declared_as_well)
int small_declared_as_well(int more);
int small_declared(int more,
                   int and_more)
{
  return more + and_more;
}
int SMALL_NAME(int more) { return more; }
END
gcc -c "$small" -o "$lists/small.o"
found=$(check "$lists/small.o" -- "$small" | sort)
expected='small_declared_as_well of small is defined under its name in no source
small_pasted of small is defined under its name in no source'
[[ $found == "$expected" ]] || complain "of the small source this is said: $found"

((wrong == 0))
