#!/bin/bash
# man_test.sh TOOL PAGE1 PAGE3 HEADER...: checks that the manual pages are well formed, and have
# every command, option with its text, function and status.
#
# Seen to fail with an option without a letter left out of the page, with functions that return
# pointers left out, with a list that is never closed, and with the first line of each option's text
# only.
set -euo pipefail
source tests/support/complain.sh

tool=$1 page1=$2 page3=$3
shift 3
checked=0

for page in "$page1" "$page3"; do
  mandoc -T lint -W warning "$page" || complain "$page: mandoc reports faults"
done

# The pages as a reader sees them, in one column.
mandoc -T ascii -O width=200 "$page1" | sed 's/.\x08//g' >"$TEST_TMPDIR/page1"
mandoc -T ascii -O width=200 "$page3" | sed 's/.\x08//g' >"$TEST_TMPDIR/page3"

section() { awk -v name="   $1" '/^ ? ? ?[A-Za-z]/ { on = $0 == name } on' "$TEST_TMPDIR/page1"; }
for command in $("$tool" --help | awk '!NF { part++ } part == 1 && NF { print $1 }'); do
  section "$command" >"$TEST_TMPDIR/section"
  "$tool" "$command" --help >"$TEST_TMPDIR/help"
  tr -s ' \n' '  ' <"$TEST_TMPDIR/section" >"$TEST_TMPDIR/joined"
  while read -r option; do
    checked=$((checked + 1))
    grep -qE -- "^ {5}$option( |$)" "$TEST_TMPDIR/section" || complain "lfbloom(1), $command: no $option"
  done < <(sed -n '/^  \(    \)\?-/{ s/^ *//; s/^\(\(-., \)\?-[^ ]*\( [A-Z]\+\)\?\) .*/\1/; p }' "$TEST_TMPDIR/help")
  # The text of each option on one line.  The page has its first letter in upper case.
  while read -r text; do
    checked=$((checked + 1))
    grep -qF -- "${text:1}." "$TEST_TMPDIR/joined" || complain "lfbloom(1), $command: no '$text'"
  done < <(awk '/^  (    )?-/ { if (row != "") print row; row = substr($0, 26); next }
    /^       / && row != "" { sub(/^ */, " "); row = row $0; next }
    { if (row != "") print row; row = "" }' "$TEST_TMPDIR/help")
  while read -r word; do
    grep -qF -- "$word" "$TEST_TMPDIR/section" || complain "lfbloom(1), $command: no '$word' in its usage"
  done < <(grep -F '[OPTIONS]' "$TEST_TMPDIR/help" | tr -d '[].' | tr ' ' '\n' | grep -x '[A-Z]\+')
done

# A name after LFB_API, LFB_CHECKED or LFB_INLINE, up to its parenthesis, maybe on the next line.
functions=$(cat "$@" | grep -A1 -E '^LFB_(API|CHECKED|INLINE) ' | grep -oE '\blfb_[a-z0-9_]+\(' | sort -u)
for function in $functions; do
  checked=$((checked + 1))
  grep -qF " $function" "$TEST_TMPDIR/page3" || complain "lfbloom(3): no $function)"
done
for status in $(grep -hoE '^  X\(LFB_[A-Z0-9_]+' "$@" | cut -c5-); do
  checked=$((checked + 1))
  grep -qE "^ {5}$status \(" "$TEST_TMPDIR/page3" || complain "lfbloom(3): no $status"
done
grep -q 'lfb_filter_put(seen, "apple", 5);' "$TEST_TMPDIR/page3" ||
  complain "lfbloom(3): not the README's program"

echo "$checked options, functions and statuses, $wrong wrong"
((checked > 300)) || complain "the help or the headers were not read"
((wrong == 0))
