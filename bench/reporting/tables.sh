# shellcheck shell=bash disable=SC2154,SC2034 # variables of the script that sources it
# tables.sh - measures benchmarks in rounds, for a script that prints tables.  Source it with $bench,
# $rounds, $sizes and $smoke_size set, and with the script's flags as arguments:
#
# --repetitions=N --sizes=SIZE,...  as the script says; the sizes become $at, an expression
# --busy                       also on a busy machine, where it otherwise stops with 2
# --smoke                      takes seconds, to test the script; the figures mean nothing

usage() { # what is wrong
  echo "${0##*/}: $1" >&2
  exit 2
}

least=0.07 bench_flags=()
for flag in "$@"; do
  case $flag in
  --repetitions=*) rounds=${flag#*=} ;;
  --sizes=*) sizes=${flag#*=} ;;
  --busy) bench_flags+=(--busy) ;;
  --smoke) rounds=1 sizes=$smoke_size least=0.0001 bench_flags+=(--puts=1 --busy) ;;
  *) usage "unknown flag $flag" ;;
  esac
done
[[ $rounds =~ ^[1-9][0-9]*$ ]] || usage "--repetitions takes a number from 1 up"
known='(64KiB|1MiB|16MiB|256MiB|1GiB)'
[[ $sizes =~ ^$known(,$known)*$ ]] || usage "--sizes takes some of 64KiB,1MiB,16MiB,256MiB,1GiB"
at="(${sizes//,/|})"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/scenes"
# shellcheck source=bench/reporting/machine.sh
source bench/reporting/machine.sh
# shellcheck source=bench/reporting/run.sh
source bench/reporting/run.sh

# Measures the benchmarks that a pattern matches, all of them in turns; writes the medians to
# $work/report.csv.
measure_rounds() { # patterns
  local selected round
  selected=$(IFS='|' && echo "$*")
  for ((round = 1; round <= rounds; round++)); do
    echo "round $round of $rounds" >&2
    run_bench "$selected" "$least" "${bench_flags[@]}"
  done >"$work/measured"
  awk -f bench/reporting/median.awk "$work/measured" >"$work/report.csv"
}

print_tables() { # awk scripts
  local script scripts=(-f bench/reporting/lib.awk)
  for script in $1; do scripts+=(-f "bench/reporting/$script.awk"); done
  awk "${scripts[@]}" "$work/report.csv"
}
