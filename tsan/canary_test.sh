#!/bin/bash
# canary_test.sh BINARY reported|unseen: under ThreadSanitizer the planted race
# must be reported; in a build without it the program must end normally.
set -u
for try in 1 2 3; do
  output=$("$1" 2>&1) && rc=0 || rc=$?
  case $2 in
  reported)
    if ((rc != 0)) && grep -q "WARNING: ThreadSanitizer: data race" <<<"$output"; then
      echo "the planted race was reported (try $try)"
      exit 0
    fi
    ;;
  unseen)
    ((rc == 0)) && [[ $output == "ended without a report" ]] && exit 0
    ;;
  esac
done
echo "not $2:"
echo "$output"
exit 1
