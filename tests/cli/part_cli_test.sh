#!/bin/bash
# part_cli_test.sh LFBLOOM: a part of each line as its key, against sort, awk and cut.
#
# Seen to fail with -k N to the end of the line, with the first field counted as 0, with blanks at a
# line's start taken for a field, and with fields printed.
set -uo pipefail
tool=$(realpath "$1")
source "$(dirname "$0")/checks.sh"
one=(--threads 1 -q -n 200K -p 1e-9)

# --- fields that blanks separate ------------------------------------------------
# Few values per field, so that most lines repeat one; some lines have fewer fields.
awk 'BEGIN { srand(20); for (i = 1; i <= 40000; i++) {
  line = rand() < 0.2 ? " \t" : ""
  for (f = int(5 * rand()); f >= 0; f--)
    line = line int(900 * rand()) (f > 0 ? (rand() < 0.3 ? "\t  " : " ") : rand() < 0.1 ? " " : "")
  print line } }' >table
for field in 1 2 3 4; do
  same "claim -k $field" 0 <(awk "!seen[\$$field]++" table) \
    "$tool" claim "${one[@]}" -k $field table
  for threads in 2 5; do
    gives "claim -k $field, $threads threads" 0 \
      "$tool" claim "${one[@]:2}" --threads $threads -k $field table
    check "claim -k $field: as awk with $threads threads" cmp out <(awk "!seen[\$$field]++" table)
  done
  check "claim -k $field: as many as sort's" \
    equal "$(wc -l <out)" "$(sort -u -k ${field}b,$field table | wc -l)"
  gives "build -k $field" 0 "$tool" build -q -p 1e-9 -o filter -k $field table
  awk "{ print \$$field }" table | grep . | sort -u >values
  gives "query of the values of $field" 1 "$tool" query -v filter values
  printf '%s\n' 900 901 x >absent
  gives "query of other values than $field's" 1 "$tool" query filter absent
  same "query -k $field" 0 table "$tool" query -k $field filter table
done
# sort counts blanks at a line's end as a field.
sed -E 's/[ \t]+$//' table >ended
for range in 1,2 2,3 2,9 3,3; do
  gives "claim -k $range" 0 "$tool" claim "${one[@]}" -k $range table
  sed -E 's/[ \t]+$//' out >lines
  check "claim -k $range: as sort" \
    cmp <(sort -s -k "${range/,/b,}" lines) <(sort -u -k "${range/,/b,}" ended)
done

# --- fields that a byte separates -----------------------------------------------
awk 'BEGIN { srand(21); for (i = 1; i <= 40000; i++) {
  line = ""
  for (f = int(5 * rand()); f >= 0; f--)
    line = line (rand() < 0.2 ? "" : int(300 * rand()) " " int(3 * rand())) (f > 0 ? ";" : "")
  print line } }' >semicolons
tr ';' '\t' <semicolons >tabs
for field in 1 2 4; do
  gives "claim -t ; -k $field" 0 "$tool" claim "${one[@]}" -t ';' -k $field semicolons
  check "claim -t ; -k $field: as awk" cmp out <(awk -F';' "NF && !seen[\$$field]++" semicolons)
  mv out wanted
  for tab in '\t' $'\t'; do
    gives "claim -t tab -k $field" 0 "$tool" claim "${one[@]}" -t "$tab" -k $field tabs
    check "claim -t tab -k $field: alike" cmp <(tr '\t' ';' <out) wanted
  done
done
same "claim -t ; -k 2,3" 0 <(awk -F';' 'NF && !seen[NF < 3 ? $2 : $2 ";" $3]++' semicolons) \
  "$tool" claim "${one[@]}" -t ';' -k 2,3 semicolons
gives "--field --separator" 0 "$tool" claim "${one[@]}" --separator=';' --field=2,3 semicolons
check "--field --separator: as -k -t" cmp out <("$tool" claim "${one[@]}" -t ';' -k 2,3 semicolons)

# --- threads, and lines across reads --------------------------------------------
for i in {1..40}; do cat semicolons; done >large
gives "with threads" 0 "$tool" claim -q -n 1M -p 1e-9 --threads 3 -t ';' -k 2 large
check "with threads: each value once" \
  cmp <(cut -s -d';' -f2 out | grep . | sort) <(cut -s -d';' -f2 large | grep . | sort -u)
{
  head -c 600000 /dev/zero | tr '\0' x
  printf ';second;'
  head -c 600000 /dev/zero | tr '\0' y
} >wide
{ cat wide; printf '\nshort;second\nother;third'; } >lines
same "long lines" 0 <(cat wide; printf '\nother;third\n') \
  "$tool" claim "${one[@]}" -t ';' -k 2 lines
