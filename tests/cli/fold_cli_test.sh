#!/bin/bash
# fold_cli_test.sh LFBLOOM: `lfbloom fold`.
source "$(dirname "$0")/checks.sh"

given abc third large.lfb torn.lfb
distinct=$(wc -l <third)
table <<'END'
0 build -q -n 20M -p 0.001 --seed 7 --foldable -o wide.lfb third
0 fold -o folded.lfb wide.lfb =! /^lfbloom: folded.lfb: folded by [0-9]+, about \
  13[0-9],[0-9]{3} distinct keys, in /
0 verify folded.lfb
0 info --json folded.lfb => {fpp=0.001}
and between "$(json expected_insertions)" $((distinct * 99 / 100)) $((distinct * 12 / 10))
0 query -c folded.lfb third => $distinct
0 fold --json --factor 7 -o seventh.lfb wide.lfb => {factor=7}
0 fold --json -n 2M -o tenth.lfb wide.lfb => {factor=10}
0 build -q -n 0 -p 0.01 -o none0.lfb /dev/null
0 fold --json -o folded0.lfb none0.lfb => {factor=1 expected_insertions=0}
0 fold --json -n 0 -o folded0.lfb none0.lfb => {factor=1 expected_insertions=0}
0 fold --json -n 1 -o folded0.lfb none0.lfb => {factor=1 expected_insertions=0}
2 fold -n 2 -o x2 none0.lfb =! was made for 1 keys
0 build -q -n 20M -p 0.001 --form sbbf -o wide.parquet third
2 fold -o x2 wide.parquet =! wide.parquet: the file does not record n: give --factor
0 fold -q --factor 64 -o folded.parquet wide.parquet
0 query -c folded.parquet third => $distinct
2 fold --factor 3 -o x2 wide.parquet =! wide.parquet: --factor 3: the fold factor does not divide \
  the filter's number of blocks or words: the largest below is 2
2 fold -n 21M -o x2 wide.lfb =! was made for 20,000,000 keys
2 fold --factor 0 -o x2 wide.lfb =! --factor must be at least 1
2 fold --factor 2 -n 5 -o x2 wide.lfb =! -n and --factor cannot be combined
2 fold -o x2 wide.lfb wide.lfb =! needs one filter
2 fold wide.lfb =! no -o
2 fold -o x2 =! no filter given
2 fold -o x2 torn.lfb =! torn.lfb: the filter is damaged
and test ! -e x2
END

finish
