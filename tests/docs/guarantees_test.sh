#!/bin/bash
# guarantees_test.sh PAGE FILE...: docs/guarantees.md, the public headers, the tests and
# the planted bugs (tests/plants) name each other, and nothing that is not there.
set -euo pipefail
source tests/support/complain.sh

page=$1
shift

headers=() tests=() planted=()
for file in "$@"; do
  case $file in
  */c11.h | */cpu.h) ;; # spellings: they promise nothing
  *.h) headers+=("$file") ;;
  *.patch) planted+=("$(basename "$file" .patch)") ;;
  *) tests+=("$file") ;;
  esac
done

# "NUMBER HEADER" for each header that a guarantee says it is said in, one a line, sorted.
said() {
  awk '
    /^## / { number = $2 + 0; if (number != ++last) print "out of order: " number }
    /^- \*\*Said in\*\*/ { inside = 1; sub(/^- \*\*Said in\*\*/, "") }
    /^- \*\*|^$/ { inside = 0 }
    inside { inside = /,$/; gsub(/,/, " "); for (i = 1; i <= NF; i++) print number, $i }
  ' "$page" | sort
}

# The same from the headers: "Guarantees N, N of docs/guarantees.md." in the head of each.
pointed() {
  local header numbers number
  for header in "${headers[@]}"; do
    numbers=$(sed -n 's/^ \* Guarantees \([0-9, ]*\) of docs\/guarantees\.md\.$/\1/p' "$header")
    [[ -n $numbers ]] || echo "${header##*/} points to no guarantee"
    for number in ${numbers//,/ }; do echo "$number ${header##*/}"; done
  done | sort
}

difference=$(diff <(said) <(pointed)) ||
  complain "the page (<) and the headers (>) differ:"$'\n'"$difference"

# Names of tests, Suite.Name, and of planted bugs.
there=$(sed -nE 's/^(TEST|TEST_F|TEST_P|TYPED_TEST)\(([A-Za-z0-9]+), *([A-Za-z0-9]+)\).*/\2.\3/p' "${tests[@]}")
named=$(grep -oE '`[A-Z][A-Za-z0-9]*\.[A-Z][A-Za-z0-9]*`' "$page" | tr -d '`' | sort -u)
for name in $named; do
  grep -qxF "$name" <<<"$there" || complain "no test $name"
done
page_bugs=$(awk '/planted:/ { sub(/.*planted:/, ""); on = 1 } /^$/ { on = 0 } on' "$page" | tr -s ', ' '\n\n')
for bug in "${planted[@]}"; do
  grep -qxF "$bug" <<<"$page_bugs" || complain "planted bug $bug belongs to no guarantee"
done
for bug in $page_bugs; do
  [[ " ${planted[*]} " == *" $bug "* ]] || complain "no planted bug $bug"
done

echo "$(said | cut -d' ' -f1 | uniq | wc -l) guarantees, $(wc -w <<<"$named") tests, ${#planted[@]} planted bugs"
((${#headers[@]} > 10)) && (($(wc -w <<<"$named") > 50)) || complain "the page or the headers were not read"
((wrong == 0))
