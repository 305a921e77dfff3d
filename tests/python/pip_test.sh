#!/bin/bash
# pip_test.sh: pip builds and installs the module from the source tree, and it works.
set -euo pipefail
source tests/support/steps.sh

# Its own copy of the tree: pip writes into the folder that it builds.
tree=$TEST_TMPDIR/tree
mkdir "$tree"
cp -rL include atomic bloom packaging tools "$tree/"
chmod -R u+w "$tree"
cd "$tree"
/usr/bin/python3 -m pip install --quiet --no-index --no-deps --no-build-isolation \
  --target "$TEST_TMPDIR/to" packaging/python >"$TEST_TMPDIR/said.txt" 2>&1 || fail "pip: $(<"$TEST_TMPDIR/said.txt")"
PYTHONPATH=$TEST_TMPDIR/to /usr/bin/python3 -B -W error -c '
import lfbloom
seen = lfbloom.Filter(1000, 1e-9)
assert seen.put_many(range(100)) == 100 and 5 in seen
assert lfbloom.__file__.startswith("'"$TEST_TMPDIR"'/to/")' || fail "it gives wrong answers"
[[ -e $TEST_TMPDIR/to/lfbloom/_lfbloom.abi3.so && -e $TEST_TMPDIR/to/lfbloom/__init__.pyi ]] ||
  fail "not all files are there: $(ls "$TEST_TMPDIR/to/lfbloom")"
pass "pip builds it from the source tree"
readelf -d "$TEST_TMPDIR/to/lfbloom/_lfbloom.abi3.so" | grep 'NEEDED.*libck' && fail "it needs libck.so"
pass "it has ConcurrencyKit inside"

# No header is found: pip says which package has it, once.
if CPPFLAGS=-nostdinc /usr/bin/python3 -m pip install --no-index --no-deps --no-build-isolation \
  --target "$TEST_TMPDIR/none" packaging/python >"$TEST_TMPDIR/said.txt" 2>&1; then
  fail "without headers it is built"
fi
(($(grep -c '^ *lfbloom: .* is missing; .*: apt-get install lib' "$TEST_TMPDIR/said.txt") == 1)) ||
  fail "without headers it says: $(<"$TEST_TMPDIR/said.txt")"
pass "a missing header is one error, with the package that has it"
echo "$passed passed, 0 failed"
