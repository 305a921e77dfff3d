#!/bin/bash
# budget_test.sh BUDGET: no part of the tree is larger than tools/budget.sh lets it be, and a part
# that is larger is found.  It counts the files of the checkout, not only those that Bazel gives it.
set -euo pipefail
source tests/support/complain.sh

budget=$(readlink -f "$1")
table=$("$budget") || complain "a row is above what it may be:"$'\n'"$table"
for what in atomic redis cli tests bench examples docs docs/performance packaging exported 'files of'; do
  awk -F '|' -v what="$what" '$2 ~ "^ " what && $3 > 0 { found = 1 } END { exit !found }' <<<"$table" ||
    complain "nothing was counted for $what:"$'\n'"$table"
done

# A row with smaller limits is found: each row's budget and limit become 1, one row at a time.  The
# copy of the script counts the same tree, to which a link beside it leads.
tree=$(dirname "$(dirname "$budget")")
made=$TEST_TMPDIR/tree
mkdir -p "$made/tools"
for entry in "$tree"/* "$tree/.git"; do
  [[ $entry == */tools || ! -e $entry ]] || ln -s "$entry" "$made/"
done
rows=$(grep -c "^row '" "$budget")
((rows > 8)) || complain "only $rows rows"
for ((i = 1; i <= rows; i++)); do
  awk -v i=$i '/^row / && ++n == i { one = 1 }
    one && / [0-9]+( [0-9]+)?$/ { sub(/ [0-9]+( [0-9]+)?$/, " 1"); one = 0 }
    { print }' "$budget" >"$made/tools/budget.sh"
  chmod +x "$made/tools/budget.sh"
  ! "$made/tools/budget.sh" >"$made/printed" || complain "row $i is above 1, and nobody says so: $(cat "$made/printed")"
  (($(grep -c ' above 1$' "$made/printed") == 1)) || complain "row $i: $(cat "$made/printed")"
done
((wrong == 0))
