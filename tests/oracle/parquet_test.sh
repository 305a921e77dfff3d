#!/bin/bash
# parquet_test.sh COMPARE OURS SCRIPT PACKAGES: strategy sbbf and its form equal Parquet's,
# as the npm packages @dsnp/parquetjs and hyparquet read and write them.
#
# If npm's registry cannot be reached, the test is skipped: npm.sh.
source "$(dirname "$0")/oracle.sh"
source "$(dirname "$0")/npm.sh"
compare=$1 ours=$2 folder=$work/parquet
npm_packages "$folder" "${@:3}"

theirs() { node "$folder/parquet.mjs" "$@"; }
theirs write "$seed" "$folder"
"$ours" "$folder"
"$compare" "$folder/theirs.read" "$folder/ours.read" 36
theirs read "$folder"
"$compare" "$folder/theirs.made" "$folder/ours.made" 36
