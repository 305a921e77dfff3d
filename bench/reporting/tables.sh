# shellcheck shell=bash disable=SC2154 # its variables are set where it is sourced
# tables.sh - measures benchmarks in rounds, for a script that prints tables.  Source it with $bench,
# $rounds, $least and $bench_flags set.

[[ $rounds =~ ^[1-9][0-9]*$ ]] || {
  echo "${0##*/}: --rounds takes a number from 1 up" >&2
  exit 2
}
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

print_tables() { # an awk script
  awk -f bench/reporting/lib.awk -f "bench/reporting/$1.awk" "$work/report.csv"
}
