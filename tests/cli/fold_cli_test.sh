#!/bin/bash
# fold_cli_test.sh LFBLOOM: `lfbloom fold`.
source "$(dirname "$0")/checks.sh"

given abc third large.lfb torn.lfb
distinct=$(wc -l <third)

gives "build wide" 0 \
  "$tool" build -q -n 20M -p 0.001 --seed 7 --foldable -o wide.lfb third
run "$tool" fold -o folded.lfb wide.lfb
check "fold: status" equal "$rc" 0
check "fold: summary" grep -qE \
  '^lfbloom: folded.lfb: folded by [0-9]+, about 13[0-9],[0-9]{3} distinct keys, in ' err
gives "fold: whole" 0 "$tool" verify folded.lfb
gives "fold: info" 0 "$tool" info --json folded.lfb
check "fold: n leaves room" test "$(json expected_insertions)" -ge $((distinct * 99 / 100))
check "fold: n leaves little room" test "$(json expected_insertions)" -le $((distinct * 12 / 10))
check "fold: p" equal "$(json fpp)" 0.001
prints "fold: query" 0 "$distinct" "$tool" query -c folded.lfb third
reports "fold --json" 0 factor 7 "$tool" fold --json --factor 7 -o seventh.lfb wide.lfb
reports "fold -n" 0 factor 10 "$tool" fold --json -n 2M -o tenth.lfb wide.lfb
gives "build for no keys" 0 "$tool" build -q -n 0 -p 0.01 -o none0.lfb /dev/null
for keys in "" "-n 0" "-n 1"; do
  # shellcheck disable=SC2086
  reports "fold of n 0, $keys" 0 "factor expected_insertions" "1 0" \
    "$tool" fold --json $keys -o folded0.lfb none0.lfb
done
refuses "fold of n 0 for more" "was made for 1 keys" "$tool" fold -n 2 -o x2 none0.lfb
gives "build wide sbbf" 0 "$tool" build -q -n 20M -p 0.001 --form sbbf -o wide.parquet third
refuses "fold: no n in the file" "wide.parquet: the file does not record n: give --factor" \
  "$tool" fold -o x2 wide.parquet
gives "fold of sbbf" 0 "$tool" fold -q --factor 64 -o folded.parquet wide.parquet
prints "query of a folded sbbf" 0 "$distinct" "$tool" query -c folded.parquet third
refuses "fold of sbbf by 3" \
  "wide.parquet: --factor 3: the fold factor does not divide the filter's number of blocks or \
words: the largest below is 2" \
  "$tool" fold --factor 3 -o x2 wide.parquet
refuses "fold for more" "was made for 20,000,000 keys" "$tool" fold -n 21M -o x2 wide.lfb
refuses "fold by 0" "--factor must be at least 1" "$tool" fold --factor 0 -o x2 wide.lfb
refuses "fold by both" "-n and --factor cannot be combined" \
  "$tool" fold --factor 2 -n 5 -o x2 wide.lfb
refuses "fold of two" "needs one filter" "$tool" fold -o x2 wide.lfb wide.lfb
refuses "fold: no -o" "no -o" "$tool" fold wide.lfb
refuses "fold: no filter" "no filter given" "$tool" fold -o x2
refuses "fold: damaged" "torn.lfb: the filter is damaged" "$tool" fold -o x2 torn.lfb
check "fold: refusals write nothing" test ! -e x2

finish
