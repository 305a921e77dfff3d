#!/bin/bash
# dedupe_test.sh - runs dedupe.sh on tiny inputs: each row of the table is there, with its target; other output of the
# hash set, and bad flags, are refused.
set -euo pipefail

bench=$1
shift
fail() {
  echo "FAILED: $1" >&2
  exit 1
}

seq -f 'int number_%.0f;' 30000 | cat - <(seq -f 'int number_%.0f;' 20000) >"$TEST_TMPDIR/text"
table=$("$bench" "$@" --smoke --text="$TEST_TMPDIR/text" 2>"$TEST_TMPDIR/said") ||
  fail "$(<"$TEST_TMPDIR/said")"
figure='[0-9.]\+' verdict='\(met\|\*\*missed\*\*\)'
for row in "CPU, 2% | exact | $figure | -p 1e-6 | $figure | $figure | <= 1.30: $verdict" \
  "memory, 2% | exact | $figure | -p 1e-6 | $figure | $figure | <= 0.50: $verdict" \
  "CPU, 50% | exact | $figure | -p 1e-6 | $figure | $figure | none" \
  "CPU, source | exact | $figure | -p 1e-6 | $figure | $figure | <= 2.50: $verdict" \
  "CPU, 98% | exact, 1 thread | $figure | hash set | $figure | $figure | <= 1.00: $verdict" \
  "memory, source | exact, 1 thread | $figure | hash set | $figure | $figure | <= 0.50: $verdict" \
  "CPU, 2% | exact, --memory of a sixteenth | $figure | exact | $figure | $figure | <= 2.00: $verdict" \
  "memory, 50% | exact, --memory of a sixteenth | $figure | --memory and 64 MiB | 72.0 | $figure | <= 1.00: $verdict" \
  "wall, source | exact | $figure | sort -u | $figure | $figure | >= 10.00: $verdict" \
  "wall, source | exact | $figure | mawk | $figure | $figure | >= 25.00: $verdict"; do
  grep -q -- "^| $row |\$" <<<"$table" || fail "there is no row $row in
$table"
done
for flag in --repetitions=0 --text=/no/such --what; do
  "$bench" "$@" "$flag" >/dev/null 2>&1 && fail "$flag was taken"
done
"$bench" "$1" "$(command -v cat)" "$3" --smoke >/dev/null 2>"$TEST_TMPDIR/said" && fail "a wrong peer was measured"
grep -q 'the hash set prints other lines' "$TEST_TMPDIR/said" || fail "$(<"$TEST_TMPDIR/said")"
