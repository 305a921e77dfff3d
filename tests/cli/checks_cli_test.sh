#!/bin/bash
# checks_cli_test.sh LFBLOOM: a row of a table fails if anything that it says is not so.
source "$(dirname "$0")/checks.sh"

given abc abc.bloom
right() {
  table <<'END'
0 query abc.bloom abc => a\nb\nhello
0 query abc.bloom abc => <abc
0 query -c abc.bloom abc => $(wc -l <abc)
0 query --help => ...Usage: lfbloom query... => /^ +-c, --count +/
0 info --json abc.bloom => {form=guava probes=7}
and equal "$(json form)" guava
2 query none =! none: the file cannot be opened
2 query none => * =! /^lfbloom: none/
1 query abc.bloom \
  /dev/null =>
? query none
END
}
right
before="$passed $failed"
while IFS= read -r row; do
  failed=0
  table <<<"$row" >report
  check_failed=$failed failed=0
  check "it fails: $row" test "$check_failed" -ge 1
  check "it is printed: $row" holds report ": $row"
done <<'END'
1 query -q abc.bloom abc
0 query -q abc.bloom abc; echo no silence >&2
0 query abc.bloom abc => a\nb
0 query abc.bloom abc =>
0 query abc.bloom abc => <abc.bloom
0 query -c abc.bloom abc => ...4...
0 query -c abc.bloom abc => /^$/
0 info --json abc.bloom => {form=guava probes=8}
0 query abc.bloom abc => * =! something
2 query none =! another error
2 query none; echo output =! none: the file
2 query none none2; echo a second line >&2; (exit 2) =! none: the file
2 query none
and false
$ false
END
check "rows that are right pass" equal "$before" "10 0"

finish
