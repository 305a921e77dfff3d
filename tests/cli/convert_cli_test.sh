#!/bin/bash
# convert_cli_test.sh LFBLOOM: `lfbloom convert`.
source "$(dirname "$0")/checks.sh"

given abc third third.lfb third.bin native.lfb m32.bloom abc.sbbf head.lfb large.lfb \
  short.lfb torn.lfb
mkdir kept
cp third.lfb kept/out.lfb
table <<'END'
0 convert --to native third.bin third2.lfb
0 info --json third2.lfb => {form=native strategy=guava-mitz64 expected_insertions=null}
0 query -c third2.lfb third => $(wc -l <third)
0 convert --to guava third2.lfb - => <third.bin
0 convert --to native m32.bloom m32.lfb
0 convert --to guava m32.lfb m32.back && cmp m32.back m32.bloom
$ cp m32.bloom m32.same
0 convert --to native abc.sbbf sbbf2.lfb
0 convert --to sbbf sbbf2.lfb sbbf.back && cmp sbbf.back abc.sbbf
2 convert --to sbbf third.bin x =! the sbbf form cannot hold strategy guava-mitz64
0 convert --to native m32.same m32.same
and equal "$(head -c 7 m32.same)" LFBLOOM
2 convert --to native torn.lfb x =! torn.lfb: the filter is damaged
0 convert --to native --damaged torn.lfb rescued.lfb =! *
and equal "$(cat err)" 'lfbloom: warning: torn.lfb: 1.00 MiB are damaged: keys with bits there \
  now answer "maybe"'
0 verify rescued.lfb
0 query -c rescued.lfb abc => 3
? convert --json --to native --damaged torn.lfb rescued.lfb \
  => {damaged_parts=2 damaged_bytes=1048608}
0 convert --json --to mapped third.lfb x.mapped
and equal "$(wc -l <out)" 1
and equal "$(json form) $(json damaged_parts)" "mapped 0"
$ sed 's/, "damaged_parts.*//' out >figures
0 info --json x.mapped => ...$(cat figures)...
2 convert --json --to native third.lfb - =! both write to standard output
0 convert --to native --damaged third.lfb x && cmp -i 256 x third.lfb
$ rm x
2 convert --to native --damaged head.lfb x =! head.lfb: the filter is damaged
2 convert --to native --damaged short.lfb x =! ends too early
2 convert --to guava third.lfb x =! third.lfb: the guava form cannot hold strategy fast, and the \
  strategy cannot be changed without the keys: build the filter again from the keys, with --form \
  guava
2 convert third.lfb x =! no --to
2 convert --to native third.lfb =! needs two files
2 convert --to native third.lfb x y =! needs two files
2 convert --to nope third.lfb x =! no such form
2 convert --to native missing x =! missing: the file cannot be opened: No such file
2 convert --to native abc x =! abc: not a filter
2 convert --to native third.bin missing/x =! missing/x: cannot be written
2 convert --to native third.bin /dev/full =! No space left
and test ! -e x
END
# Each other command refuses filters on Redis before it does anything.
for words in "verify third.lfb @" "merge -o x third.lfb @" "merge -o @ third.lfb" "fold -o x @" \
  "compare @ third.lfb" "diff -o@ third.lfb head.lfb" "patch --output=@ third.lfb abc" "plan @"; do
  for address in redis://localhost/x valkey+unix:///s?name=x; do
    # shellcheck disable=SC2086
    refuses "${words/@/$address}" "${words%% *}: $address: only query, build, claim, convert and \
info open filters on Redis: 'lfbloom convert' fetches it" "$tool" ${words/@/$address}
  done
done
over_limit "convert over a limit" 100 "kept/out.lfb: writing failed: File too large" \
  "$tool" convert --to native third.bin kept/out.lfb
check "convert: the old file is untouched" cmp kept/out.lfb third.lfb
check "convert: nothing is left beside it" equal "$(ls -A kept)" out.lfb

finish
