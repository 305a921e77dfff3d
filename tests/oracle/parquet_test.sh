#!/bin/bash
# parquet_test.sh OURS SCRIPT PACKAGES: strategy sbbf and its form equal Parquet's, as the npm packages
# @dsnp/parquetjs and hyparquet read and write them.
#
# If npm's registry cannot be reached, the test is skipped: npm.sh.
source "$(dirname "$0")/oracle.sh"
source "$(dirname "$0")/npm.sh"
folder=$work/parquet
npm_packages "$folder" "${@:2}"

theirs() { node "$folder/parquet.mjs" "$@"; }
theirs write "$seed" "$folder"
"$1" "$folder"
theirs read "$folder"
