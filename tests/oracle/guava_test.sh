#!/bin/bash
# guava_test.sh JOB CASES REPLAY JAVA_SOURCE: Guava 31.1 and this library create the same filters, which
# give the same answers, write the same bytes and merge alike; "wide": with more than 2^32 bits.
source "$(dirname "$0")/oracle.sh"
job=$1 cases=$2 replay=$3
compile_java "$4"
run_java com.google.common.hash.GuavaOracle "$job" "$seed" "$work/calls"
"$replay" "$work/calls" "$cases"
[[ $job != wide ]] || exit 0

# The comparison must find a difference: one result of each kind is changed.
awk '!ask && /^ask .* = 0/ { ask = sub(/ = 0/, " = 1") }
  !form && /^form / { form = sub(/ = 0./, " = 02") }
  !is && /^is .*fpp=~3/ { is = sub(/~3/, "~4") }
  !plan && /^plan .* probes=/ { plan = sub(/probes=/, "probes=1") }
  !bytes && /^bytes .* = left/ { bytes = sub(/left.*/, "refused") }
  !all && /^all A A/ { all = sub(/same-filter/, "ok") }
  { print }' "$work/calls" >"$work/changed"
if "$replay" "$work/changed" "$cases" >"$work/said"; then exit 1; fi
grep 'of which 6 differ$' "$work/said"
