#!/bin/bash
# budget.sh [LIBRARY]: prints how large the project is, and how large it may be.  Lines are those of
# tracked files.  With liblfbloom.so as LIBRARY it prints the size of its text too:
#
#     ./bazelw build -c opt //:liblfbloom.so && tools/budget.sh bazel-bin/liblfbloom.so
#
# A row that is over its budget has a fourth number, which it may not pass either.  It only becomes smaller: who
# goes below it writes the new one here.  The exit status is 1 if a row is above what it may be
# (//tests/tools:budget_test, which has no checkout, and so counts without BUILD.bazel).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
passed=0

# row WHAT NOW BUDGET [MOST]
row() {
  local mark=
  (($2 <= $3)) || mark=' over'
  (($2 <= ${4:-$3})) || {
    mark=" above ${4:-$3}"
    passed=1
  }
  printf '| %-44s | %7d | %7d |%s\n' "$1" "$2" "$3" "$mark"
}

# lines PATHSPEC...
lines() {
  if [[ -e .git ]]; then git ls-files -z -- "$@"; else files_here "$@"; fi | xargs -0r cat | wc -l
}

# The same where there is no checkout: for folders, and ":!" before what is left out.
files_here() {
  local where=() not=() path
  for path in "$@"; do
    case $path in
    ':!'*) not+=(! -path "${path#:!}*") ;;
    ':('* | *'*'*) ;;
    *) [[ ! -e $path ]] || where+=("$path") ;;
    esac
  done
  ((${#where[@]} == 0)) || find -L "${where[@]}" -type f "${not[@]}" ! -name BUILD.bazel -print0
}

printf '| %-44s | %7s | %7s |\n' what now 'at most'
row 'atomic and bloom, lines' "$(lines atomic bloom include ':!include/lfbloom/re[dp]*.h')" 23000 27240
row 'redis, lines' "$(lines redis 'include/lfbloom/re[dp]*.h')" 16500 17220
row 'cli, lines' "$(lines cli)" 12300 18080
row "Python's C, lines" "$(lines 'packaging/python/*.[ch]')" 3700
row 'tests, lines' "$(lines tests ':!tests/golden')" 52000 60750
row 'packaging without the crate and the core' "$(lines packaging ':!packaging/rust' ':!packaging/core')" 6300
row 'documents by hand, lines' "$(lines 'docs/*.md' ':(glob)*.md' ':!docs/performance')" 5500 5520
row 'exported functions' "$(grep -c '^lfb_' packaging/interface.txt)" 240
[[ $# == 0 ]] || row 'text of liblfbloom.so, bytes' "$(size "$1" | awk 'NR == 2 { print $1 }')" 420000
exit $passed
