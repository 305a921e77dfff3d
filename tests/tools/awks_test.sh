#!/bin/bash
# awks_test.sh TOOL HEADER...: the scripts that builds, installations and tests run by awk print the
# same with mawk (Debian's and Ubuntu's), gawk and the one true awk (original-awk; macOS and the BSDs).
#
# Each awk in turn is the only `awk` on PATH, so programs within shell scripts are run as well.
# Seen to fail with gsub(/[][.]/, "", word), of which gawk says "unmatched [", and with `print a ==
# b ? c : d`, a syntax error of original-awk.
set -euo pipefail
export LC_ALL=C
source tests/support/complain.sh

tool=$1
shift
headers=("$@")
patches=(tests/plants/{undecided,torn_cas}.patch)
work=$(mktemp -d "$TEST_TMPDIR/awks.XXXXXX")
mapfile -t library < <(find -L include atomic bloom cli redis -name '*.[ch]' | sort)
mapfile -t core < <(printf '%s\n' "${library[@]}" | grep -vE '^(cli|redis)/|/re(dis.*|plica)\.h$')
((${#headers[@]} > 20 && ${#core[@]} > 100 && ${#library[@]} > ${#core[@]})) ||
  complain "these are not the sources: ${#headers[@]}, ${#core[@]}, ${#library[@]}"
objdump -d --no-show-raw-insn "$tool" >"$work/instructions"

# What is compared; each command writes to standard output.
house() { awk -v list=docs/architecture/folders.txt "$@" -f docs/architecture/house.awk "${library[@]}"; }
comments() {
  local header
  for header in "${headers[@]}"; do awk "$@" -f docs/api/comments.awk "$header"; done
}
page() { bash man/page.sh "$1" "$tool" README.md 1.2.3 "${headers[@]}"; }
amalgamation() {
  local out
  out=$(mktemp -d "$work/amalgamation.XXXXXX")
  bash tools/amalgamate.sh "$out" "${core[@]}" && cat "$out"/*
}
planted() {
  local out files
  out=$(mktemp -d "$work/planted.XXXXXX")
  mapfile -t files < <(sed -n 's,^--- a/,,p' "$1" | sort -u)
  bash tools/plant.sh "$1" "$out" "${files[@]}" && (cd "$out" && cat "${files[@]}")
}
definitions() { awk -f tests/static/definitions.awk "${library[@]}" | sort; } # a macro's place is arbitrary
exports() { awk -v library="$1" -f packaging/exports.awk packaging/interface.txt; }
upper_halves() { awk -f tests/package/upper_halves.awk "$work/instructions"; }

# run AWK OUT: each command's output into a file of OUT.
run() {
  local name arguments
  mkdir -p "$2" "$work/path/$1"
  ln -sf "$(command -v "$1")" "$work/path/$1/awk"
  while read -r name arguments; do
    # shellcheck disable=SC2086 # arguments are words
    PATH=$work/path/$1:$PATH "$name" $arguments </dev/null >"$2/$name ${arguments##*/}" 2>"$work/errors" ||
      complain "$1: $name $arguments: $(head -n 5 "$work/errors")"
  done <<END
page lfbloom.1
page lfbloom.3
page lfbloom-info.1
amalgamation
house
house -v check=1
comments
comments -v names=1
definitions
exports LFBLOOM
exports LFBLOOM_REDIS
upper_halves
planted ${patches[0]}
planted ${patches[1]}
END
}

for awk in mawk gawk original-awk; do
  command -v $awk >/dev/null || {
    complain "$awk is missing: apt-get install $awk"
    continue
  }
  run $awk "$work/$awk"
  difference=$(diff -r "$work/mawk" "$work/$awk" | head -n 20) || complain "mawk (<) and $awk (>): $difference"
done

# None is empty.  (upper_halves prints faults, and there are none.)
for file in "$work"/mawk/*; do
  [[ -s $file || $file == */upper_halves* ]] || complain "${file##*/} printed nothing"
done
echo "$(find "$work/mawk" -type f | wc -l) outputs, $(cat "$work"/mawk/* | wc -l) lines, by each awk"
((wrong == 0))
