#!/bin/bash
# report.sh - writes all measurements, as tables and pictures.
#
#     ./bazelw run -c opt //bench:report -- [--quick | --smoke] [--large] [--repetitions=N] [--busy]
#       [--wait=SECONDS] [--out=DIR]
#
# Measures the limits of the machine, this library and its peers in turns, N times (5), and takes
# medians.  Writes report.md, report.csv, fpp.csv, memory.csv and the pictures into DIR
# (docs/performance), all of them at the end.  Takes half an hour, 4 GiB of memory and, in TMPDIR, 8 GiB.
#
# Into docs/ it writes only what at least 5 rounds have measured on a quiet machine: it waits up to
# SECONDS (300) for a load average of at most 0.3, and then stops with 2.  Rows that other
# processes disturb are measured again; if that does not end, so is the round, 3 times at most in a run.
#
# --quick  2 minutes: one round, filters up to 16 MiB
# --large  also filters of 1 GiB: a minute more per round, 24 GiB in TMPDIR
# --busy   also on a busy machine, where it otherwise stops with 2
# --smoke  takes seconds, to test the script; the figures mean nothing
set -euo pipefail

bench=$1 java_source=$2 fpp=$3 memory=$4
shift 4
flags=("$@")
final=${BUILD_WORKSPACE_DIRECTORY:-$PWD}/docs/performance
sizes='64KiB|1MiB|16MiB|256MiB' peer_sizes='1MiB|16MiB|256MiB' shared_size=16MiB
thread_sizes='1MiB|256MiB' contended_sizes='64KiB|1MiB|16MiB' living_sizes='64KiB|16MiB'
hash_size=1MiB panels='1MiB 256MiB' threads='1|2|4|16|64' few_threads='1|2|64'
rounds=5 least=0.035 haste=2 keys=1000000 wrong=4000 largest=$((1 << 28)) heap=3g
bench_flags=(--puts=2097152) guard=() unfit='' wait=300 again=3
for flag in "$@"; do
  case $flag in
  --quick)
    heap=1g unfit+=" $flag"
    sizes='64KiB|1MiB|16MiB' peer_sizes='1MiB|16MiB' thread_sizes=1MiB panels='1MiB 16MiB'
    rounds=1 least=0.02 haste=4 wrong=400 largest=$((1 << 24))
    ;;
  --smoke)
    unfit+=" $flag" sizes=64KiB peer_sizes=64KiB shared_size=64KiB thread_sizes=64KiB
    contended_sizes=64KiB living_sizes=64KiB hash_size=64KiB panels=64KiB threads='1|2|64'
    rounds=1 least=0.0001 haste=1000 keys=1000 wrong=1 largest=$((1 << 16)) bench_flags=(--puts=1)
    guard=(--busy) heap=256m wait=0
    ;;
  --large) sizes+='|1GiB' thread_sizes+='|1GiB' largest=$((1 << 30)) ;;
  --busy) guard=(--busy) unfit+=" $flag" wait=0 ;;
  --repetitions=*) rounds=${flag#*=} ;;
  --wait=*) wait=${flag#*=} ;;
  --out=*) final=${flag#*=} ;;
  *)
    echo "report.sh: unknown flag $flag" >&2
    exit 2
    ;;
  esac
