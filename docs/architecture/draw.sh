#!/bin/bash
# draw.sh NOW_DOT: writes the current drawing into the tree; ./bazelw run //docs/architecture:draw
set -euo pipefail

folder=${BUILD_WORKSPACE_DIRECTORY:?run by bazel run}/docs/architecture
command -p install -m 644 "$1" "$folder/house.dot"
dot -Tsvg "$1" >"$folder/house.svg"
# By this line a test checks that the picture matches house.dot.
echo "<!-- house.dot: $(cksum <"$1") -->" >>"$folder/house.svg"
echo "drawn: $folder/house.svg"
