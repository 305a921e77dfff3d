#!/bin/bash
# targets_test.sh - runs targets.sh on a tiny selection: each row of the table is there, with its target, and a row
# whose peer is missing says so; bad flags are refused.
set -euo pipefail

targets=$1
shift
fail() {
  echo "FAILED: $1" >&2
  exit 1
}

table=$("$targets" "$@" --smoke 2>"$TEST_TMPDIR/said")
figure='[0-9.]\+' verdict='\(met\|\*\*missed\*\*\)'
for row in 'query present, fast, many | 1% | 64 KiB' 'query present, fast, many | 0.01% | 64 KiB' \
  'put present, fast-pair, many | 1% | 64 KiB' 'put new, fast-pair, many | 1% | 64 KiB' \
  'fill, growing, many, u64 | 1% | 64 KiB' 'ask absent, growing, many, u64 | 1% | 64 KiB' \
  'put new, counting, many, u64 | 1% | 64 KiB' 'query absent, counting, many, u64 | 1% | 64 KiB' \
  'put new, fast, claim many | 1% | 64 KiB' 'dedupe --unordered, 10 M lines | 1e-4 |' \
  'dedupe --unordered, 10 M lines | 1e-6 |'; do
  grep -q "^| $row | $figure | [a-z0-9:, -]\+ | $figure | $figure | <= $figure: $verdict | .*|\$" <<<"$table" ||
    fail "there is no row $row in
$table"
done
for row in 'bits per key, growing-full | 1%' 'bits per key, growing-mean | 0.01%' 'bits per key, default | 1e-9' \
  'put present, fast-pair, many, 2 threads, 64 KiB | 1%'; do
  grep -q "^| $row | | $figure | | | | <= $figure: $verdict | |\$" <<<"$table" || fail "there is no row $row in
$table"
done
grep -q '^| query present, sbbf, many | 1% | 64 KiB | [0-9.]\+ | query present, libfilter, ahead |  | | <= 1.10: not measured |' <<<"$table" ||
  fail "libfilter's row is left out in silence"
grep -q '^targets.sh: rocksdb is not measured: there is no ' "$TEST_TMPDIR/said" || fail "it did not say that there is no rocksdb"
for flag in --repetitions=0 --sizes=2MiB --peers-dir=/no/such --what; do
  "$targets" "$@" "$flag" >/dev/null 2>&1 && fail "$flag was taken"
done
exit 0
