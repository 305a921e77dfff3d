#!/bin/bash
# budget.sh [LIBRARY]: prints how large the project is, and how large it may be.  Lines are those of
# tracked files.  With liblfbloom.so as LIBRARY it prints the size of its section .text too:
#
#     ./bazelw build -c opt //:liblfbloom.so && tools/budget.sh bazel-bin/liblfbloom.so
#
# A row that is over its budget has a limit of its own, as its last number, which it may not pass
# either.  That limit only becomes smaller: a change that goes below it writes the new one here.
# The exit status is 1 if a row is above what it may be (//tests/tools:budget_test).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
passed=0

# row WHAT NOW BUDGET [LIMIT]
row() {
  local mark=
  (($2 <= $3)) || mark=' over'
  (($2 <= ${4:-$3})) || {
    mark=" above ${4:-$3}"
    passed=1
  }
  printf '| %-44s | %7d | %7d |%s\n' "$1" "$2" "$3" "$mark"
}

# lines PATHSPEC...: of tracked files; where there is no checkout, of all files.
lines() {
  if [[ -e .git ]]; then git ls-files -z -- "$@"; else files_here "$@"; fi | xargs -0r cat | wc -l
}

# Folders, files, and ":!" before a pattern of what is left out.
files_here() {
  local where=() not=() path
  for path in "$@"; do
    case $path in
    ':!'*) not+=(! -path "${path#:!}") ;;
    *) where+=("$path") ;;
    esac
  done
  find "${where[@]}" -type f "${not[@]}" -print0
}

printf '| %-44s | %7s | %7s |\n' what now 'at most'
row 'atomic, bloom, include, lines' "$(lines atomic bloom include ':!include/lfbloom/re[dp]*.h')" 23000 24756
row 'redis with its headers, lines' "$(lines redis include/lfbloom/re[dp]*.h)" 15200
row 'cli, lines' "$(lines cli)" 15000 15224
row 'tests, lines' "$(lines tests)" 53000 54200
row 'bench, lines' "$(lines bench)" 6000
row 'examples, lines' "$(lines examples)" 4500
row 'docs by hand, lines' "$(lines docs/*.md)" 5000
row 'docs/performance, lines' "$(lines docs/performance)" 1500
row 'packaging, lines' "$(lines packaging)" 7500 7500
row 'exported functions' "$(grep -c '^lfb_' packaging/interface.txt)" 180
row 'files of a put of bytes (architecture.md)' \
  "$(sed -n 's/.*These are \([0-9]*\) files with code.*/\1/p' docs/architecture.md)" 11
[[ $# == 0 ]] || row 'text of liblfbloom.so, bytes' "$(size -A "$1" | awk '$1 == ".text" { print $2 }')" 250000 252100
exit $passed
