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
gives "compare --json" 0 "$tool" compare --json both.lfb third.lfb
check "compare: A" within a "$in_both" 1000
check "compare: B" within b "$in_third" 1000
check "compare: union" within union "$in_both" 1000
check "compare: intersection" within intersection "$in_third" 1000
check "compare: Jaccard" within jaccard "$(awk "BEGIN { print $in_third / $in_both }")" 0.01
check "compare: A in B" within a_in_b "$(awk "BEGIN { print $in_third / $in_both }")" 0.01
check "compare: B in A" within b_in_a 1 0.01
gives "compare --json: nothing in common" 0 "$tool" compare --json third.lfb other.lfb
check "compare: union of others" within union $((in_third + in_other)) 1000
check "compare: no intersection" within intersection 0 1000
gives "compare" 0 "$tool" compare third.lfb third.lfb
check "compare: seven lines" equal "$(wc -l <out)" 7
check "compare: A" grep -qE '^keys in A        [0-9]{3},[0-9]{3} \+- [0-9]+$' out
check "compare: equal" grep -qxF 'Jaccard index    1.0000 +- 0.0001' out
gives "compare for Java" 0 "$tool" compare third.bin other.bin
gives "compare across forms" 0 "$tool" compare merged.bin merged2.lfb
gives "compare full filters" 0 "$tool" compare full.bloom full.bloom
check "compare: unknown" grep -qxE 'Jaccard index    unknown' out
gives "compare full filters --json" 0 "$tool" compare --json full.bloom full.bloom
check "compare: null" equal "$(value jaccard) $(error a)" "null null"
refuses "compare: another seed" \
  "seed8.lfb: cannot be compared with third.lfb: the filters differ in their hash, its key or its \
seed (random unless given): build one with --like the other" \
  "$tool" compare third.lfb seed8.lfb
refuses "compare: another size" \
  "words.lfb: cannot be compared with third.lfb: the filters differ in their number of bits: fold \
the larger one first" \
  "$tool" compare third.lfb words.lfb
refuses "compare: one filter" "two filters are needed" "$tool" compare third.lfb
refuses "compare: three filters" "two filters are needed" \
  "$tool" compare third.lfb third.lfb third.lfb
refuses "compare: missing" "missing: the file cannot be opened: No such file" \
  "$tool" compare third.lfb missing
refuses "compare: damaged" "torn.lfb: the filter is damaged" "$tool" compare large.lfb torn.lfb
refuses "compare: a growing filter" \
  "a growing filter: it cannot be opened as a plain filter or merged with one" \
  "$tool" compare native.lfb "$growing"

finish
