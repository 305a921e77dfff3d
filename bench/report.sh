#!/bin/bash
# report.sh - writes all measurements, as tables and pictures.
#
#     ./bazelw run -c opt //bench:report -- [--quick | --smoke] [--rounds=N] [--busy] [--out=DIR]
#
# Measures the limits of the machine, this library and its peers in turns,
# N times (3), and takes medians.  Writes report.md, report.csv, fpp.csv,
# memory.csv and size.svg, threads.svg, fpp.svg, peers.svg into DIR
# (docs/performance).  Takes half an hour, 6 GiB of memory and, in TMPDIR, 12 GiB.
#
# --quick  2 minutes: one round, filters up to 16 MiB
# --busy   also on a busy machine, where it otherwise stops with 2
# --smoke  takes seconds, to test the script; the figures mean nothing
set -euo pipefail

bench=$1 java_source=$2 fpp=$3 memory=$4
shift 4
flags=("$@")
out=${BUILD_WORKSPACE_DIRECTORY:-$PWD}/docs/performance
sizes='64KiB|1MiB|16MiB|256MiB|1GiB' peer_sizes='64KiB|1MiB|16MiB|256MiB' key_sizes='1MiB|256MiB'
panels='1MiB 256MiB' shared_size=16MiB threads='1|2|4|16|64'
rounds=3 least=0.1 haste=1 keys=1000000 wrong=4000 largest=$((1 << 30)) bench_flags=() heap=3g
for flag in "$@"; do
  case $flag in
  --quick)
    heap=1g
    sizes='64KiB|1MiB|16MiB' peer_sizes=$sizes key_sizes=1MiB panels='1MiB 16MiB'
    rounds=1 least=0.03 haste=4 wrong=400 largest=$((1 << 24))
    ;;
  --smoke)
    sizes=64KiB peer_sizes=64KiB key_sizes=64KiB panels=64KiB shared_size=64KiB threads='1|2|64'
    rounds=1 least=0.0001 haste=1000 keys=1000 wrong=1 largest=$((1 << 16)) bench_flags=(--puts=1 --busy)
    heap=256m
    ;;
  --busy) bench_flags+=(--busy) ;;
  --rounds=*) rounds=${flag#*=} ;;
  --out=*) out=${flag#*=} ;;
  *)
    echo "report.sh: unknown flag $flag" >&2
    exit 2
    ;;
  esac
done
[[ $out == /* ]] || out=${BUILD_WORKING_DIRECTORY:-$PWD}/$out
mkdir -p "$out"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/scenes"
# shellcheck source=bench/reporting/machine.sh
source bench/reporting/machine.sh
# shellcheck source=bench/reporting/run.sh
source bench/reporting/run.sh

# The benchmarks: a line for each table or picture.
one='.*threads:1$'
selection=(
  "^limit/[^/]*/($sizes)/$one"
  "^limit/(read|two_cmpxchg_a_line|cmpxchg16b)/($sizes)/threads:($threads)\$"
  "^(query_present|put_present|put_new)/fast/($sizes)/[^/]*/hash/$one"
  "^(query_present|put_present|put_new)/(fast-pair|fast-speed|sbbf)/($sizes)/(single|many|claim|claim_many)/hash/1%/$one"
  "^(query_present|put_new|mixed90)/fast/($sizes)/(single|many)/hash/1%/.*threads:($threads)\$"
  "^(query_present|put_new|mixed90)/fast-pair/$shared_size/(single|many)/hash/1%/.*threads:($threads)\$"
  "^put_new/fast/($shared_size)/claim[^/]*/hash/1%/.*threads:($threads)\$"
  "^put_new/fast/($sizes)/build/hash/1%/.*threads:(1|2)\$"
  "^(query_present|put_new|mixed90)/(ck-bitmap|mutex)/$shared_size/[^/]*/hash/1%/.*threads:($threads)\$"
  "^[^/]*/fast/($peer_sizes)/(single/(hash|u64|bytes8)|many/hash)/1%/$one"
  "^[^/]*/guava-mitz64/($peer_sizes)/single/u64/1%/$one"
  "^[^/]*/libbloom/($peer_sizes)/single/bytes8/1%/$one"
  "^[^/]*/(ck-bitmap|mutex)/($peer_sizes)/[^/]*/hash/1%/$one"
  "^(query_present|query_absent|put_new)/(fast|guava-mitz64|libbloom)/($key_sizes)/(single|many)/(u64|bytes36)/1%/$one"
)
selected=$(IFS='|' && echo "${selection[*]}")

compile_guava
for ((round = 1; round <= rounds; round++)); do
  echo "round $round of $rounds" >&2
  run_bench "$selected" "$least" "${bench_flags[@]}"
  run_guava numbers u64 "$haste"
  run_guava uuids bytes36 "$haste"
done >"$work/measured"
awk -f bench/reporting/median.awk "$work/measured" >"$out/report.csv"
echo "false positives, memory, pictures" >&2
"$fpp" "$keys" "$wrong" >"$out/fpp.csv"
"$memory" "$largest" >"$out/memory.csv"

# shellcheck source=bench/reporting/write.sh
source bench/reporting/write.sh
write_report >"$out/report.md"
draw_pictures
echo "$out/report.md: $(grep -c ': met' "$out/report.md" || true) targets met," \
  "$(grep -cF '**missed**' "$out/report.md" || true) missed" >&2
