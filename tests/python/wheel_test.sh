#!/bin/bash
# wheel_test.sh WHEEL VERSION: the wheel is built, the same each time; pip installs it; it is used and
# removed again.
set -euo pipefail
source tests/support/steps.sh

wheel=$1 version=$2
"$wheel" "$TEST_TMPDIR/one" >"$TEST_TMPDIR/said.txt" || fail "it is not built"
"$wheel" "$TEST_TMPDIR/two" >"$TEST_TMPDIR/said.txt" || fail "it is not built again"
diff -r "$TEST_TMPDIR/one" "$TEST_TMPDIR/two" || fail "built again it is another"
files=("$TEST_TMPDIR"/one/*)
((${#files[@]} == 1)) || fail "other files: ${files[*]}"
[[ ${files[0]} == */lfbloom-$version-cp311-abi3-linux_*.whl ]] || fail "its name is ${files[0]}"
pass "one wheel, the same when it is built again"

/usr/bin/python3 -m pip install --quiet --no-index --no-deps --target "$TEST_TMPDIR/to" "${files[0]}" \
  2>"$TEST_TMPDIR/said.txt" || fail "pip: $(<"$TEST_TMPDIR/said.txt")"
cd "$TEST_TMPDIR"
PYTHONPATH=$TEST_TMPDIR/to /usr/bin/python3 -B -W error - "$version" <<'END' || fail "it gives wrong answers"
import sys, importlib.metadata, lfbloom
assert lfbloom.__version__ == importlib.metadata.version("lfbloom") == sys.argv[1]
seen = lfbloom.Filter(1000, 1e-9)
assert seen.put("a") and "a" in seen and "b" not in seen
names = {path.name for path in importlib.metadata.files("lfbloom")}
assert {"__init__.pyi", "py.typed", "RECORD", "_lfbloom.abi3.so"} <= names, names
END
exported=$(nm -D --defined-only to/lfbloom/_lfbloom.abi3.so | awk '$2 ~ /[A-Z]/ { print $3 }')
[[ $exported == PyInit__lfbloom ]] || fail "it exports $exported"
pass "pip installs it, and it works"
readelf -d to/lfbloom/_lfbloom.abi3.so | grep 'NEEDED.*libck' && fail "it needs libck.so"
pass "it has ConcurrencyKit inside"
# Its names of Python are those of the stable ABI of 3.11.
nm -D --undefined-only to/lfbloom/_lfbloom.abi3.so | awk '$2 ~ /^_Py/ { print $2 }' >private.txt
grep -vxE '_Py.*_SizeT|_Py_NoneStruct|_Py_TrueStruct|_Py_FalseStruct|_Py_Dealloc' private.txt && fail "it needs private names of Python"
pass "it needs public names of Python only"

cd "$OLDPWD"
if "$wheel" 2>/dev/null || "$wheel" "" 2>/dev/null; then
  fail "a missing folder was taken"
fi
pass "a missing folder is refused"
echo "$passed passed, 0 failed"
