#!/bin/bash
# errors_test.sh STATUSES PAGE HEADER...: checks that docs/errors.md has a row for each LFB_ERROR_*
# status of lfbloom/status.h, with exactly its text and something to do, and a row for no other.
# STATUSES is man/statuses.awk.
#
# Seen to fail with a row removed, with a text changed, with a row for a status that does not exist,
# and with an empty last cell.
set -euo pipefail
source tests/support/complain.sh

statuses=$1 page=$2
shift 2
for header in "$@"; do [[ $header != */status.h ]] || break; done
stated=$(awk -f "$statuses" "$header" | sed -nE 's/^(LFB_ERROR_[A-Z0-9_]+) [0-9]+ /\1 /p')
listed=$(sed -nE 's/^\| `(LFB_[A-Z0-9_]+)` \| (.*) \| [^|]+ \|$/\1 \2/p' "$page")

difference=$(diff <(echo "$stated") <(echo "$listed")) ||
  complain "status.h (<) and $page (>) differ:"$'\n'"$difference"

count=$(wc -l <<<"$stated")
echo "$count statuses, $wrong wrong"
((count > 80)) || complain "the header was not read"
((wrong == 0))
