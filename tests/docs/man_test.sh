#!/bin/bash
# man_test.sh TOOL PAGE... HEADER...: checks that the manual pages are well formed, that each command
# and help topic has one, and that they have all of its help, and every function and status.
#
# Seen to fail with an option without a letter left out of the page, with functions that return
# pointers left out, with a list that is never closed, with the first line of each option's text
# only, with examples left out, and with a command without a page.
set -euo pipefail
source tests/support/complain.sh

tool=$1
shift
checked=0
pages=$(dirname "$1") made=()
# Each page as a reader sees it, in one column.
while [[ $1 == *.[137] ]]; do
  made+=("${1##*/}")
  mandoc -T lint -W warning "$1" || complain "$1: mandoc reports faults"
  mandoc -T ascii -O width=200 "$1" | sed 's/.\x08//g' >"$TEST_TMPDIR/${1##*/}"
  shift
done
wanted=$("$tool" --help | awk '!NF { part++ } part == 1 && NF { print "lfbloom-" $1 ".1" }')
wanted=$(sort <<<"$wanted"$'\n'lfbloom.1$'\n'lfbloom.3$'\n'lfbloom-keys.7$'\n'lfbloom-redis.7)
[[ $(printf '%s\n' "${made[@]}" | sort) == "$wanted" ]] || complain "the pages are ${made[*]}, not $wanted"

for page in "${made[@]}"; do
  [[ $page == lfbloom-* ]] || continue
  joined=$(tr -s ' \n' '  ' <"$TEST_TMPDIR/$page" | tr '[:upper:]' '[:lower:]')
  word=${page#lfbloom-}
  "$tool" help "${word%.*}" >"$TEST_TMPDIR/help"
  # Each usage line, option with its text, example, paragraph and word of the help on one line.
  while read -r words; do
    checked=$((checked + 1))
    [[ $joined == *"$words"* ]] || complain "$page: no '$words'"
  done < <(awk '
    /^More: / { next }
    sub(/^Usage:/, "") { gsub(/\.\.\./, " ..."); print; next }
    /^  [a-z -]/ || /^[a-z0-9]+  / || !NF { print row; row = ""; sub(/^[a-z0-9]+  +/, "") }
    { row = row " " $0 }
    END { print row }' "$TEST_TMPDIR/help" | tr -s ' ' | tr '[:upper:]' '[:lower:]' | grep .)
done

(($(mandoc -T ascii "$pages/lfbloom.1" | wc -l) <= 150)) || complain "lfbloom(1) has more than 150 lines"
grep -q '^ *2  *Not done: ' "$TEST_TMPDIR/lfbloom.1" || complain "lfbloom(1): no exit statuses"

# A name after LFB_API, LFB_CHECKED or LFB_INLINE, up to its parenthesis, maybe on the next line.
functions=$(cat "$@" | grep -A1 -E '^LFB_(API|CHECKED|INLINE) ' | grep -oE '\blfb_[a-z0-9_]+\(' | sort -u)
for function in $functions; do
  checked=$((checked + 1))
  grep -qF " $function" "$TEST_TMPDIR/lfbloom.3" || complain "lfbloom(3): no $function)"
done
for status in $(grep -hoE '^  X\(LFB_[A-Z0-9_]+' "$@" | cut -c5-); do
  checked=$((checked + 1))
  grep -qE "^ {5}$status \(" "$TEST_TMPDIR/lfbloom.3" || complain "lfbloom(3): no $status"
done
grep -q 'lfb_filter_put(seen, "apple", 5);' "$TEST_TMPDIR/lfbloom.3" ||
  complain "lfbloom(3): not the README's program"

echo "$checked options, functions and statuses, $wrong wrong"
((checked > 300)) || complain "the help or the headers were not read"
((wrong == 0))
