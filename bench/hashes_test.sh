#!/bin/bash
# hashes_test.sh - runs hashes.sh on a tiny selection: each table has whole rows; bad flags are
# refused.
set -euo pipefail

hashes=$1
shift
fail() {
  echo "FAILED: $1" >&2
  exit 1
}

tables=$("$hashes" "$@" --smoke)
f='[0-9.]\+' r='[0-9.]\+ ([0-9.]\+)'
for keys in u64 '8 bytes' '16 bytes' '24 bytes' '36 bytes' '100 bytes' '1000 bytes'; do
  for call in single chain; do
    grep -q "^| $call | $keys | $f | $r | $r | $r | $r | $r | $r | $r |\$" <<<"$tables" ||
      fail "there is no row $call, $keys in
$tables"
  done
  grep -q "^| many | $keys | $f | $r | $r | $r |  | $r |  |  |\$" <<<"$tables" ||
    fail "there is no row many, $keys in
$tables"
done
for operation in present absent; do
  for call in single many; do
    for keys in u64 '36 bytes'; do
      grep -q "^| query $operation | $call | 64 KiB | $keys | $f | $r | $r | $r |\$" <<<"$tables" ||
        fail "there is no row query $operation, $call, $keys in
$tables"
    done
  done
done
for flag in --repetitions=0 --repetitions=x --what; do
  "$hashes" "$@" "$flag" >/dev/null 2>&1 && fail "$flag was taken"
done
exit 0
