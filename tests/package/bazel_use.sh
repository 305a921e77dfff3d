#!/bin/bash
# Builds and runs tests/package/bazel_use, a separate workspace that uses this one:
#   ./bazelw run //tests/package:bazel_use
#
# Not a test of this workspace: Bazel inside a Bazel test has no folder to write to.
set -euo pipefail

cd "${BUILD_WORKSPACE_DIRECTORY:?run it by ./bazelw run //tests/package:bazel_use}/tests/package/bazel_use"
bazel=bazel
command -v bazelisk >/dev/null && bazel=bazelisk
# Everything that Bazel fetched and compiled is removed with the folder, and its server stops.
root=$(mktemp -d)
stop() {
  "$bazel" --output_user_root="$root" shutdown || true
  chmod -R u+w "$root"
  rm -rf "$root"
}
trap stop EXIT
"$bazel" --output_user_root="$root" test --symlink_prefix=/ --test_output=errors "$@" //...
