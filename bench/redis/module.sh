#!/bin/bash
# module.sh - measures the module in a Redis server, beside the server's own PING.
#
#     ./bazelw run -c opt //bench:module -- [--peer=FILE.so] [--capacity=N] [--requests=N]
#
# Prints for each command the requests per second of redis-benchmark with 1 and with 100 requests in a
# pipeline, and the microseconds that the server itself took for one (INFO commandstats).  --peer
# measures another module with the same commands (RedisBloom's redisbloom.so) in turns with this one.
# The filters are made for N keys (10,000,000) at 1 %.  All keys are drawn at random from N, and N draws
# are added before the first row.  A command of MADD and MEXISTS has 100 keys.
# `followed` is this one, when a copy follows its key.
set -euo pipefail

module=$PWD/$1
shift
peer='' capacity=10000000 requests=200000
for flag in "$@"; do
  case $flag in
  --peer=*) peer=$(realpath "${BUILD_WORKING_DIRECTORY:-$PWD}/${flag#*=}" 2>/dev/null || realpath "${flag#*=}") ;;
  --capacity=*) capacity=${flag#*=} ;;
  --requests=*) requests=${flag#*=} ;;
  *)
    echo "module.sh: $flag is no option" >&2
    exit 2
    ;;
  esac
done

work=$(mktemp -d)
cleanup() {
  for pid in "$work"/*.pid; do
    [[ ! -s $pid ]] || kill "$(<"$pid")" 2>/dev/null || true
  done
  rm -rf "$work"
}
trap cleanup EXIT

hundred=()
for ((i = 0; i < 100; i++)); do hundred+=("key:__rand_int__"); done

# begin NAME FILE.so: starts a server with a module.
begin() {
  redis-server --port 0 --unixsocket "$work/$1" --save "" --dir "$work" --pidfile "$work/$1.pid" \
    --logfile "$1.log" --daemonize yes --loadmodule "$2" >/dev/null
  local tries=100
  until redis-cli -s "$work/$1" ping >/dev/null 2>&1; do
    ((--tries > 0)) || {
      echo "module.sh: redis-server does not start with $2:" >&2
      tail -n 20 "$work/$1.log" >&2
      exit 1
    }
    sleep 0.1
  done
  redis-cli -s "$work/$1" BF.RESERVE seen 0.01 "$capacity" >/dev/null
  redis-benchmark -s "$work/$1" -c 4 -n $((capacity / 100)) -P 20 -r "$capacity" -q BF.MADD seen \
    "${hundred[@]}" >/dev/null
}

# measure NAME COMMAND REQUESTS PIPELINE WORDS...: prints one row.
measure() {
  local name=$1 command=$2 count=$3 pipeline=$4
  shift 4
  redis-cli -s "$work/$name" CONFIG RESETSTAT >/dev/null
  local rate usec
  rate=$(redis-benchmark -s "$work/$name" -c 4 -n "$count" -P "$pipeline" -r "$capacity" --csv "$command" "$@" |
    tail -n 1 | cut -d, -f2 | tr -d '"')
  usec=$(redis-cli -s "$work/$name" INFO commandstats | tr -d '\r' |
    sed -nE "s/^cmdstat_${command,,}:.*usec_per_call=([0-9.]+),.*/\1/p")
  printf '| %-8s | %-10s | %8d | %12.0f | %13.2f |\n' "$name" "$command" "$pipeline" "$rate" "${usec:-0}"
}

names=(lfbloom)
begin lfbloom "$module"
if [[ -n $peer ]]; then
  names+=(peer)
  begin peer "$peer"
fi
echo "| server   | command    | pipeline | requests / s | server us each |"
echo "|---|---|---|---|---|"
for pipeline in 1 100; do
  few=$((requests / (pipeline == 1 ? 2 : 1)))
  for name in "${names[@]}"; do measure "$name" PING "$few" "$pipeline"; done
  for command in BF.ADD BF.EXISTS; do
    for name in "${names[@]}"; do measure "$name" "$command" "$few" "$pipeline" seen key:__rand_int__; done
  done
  for command in BF.MADD BF.MEXISTS; do
    for name in "${names[@]}"; do
      measure "$name" "$command" $((few / 10)) "$pipeline" seen "${hundred[@]}"
    done
  done
done
