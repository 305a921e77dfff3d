#!/bin/bash
# canary_test.sh CANARY reported|unseen: under ThreadSanitizer each row of canary.c but those of mode
# "right" must be reported; these, and each row in a build without it, must end normally.
#
# Seen to fail with an empty lfb_show_write() (atomic/words/shown.h): mode read of all filters but
# word, of windows, stripe and window-cell, and of cell-128 also write.  With the loads that ship
# (wide.h), at level avx2: by gcc right, of nearly all "many"; by clang also beneath, of sbbf and
# windows. With the load of tags that ships (tags_key.h), at level avx2: beneath, of tags.
set -u
canary=$1 build=$2 rows=0 wrong=0
while read -r kind mode level; do
  [[ $kind != NOT ]] || { echo "$kind $mode $level"; continue; }
  output=$("$canary" "$kind" "$mode" "$level" 2>&1) && rc=0 || rc=$?
  if [[ $build == reported && $mode != right ]]; then
    expected="WARNING: ThreadSanitizer: data race"
    ((rc != 0)) && grep -q "$expected" <<<"$output"
  else
    expected="ended without a report"
    ((rc == 0)) && [[ $output == "$expected" ]]
  fi || {
    printf '%s %s %s: not "%s", but status %d:\n%s\n' "$kind" "$mode" "$level" "$expected" \
      "$rc" "$output"
    wrong=$((wrong + 1))
  }
  rows=$((rows + 1))
done < <("$canary")
echo "$rows rows, $wrong wrong"
((rows >= 135 && wrong == 0))
