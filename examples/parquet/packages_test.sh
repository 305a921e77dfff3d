#!/bin/bash
# packages_test.sh PARQUET NPM_SH WRITE_MJS PACKAGES: two npm packages write files during the
# test.  Each value is found in its row group, and rarely in another.
set -euo pipefail
program=$1
source "$2"
work=${TEST_TMPDIR:?run by bazel test}
npm_packages "$work/npm" "${@:3}"

wrong=0
complain() {
  echo "$1"
  wrong=1
}
# hyparquet-writer: three groups of 1000 rows.
node "$work/npm/write.mjs" "$work/hyparquet.parquet" 1000
check() { # COLUMN VALUE_OF_ROW: queries all 3000 values
  seq 0 2999 | awk "{printf \"$2\n\", \$1}" | xargs "$program" "$work/hyparquet.parquet" "$1" >"$work/said"
  local found others
  # xargs may split the list, but each line has its group, and each value ends with its row.
  found=$(awk -F'[ ,]' '/: maybe / {print $3}' "$work/said" | wc -l)
  others=$(grep -c ': no ' "$work/said")
  # 3000 are present; at 1 %, 60 of the other 6000 are found; 5 standard deviations are 39.
  ((found >= 3000 && found <= 3099)) || complain "$1: $found found"
  ((found + others == 9000)) || complain "$1: $((found + others)) answers"
  for group in 0 1 2; do
    local there
    there=$(awk -v group=$group '$0 ~ "^row group " group ",.*: maybe " {print $NF}' "$work/said" |
      sort -u | comm -12 - <(seq $((1000 * group)) $((1000 * group + 999)) | awk "{printf \"$2\n\", \$1}" | sort) | wc -l)
    ((there == 1000)) || complain "$1: $there of group $group"
  done
}
check name 'name-%d'
check size '-%d'
check id '%d000000000000007'

# parquetjs has one filter for all groups, and uses a single block of it: it is soon full.
PARQUETJS=1 node "$work/npm/write.mjs" "$work/parquetjs.parquet" 4
seq -f name-%g 0 11 | xargs "$program" "$work/parquetjs.parquet" name >"$work/said"
for row in $(seq 0 11); do
  grep -qE "^row group $((row / 4)),.*: maybe name-$row$" "$work/said" || complain "parquetjs: no name-$row"
done
maybes=$(seq -f nobody-%g 1 100 | xargs "$program" "$work/parquetjs.parquet" name | grep -c ': maybe ' || true)
((maybes < 30)) || complain "parquetjs: $maybes of 300 are false positives"
exit $wrong
