#!/bin/bash
# shim_test.sh - shows that a busy machine is refused before and during a run, that wrong flags are,
# what is printed, and that a row that fails is reported.
set -euo pipefail

bench=$1 scaling=$2
fail() {
  echo "FAILED: $1" >&2
  exit 1
}

# A process that is busy until this script ends.  Other load does no harm: the machine is busy.
burn() {
  while :; do :; done
}
burn &
burner=$!
trap 'kill $burner 2>/dev/null || true' EXIT

one='--benchmark_filter=^limit/read/64KiB/.*threads:1$'
expect_busy() { # why, a program and its arguments
  local status=0
  "${@:2}" >"$TEST_TMPDIR/out" 2>"$TEST_TMPDIR/said" || status=$?
  ((status == 2)) || fail "$1: status $status, not 2"
  [[ $(grep -c '^bench: ' "$TEST_TMPDIR/said") == 1 ]] || fail "$1: it said $(cat "$TEST_TMPDIR/said")"
  grep -q '^bench: the machine is busy: .*--busy$' "$TEST_TMPDIR/said" || fail "$1: no reason"
}
expect_busy "before the run" "$bench" "$one" --benchmark_min_time=0.001
[[ ! -s $TEST_TMPDIR/out ]] || fail "it measured on a busy machine"
expect_busy "during the run" "$bench" "$one" --benchmark_min_time=1 --busy=begin
[[ ! -s $TEST_TMPDIR/out ]] || fail "it printed what others disturbed"

# What a short disturbance spoils is measured again.
kill $burner
"$bench" "$one" --benchmark_min_time=2 --busy=begin >"$TEST_TMPDIR/out" 2>"$TEST_TMPDIR/said" &
measuring=$!
timeout 1 bash -c 'while :; do :; done' || true
status=0
wait $measuring || status=$?
((status == 0 || status == 2)) || fail "disturbed for a second: status $status"
# Other programs of this machine may keep it busy; then nothing is printed, as above.
if ((status == 0)); then
  [[ $(grep -c '^limit/' "$TEST_TMPDIR/out") == 1 ]] || fail "not one row after a disturbance"
else
  [[ ! -s $TEST_TMPDIR/out ]] || fail "it printed what others disturbed"
fi

# With --busy it measures: each program, every row whole.
"$bench" "$one" --benchmark_min_time=0.001 --benchmark_repetitions=3 --busy >"$TEST_TMPDIR/out"
[[ $(grep -cE '^limit/read/64KiB/manual_time/threads:1 .* ns_per_key=[0-9.]+' "$TEST_TMPDIR/out") == 3 ]] ||
  fail "not three rounds: $(cat "$TEST_TMPDIR/out")"
"$scaling" --benchmark_list_tests=true >"$TEST_TMPDIR/list" 2>"$TEST_TMPDIR/said"
for name in limit/read/1MiB.*threads:16 limit/cmpxchg16b/16MiB/.*threads:1 \
  put_new/fast/1MiB/claim_many/hash/1%/.*threads:8 mixed50/fast/16MiB/single/hash/1%/.*threads:4; do
  grep -qx "$name" "$TEST_TMPDIR/list" || fail "scaling has no $name"
done
"$scaling" --busy --benchmark_repetitions=1 --benchmark_min_time=0.001 \
  '--benchmark_filter=^mixed90/fast/1MiB/many/hash/1%/.*threads:16$' >"$TEST_TMPDIR/out"
grep -qE '^mixed90/fast/1MiB/many/hash/1%/.*threads:16 .* ns_per_key=[0-9.]+' "$TEST_TMPDIR/out" ||
  fail "scaling measured nothing"

# The filter selects, and nothing else is listed or printed, not even the limits that were measured
# for the ratios.  JSON has the counters; rows without a limit have no ratio.
rows='^(query_present|put_new)/fast/64KiB/many/hash/1%/.*threads:2$|^ask_present/growing/64KiB/many'
"$bench" "--benchmark_filter=$rows" --benchmark_list_tests=true >"$TEST_TMPDIR/list"
[[ $(wc -l <"$TEST_TMPDIR/list") == 3 ]] || fail "it lists $(cat "$TEST_TMPDIR/list")"
"$bench" "--benchmark_filter=$rows" --benchmark_min_time=0.001 --busy --puts=1 \
  --benchmark_format=json >"$TEST_TMPDIR/out"
jq -e '(.benchmarks
    | length == 3 and all(.ns_per_key > 0 and (.ns_per_key - .real_time | fabs) < 1e-6))
  and (.benchmarks[] | select(.run_name | test("^query_present/fast/"))
    | .ratio > 0 and .bits_per_key > 9)
  and (.benchmarks[] | select(.run_name | test("^put_new/fast/")) | .ratio > 0 and .threads == 2)
  and (.benchmarks[] | select(.run_name | test("growing"))
    | has("ratio") or has("bits_per_key") | not)' \
  "$TEST_TMPDIR/out" >/dev/null || fail "JSON lacks something: $(cat "$TEST_TMPDIR/out")"

# Repetitions in any order; each is reported, next to what Google Benchmark makes of them.
"$bench" '--benchmark_filter=^limit/(read|load)/64KiB/.*threads:1$' --benchmark_min_time=0.001 --busy \
  --benchmark_repetitions=3 --benchmark_enable_random_interleaving=true --benchmark_format=json >"$TEST_TMPDIR/out"
jq -e '[.benchmarks[] | select(.run_type == "iteration")] | length == 6' "$TEST_TMPDIR/out" >/dev/null ||
  fail "not six repetitions: $(cat "$TEST_TMPDIR/out")"

# A row that fails is reported by name and by status; the others are measured all the same.
status=0
"$bench" --files=/no/such '--benchmark_filter=^save/plain/16MiB/disk|^limit/read/64KiB/.*threads:1$' \
  --benchmark_min_time=0.001 --busy >"$TEST_TMPDIR/out" 2>"$TEST_TMPDIR/said" || status=$?
((status == 1)) || fail "a row fails: status $status"
grep -qx 'save/plain/16MiB/disk/threads:1: no memory, or no room for the file' "$TEST_TMPDIR/said" ||
  fail "a row fails: it said $(cat "$TEST_TMPDIR/said")"
grep -q '^limit/read/64KiB/.* ns_per_key=' "$TEST_TMPDIR/out" ||
  fail "a row fails: $(cat "$TEST_TMPDIR/out")"

refused() { # the status, flags
  local status=0
  "$bench" "${@:2}" --busy >"$TEST_TMPDIR/out" 2>"$TEST_TMPDIR/said" || status=$?
  ((status == $1)) || fail "${*:2}: status $status"
  [[ -s $TEST_TMPDIR/said && $(wc -l <"$TEST_TMPDIR/said") -le 2 && ! -s $TEST_TMPDIR/out ]] ||
    fail "${*:2}: it said $(cat "$TEST_TMPDIR/said" "$TEST_TMPDIR/out")"
}
for flag in --what --only=x --benchmark_repetitions={0,x} --benchmark_min_time=x --benchmark_format=x \
  --benchmark_out=x --peer=/no/such; do
  refused 2 "$flag"
done
refused 1 '--benchmark_filter=('
refused 1 --benchmark_filter=no-such
