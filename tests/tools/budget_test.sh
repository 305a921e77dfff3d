#!/bin/bash
# budget_test.sh BUDGET: no part of the tree is larger than tools/budget.sh lets it be, and a part that is larger is
# found.
set -euo pipefail
source tests/support/complain.sh

table=$("$1") || complain "a row is above what it may be:"$'\n'"$table"
for what in 'atomic and bloom' redis cli tests 'exported functions'; do
  awk -F '|' -v what="$what" '$2 ~ "^ " what { found = $3 > 200 } END { exit !found }' <<<"$table" ||
    complain "nothing was counted for $what:"$'\n'"$table"
done

# A smaller limit is passed, one at a time.
made=$TEST_TMPDIR/tree
mkdir -p "$made"
cp -rL atomic bloom cli include packaging redis tests tools "$made"
chmod -R u+w "$made"
for most in $(sed -n "s,^row '\(cli\|redis\).* ,,p" "$1") 240; do
  sed "s/ $most$/ 100/" "$1" >"$made/tools/budget.sh"
  ! cmp -s "$1" "$made/tools/budget.sh" || complain "no row has $most"
  ! "$made/tools/budget.sh" >/dev/null || complain "a row above 100 is not found: $most"
done
((wrong == 0))
