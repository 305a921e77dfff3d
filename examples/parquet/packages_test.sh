#!/bin/bash
# packages_test.sh PARQUET NPM_SH WRITE_MJS PACKAGE LOCK: of files that two npm packages write
# here and now each value is found in its row group, and hardly in another.
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
# Of hyparquet-writer's three groups of 1000 rows.
node "$work/npm/write.mjs" "$work/hyparquet.parquet" 1000
check() { # COLUMN VALUE_OF_ROW: asks for all 3000
  seq 0 2999 | awk "{printf \"$2\n\", \$1}" | xargs "$program" "$work/hyparquet.parquet" "$1" >"$work/said"
  local found others
  # xargs may cut the list: each line says its group, and the value ends with its row.
  found=$(awk -F'[ ,]' '/: maybe / {print $3}' "$work/said" | wc -l)
  others=$(grep -c ': no ' "$work/said")
  # 3000 are there; at 1 % 60 of 6000 more, and 5 standard deviations are 39.
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

# parquetjs has one filter for all groups, and all its blocks are one: it is soon full.
PARQUETJS=1 node "$work/npm/write.mjs" "$work/parquetjs.parquet" 4
seq -f name-%g 0 11 | xargs "$program" "$work/parquetjs.parquet" name >"$work/said"
for row in $(seq 0 11); do
  grep -qE "^row group $((row / 4)),.*: maybe name-$row$" "$work/said" || complain "parquetjs: no name-$row"
done
maybes=$(seq -f nobody-%g 1 100 | xargs "$program" "$work/parquetjs.parquet" name | grep -c ': maybe ' || true)
((maybes < 30)) || complain "parquetjs: $maybes of 300 are wrongly said to be in"
exit $wrong
