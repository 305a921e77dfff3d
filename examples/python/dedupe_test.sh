#!/bin/bash
# dedupe_test.sh PROGRAM: the first row of each value stays, by a filter and by a set, with threads.
set -euo pipefail
source tests/support/steps.sh

program=$1
dedupe() { PYTHONPATH=packaging/python /usr/bin/python3 -B -W error "$program" "$@"; }
table=$TEST_TMPDIR/table.csv out=$TEST_TMPDIR/out.csv said=$TEST_TMPDIR/said.txt
{
  echo id,user,amount
  awk 'BEGIN { srand(1); for (; i < 300000; i++) printf "%d,u-%d@x.org,5\n", i, 1e5 * rand() }'
  printf '7,"a, quoted",1\n8,"a, quoted",2\n'
} >"$table"
awk -F, '!seen[$2]++ { print $2 }' "$table" | LC_ALL=C sort >"$TEST_TMPDIR/expected.txt"

for how in "--threads 1" "--threads 4" "--set --threads 2"; do
  # shellcheck disable=SC2086 # several words
  dedupe "$table" user $how >"$out" 2>"$said" || fail "$how: $(<"$said")"
  [[ $(head -1 "$out") == id,user,amount ]] || fail "$how: the header is not first"
  awk -F, '{ print $2 }' "$out" | LC_ALL=C sort | diff - "$TEST_TMPDIR/expected.txt" ||
    fail "$how: other values"
  [[ $(<"$said") == *" MiB at most" ]] || fail "$how: no figures"
done
pass "each value once"

# Rows that fill the first piece of a file, and the line that ends it.
rows() {
  awk 'BEGIN { print "id,user"; for (i = 0; i <= 65536; i++) printf "%d,%056d\n", 100000 + i, i }'
}

# The last row is a piece of its own, which is written before the first piece.
{ rows && printf 'last,row'; } >"$TEST_TMPDIR/cut.csv"
dedupe "$TEST_TMPDIR/cut.csv" id --threads 4 >"$out" 2>"$said" ||
  fail "a row without newline: $(<"$said")"
{ rows && echo last,row; } | LC_ALL=C sort | diff -q - <(LC_ALL=C sort "$out") ||
  fail "a row without newline"
pass "a last row without newline"

# A value in quotes goes on in the next piece.
{ rows | sed '$s/.*/1,"a/' && echo 'b"'; } >"$TEST_TMPDIR/break.csv"
dedupe "$TEST_TMPDIR/break.csv" id --threads 1 >"$out" 2>"$said" &&
  fail "a quoted line break was taken"
pass "a quoted line break is refused"

dedupe "$table" user --threads 0 >"$out" 2>"$said" && fail "no threads: rows were lost"
[[ $(dedupe "$table" user --fpp 0 2>&1 >"$out") == "dedupe: the false-positive"* ]] ||
  fail "a wrong --fpp"
[[ $(dedupe "$table" none 2>&1 >"$out") == *"has no column none" ]] ||
  fail "a column that is not there"
[[ $(dedupe no.csv user 2>&1 >"$out") == *"No such file"* ]] || fail "a file that is not there"
pass "errors are said"
