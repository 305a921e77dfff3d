#!/bin/bash
# dedupe.sh - `lfbloom dedupe` without loss, beside `dedupe -p 1e-6`, its unlimited run, `sort -u`, mawk and a hash set
# of 128-bit hashes, each with its target, as a table on standard output.
#
#     ./bazelw run -c opt //bench:dedupe -- [--text=FILE] [--repetitions=N] [--smoke]
#
# 30 M lines of 33 bytes with 2, 50 and 98 % repeats, and a GB of source code: FILE, or what /usr has of it.  All of it
# in turns, N times (3), and medians; 4 minutes per round and 6 GB in TMPDIR.  --smoke: seconds, to test it.
set -euo pipefail

tool=$1 hashset=$2 spent=$3
shift 3
rounds=3 sizes=64KiB smoke_size=64KiB lines=30000000 most=1000000000 text='' flags=("$@")
set --
for flag in "${flags[@]}"; do
  case $flag in
  --text=*) text=${flag#*=} ;;
  --smoke) lines=100000 most=5000000 && set -- "$@" "$flag" ;;
  *) set -- "$@" "$flag" ;;
  esac
done
# shellcheck source=bench/reporting/tables.sh
source bench/reporting/tables.sh
[[ -z $text || -r $text ]] || usage "--text=$text is no file that can be read"

# Lines of which a share is one of those before.
lines_repeated() { # share
  mawk -v n="$lines" -v share="$1" 'BEGIN { srand(1)
    for (i = 0; i < n; i++) {
      k = made == 0 || rand() >= share ? made++ : int(rand() * made)
      printf "https://example.org/%012.0f\n", k * 7919
    } }'
}

# A GB at most of source code.
source_text() {
  if [[ -n $text ]]; then cat "$text"; else
    find /usr -xdev -type f -size -1024k \( -name '*.[ch]' -o -name '*.cc' -o -name '*.hpp' -o -name '*.py' \
      -o -name '*.p[lm]' -o -name '*.js' -o -name '*.sh' -o -name '*.java' -o -name '*.rs' -o -name '*.go' \) -print0 |
      sort -z | xargs -0 cat
  fi 2>/dev/null | head -c "$most" || true
}

# Measures a command with the input as its last argument: three rows of rows.jq.
measure() { # what it is called, input, command...
  "$spent" "$work/spent" "${@:3}" "$work/$2" >"$work/out"
  tail -1 "$work/spent" | awk -v who="$1" -v input="$2" '{
    print "wall," who "," input ",,,,," $1 ","
    print "cpu," who "," input ",,,,," $2 ","
    print "peak," who "," input ",,,,," $3 "," }'
}

# The exact output of two ways is the same, or the figures are worth nothing.
same_output() { # what it is
  local sum
  sum=$(md5sum <"$work/out")
  [[ ${exact_sum:=$sum} == "$sum" ]] || { echo "${0##*/}: $1 prints other lines" >&2 && exit 1; }
}

dedupe=("$tool" dedupe -q --temp "$work" --threads)
measure_round() {
  local input exact_sum sixteenth
  for input in 2% 50% 98% source; do
    exact_sum=''
    measure exact $input "${dedupe[@]}" 2
    same_output "dedupe"
    measure one $input "${dedupe[@]}" 1
    same_output "dedupe --threads=1"
    measure hashset $input "$hashset"
    same_output "the hash set"
    measure lossy $input "$tool" dedupe -q --threads 2 -p 1e-6 -n "$(wc -l <"$work/$input")"
    [[ $input != source ]] || measure mawk $input mawk '!seen[$0]++'
    [[ $input != source ]] || same_output "mawk"
    [[ $input != source ]] || measure sort $input env LC_ALL=C sort -u --parallel=2
    sixteenth=$(($(stat -c %s "$work/$input") / 16))
    ((sixteenth >= 8 << 20)) || sixteenth=$((8 << 20)) # the least of two threads
    [[ $input != *% ]] || measure limited $input "${dedupe[@]}" 2 --memory $sixteenth
    [[ $input != *% ]] || same_output "dedupe --memory"
    echo "memory,limited,$input,,,,,$(awk -v bytes=$sixteenth 'BEGIN { print bytes / 1048576 + 64 }'),"
  done
}

for repeated in 2 50 98; do lines_repeated "0.$(printf %02d $repeated)" >"$work/$repeated%"; done
source_text >"$work/source"
[[ -s $work/source ]] || usage "there is no source code in /usr: give --text=FILE"
for ((round = 1; round <= rounds; round++)); do
  echo "round $round of $rounds" >&2
  measure_round
done >"$work/measured"
awk -f bench/reporting/median.awk "$work/measured" >"$work/report.csv"

cat <<END
<!-- made by: ./bazelw run -c opt //bench:dedupe${flags[*]:+ -- ${flags[*]}} -->
Seconds and MiB, medians of $rounds rounds; two threads, or one beside the hash set.  Source code:
$(($(stat -c %s "$work/source") / 1000000)) MB.
$(describe_machine)

END
print_tables dedupe
