#!/bin/bash
# api_test.sh COMMENTS_AWK HEADER...: each public name (function, type, field, enumerator, macro)
# has a comment, by the rule by which docs/api is made.
#
# Seen to fail with a comment taken from a function, from a field, from an enumerator and from a
# macro, with an empty line put between a function and its comment, and with functions that the
# rule does not see.
set -euo pipefail
source tests/support/complain.sh

comments=$1
shift

found=$(for header in "$@"; do awk -v names=1 -f "$comments" "$header"; done)
while read -r header name; do
  complain "$header $name has no comment"
done < <(grep -v ' documented$' <<<"$found" || true)

# That the rule sees what is there: functions and macros, looked for in another way.
for header in "$@"; do
  gone=$(sed -nE 's/^ *# *undef +([A-Z0-9_]+)$/\1/p' "$header")
  there=$(
    grep -A1 -E '^LFB_(API|CHECKED|INLINE) ' "$header" | grep -oE '\blfb_[a-z0-9_]+\(' | tr -d '('
    sed -nE 's/^ *# *define +([A-Z0-9_]+).*/\1/p; s/^  (LFB_[A-Z0-9_]+) = .*/\1/p' "$header" |
      grep -vxF "LFBLOOM_$(basename "$header" .h | tr '[:lower:]' '[:upper:]')_H" |
      { [[ -z $gone ]] && cat || grep -vxF "$gone"; }
  ) || true
  for name in $there; do
    grep -qF "$header: $name " <<<"$found" || complain "$header: $name is not seen"
  done
done

count=$(wc -l <<<"$found")
echo "$count names, $wrong wrong"
((count > 500)) || complain "the headers were not read"
((wrong == 0))
