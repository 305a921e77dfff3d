# shellcheck shell=bash disable=SC2154 # its variables are set where it is sourced
# run.sh - runs the benchmark and Guava's.  Source it with $bench and $java_source set, and
# with a directory $work that contains one named scenes.
#
# Both print rows "what,filter,size,call,keys,fpp,threads,ns".

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

# Fails if a benchmark does, with its message.
run_bench() { # a filter, least seconds for each, further flags
  "$bench" --scenes="$work/scenes" --benchmark_filter="$1" --benchmark_min_time="$2" \
    --benchmark_format=csv "${@:3}" 2>"$work/stderr" | awk -F, -v OFS=, '
    /^"/ {
      gsub(/"/, "", $1)
      split($1, part, "/")
      threads = $1
      sub(/.*threads:/, "", threads)
      if ($9 == "true") { print $1 ": " $10 >"/dev/stderr"; failed = 1 }
      how = part[3] OFS part[4] OFS part[5] OFS part[6]
      if (part[1] == "limit") how = part[3] OFS OFS OFS
      if (part[1] == "hash") how = OFS part[4] OFS part[3] OFS
      print part[1], part[2], how, threads, $3
    }
    END { exit failed }'
}
