#!/bin/bash
# unsuppressed_test.sh SUPPRESSIONS BAZELRC BUILD SOURCE...: no report of ThreadSanitizer is
# suppressed: the file is empty, no option names another, no function is left out by an
# attribute, and of the library's files that one alone is not watched which atomic/threads/epoch_ck.h
# argues for.  Seen to fail with each of the four.
set -u
suppressions=$1 bazelrc=$2 build=$3
shift 3
wrong=0
complain() {
  echo "$1" >&2
  wrong=1
}

grep -vE '^(#|$)' "$suppressions" && complain "$suppressions is not empty"
grep -n 'suppressions=' "$bazelrc" && complain "$bazelrc names suppressions"
grep -nE 'no_sanitize|__tsan_(ignore|suppress|default_suppressions)|AnnotateIgnore' "$@" &&
  complain "code is hidden from the sanitizer"
plain=$(grep -B8 -- '-fno-sanitize=thread' "$build" | sed -nE 's/^ *srcs = (.*),$/\1/p')
[[ $plain == '["threads/epoch_ck.c"]' && $(grep -c -- '-fno-sanitize' "$build") == 1 ]] ||
  complain "$build has other files built without the sanitizer: $plain"
(($# > 50)) || complain "only $# files: this test looks at nothing"
((wrong == 0)) && echo "nothing suppressed in $# files"
exit $wrong
