#!/bin/bash
# peers_test.sh - runs peers.sh on a tiny selection: every kind of row, a peer from a directory, a
# word for each peer that is missing; bad flags are refused.
set -euo pipefail

peers=$1 bench=$2 set_peer=$3
fail() {
  echo "FAILED: $1" >&2
  exit 1
}

dir=$TEST_TMPDIR/peers
mkdir -p "$dir/rocksdb" "$dir/duckdb"
echo 'no library' >"$dir/duckdb/peer.so"
status=0
"$peers" "$bench" "$set_peer" --smoke --peers-dir="$dir" >/dev/null 2>"$TEST_TMPDIR/said" || status=$?
((status == 2)) || fail "a peer that is no library: status $status"
grep -q 'duckdb/peer.so is not measured' "$TEST_TMPDIR/said" || fail "it did not say why"

rm -r "$dir/duckdb"
tables=$("$peers" "$bench" "$set_peer" --smoke --peers-dir="$dir" 2>"$TEST_TMPDIR/said")
figure='[0-9.]\+'
for row in 'query present | 1 MiB | 1 | set-64 | single' 'put new | 1 MiB | 2 | set-64 | single' \
  'put present | 1 MiB | 1 | set-64 | single' 'query absent | 1 MiB | 2 | fast-pair | many' \
  'put new | 1 MiB | 2 | fast | single' 'put new | 1 MiB | 1 | mutex | many'; do
  grep -q "^| $row | $figure |  | $figure | $figure |\$" <<<"$tables" || fail "there is no row $row in
$tables"
done
grep -q "^| cmpxchg16b | 2 | $figure |\$" <<<"$tables" || fail "there is no limit of cmpxchg16b"
for name in rocksdb fastbloom boost-bloom libfilter arrow duckdb; do
  grep -q "^peers.sh: $name is not measured: there is no $dir/$name/peer.so" "$TEST_TMPDIR/said" ||
    fail "it did not say that there is no $name"
done
for flag in --repetitions=0 --sizes=2MiB --peers-dir=/no/such --what; do
  "$peers" "$bench" "$set_peer" "$flag" >/dev/null 2>&1 && fail "$flag was taken"
done
exit 0
