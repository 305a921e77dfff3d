#!/bin/bash
# rust_test.sh CRATE VERSION: what packaging/rust declares is what the headers have; the crate is written,
# passes its tests, is packaged, and builds in the tree, without a network.
#
# The first was seen to fail with another type of an argument, of a result or of a field, with a field
# moved, with another number of a constant, and with a function that does not exist.
set -euo pipefail
source tests/support/steps.sh
source tests/support/skip.sh

crate=$1 version=$2
python3 tests/package/rust_bindings.py packaging/rust/src/sys.rs >"$TEST_TMPDIR/bindings.c"
gcc -std=gnu11 -Wall -Wextra -Werror -Iinclude -c -o /dev/null "$TEST_TMPDIR/bindings.c" ||
  fail "src/sys.rs is not what the headers say"
pass "each function, struct and constant is that of the headers"
[[ $(sed -n 's/^version = "\(.*\)"/\1/p' packaging/rust/Cargo.toml) == "$version" ]] ||
  fail "Cargo.toml is not of version $version"

command -v cargo >/dev/null || {
  skip "there is no cargo (Debian: apt-get install cargo), so the crate was not built"
  exit 0
}
export CARGO_HOME=$TEST_TMPDIR/cargo CARGO_TARGET_DIR=$TEST_TMPDIR/target CARGO_NET_OFFLINE=true
export RUSTFLAGS=-Dwarnings RUSTDOCFLAGS=-Dwarnings RUST_BACKTRACE=0

"$crate" "$TEST_TMPDIR/crate" >/dev/null || fail "it is not written"
cp -rL . "$TEST_TMPDIR/tree" && chmod -R u+w "$TEST_TMPDIR/tree" # before: paths of the tree
cd "$TEST_TMPDIR/crate"
cargo test || fail "its tests"
cargo doc --quiet || fail "its documentation"
pass "its tests"

program=$(find "$TEST_TMPDIR/target/debug/deps" -name 'lfbloom-*' -perm -100 -type f)
readelf -d "$program" | grep 'NEEDED.*libc\.so' >/dev/null || fail "no program of the tests: $program"
readelf -d "$program" | grep 'NEEDED.*libck' && fail "it needs libck.so"
pass "the program of the tests needs no libck.so"

# Unoptimised C from here on, which takes a third of the time.
CFLAGS=-O0 cargo package --quiet 2>"$TEST_TMPDIR/said.txt" || fail "cargo package: $(<"$TEST_TMPDIR/said.txt")"
pass "cargo packages it, and builds the package"
if CFLAGS=-nostdinc cargo build 2>"$TEST_TMPDIR/said.txt"; then
  fail "without headers it is built"
fi
(($(grep -c 'lfbloom: <ck_epoch.h> .*: apt-get install libck-dev$' "$TEST_TMPDIR/said.txt") == 1)) ||
  fail "without headers it says: $(<"$TEST_TMPDIR/said.txt")"
pass "a missing header is one error, with the package that has it"

cd "$TEST_TMPDIR/tree/packaging/rust"
CFLAGS=-O0 cargo build --quiet || fail "in the tree"
pass "it builds in the tree"
echo "$passed passed, 0 failed"
