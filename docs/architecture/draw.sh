#!/bin/bash
# draw.sh NOW_DOT: the house as it is now, into the tree; ./bazelw run //docs/architecture:draw
set -euo pipefail

folder=${BUILD_WORKSPACE_DIRECTORY:?run by bazel run}/docs/architecture
command -p install -m 644 "$1" "$folder/house.dot"
dot -Tsvg "$1" >"$folder/house.svg"
# By which a test knows that the picture is of this house.
echo "<!-- house.dot: $(cksum <"$1") -->" >>"$folder/house.svg"
echo "drawn: $folder/house.svg"
