#!/bin/bash
# parquet_cli_test.sh LFBLOOM PEOPLE: `lfbloom info`, `query` and `verify` of a Parquet file.
#
# hyparquet-writer wrote it: three row groups of 60 rows; parquet_write.mjs has its contents.
people=$(realpath "$2")
source "$(dirname "$0")/checks.sh"

given full.bloom
cp "$people" people.parquet

gives "info" 0 "$tool" info --json people.parquet
check "info lists all filters" equal "$(grep -o '"column"' out | wc -l)" 15
check "info" holds out '"filters": [{"column": "name", "row_group": 0, "rows": 60, "offset": 5695, "bytes": 128, "bits_set": 395, "approximate_count": 62, "expected_fpp": 0.000958'
shows "info for people" 0 "row group 2, column share" "$tool" info people.parquet
shows "verify" 0 "no damage found: 15 filters" "$tool" verify people.parquet

# Each value is found in its group, and rarely in another: at most 10 of 360, at 1 % or less.
ask() { # COLUMN VALUE_OF_ROW
  local group
  seq 0 179 | awk "{printf \"$2\n\", \$1}" >values
  gives "$1" 0 "$tool" query --column "$1" people.parquet values
  check "$1: all are found" cmp values out
  : >all
  for group in 0 1 2; do
    gives "$1 in group $group" 0 "$tool" query --column "$1" --row-group $group people.parquet values
    check "$1: those of group $group" equal "$(sed -n "$((60 * group + 1)),$((60 * group + 60))p" values | grep -cvxFf out)" 0
    cat out >>all
  done
  check "$1: few others" between "$(wc -l <all)" 180 190
}
ask name 'name-%d'
ask id '%d000000000000007'
ask size '-%d'
seq 0 179 | awk '{print $1 / 4}' >quarters
gives "weight" 0 "$tool" query --column weight people.parquet quarters
check "weight" cmp quarters out
seq 0 179 | awk '{print $1 / 8}' >eighths
gives "share" 0 "$tool" query --column share people.parquet eighths
check "share" cmp eighths out
echo -0.0 >zero
for column in weight share; do
  same "a zero of either sign is one value: $column" 0 zero "$tool" query --column $column --row-group 0 people.parquet zero
done
gives "absent" 1 "$tool" query --column name people.parquet <(printf 'nobody\nno one\n')
gives "a value as bytes" 0 "$tool" query -c --column size --keys hex people.parquet <(echo fbffffff)
check "a value as bytes" equal "$(cat out)" 1

refuses "no column" "'lfbloom query --column' asks them" "$tool" query people.parquet values
refuses "no such column" "there is no column 'nam'" "$tool" query --column nam people.parquet values
refuses "a column without filters" "column 'plain' has no filter" "$tool" query --column plain people.parquet values
refuses "no such row group" "it has 3 row groups" "$tool" query --column name --row-group 3 people.parquet values
refuses "a row group alone" "--row-group needs --column" "$tool" query --row-group 1 people.parquet values
refuses "another file" "no filter is a Parquet file" "$tool" query --column name full.bloom values
refuses "a value of another type" "not a whole number of 32 bits" "$tool" query --column size people.parquet <(echo 1.5)
refuses "others do not take it" "this is a Parquet file" "$tool" merge -o x people.parquet people.parquet

# The first filter begins at 5695: its header's length, the place, and the file's end.
damage() { # NAME OFFSET BYTES MESSAGE
  cp "$people" damaged.parquet
  printf '%b' "$3" | dd of=damaged.parquet bs=1 seek="$2" conv=notrunc status=none
  shows "verify: $1" 1 "damaged: $4" "$tool" verify damaged.parquet
  refuses "info: $1" "$4" "$tool" info damaged.parquet
}
damage "an algorithm" 5699 '\x2c' "row group 0, column name: "
damage "a length" 5696 '\xc0\x01' "row group 0, column name: "
damage "the footer" "$(($(wc -c <people.parquet) - 8))" '\xff\xff\xff\x7f' "its footer is longer than the file"
head -c 6000 "$people" >cut.parquet
shows "verify: cut short" 1 "damaged: it has no footer" "$tool" verify cut.parquet
refuses "query: cut short" "it has no footer" "$tool" query --column name cut.parquet values
finish