gzip -c semicolons >semicolons.gz
gives "compressed" 0 "$tool" claim "${one[@]}" -t ';' -k 2 semicolons.gz
check "compressed: alike" cmp out <("$tool" claim "${one[@]}" -t ';' -k 2 semicolons)

# --- missing and empty fields, NUL, carriage returns ----------------------------
printf 'a;1\nb\nc;\nd;1\n\ne\n' >few
gives "a missing field" 0 "$tool" claim "${one[@]}" -t ';' -k 2 few
check "a missing field and an empty line are the empty key" equal "$(tr '\n' ' ' <out)" \
  "a;1 b "
gives "an empty key" 0 "$tool" build -q -p 1e-6 -n 100 -o filter -t ';' -k 2 few
gives "an empty key is present" 0 "$tool" query -t ';' -k 3 filter few
check "an empty key is present: lines" equal "$(tr '\n' ' ' <out)" "a;1 b c; d;1  e "
gives "an empty key is absent" 0 "$tool" build -q -p 1e-6 -n 100 -o filter -t ';' -k 1 <(grep . few)
gives "an empty key is absent" 1 "$tool" query -t ';' -k 3 filter few
gives "an empty line is counted" 0 "$tool" build -q -p 1e-6 -o filter -t ';' -k 2 few
"$tool" info --json filter >out
check "an empty line is counted" equal "$(json expected_insertions)" 6
printf 'a 1\nx\0b\n1\0c 2\n\0\0d 2' >nul
gives "NUL" 0 "$tool" claim "${one[@]}" -0 -k 2 nul
check "NUL: as sort -z" equal "$(tr '\0\n' '|_' <out)" "a 1_x|c 2_||"
check "NUL: as many as sort's" equal "$(tr -dc '\0' <out | wc -c)" \
  "$(printf 'a 1\nx\0b\n1\0c 2\n\0\0d 2' | sort -z -u -k 2b,2 | tr -dc '\0' | wc -c)"
printf 'a 1\r\nb 1\nc 1 \r\n' >carriage
same "a carriage return belongs to the last field" 0 <(head -n 2 carriage) \
  "$tool" claim "${one[@]}" -k 2 carriage

# --- every way of filling and asking --------------------------------------------
gives "--shared" 0 "$tool" claim -q --shared shared -n 100K -p 1e-9 --threads 1 -t ';' -k 2 \
  semicolons
check "--shared: alike" cmp out <("$tool" claim "${one[@]}" -t ';' -k 2 semicolons)
prints "--shared again" 0 "" "$tool" claim -q --shared shared -t ';' -k 2 semicolons
gives "--window" 0 "$tool" claim -q --window 100K -p 1e-9 -t ';' -k 2 semicolons
check "--window: alike" cmp out <("$tool" claim "${one[@]}" -t ';' -k 2 semicolons)
cut -d';' -f2 -s semicolons | sort -u >values
for way in "-n 100K" "--shared -n 100K" "--form guava" "--strategy guava-mitz32" ""; do
  rm -f filter
  p=1e-5
  [[ -n $way ]] || p=1e-9 # made for the 908 values, not for 100K keys: no false positive by chance
  # shellcheck disable=SC2086 # words
  gives "build $way" 0 "$tool" build -q -p "$p" $way -o filter -t ';' -k 2 <(cat semicolons)
  gives "build $way: all values" 1 "$tool" query -v filter values
  check "build $way: no line" equal \
    "$("$tool" query -c filter <(grep -v '^;*$' semicolons | grep ';'))" 0
done
check "query -c -v" equal "$("$tool" query -c -v -t ';' -k 2 filter semicolons)" 0

# --- errors ---------------------------------------------------------------------
for command in "build -p 0.01 -o broken" "claim -p 0.01" "query filter"; do
  for text in 0 x 1,0 2,1 1, ,1 1.2 2n '' -1 99999999999999999999; do
    # shellcheck disable=SC2086 # words
    refuses "$command -k '$text'" \
      "--field '$text': not a field such as 2, and not fields such as 2,4" \
      "$tool" $command -k "$text" table
  done
  for text in '' ab '\n' '::' é; do
    # shellcheck disable=SC2086 # words
    refuses "$command -t '$text'" "--separator '$text': not a single byte, and not \\t, a tab" \
      "$tool" $command -k 1 -t "$text" table
  done
  check "$command: nothing is written" test ! -e broken
done
told "-t alone" 0 "-t changes nothing without -k" "$tool" query -t ';' filter table
finish
