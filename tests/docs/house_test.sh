#!/bin/bash
# house_test.sh NOW COMMITTED PICTURE: the drawing of the house equals the current includes.
#
# Seen to fail with an include of a higher folder added, with a header added, and with a graph
# that was committed without its picture.
set -euo pipefail

now=$1 committed=$2 picture=$3
again="draw it again: ./bazelw run //docs/architecture:draw"
diff "$committed" "$now" || { echo "the includes (>) are not those of the drawing (<); $again"; exit 1; }
grep -qF "<!-- house.dot: $(cksum <"$committed") -->" "$picture" ||
  { echo "the picture is not of this graph; $again"; exit 1; }
(($(grep -c ' -> ' "$committed") > 10)) || { echo "no includes were read"; exit 1; }
