#!/bin/bash
# runner_test.sh - shows that a busy machine is refused before and during a run, and that wrong
# flags are.
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

one='--only=^limit/read/64KiB/threads:1$'
expect_busy() { # why, a program and its arguments
  local status=0
  "${@:2}" >"$TEST_TMPDIR/out" 2>"$TEST_TMPDIR/said" || status=$?
  ((status == 2)) || fail "$1: status $status, not 2"
  [[ $(wc -l <"$TEST_TMPDIR/said") == 1 ]] || fail "$1: it said $(cat "$TEST_TMPDIR/said")"
  grep -q '^bench: the machine is busy: .*--busy$' "$TEST_TMPDIR/said" || fail "$1: no reason"
}
expect_busy "before the run" "$bench" "$one" --least=0.001
[[ ! -s $TEST_TMPDIR/out ]] || fail "it measured on a busy machine"
expect_busy "during the run" "$bench" "$one" --least=1 --busy=begin
[[ ! -s $TEST_TMPDIR/out ]] || fail "it printed what others disturbed"

# What a short disturbance spoils is measured again.
kill $burner
"$bench" "$one" --least=2 --busy=begin >"$TEST_TMPDIR/out" 2>"$TEST_TMPDIR/said" &
measuring=$!
timeout 1 bash -c 'while :; do :; done' || true
status=0
wait $measuring || status=$?
((status == 0 || status == 2)) || fail "disturbed for a second: status $status"
# Other programs of this machine may keep it busy; then nothing is printed, as above.
if ((status == 0)); then
  [[ $(wc -l <"$TEST_TMPDIR/out") == 1 ]] || fail "not one row after a disturbance"
else
  [[ ! -s $TEST_TMPDIR/out ]] || fail "it printed what others disturbed"
fi

# With --busy it measures: each program, every row whole.
"$bench" "$one" --least=0.001 --rounds=3 --busy >"$TEST_TMPDIR/out"
[[ $(grep -cE '^limit,read,64KiB,,,,1,[0-9.]+$' "$TEST_TMPDIR/out") == 3 ]] ||
  fail "not three rounds: $(cat "$TEST_TMPDIR/out")"
"$scaling" --list >"$TEST_TMPDIR/list" 2>"$TEST_TMPDIR/said"
for name in limit/read/1MiB/threads:16 limit/cmpxchg16b/16MiB/threads:1 \
  put_new/fast/1MiB/claim_many/hash/1%/threads:8 mixed50/fast-pair/16MiB/single/hash/1%/threads:4; do
  grep -qxF "$name" "$TEST_TMPDIR/list" || fail "scaling has no $name"
done
"$scaling" --busy --rounds=1 --least=0.001 \
  '--only=^mixed90/fast-pair/1MiB/many/hash/1%/threads:16$' >"$TEST_TMPDIR/out"
grep -qxE 'mixed90,fast-pair,1MiB,many,hash,1%,16,[0-9.]+' "$TEST_TMPDIR/out" ||
  fail "scaling measured nothing"

for flags in --what --rounds=0 --rounds=x --least=0 '--only=(' --only=no-such --peer=/no/such; do
  status=0
  "$bench" "$flags" --busy >/dev/null 2>"$TEST_TMPDIR/said" || status=$?
  ((status > 0 && status <= 2)) || fail "$flags: status $status"
  [[ $(wc -l <"$TEST_TMPDIR/said") == 1 ]] || fail "$flags: it said $(cat "$TEST_TMPDIR/said")"
done
