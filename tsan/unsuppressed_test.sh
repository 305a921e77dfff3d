#!/bin/bash
# unsuppressed_test.sh SUPPRESSIONS BAZELRC BUILD... -- SOURCE...: checks that no report of
# ThreadSanitizer is suppressed.  The file is empty, no option names another, no file is compiled
# without the sanitizer, and no attribute excludes a function.  Seen to fail with each of the four.
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
(($# > 50)) || complain "only $# files: this test looks at nothing"
((wrong == 0)) && echo "nothing suppressed in $# files"
exit $wrong
