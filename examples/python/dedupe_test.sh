#!/bin/bash
# dedupe_test.sh PROGRAM: the first row of each value stays, by a filter and by a set, with threads.
set -euo pipefail
source tests/support/steps.sh

program=$1
dedupe() { PYTHONPATH=packaging/python /usr/bin/python3 -B -W error "$program" "$@"; }
table=$TEST_TMPDIR/table.csv
{
  echo id,user,amount
  awk 'BEGIN { srand(1); for (i = 0; i < 300000; i++) printf "%d,user-%d@example.org,5\n", i, 100000 * rand() }'
  printf '7,"a, quoted",1\n8,"a, quoted",2\n'
} >"$table"
awk -F, '!seen[$2]++ { print $2 }' "$table" | LC_ALL=C sort >"$TEST_TMPDIR/expected.txt"

for how in "--threads 1" "--threads 4" "--set --threads 2"; do
  # shellcheck disable=SC2086 # several words
  dedupe "$table" user $how >"$TEST_TMPDIR/out.csv" 2>"$TEST_TMPDIR/said.txt" || fail "$how: $(<"$TEST_TMPDIR/said.txt")"
  [[ $(head -1 "$TEST_TMPDIR/out.csv") == id,user,amount ]] || fail "$how: the header is not first"
  awk -F, '{ print $2 }' "$TEST_TMPDIR/out.csv" | LC_ALL=C sort | diff - "$TEST_TMPDIR/expected.txt" || fail "$how: other values"
  [[ $(<"$TEST_TMPDIR/said.txt") == *" MiB at most" ]] || fail "$how: no figures"
done
pass "each value once"

# Rows that fill the first piece of a file, and the line that ends it.
rows() { awk 'BEGIN { print "id,user"; for (i = 0; i <= 65536; i++) printf "%d,%0*d\n", 100000 + i, 56, i }'; }

# The last row is a piece of its own, which is written before the first piece.
{ rows && printf 'last,row'; } >"$TEST_TMPDIR/cut.csv"
dedupe "$TEST_TMPDIR/cut.csv" id --threads 4 >"$TEST_TMPDIR/out.csv" 2>"$TEST_TMPDIR/said.txt" || fail "a row without newline: $(<"$TEST_TMPDIR/said.txt")"
{ rows && echo last,row; } | LC_ALL=C sort | diff -q - <(LC_ALL=C sort "$TEST_TMPDIR/out.csv") || fail "a row without newline"
pass "a last row without newline"

# A value in quotes goes on in the next piece.
{ rows | sed '$s/.*/1,"a/' && echo 'b"'; } >"$TEST_TMPDIR/break.csv"
dedupe "$TEST_TMPDIR/break.csv" id --threads 1 >"$TEST_TMPDIR/out.csv" 2>"$TEST_TMPDIR/said.txt" && fail "a quoted line break was taken"
pass "a quoted line break is refused"

dedupe "$table" user --threads 0 >"$TEST_TMPDIR/out.csv" 2>"$TEST_TMPDIR/said.txt" && fail "no threads: rows were lost"
[[ $(dedupe "$table" user --fpp 0 2>&1 >"$TEST_TMPDIR/out.csv") == "dedupe: the false-positive"* ]] || fail "a wrong --fpp"
[[ $(dedupe "$table" none 2>&1 >"$TEST_TMPDIR/out.csv") == *"has no column none" ]] || fail "a column that is not there"
[[ $(dedupe no.csv user 2>&1 >"$TEST_TMPDIR/out.csv") == *"No such file"* ]] || fail "a file that is not there"
pass "errors are said"
