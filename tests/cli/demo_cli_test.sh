#!/bin/bash
# demo_cli_test.sh LFBLOOM: `lfbloom demo`.
source "$(dirname "$0")/checks.sh"

reports "demo" 0 n 100000 \
  "$tool" demo -n 100k -p 0.01 --strategy guava-mitz64 --seed 7 --threads 2 --json
check "demo fpp" equal "$(json fpp)" 0.01
check "demo threads" equal "$(json threads)" 2
check "demo asks for a tenth" equal "$(json present_asked) $(json absent_asked)" "10000 10000"
check "demo finds all" equal "$(json hits)" 10000
# 100 expected, standard deviation 10: a correct filter stays within five standard deviations.
check "demo is wrong as often as expected" between "$(json false_positives)" 50 150
# As many bits as 100,000 keys set, not fewer: no key is put twice.
check "demo puts distinct keys" between "$(json approximate_count)" 99000 101000
check "demo bytes" equal "$(json filter_bytes)" 119816
check "demo seconds" grep -qE '"insert_seconds": [0-9.e-]+, "query_seconds": [0-9.e-]+' out
false_positives=$(json false_positives) bits_set=$(json bits_set)
reports "demo with other threads" 0 false_positives "$false_positives" \
  "$tool" demo -n 100k -p 0.01 --strategy guava-mitz64 --seed 7 --threads 5 --json
check "and set the same bits" equal "$(json bits_set)" "$bits_set"
gives "demo with another seed" 0 \
  "$tool" demo -n 100k -p 0.01 --strategy guava-mitz64 --seed 8 --json
check "other keys set other bits" test "$(json bits_set)" != "$bits_set"
reports "demo of the default strategy" 0 hits 10000 "$tool" demo -n 100k -p 0.01 --seed 7 --json
check "default: wrong as often as expected" between "$(json false_positives)" 50 150
bits_set=$(json bits_set)
gives "demo of the default strategy, again" 0 \
  "$tool" demo -n 100k -p 0.01 --seed 7 --threads 3 --json
check "default: --seed repeats it" equal "$(json bits_set)" "$bits_set"
gives "demo without a seed" 0 "$tool" demo -n 1000 --json
first=$(json seed)
gives "demo without a seed, again" 0 "$tool" demo -n 1000 --json
check "two random seeds differ" test "$(json seed)" != "$first"
shows "demo for people" 0 "--seed 3" "$tool" demo -n 1000 --threads 2 --seed 3
check "demo shows what was found" grep -qE 'query present +100 +100 ' out
reports "demo of one key in many threads" 0 hits 1 "$tool" demo -n 1 --threads 9 --json
reports "demo go-fnv14" 0 strategy go-fnv14 "$tool" demo -n 20k --strategy go-fnv14 --json
refuses "demo of nothing" "at least 1" "$tool" demo -n 0
refuses "demo of too much" "larger than its strategy" "$tool" demo -n 1e18 --strategy guava-mitz64
refuses "demo with a file" "takes no files" "$tool" demo file
gives "demo without a terminal shows no bar" 0 "$tool" demo -n 1000
run "$tool" demo -n 1000 --progress=always
check "demo shows a bar when told" holds err "putting"

finish
