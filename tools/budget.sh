#!/bin/bash
# budget.sh [LIBRARY]: prints how large the project is, and how large it may be.  Lines are those of
# tracked files.  With liblfbloom.so as LIBRARY it prints the size of its text too:
#
#     ./bazelw build -c opt //:liblfbloom.so && tools/budget.sh bazel-bin/liblfbloom.so
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# row WHAT NOW MOST
row() {
  local mark=
  (($2 <= $3)) || mark=' over'
  printf '| %-44s | %7d | %7d |%s\n' "$1" "$2" "$3" "$mark"
}

# lines PATHSPEC...
lines() {
  git ls-files -z -- "$@" | xargs -0 cat | wc -l
}

printf '| %-44s | %7s | %7s |\n' what now 'at most'
row 'atomic and bloom, lines' "$(lines atomic bloom include ':!include/lfbloom/re[dp]*.h')" 23000
row 'redis, lines' "$(lines redis 'include/lfbloom/re[dp]*.h')" 16500
row 'cli, lines' "$(lines cli)" 12300
row "Python's C, lines" "$(lines 'packaging/python/*.[ch]')" 3700
row 'tests, lines' "$(lines tests ':!tests/golden')" 52000
row 'packaging, lines' "$(lines packaging)" 6300
row 'documents by hand, lines' "$(lines 'docs/*.md' ':(glob)*.md' ':!docs/performance')" 5500
row 'exported functions' "$(grep -c '^lfb_' packaging/interface.txt)" 240
[[ $# == 0 ]] || row 'text of liblfbloom.so, bytes' "$(size "$1" | awk 'NR == 2 { print $1 }')" 420000
