#!/bin/bash
# must_fail.sh BINARY TEST[:TEST...]: succeeds if every named test of the
# GoogleTest binary fails, or dies by a signal, each run on its own, within ten tries:
# with a planted bug in, a race test that passes is worth nothing.
set -u
binary=$1
status=0
IFS=: read -r -a names <<<"$2"
for name in "${names[@]}"; do
  for try in {1..10}; do
    output=$("$binary" --gtest_filter="$name" 2>&1) && rc=0 || rc=$?
    if ((rc > 128)); then mark='RUN      '; else mark='FAILED  '; fi
    if ((rc != 0)) && grep -q "$mark\] $name" <<<"$output"; then
      echo "$name fails with the bug planted, as it must (try $try)"
      continue 2
    fi
    grep -q "Running 1 test" <<<"$output" || { echo "no such test: $name"; exit 1; }
  done
  echo "$name passes with the bug planted: it proves nothing"
  status=1
done
exit $status
