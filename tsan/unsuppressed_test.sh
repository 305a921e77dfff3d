#!/bin/bash
# unsuppressed_test.sh SUPPRESSIONS BAZELRC BUILD... -- SOURCE...: checks that no report of
# ThreadSanitizer is suppressed.  The file is empty, no option names another, no file is compiled
# without the sanitizer, no attribute excludes a function, and no inline assembly writes memory
# without lfb_show_write() before it in its function.  Seen to fail with each of the five.
set -u
suppressions=$1 bazelrc=$2
shift 2
wrong=0
complain() {
  echo "$1" >&2
  wrong=1
}

grep -vE '^(#|$)' "$suppressions" && complain "$suppressions is not empty"
grep -n 'suppressions=' "$bazelrc" && complain "$bazelrc names suppressions"
while [[ $1 != -- ]]; do
  grep -nH -- '-fno-sanitize' "$1" && complain "$1 builds files without the sanitizer"
  shift
done
shift
grep -nE 'no_sanitize|__tsan_(ignore|suppress|default_suppressions)|AnnotateIgnore' "$@" &&
  complain "code is hidden from the sanitizer"
awk '/^{/ { shown = 0 } /lfb_show_write/ { shown = 1 }
  /__asm__/ { asm = 1 } asm && /"[+=][^"]*[mQ]"/ && !shown { print FILENAME ":" FNR ": " $0; bad = 1 }
  /;/ { asm = 0 } END { exit bad }' "$@" || complain "assembly writes what the sanitizer does not see"
(($# > 50)) || complain "only $# files: this test looks at nothing"
((wrong == 0)) && echo "nothing suppressed in $# files"
exit $wrong
