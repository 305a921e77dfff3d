#!/bin/bash
# demo_cli_test.sh LFBLOOM: `lfbloom demo`.
source "$(dirname "$0")/checks.sh"
processors=$(taskset -pc $$) processors=${processors##* }
crowded() { taskset -c "${processors%%[-,]*}" "$tool" demo "$@"; }

table <<'END'
0 demo -n 100k -p 0.01 --strategy guava-mitz64 --seed 7 --threads 2 --json \
  => {n=100000 fpp=0.01 threads=2 present_asked=10000 absent_asked=10000 hits=10000}
# 100 expected, standard deviation 10: a correct filter stays within five standard deviations.
and between "$(json false_positives)" 50 150
# As many bits as 100,000 keys set, not fewer: no key is put twice.
and between "$(json approximate_count)" 99000 101000
and equal "$(json filter_bytes)" 119816
and grep -qE '"insert_seconds": [0-9.e-]+, "query_seconds": [0-9.e-]+' out
$ false_positives=$(json false_positives) bits_set=$(json bits_set)
0 demo -n 100k -p 0.01 --strategy guava-mitz64 --seed 7 --threads 5 --json \
  => {false_positives=$false_positives bits_set=$bits_set}
0 demo -n 100k -p 0.01 --strategy guava-mitz64 --seed 8 --json
and test "$(json bits_set)" != "$bits_set"
0 demo -n 100k -p 0.01 --seed 7 --json => {hits=10000}
and between "$(json false_positives)" 50 150
$ bits_set=$(json bits_set)
0 demo -n 100k -p 0.01 --seed 7 --threads 3 --json => {bits_set=$bits_set}
0 demo -n 1000 --json
$ first=$(json seed)
0 demo -n 1000 --json
and test "$(json seed)" != "$first"
0 demo -n 1000 --threads 2 --seed 3 => ...--seed 3... => /query present +100 +100 /
0 demo -n 1 --threads 9 --json => {hits=1}
0 demo -n 20k --strategy go-fnv14 --json => {strategy=go-fnv14}
2 demo -n 0 =! at least 1
2 demo -n 1e18 --strategy guava-mitz64 =! larger than its strategy
2 demo file =! takes no files
0 demo -n 1000
? demo -n 1000 --progress=always =! putting
# Four threads on one processor wait most of their time for it, as on a busy machine.
0 crowded -n 2M --threads 4 => ...The machine is busy: threads waited...
END

finish
