#!/bin/bash
# Builds and runs tests/package/bazel_use, a separate workspace that uses this one: as a test, or by hand
# with more options for Bazel:
#   ./bazelw run //tests/package:bazel_use -- --config=...
#
# The test runs outside the sandbox: it needs the tree itself, and a second Bazel, whose server stops at
# the end.
set -euo pipefail

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
cd "$here/bazel_use"
bazel=bazel
command -v bazelisk >/dev/null && bazel=bazelisk
# Everything that Bazel fetched and compiled is removed with the folder.
root=$(mktemp -d)
export HOME=${HOME:-$root} USER=${USER:-nobody}
# Variables of a test would make the second Bazel, and its tests, take themselves for the first.
unset RUNFILES_DIR TEST_TMPDIR
inner=("$bazel" --output_user_root="$root" --host_jvm_args=-Xmx512m)
stop() {
  "${inner[@]}" shutdown || true
  chmod -R u+w "$root"
  rm -rf "$root"
}
trap stop EXIT
"${inner[@]}" test --symlink_prefix=/ --jobs=2 --test_output=errors "$@" //... 2>&1 | tee "$root/log"
grep -q '^Executed 3 out of 3 tests: 3 tests pass' "$root/log" || { echo "not all tests ran"; exit 1; }
