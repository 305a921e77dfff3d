# shellcheck shell=bash disable=SC2154 # its variables are set where it is sourced
# run.sh - runs the benchmark and Guava's.  Source it with $bench and $java_source set, and
# with a directory $work that contains one named scenes.
#
# Both print rows "what,filter,size,call,keys,fpp,threads,ns"; the first adds each row's limit, as
# rows.jq says.

guava=/usr/share/java/guava.jar

compile_guava() {
  mkdir "$work/classes"
  javac -proc:none -cp "$guava" -d "$work/classes" "$java_source"
}

run_guava() { # numbers or uuids, the name of these keys on the other side, a divisor of the time
  local heap=${heap:-3g}
  java -XX:+UseParallelGC "-Xms$heap" "-Xmx$heap" -XX:+AlwaysPreTouch -XX:+UseTransparentHugePages \
    -cp "$guava:$work/classes" GuavaBench "$work/scenes" "$1" "${3:-1}" |
    awk -F, -v OFS=, -v keys="$2" '{ print $1, "guava", $2, "single", keys, "1%", 1, $3 }'
}

# Fails if a benchmark does, with its message; with 2 on a busy machine.  Google Benchmark aims at 1.4
# times the least seconds.
run_bench() { # an expression, least seconds for each, further flags
  "$bench" --scenes="$work/scenes" --benchmark_filter="$1" --benchmark_min_time="$2" \
    --benchmark_format=json "${@:3}" | jq -rf bench/reporting/rows.jq
}
