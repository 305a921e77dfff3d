#!/bin/bash
# compare_test.sh COMPARE: equal facts pass, and nothing else does.
set -euo pipefail
compare=$1
expected=$TEST_TMPDIR/expected
actual=$TEST_TMPDIR/actual
printf 'case 1 first # remark\nput true\ncase 2 second\nfpp ~3ff0000000000001 x\n' >"$expected"

# Takes the expected output, and a sed script that makes one side from the other.
check() {
  local status=0
  sed "$2" "$expected" >"$actual"
  "$compare" "$expected" "$actual" "${3:-2}" >"$TEST_TMPDIR/out" || status=$?
  cat "$TEST_TMPDIR/out"
  [[ $status == "$1" ]] || { echo "sed '$2': status $status, not $1"; exit 1; }
}

check 0 ''
check 0 's/remark/another/'
check 0 's/0001 x/0002 x/'
check 0 's/0001 x/0000 x/'
check 1 's/0001 x/0003 x/'
check 1 's/~3ff0000000000001/3ff0000000000002/'
check 1 's/0001 x/0001 y/'
check 1 's/0001 x/0001/'
check 1 's/0001 x/0001 x x/'
check 1 '$d'
check 1 's/second/seconds/'
check 1 '/case 2/,$d'
check 1 '' 3
check 1 's/true/false/'
grep -q 'DIFFERS: case 1 first' "$TEST_TMPDIR/out"
grep -q 'expected: put true' "$TEST_TMPDIR/out"
grep -q 'actual:   put false' "$TEST_TMPDIR/out"
