#!/bin/bash
# targets.sh - what users still notice: each with its limit, its peer or its plain filter of the same run, and
# its target, as a table on standard output.
#
#     ./bazelw run -c opt //bench:targets -- [--peers-dir=DIR] [--repetitions=N] [--sizes=SIZE,...]
#       [--busy] [--smoke]
#
# Measures all of it in turns, N times (3), at 64KiB,1MiB,16MiB,256MiB, and takes medians; 3 minutes per round
# and a GiB in TMPDIR.  Peers as bench/peers.sh says: rocksdb and libfilter have rows, which are "not measured"
# without them.  --busy, --smoke: also as there.
set -euo pipefail

bench=$1 bits=$2 tool=$3
shift 3
rounds=3 sizes=64KiB,1MiB,16MiB,256MiB smoke_size=64KiB names=''
# shellcheck source=bench/reporting/with_peers.sh
source bench/reporting/with_peers.sh
# shellcheck source=bench/reporting/tables.sh
source bench/reporting/tables.sh
find_peers rocksdb libfilter

keys=10000000
[[ " ${flags[*]} " != *" --smoke "* ]] || keys=200000
one='.*threads:1$'
selection=(
  "^limit/(read|load|cmpxchg16b)/$at/$one"
  "^query_present/fast/$at/many/hash/.*%/$one"
  "^query_present/fast-pair/$at/many/hash/1%/$one"
  "^put_present/fast-pair/$at/many/hash/1%/.*threads:[12]\$"
  "^put_new/fast-pair/$at/(single|many)/hash/1%/.*threads:[12]\$"
  "^put_new/fast/$at/(many|claim_many)/hash/1%/$one"
  "^(query_present|query_absent|put_new)/(fast|counting)/$at/many/u64/1%/$one"
  "^query_present/sbbf/$at/many/hash/1%/$one"
  "^(query_present|put_new)/(rocksdb|libfilter)/$at/(single|ahead)/hash/1%/.*threads:[12]\$"
  "^(fill|ask_absent)/(plain|growing)/$at/many/u64/1%/$one"
)

# Prints a row of rows.jq: the seconds of a command.
time_tool() { # its name, the fpp, the command
  local before=$EPOCHREALTIME
  "$tool" "${@:3}" "$work/lines" >/dev/null
  awk -v before="$before" -v after="$EPOCHREALTIME" -v row="seconds,$1,,,,$2,1" 'BEGIN { print row "," after - before "," }'
}

time_dedupe() {
  local round fpp
  seq -f 'https://example.org/%.15g?page=1234' 1000000 "$((999999 + keys))" >"$work/lines"
  for ((round = 1; round <= rounds; round++)); do
    for fpp in 1e-4 1e-6; do
      time_tool build "$fpp" build -q -n "$keys" -p "$fpp" -o "$work/built"
      time_tool dedupe "$fpp" dedupe -q -n "$keys" -p "$fpp" --unordered
      rm "$work/built"
    done
  done
}

measure_rounds "${selection[@]}"
{ "$bits" "$keys" && time_dedupe; } >"$work/others"
awk -f bench/reporting/median.awk "$work/measured" "$work/others" >"$work/report.csv"

cat <<END
<!-- made by: ./bazelw run -c opt //bench:targets${flags[*]:+ -- ${flags[*]}} -->
ns per operation, wall time; medians of $rounds rounds.  Bits per key and seconds where the row says so.
$(describe_machine)

END
print_tables "ratios wanted"