done
[[ $final == /* ]] || final=${BUILD_WORKING_DIRECTORY:-$PWD}/$final

# shellcheck source=bench/reporting/quiet.sh
source bench/reporting/quiet.sh
[[ $rounds =~ ^[1-9][0-9]{0,2}$ ]] || refuse "--repetitions takes a number from 1 to 999"
[[ $wait =~ ^[0-9]{1,4}$ ]] || refuse "--wait takes seconds, from 0 to 9999"
if is_in_docs "$final"; then
  require_rounds "$rounds" "$unfit"
  require_quiet "$wait"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
out=$work/out
mkdir "$work/scenes" "$out"
# shellcheck source=bench/reporting/machine.sh
source bench/reporting/machine.sh
# shellcheck source=bench/reporting/run.sh
source bench/reporting/run.sh

# The benchmarks: a line for each table or picture.
one='.*threads:1$' some='query_present|put_new|mixed90'
selection=(
  "^limit/[^/]*/($sizes)/$one"
  "^limit/(read|two_cmpxchg_a_line|cmpxchg16b)/($shared_size)/.*threads:($threads)\$"
  "^limit/(read|two_cmpxchg_a_line|cmpxchg16b)/($sizes)/.*threads:($few_threads)\$"
  "^(query_present|put_present|put_new)/fast/($sizes)/(single|many|batch15|batch49|build)/hash/(|0.)1%/$one"
  "^(query_present|put_present|put_new)/(fast-pair|fast-speed|sbbf)/($sizes)/(single|many|claim|claim_many)/hash/1%/$one"
  "^($some)/fast(|-pair)/($shared_size)/(single|many)/hash/1%/.*threads:($threads)\$"
  "^($some)/fast/($thread_sizes)/(single|many)/hash/1%/.*threads:($few_threads)\$"
  "^put_new/fast/($shared_size)/claim[^/]*/hash/1%/.*threads:($threads)\$"
  "^($some)/(ck-bitmap|mutex)/($shared_size)/[^/]*/hash/1%/.*threads:($threads)\$"
  "^put_new/fast/($contended_sizes)/(single|apart|many)/hash/1%/.*threads:(1|2)\$"
  "^put_present/fast/($contended_sizes)/single/hash/1%/.*threads:(1|2)\$"
  "^(query_present|query_absent|put_present|put_new)/(default|fast|guava-mitz64|libbloom|ck-bitmap|mutex)/($peer_sizes)/(single|many)/(u64|bytes36)/1%/$one"
  "^hash/.*threads:1\$"
  "^query_(present|absent)/fast(|-siphash13|-aes)/($hash_size)/(single|many|hashed|hashed_many)/(u64|bytes36)/1%/$one"
  "^(query_present|put_present|put_new)/(fast|versions)/($living_sizes)/(single|section|many)/u64/1%/$one"
  "^(put_new|put_race|claim_race)/(fast|fast-pair)/($living_sizes)/(single|many|claim|claim_many)/hash/1%/.*threads:[12]\$"
  "^(query_present|query_absent|put_new)/(fast|guava-mitz64|counting|counting-mitz64)/($living_sizes)/(single|many|put_remove|put_remove_many)/u64/1%/$one"
  "^(fill|ask_present|ask_absent)/(plain|growing)/($living_sizes)/(single|many)/u64/1%/$one"
)
selected=$(IFS='|' && echo "${selection[*]}")

measure_round() {
  run_bench "$selected" "$least" "${bench_flags[@]}" "${guard[@]}" &&
    run_guava numbers u64 "$haste" && run_guava uuids bytes36 "$haste"
}

# Measures a round into $work/measured.  If the machine was busy, it waits and measures again.
measure_undisturbed() {
  local status
  until measure_round >"$work/round"; do
    status=$?
    ((status == 2 && wait > 0 && again-- > 0)) || exit "$status"
    echo "the round is measured again" >&2
    require_quiet "$wait"
  done
  cat "$work/round" >>"$work/measured"
}

compile_guava
for ((round = 1; round <= rounds; round++)); do
  echo "round $round of $rounds" >&2
  measure_undisturbed
done
awk -f bench/reporting/median.awk "$work/measured" >"$out/report.csv"
echo "false positives, memory, pictures" >&2
"$fpp" "$keys" "$wrong" >"$out/fpp.csv"
"$memory" "$largest" >"$out/memory.csv"

# shellcheck source=bench/reporting/write.sh
source bench/reporting/write.sh
write_report >"$out/report.md"
[[ ! -e $work/no_table ]] || { echo "report: a table was not made" >&2; exit 1; }
draw_pictures
mkdir -p "$final"
cp "$out"/* "$final"
echo "$final/report.md: $(grep -c ': met' "$out/report.md" || true) targets met," \
  "$(grep -cF '**missed**' "$out/report.md" || true) missed; $SECONDS s" >&2
