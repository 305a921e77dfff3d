#!/bin/bash
# compare.sh - measures lfbloom and Guava in turns on one machine, as one table.
#
#     ./bazelw run -c opt //bench:guava -- [--rounds=N] [--strategy=S] [--out=FILE]
#
# Runs the two sides one after the other, never concurrently, N times (3), and takes
# medians.  Both use the same filters with the same keys, and each checks its
# answers.  Exits with 1 if a requirement is missed.
set -euo pipefail

bench=$1 java_source=$2
shift 2
rounds=3 out='' strategy=guava-mitz64
for flag in "$@"; do
  case $flag in
  --rounds=*) rounds=${flag#*=} ;;
  --strategy=*) strategy=${flag#*=} ;;
  --out=*) out=${flag#*=} ;;
  *)
    echo "compare.sh: unknown flag $flag" >&2
    exit 2
    ;;
  esac
done
[[ -z $out || $out == /* ]] || out=${BUILD_WORKING_DIRECTORY:-$PWD}/$out

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/scenes"
# shellcheck source=bench/reporting/machine.sh
source bench/reporting/machine.sh
# shellcheck source=bench/reporting/run.sh
source bench/reporting/run.sh
compile_guava

# Runs the benchmarks of the table, and those of two threads on one filter; prints lines
# "side,operation,size,keys,ns".
run_lfbloom() { # strategy, least seconds for each benchmark
  local compared="^(query_present|query_absent|put_new)/$1/(64KiB|1MiB|16MiB|256MiB)/(single|many)/(u64|bytes36)/1%/.*threads:1\$"
  local shared="^query_(present|absent)/$1/[^/]*/(single|many)/u64/1%/.*threads:[12]\$"
  run_bench "$compared|$shared" "$2" | awk -F, -v OFS=, '{ print $4 $7, $1, $3, $5, $8 }'
}

compare_guava() { # numbers or uuids, the name of these keys on the other side
  run_guava "$1" "$2" | awk -F, -v OFS=, '{ print $2, $1, $3, $5, $8 }'
}

echo "making the filters" >&2
# Guava reads the filters of its own strategy.
run_lfbloom guava-mitz64 0.001 >/dev/null
for ((round = 1; round <= rounds; round++)); do
  echo "round $round of $rounds" >&2
  compare_guava numbers u64
  run_lfbloom "$strategy" 0.2
  compare_guava uuids bytes36
done >"$work/measured"

table() {
  awk -F, '
  function median(key,    list, count, i, j, swap) {
    count = split(all[key], list, " ")
    for (i = 2; i <= count; i++)
      for (j = i; j > 1 && list[j - 1] + 0 > list[j] + 0; j--) {
        swap = list[j]; list[j] = list[j - 1]; list[j - 1] = swap
      }
    return count % 2 ? list[(count + 1) / 2] : (list[count / 2] + list[count / 2 + 1]) / 2
  }
  function verdict(ratio, wanted) {
    if (ratio >= wanted) return ">= " wanted ": met"
    missed++
    return ">= " wanted ": **missed**"
  }
  { all[$1 "," $2 "," $3 "," $4] = all[$1 "," $2 "," $3 "," $4] " " $5 }
  END {
    operations = split("query_present query_absent put_new", operation, " ")
    sizes = split("64KiB 1MiB 16MiB 256MiB 1GiB", size, " ")
    kinds = split("u64 bytes36", keys, " ")
    print "| operation | keys | size | Guava, ns | single, ns | ratio | required | many, ns | ratio | required |"
    print "|---|---|---|--:|--:|--:|---|--:|--:|---|"
    for (o = 1; o <= operations; o++)
      for (k = 1; k <= kinds; k++)
        for (s = 1; s < sizes; s++) {
          what = operation[o] "," size[s] "," keys[k]
          guava = median("guava," what); single = median("single1," what); many = median("many1," what)
          printf "| %s | %s | %s | %.1f | %.1f | %.2f | %s | %.1f | %.2f | %s |\n", operation[o],
            keys[k], size[s], guava, single, guava / single,
            verdict(guava / single, operation[o] == "put_new" ? 3 : 4), many, guava / many,
            size[s] == "256MiB" ? verdict(guava / many, 8) : ""
        }
    print "\nTwo threads on one filter, against one thread:\n"
    print "| operation | way | size | one thread, ns | two threads, ns | ratio | required |"
    print "|---|---|---|--:|--:|--:|---|"
    for (o = 1; o <= 2; o++)
      for (w = 1; w <= 2; w++)
        for (s = 1; s <= sizes; s++) {
          way = w == 1 ? "single" : "many"
          what = "," operation[o] "," size[s] ",u64"
          one = median(way "1" what); two = median(way "2" what)
          printf "| %s | %s | %s | %.2f | %.2f | %.2f | %s |\n", operation[o], way, size[s], one,
            two, one / two, verdict(one / two, 1.8)
        }
    exit missed > 0
  }' "$work/measured"
}

report() {
  echo "<!-- made by: ./bazelw run -c opt //bench:guava -- --rounds=$rounds --strategy=$strategy -->"
  echo
  echo "lfbloom ($strategy) and Guava 31.1 (MURMUR128_MITZ_64): fpp 1 %, wall nanoseconds per"
  echo "operation, medians of $rounds alternating rounds.  put_new is the mean over filling from empty"
  echo "to n.  u64: 8-byte keys (lfb_filter_put_u64 and so on; Funnels.longFunnel); bytes36: UUIDs as"
  echo "text (lfb_filter_put; Funnels.byteArrayFunnel)."
  echo
  describe_machine
  echo
  table
}

missed=0
report >"$work/report" || missed=1
cat "$work/report"
[[ -z $out ]] || cp "$work/report" "$out"
exit "$missed"
