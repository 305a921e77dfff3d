#!/bin/bash
# Builds and runs tests/package/bazel_use, a workspace of its own that uses this one:
# ./bazelw run //tests/package:bazel_use
#
# Not a test of this workspace: Bazel within a test of Bazel has no folder to write to.
set -euo pipefail

cd "${BUILD_WORKSPACE_DIRECTORY:?run it by ./bazelw run //tests/package:bazel_use}/tests/package/bazel_use"
bazel=bazel
command -v bazelisk >/dev/null && bazel=bazelisk
# What Bazel fetched and compiled, and its server, go with the folder.
root=$(mktemp -d)
stop() {
  "$bazel" --output_user_root="$root" shutdown || true
  chmod -R u+w "$root"
  rm -rf "$root"
}
trap stop EXIT
"$bazel" --output_user_root="$root" test --symlink_prefix=/ --test_output=errors "$@" //...
