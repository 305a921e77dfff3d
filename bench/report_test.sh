#!/bin/bash
# report_test.sh - runs report.sh on a tiny selection: every table has rows, every picture is whole.
# docs/ takes nothing from a machine that is not quiet, nor of few rounds.
set -euo pipefail

report=$1
shift
out=$TEST_TMPDIR/report
fail() {
  echo "FAILED: $1" >&2
  exit 1
}

"$report" "$@" --smoke --out="$out"
for picture in size two threads fpp peers-u64 peers-bytes36; do
  grep -q '</svg>' "$out/$picture.svg" || fail "$picture.svg is not whole"
done
figure='[0-9.]* ([0-9.]*)'
for row in '| put new, fast, many | 1% | 64 KiB | [0-9.]* | limit: two cmpxchg a line |' \
  '| put new, fast-pair, many, 1% | [0-9.]* ([0-9.]*) |' '| query present, guava-mitz64, single, u64 | 1% | 64 KiB |' '| fast | [0-9]* | [0-9]* |' \
  '| limit: read |' '| query present | mutex | single | 64 KiB |' \
  '| put new, fast, claim, 1% |' '| put new | fast | claim many | 64 KiB |' '| query present | fast | single | 64 KiB |' \
  "| put new | apart | 64 KiB | $figure | $figure | [0-9.]* |" '| single | 36 bytes | [0-9.]* |' \
  '| race, 2 threads | 64 KiB | [0-9.]* |' '| 0.1 | guava-mitz64 |'; do
  grep -q "^$row" "$out/report.md" || fail "there is no row $row"
done
# The report does not open with the targets; each that is missed has its reason in its row.
[[ $(grep -m1 '^## ' "$out/report.md") == '## Every call at every size' ]] || fail "the report opens otherwise"
grep -qF '**missed**' "$out/report.md" || fail "no target was missed in a run of seconds"
reasonless=$(grep -F '**missed**' "$out/report.md" | grep -vE '\*\*missed\*\* \| [a-z0-9][^|]+ \|$' || true)
[[ -z $reasonless ]] || fail "missed, and no reason: $reasonless"
captions=$(grep -cE '^<sub>.*cores; .*gcc.*; [0-9-]{10}; medians of 1 rounds: `\./bazelw run .*`</sub>$' "$out/report.md" || true)
((captions == 6)) || fail "$captions of 6 pictures say where, when and by what they were drawn"

# Each kind of key: the library, its filter of Guava's and every peer, by every call that it has; a
# cell for each in the table.
for keys in u64 bytes36; do
  for row in default,many default,single guava-mitz64,many guava-mitz64,single mutex,many mutex,single \
    ck-bitmap,single libbloom,single guava,single; do
    grep -qE "^put_new,${row%,*},64KiB,${row#*,},$keys,1%,1,[0-9.e+]+," "$out/report.csv" ||
      fail "$row was not measured with $keys"
  done
done
cells='\( [0-9.]\+\( ([0-9.]\+)\)\? |\)\{11\}'
(($(grep -c "^| put new | 64 KiB |$cells\$" "$out/report.md") == 2)) ||
  fail "the tables of peers have no full rows: $(grep '^| put new | 64 KiB' "$out/report.md")"
# A bar and its figure for each of 11 rows, in each of 3 panels.
bars() { # a panel's operation, kind of key
  awk -v what="$1" -v size=64KiB -v keys="$2" -v colours="$(seq -s' ' 10)" -f bench/reporting/lib.awk \
    -f bench/reporting/peers_rows.awk -f bench/reporting/peers_bars.awk "$out/report.csv"
}
for what in query_present query_absent put_new; do
  for keys in u64 bytes36; do
    (($(bars "$what" "$keys" | grep -cE '^[0-9]+( [0-9.e+]+){5}$') == 11)) ||
      fail "$what with $keys: $(bars "$what" "$keys")"
  done
done

