#!/bin/bash
# living_test.sh - runs living.sh on a tiny selection: each table has whole rows; bad flags are refused.
set -euo pipefail

living=$1
shift
fail() {
  echo "FAILED: $1" >&2
  exit 1
}

tables=$("$living" "$@" --smoke)
for row in 'query present | 64 KiB \(| [0-9.]\+ \)\{5\}' 'put present | 64 KiB \(| [0-9.]\+ \)\{5\}' \
  'new | 64 KiB \(| [0-9.]\+ \)\{6\}' 'race, 2 threads | 64 KiB \(| [0-9.]\+ \)\{6\}' \
  'present | 64 KiB \(| [0-9.]\+ \)\{6\}' 'put new | 64 KiB \(| [0-9.]\+ \)\{8\}' \
  'fill | 64 KiB \(| [0-9.]\+ \)\{4\}' 'ask absent | 64 KiB \(| [0-9.]\+ \)\{4\}'; do
  grep -q "^| $row|\$" <<<"$tables" || fail "there is no row $row in
$tables"
done
for flag in --repetitions=0 --repetitions=x --sizes=2MiB --what; do
  "$living" "$@" "$flag" >/dev/null 2>&1 && fail "$flag was taken"
done
exit 0
