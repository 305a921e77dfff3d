#!/bin/bash
# spin.sh MODEL WANTED [-DNAME...]: searches all states of a Promela model; each -D is passed to
# it. WANTED is "holds": all states were seen and nothing was wrong; or "fails": something was.
# With -DLIVE it searches for cycles that a formula forbids, under fair scheduling.
set -euo pipefail
model=$(realpath "$1") wanted=$2
shift 2

build=(-DSAFETY) search=()
for define in "$@"; do
  if [[ $define == -DLIVE ]]; then build=() search=(-a -f); fi
done
work=$(mktemp -d "${TEST_TMPDIR:-/tmp}/spin.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
spin -a "$@" "$model"
"${CC:-gcc}" -O2 -w -DCOLLAPSE "${build[@]}" -o pan pan.c
# More steps deep than there are states: otherwise the search reports that it was cut short.
output=$(./pan "${search[@]}" -m2500000)
grep -E "errors:|states, stored|assertion violated|acceptance cycle" <<<"$output"

if grep -qE "max search depth too small|Search not completed" <<<"$output" && [[ $wanted == holds ]]; then
  echo "not all states were seen" >&2
  exit 1
fi
case $wanted in
holds) grep -q "errors: 0" <<<"$output" ;;
fails) grep -qE "^pan:1: (assertion violated|acceptance cycle)" <<<"$output" ;;
*) exit 2 ;;
esac
