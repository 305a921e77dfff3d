#!/bin/bash
# must_fail.sh BINARY TEST[:TEST...] M/N
# must_fail.sh BINARY TEST[:TEST...] PATCH NAME
#
# The binary is built with a planted bug, which its race tests must find.  Succeeds if every named
# GoogleTest test, run by itself, fails or is killed by a signal in at least M of N runs.  A patch
# (tests/plants) has M and N in the line "# Caught by NAME: M of N runs".
set -u
binary=$1
often=$3
[[ $often != *.patch ]] || often=$(sed -nE "s,^# Caught by $4: ([0-9]+) of ([0-9]+) runs.*,\1/\2,p" "$3")
[[ $often =~ ^([1-9][0-9]*)/([1-9][0-9]*)$ ]] || { echo "$3 does not say how often ${4-} catches it"; exit 1; }
least=${BASH_REMATCH[1]} runs=${BASH_REMATCH[2]}
status=0
IFS=: read -r -a names <<<"$2"
for name in "${names[@]}"; do
  failed=0
  for ((run = 1; run <= runs && failed < least && run - 1 - failed <= runs - least; run++)); do
    output=$("$binary" --gtest_filter="$name" 2>&1) && rc=0 || rc=$?
    if ((rc > 128)); then mark='RUN      '; else mark='FAILED  '; fi
    if ((rc != 0)) && grep -q "$mark\] $name" <<<"$output"; then
      failed=$((failed + 1))
    else
      grep -qE 'Running [1-9][0-9]* tests?' <<<"$output" || { echo "no such test: $name"; exit 1; }
    fi
  done
  echo "$name failed in $failed of $((run - 1)) runs with the bug planted"
  ((failed >= least)) || { echo "that is too seldom: $least of $runs are wanted"; status=1; }
done
exit $status
