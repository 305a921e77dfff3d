#!/bin/bash
# pages_test.sh TOOL VERSION README NEWS GUIDE PAGE... -- HEADER...: checks the README,
# NEWS.md and the other pages. Links have targets, the figures of memory are the tool's,
# the newest changes are those of this version, each header, strategy and command is named, and the
# README is short: the table of peers on its first screen, and no more than 110 lines.
#
# Seen to fail with a link to a heading that was renamed, with a link to a file that does not
# exist, with 7 % written as 8 %, with another version, with a header that NEWS.md does
# not name, and with ten lines more before "## Why".
set -euo pipefail
source tests/support/complain.sh

tool=$1 version=$2 readme=$3 news=$4 guide=$5
shift 5
pages=("$readme" "$news" "$guide")
while [[ $1 != -- ]]; do
  pages+=("$1")
  shift
done
shift

# ---- links: to a file of the tree, to a heading, or to both ---- A heading's name in links:
# lower case, hyphens for spaces, only letters, digits, - and _.
headings() {
  sed -nE '/^```/,/^```$/!s/^#+ (.*)/\1/p' "$1" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-'
}
links=0
for page in "${pages[@]}"; do
  folder=$(dirname "$page")
  while read -r link; do
    links=$((links + 1))
    target=$page
    [[ $link == '#'* ]] || target=$folder/${link%%#*}
    [[ -e $target ]] || complain "$page: no file for $link"
    [[ $link != *'#'* || ! -e $target ]] || headings "$target" | grep -qxF "${link#*#}" ||
      complain "$page: no heading for $link"
  done < <(grep -oE '\]\([^) ]+\)' "$page" | sed 's/^](//; s/)$//' | grep -v '^https\?:' || true)
done
((links > 40)) || complain "only $links links were found"

# ---- how long the README is ----
(($(wc -l <"$readme") <= 110)) || complain "the README has more than 110 lines"
why=$(grep -nx '## Why not another' "$readme" | cut -d: -f1)
((${why:-99} <= 20)) || complain "the README's first screen does not say why"

# ---- memory, as the README and the guide say it ----
# bytes STRATEGY P: of a filter for 10 million keys.
bytes() {
  "$tool" plan -n 10M -p "$2" --json |
    sed -E "s/.*\"$1\": \{\"bits\": [0-9]+, \"bytes\": ([0-9]+).*/\1/"
}
# more STRATEGY THAN P: by how many percent.
more() { awk -v a="$(bytes "$1" "$3")" -v b="$(bytes "$2" "$3")" 'BEGIN { printf "%.0f %%", 100 * a / b - 100 }'; }
mib() { awk -v bytes="$1" -v digits="$2" 'BEGIN { printf "%.*f MiB", digits, bytes / 1048576 }'; }
says() { # page, words
  [[ $(tr '\n' ' ' <"$1") == *"$2"* ]] || complain "$1 does not say: $2"
}
classic=guava-mitz64
says "$guide" "more memory than the classic filter, $(more fast $classic 0.01) at 0.01, $(more fast $classic 0.0001) at 0.0001, $(more fast $classic 1e-6) at 1e-6, $(more fast $classic 1e-10) at 1e-10"
says "$guide" "$(more fast-pair fast 0.001) more memory than \`fast\` at 0.001, $(more fast-pair fast 0.0001) at 0.0001"
says "$readme" "The filter takes $(mib "$(bytes fast 0.0001)" 1); the strings alone take $(mib "$((10000000 * 36))" 0)"

# ---- nothing is left out ----
# "## VERSION (DATE)", newest first; under each, changes of the four kinds.
sed -n 's/^## //p' "$news" >"$TEST_TMPDIR/versions"
[[ $(head -1 "$TEST_TMPDIR/versions") == "$version ("* ]] || complain "NEWS.md does not begin with $version"
while read -r line; do
  [[ $line =~ ^[0-9]+\.[0-9]+\.[0-9]+\ \((20[0-9][0-9]-[01][0-9]-[0-3][0-9])\)$ ]] || complain "NEWS.md: '$line' is no version and date"
done <"$TEST_TMPDIR/versions"
sort -rVc "$TEST_TMPDIR/versions" || complain "NEWS.md: the versions are not the newest first"
while read -r kind; do
  [[ $kind =~ ^(Added|Changed|Fixed|Removed|Not\ in\ it)$ ]] || complain "NEWS.md: '$kind' is no kind of change"
done < <(sed -n 's/^### //p' "$news")
for header in "$@"; do
  case ${header##*/} in
  c11.h | cpu.h | word.h) continue ;; # what others stand on
  esac
  for page in "$guide" "$news"; do
    grep -qF "lfbloom/${header##*/}" "$page" || complain "$page does not name lfbloom/${header##*/}"
  done
done
for strategy in $("$tool" plan -n 1000 -p 0.01 | awk 'NR > 3 { print $1 }'); do
  for page in "$guide" "$news"; do
    grep -qF "\`$strategy\`" "$page" || complain "$page does not name strategy $strategy"
  done
done
for command in $("$tool" --help | awk '!NF { part++ } part == 1 && NF { print $1 }'); do
  grep -qE "\`$command\`|lfbloom $command|-- $command" "$readme" || complain "the README does not name command $command"
  grep -qF "\`$command\`" "$news" || complain "NEWS.md does not name command $command"
done


number=$(grep -cE '^## [0-9]+\. ' "$(dirname "$readme")/docs/guarantees.md")
grep -qF "has all $number, with exceptions" "$readme" || complain "the README does not say that there are $number guarantees"

echo "$links links, $wrong wrong"
((wrong == 0))
