#!/bin/bash
# compare_cli_test.sh LFBLOOM GROWING: `lfbloom compare`.
growing=$(realpath "$2")
source "$(dirname "$0")/checks.sh"

given abc third other both full.bloom native.lfb words.lfb large.lfb torn.lfb seed8.lfb \
  third.lfb other.lfb both.lfb third.bin other.bin
"$tool" merge -q -o merged.bin third.bin other.bin
"$tool" convert --to native merged.bin merged2.lfb
# third and other have no line in common; both has the lines of the two.
# value FIELD, error FIELD: of the object that compare printed.
value() { sed -nE "s/.*\"$1\": \{\"value\": ([^,]*), .*/\1/p" out; }
error() { sed -nE "s/.*\"$1\": \{\"value\": [^,]*, \"error\": ([^}]*)\}.*/\1/p" out; }
# within FIELD TRUTH MOST: the truth is within three errors of the value; the error is at most MOST.
within() {
  awk -v value="$(value "$1")" -v error="$(error "$1")" -v truth="$2" -v most="$3" \
    'BEGIN { exit !(error <= most && value - truth <= 3 * error && truth - value <= 3 * error) }'
}
in_third=$(sort -u third | wc -l) in_other=$(sort -u other | wc -l) in_both=$(sort -u both | wc -l)
table <<'END'
0 compare --json both.lfb third.lfb
and within a "$in_both" 1000
and within b "$in_third" 1000
and within union "$in_both" 1000
and within intersection "$in_third" 1000
and within jaccard "$(awk "BEGIN { print $in_third / $in_both }")" 0.01
and within a_in_b "$(awk "BEGIN { print $in_third / $in_both }")" 0.01
and within b_in_a 1 0.01
0 compare --json third.lfb other.lfb
and within union $((in_third + in_other)) 1000
and within intersection 0 1000
0 compare third.lfb third.lfb
and equal "$(wc -l <out)" 7
and grep -qE '^keys in A        [0-9]{3},[0-9]{3} \+- [0-9]+$' out
and grep -qxF 'Jaccard index    1.0000 +- 0.0001' out
0 compare third.bin other.bin
0 compare merged.bin merged2.lfb
0 compare full.bloom full.bloom => /^Jaccard index    unknown$/
0 compare --json full.bloom full.bloom
and equal "$(value jaccard) $(error a)" "null null"
2 compare third.lfb seed8.lfb =! seed8.lfb: cannot be compared with third.lfb: the filters differ \
  in their hash, its key or its seed (random unless given): build one with --like the other
2 compare third.lfb words.lfb =! words.lfb: cannot be compared with third.lfb: the filters differ \
  in their number of bits: fold the larger one first
2 compare third.lfb =! two filters are needed
2 compare third.lfb third.lfb third.lfb =! two filters are needed
2 compare third.lfb missing =! missing: the file cannot be opened: No such file
2 compare large.lfb torn.lfb =! torn.lfb: the filter is damaged
2 compare native.lfb "$growing" \
  =! a growing filter: it cannot be opened as a plain filter or merged with one
END

finish
