#!/bin/bash
# canary_test.sh CANARY reported|unseen: under ThreadSanitizer each row of canary.c but those of mode
# "right" must be reported; these, and each row in a build without it, must end normally.
#
# Seen to fail with an empty lfb_show_write() (atomic/words/shown.h), by gcc and clang: pair, stripe,
# window and window-cell in mode read, cell-128 in read and write.
set -u
canary=$1 build=$2 rows=0 wrong=0
while read -r kind mode; do
  output=$("$canary" "$kind" "$mode" 2>&1) && rc=0 || rc=$?
  if [[ $build == reported && $mode != right ]]; then
    expected="WARNING: ThreadSanitizer: data race"
    ((rc != 0)) && grep -q "$expected" <<<"$output"
  else
    expected="ended without a report"
    ((rc == 0)) && [[ $output == "$expected" ]]
  fi || {
    printf '%s %s: not "%s", but status %d:\n%s\n' "$kind" "$mode" "$expected" "$rc" "$output"
    wrong=$((wrong + 1))
  }
  rows=$((rows + 1))
done < <("$canary")
echo "$rows rows, $wrong wrong"
((rows >= 40 && wrong == 0))