# ---- what docs/ takes; refusals come before anything is measured or made ---------------------
tree=$TEST_TMPDIR/tree load_of_test=$TEST_TMPDIR/load programs=("$@")
load() { # a line
  echo "$1" >"$load_of_test.new"
  mv "$load_of_test.new" "$load_of_test"
}
reported() { # flags
  BUILD_WORKSPACE_DIRECTORY=$tree LFB_BENCH_LOADAVG=$load_of_test \
    "$report" "${programs[@]}" "$@" >/dev/null 2>"$TEST_TMPDIR/said"
}
refused() { # what it says, flags
  local status=0
  reported "${@:2}" || status=$?
  ((status == 2)) || fail "${*:2}: status $status"
  [[ $(wc -l <"$TEST_TMPDIR/said") == 1 ]] || fail "${*:2}: it said $(cat "$TEST_TMPDIR/said")"
  grep -q "^report.sh: .*$1" "$TEST_TMPDIR/said" || fail "${*:2}: it said $(cat "$TEST_TMPDIR/said")"
  [[ ! -e $tree ]] || fail "${*:2}: it made $(find "$tree")"
}

load '0.00 0.00 0.00 1/100 1'
refused '5 rounds or more, not of 4' --repetitions=4
refused '5 rounds or more, not of 1' --smoke
refused '5 rounds or more' --repetitions=1 --out="$tree/docs/other"
refused '5 rounds or more' --repetitions=1 --out="$tree/x/../docs/performance"
refused 'a run with --smoke' --smoke --repetitions=5
refused 'a run with --quick' --quick --repetitions=9
refused 'a run with --busy' --busy
refused 'from 1 to 999' --repetitions=0
refused 'from 0 to 9999' --wait=x
refused 'unknown flag --what' --what
load '0.31 0.00 0.00 1/100 1'
refused 'not quiet: load 0.31, more than 0.3, after 0 s' --wait=0
refused 'not quiet: load 0.31, more than 0.3, after 1 s' --wait=1
for line in '' 'x 0.00' '-1 0 0'; do
  load "$line"
  refused 'no load average' --wait=0
done
rm "$load_of_test"
refused 'no load average' --wait=0

# Elsewhere the load does not matter.
load '9.00 9.00 9.00 1/100 1'
reported --smoke --out="$TEST_TMPDIR/elsewhere" || fail "$(cat "$TEST_TMPDIR/said")"
[[ -s $TEST_TMPDIR/elsewhere/report.md ]] || fail "a busy machine has no report elsewhere"

# A load of 0.30 is low, and the script waits for it.
# shellcheck source=bench/reporting/quiet.sh
source bench/reporting/quiet.sh
load_file=$load_of_test seconds_between_looks=1
load '0.30 5.00 5.00 1/100 1'
is_quiet || fail "a load of 0.30 is not quiet"
load '0.31 0.00 0.00 1/100 1'
if is_quiet; then fail "a load of 0.31 is quiet"; fi
(sleep 2 && load '0.10 0.00 0.00 1/100 1') &
require_quiet 60
wait

# A round that others disturb is measured again, 3 times at most.
cat >"$TEST_TMPDIR/disturbed" <<END
#!/bin/bash
echo x >>"$TEST_TMPDIR/runs"
((\$(wc -l <"$TEST_TMPDIR/runs") > \$(cat "$TEST_TMPDIR/disturb"))) || exit 2
exec "$1" "\$@"
END
chmod +x "$TEST_TMPDIR/disturbed"
programs[0]=$TEST_TMPDIR/disturbed
echo 3 >"$TEST_TMPDIR/disturb"
reported --smoke --wait=9 --out="$TEST_TMPDIR/again" || fail "$(cat "$TEST_TMPDIR/said")"
(($(grep -c 'measured again' "$TEST_TMPDIR/said") == 3)) || fail "it was not measured 4 times"
(($(grep -c '^limit,read,64KiB,' "$TEST_TMPDIR/again/report.csv") == 3)) || fail "no rows"
rm "$TEST_TMPDIR/runs"
echo 4 >"$TEST_TMPDIR/disturb"
status=0
reported --smoke --wait=9 --out="$TEST_TMPDIR/never" || status=$?
((status == 2)) || fail "disturbed 4 times: status $status"
[[ ! -e $TEST_TMPDIR/never ]] || fail "disturbed 4 times: it wrote a report"
