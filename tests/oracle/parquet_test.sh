#!/bin/bash
# parquet_test.sh COMPARE OURS SCRIPT PACKAGE LOCK: strategy sbbf and its form are
# Parquet's, as the npm packages @dsnp/parquetjs and hyparquet read and write them.
#
# The packages come from npm's registry, those of package-lock.json and no others.
# Where that cannot be reached the test says so and passes, unless LFBLOOM_ONLINE=1.
source "$(dirname "$0")/oracle.sh"
compare=$1 ours=$2 folder=$work/parquet
mkdir -p "$folder"
cp -L "${@:3}" "$folder"
export npm_config_cache=$work/npm npm_config_update_notifier=false \
  npm_config_fetch_retry_mintimeout=500 npm_config_fetch_retry_maxtimeout=2000

install_packages() {
  (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund) >"$work/npm.log" 2>&1
}
registry_answers() { npm ping --fetch-timeout=20000 >>"$work/npm.log" 2>&1; }

command -v npm >/dev/null || { echo "npm is missing: install nodejs and npm"; exit 1; }
if ! install_packages; then
  if [[ ${LFBLOOM_ONLINE:-} != 1 ]] && ! registry_answers; then
    echo "SKIPPED: npm's registry cannot be reached; nothing was compared"
    exit 0
  fi
  cat "$work/npm.log"
  exit 1
fi

theirs() { node "$folder/parquet.mjs" "$@"; }
theirs write "$seed" "$folder"
"$ours" "$folder"
"$compare" "$folder/theirs.read" "$folder/ours.read" 36
theirs read "$folder"
"$compare" "$folder/theirs.made" "$folder/ours.made" 36
