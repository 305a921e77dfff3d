#!/bin/bash
# parquet_packages_test.sh LFBLOOM NPM_SH WRITE_MJS PACKAGES: two npm packages write Parquet files during the
# test.  Each value is found in its row group, and rarely in another.
set -euo pipefail
tool=$1
source "$2"
work=${TEST_TMPDIR:?run by bazel test}
npm_packages "$work/npm" "${@:3}"

wrong=0
complain() {
  echo "$1"
  wrong=1
}
# hyparquet-writer: three groups of 1000 rows.
node "$work/npm/parquet_write.mjs" "$work/hyparquet.parquet" 1000
check() { # COLUMN VALUE_OF_ROW: queries all 3000 values in each group
  local group there all=0
  seq 0 2999 | awk "{printf \"$2\n\", \$1}" >"$work/values"
  for group in 0 1 2; do
    "$tool" query --column "$1" --row-group "$group" "$work/hyparquet.parquet" "$work/values" >"$work/found"
    there=$(sed -n "$((1000 * group + 1)),$((1000 * group + 1000))p" "$work/values" | grep -cxFf "$work/found")
    ((there == 1000)) || complain "$1: $there of group $group"
    all=$((all + $(wc -l <"$work/found")))
  done
  # 3000 are present; at 1 %, 60 of the other 6000 are found; 5 standard deviations are 39.
  ((all >= 3000 && all <= 3099)) || complain "$1: $all found"
}
check name 'name-%d'
check size '-%d'
check id '%d000000000000007'
"$tool" verify "$work/hyparquet.parquet" || complain "hyparquet: damaged"

# parquetjs has one filter for all groups, and uses a single block of it: it is soon full.
PARQUETJS=1 node "$work/npm/parquet_write.mjs" "$work/parquetjs.parquet" 4
maybes=0
for row in $(seq 0 11); do
  "$tool" query -q --column name --row-group $((row / 4)) "$work/parquetjs.parquet" <<<"name-$row" ||
    complain "parquetjs: no name-$row"
done
for group in 0 1 2; do
  found=$(seq -f nobody-%g 1 100 | "$tool" query -c --column name --row-group "$group" "$work/parquetjs.parquet") || true
  maybes=$((maybes + found))
done
((maybes < 30)) || complain "parquetjs: $maybes of 300 are false positives"
exit $wrong
