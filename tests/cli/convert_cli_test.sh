#!/bin/bash
# convert_cli_test.sh LFBLOOM: `lfbloom convert`.
source "$(dirname "$0")/checks.sh"

given abc third third.lfb third.bin native.lfb m32.bloom abc.sbbf head.lfb large.lfb \
  short.lfb torn.lfb
mkdir kept
cp third.lfb kept/out.lfb
gives "convert to native" 0 "$tool" convert --to native third.bin third2.lfb
reports "info of it" 0 "form strategy" "native guava-mitz64" \
  "$tool" info --json third2.lfb
check "convert: n is not known" equal "$(json expected_insertions)" null
prints "query of it" 0 "$(wc -l <third)" "$tool" query -c third2.lfb third
same "convert back" 0 third.bin "$tool" convert --to guava third2.lfb -
gives "convert MITZ_32" 0 "$tool" convert --to native m32.bloom m32.lfb
gives "convert MITZ_32 back" 0 "$tool" convert --to guava m32.lfb m32.back
check "convert: the same bytes, MITZ_32" cmp m32.back m32.bloom
cp m32.bloom m32.same
gives "convert Parquet's" 0 "$tool" convert --to native abc.sbbf sbbf2.lfb
gives "convert Parquet's back" 0 "$tool" convert --to sbbf sbbf2.lfb sbbf.back
check "convert: the same bytes, Parquet's" cmp sbbf.back abc.sbbf
refuses "convert: Guava's into Parquet's" "the sbbf form cannot hold strategy guava-mitz64" \
  "$tool" convert --to sbbf third.bin x
gives "convert in its place" 0 "$tool" convert --to native m32.same m32.same
check "convert: in its place" equal "$(head -c 7 m32.same)" LFBLOOM
refuses "convert a damaged file" "torn.lfb: the filter is damaged" \
  "$tool" convert --to native torn.lfb x
run "$tool" convert --to native --damaged torn.lfb rescued.lfb
check "convert --damaged: status" equal "$rc" 0
check "convert --damaged: told" equal "$(cat err)" \
  'lfbloom: warning: torn.lfb: 1.00 MiB are damaged: keys with bits there now answer "maybe"'
gives "convert --damaged: the result is whole" 0 "$tool" verify rescued.lfb
prints "convert --damaged: no key is lost" 0 3 "$tool" query -c rescued.lfb abc
run "$tool" convert --json --to native --damaged torn.lfb rescued.lfb
check "convert --json: the damage" equal "$(json damaged_parts) $(json damaged_bytes)" "2 1048608"
gives "convert --json" 0 "$tool" convert --json --to mapped third.lfb x.mapped
check "convert --json: one line" equal "$(wc -l <out)" 1
check "convert --json: OUT's figures" equal "$(json form) $(json damaged_parts)" "mapped 0"
sed 's/, "damaged_parts.*//' out >figures
shows "convert --json: info agrees" 0 "$(cat figures)" "$tool" info --json x.mapped
refuses "convert --json to standard output" "both write to standard output" \
  "$tool" convert --json --to native third.lfb -
gives "convert --damaged of a whole file" 0 "$tool" convert --to native --damaged third.lfb x
check "convert --damaged: the same words" cmp -i 256 x third.lfb
rm x
refuses "convert a damaged header" "head.lfb: the filter is damaged" \
  "$tool" convert --to native --damaged head.lfb x
refuses "convert half a file" "ends too early" "$tool" convert --to native --damaged short.lfb x
refuses "convert what the form cannot hold" \
  "third.lfb: the guava form cannot hold strategy fast, and the strategy cannot be changed without \
the keys: build the filter again from the keys, with --form guava" \
  "$tool" convert --to guava third.lfb x
refuses "convert: no --to" "no --to" "$tool" convert third.lfb x
refuses "convert: one file" "needs two files" "$tool" convert --to native third.lfb
refuses "convert: three files" "needs two files" "$tool" convert --to native third.lfb x y
refuses "convert: bad form" "no such form" "$tool" convert --to nope third.lfb x
refuses "convert: missing" "missing: the file cannot be opened: No such file" \
  "$tool" convert --to native missing x
refuses "convert: no filter" "abc: not a filter" "$tool" convert --to native abc x
refuses "convert: output directory missing" "missing/x: cannot be written" \
  "$tool" convert --to native third.bin missing/x
refuses "convert: output a full device" "No space left" \
  "$tool" convert --to native third.bin /dev/full
check "convert: no file from any of them" test ! -e x
over_limit "convert over a limit" 100 "kept/out.lfb: writing failed: File too large" \
  "$tool" convert --to native third.bin kept/out.lfb
check "convert: the old file is untouched" cmp kept/out.lfb third.lfb
check "convert: nothing is left beside it" equal "$(ls -A kept)" out.lfb

finish
