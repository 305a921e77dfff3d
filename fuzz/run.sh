#!/bin/bash
# run.sh - fuzzes the readers, one after the other, starting from the kept corpus.
#
#     ./bazelw run --config=fuzz //fuzz:run -- [--seconds=N] [--keep] [READER...]
#
# Runs each reader, or those named, for N seconds (default: 60).  Writes an input that is a finding
# to the current directory of the caller.  --keep adds to fuzz/corpus the inputs that reach more
# edges.  Exits with 1 if there was a finding.
set -euo pipefail

binaries=()
while [[ ${1:-} == */*_test ]]; do
  binaries+=("$1")
  shift
done
seconds=60 keep='' wanted=''
for flag in "$@"; do
  case $flag in
  --seconds=*) seconds=${flag#*=} ;;
  --keep) keep=yes ;;
  -*)
    echo "run.sh: unknown flag $flag" >&2
    exit 2
    ;;
  *) wanted+=" $flag " ;;
  esac
done
corpus=${BUILD_WORKSPACE_DIRECTORY:?is set by ./bazelw run}/fuzz/corpus
for reader in $wanted; do
  [[ " ${binaries[*]##*/} " == *" ${reader}_test "* ]] || {
    echo "run.sh: no reader $reader" >&2
    exit 2
  }
done
"${binaries[0]}" -help=1 2>&1 | grep libFuzzer >/dev/null || {
  echo "run.sh: without --config=fuzz there is no libFuzzer in this" >&2
  exit 2
}

# libFuzzer's memory limit is meant for the reader: AddressSanitizer keeps less freed memory than
# by default.
export ASAN_OPTIONS=quarantine_size_mb=16:detect_stack_use_after_return=0
limits=(-rss_limit_mb=256 -malloc_limit_mb=256 -timeout=60 -report_slow_units=60)
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT

fuzz() { # binary, reader
  local status=ok
  mkdir -p "$found/$2"
  "$1" "${limits[@]}" -max_total_time="$seconds" -max_len=8192 -use_value_profile=1 \
    -entropic_scale_per_exec_time=1 -print_final_stats=1 \
    -artifact_prefix="${BUILD_WORKING_DIRECTORY:-$PWD}/$2-" \
    "$found/$2" "$corpus/$2" 2>"$found/$2.log" || status=FINDING
  if [[ $status != ok ]]; then tail -n 60 "$found/$2.log"; fi
  awk -v reader="$2" -v status="$status" '
    / cov: / { for (i = 1; i < NF; i++) if ($i == "cov:") edges = $(i + 1) }
    /^stat::number_of_executed_units/ { runs = $2 }
    /^stat::peak_rss_mb/ { peak = $2 }
    END { printf "%s: %d runs, %d edges, at most %d MiB: %s\n", reader, runs, edges, peak, status }
  ' "$found/$2.log"
  [[ $status == ok ]]
}

failed=0
for binary in "${binaries[@]}"; do
  reader=$(basename "$binary" _test)
  [[ -z $wanted || $wanted == *" $reader "* ]] || continue
  fuzz "$binary" "$reader" || failed=1
  if [[ $keep ]]; then
    # Compares edges only: comparing their counts too would keep hundreds of files.
    "$binary" "${limits[@]}" -set_cover_merge=1 -use_counters=0 "$corpus/$reader" "$found/$reader" 2>/dev/null
  fi
done
exit $failed
