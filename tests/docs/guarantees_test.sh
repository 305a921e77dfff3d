#!/bin/bash
# guarantees_test.sh PAGE FILE...: checks that each guarantee of docs/guarantees.md names public
# headers, tests and planted bugs (tests/plants) that exist, and that each public header and each
# planted bug belongs to a guarantee.
set -euo pipefail
source tests/support/complain.sh

page=$1
shift

headers=() tests=() planted=()
for file in "$@"; do
  case $file in
  */c11.h | */cpu.h) ;; # definitions only: they promise nothing
  *.h) headers+=("$file") ;;
  *.patch) planted+=("$(basename "$file" .patch)") ;;
  *) tests+=("$file") ;;
  esac
done

# "NUMBER HEADER" for each header that a guarantee names, one per line, sorted.
stated() {
  awk '
    /^## / { number = $2 + 0; if (number != ++last) print "out of order: " number }
    /^- \*\*Stated in\*\*/ { inside = 1; sub(/^- \*\*Stated in\*\*/, "") }
    /^- \*\*|^$/ { inside = 0 }
    inside { inside = /,$/; gsub(/,/, " "); for (i = 1; i <= NF; i++) print number, $i }
  ' "$page" | sort
}

# Each header that is named exists, and each public header is named.
difference=$(diff <(stated | cut -d' ' -f2 | sort -u) <(printf '%s\n' "${headers[@]##*/}" | sort -u)) ||
  complain "the page (<) and the public headers (>) differ:"$'\n'"$difference"

# Names of tests, Suite.Name, and of planted bugs.
there=$(sed -nE 's/^(TEST|TEST_F|TEST_P|TYPED_TEST)\(([A-Za-z0-9]+), *([A-Za-z0-9]+)\).*/\2.\3/p' "${tests[@]}")
named=$(grep -oE '`[A-Z][A-Za-z0-9]*\.[A-Z][A-Za-z0-9]*`' "$page" | tr -d '`' | sort -u)
for name in $named; do
  grep -qxF "$name" <<<"$there" || complain "no test $name"
done
page_bugs=$(awk '/^$/ { on = 0 } /planted:/ { sub(/.*planted:/, ""); on = 1 } on' "$page" | tr -s ', ' '\n\n')
for bug in "${planted[@]}"; do
  grep -qxF "$bug" <<<"$page_bugs" || complain "planted bug $bug belongs to no guarantee"
done
for bug in $page_bugs; do
  [[ " ${planted[*]} " == *" $bug "* ]] || complain "no planted bug $bug"
done

echo "$(stated | cut -d' ' -f1 | uniq | wc -l) guarantees, $(wc -w <<<"$named") tests, ${#planted[@]} planted bugs"
((${#headers[@]} > 10)) && (($(wc -w <<<"$named") > 50)) || complain "the page or the headers were not read"
((wrong == 0))
