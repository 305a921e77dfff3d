#!/bin/bash
# module.sh - measures the module in a Redis server, beside the server's own PING, and this library's client.
#
#     ./bazelw run -c opt //bench:module -- [--peer=FILE.so] [--capacity=N] [--requests=N]
#
# Prints for each command the requests per second of redis-benchmark with 1 and with 100 requests in a
# pipeline, and the microseconds that the server itself took for one (INFO commandstats).  --peer
# measures another module with the same commands (RedisBloom's redisbloom.so) in turns with this one.
# The filters are made for N keys (10,000,000) at 1 %.  All keys are drawn at random from N, and N draws
# are added before the first row.  A command of MADD and MEXISTS has 100 keys.
#
# Then keys a second of the client (client.c), which puts and queries N requests' keys one by one, on strings and on
# a key of the module; its peer is `redis-cli --pipe` with the same BITFIELD for each key, of bits of a string of 64 MiB.
set -euo pipefail

module=$PWD/$1 client=$PWD/$2
shift 2
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

# The commands of a filter of two words a key: six bits to set, or two words to get.
bitfields() { # put or query
  awk -v count="$requests" -v put="$([[ $1 != put ]] || echo 1)" 'BEGIN { srand(1)
    for (; count > 0; count--) {
      printf "BITFIELD {bench}:0"
      line = 512 * int(rand() * 1048576)
      for (i = 0; i < (put ? 6 : 2); i++)
        if (put) printf " SET u1 %d 1", line + 64 * int(i / 3) + int(rand() * 64)
        else printf " GET i64 %d", line + 64 * i
      printf "\r\n"
    } }'
}
piped() { # put or query: keys a second
  bitfields "$1" >"$work/commands"
  local before=$EPOCHREALTIME
  redis-cli -s "$work/lfbloom" --pipe <"$work/commands" >/dev/null
  awk -v count="$requests" -v before="$before" -v after="$EPOCHREALTIME" 'BEGIN { printf "%.0f", count / (after - before) }'
}

echo
echo "| client | window | keys put / s | keys queried / s |"
echo "|---|---|---|---|"
redis-cli -s "$work/lfbloom" SETBIT '{bench}:0' 536870911 1 >/dev/null
echo "| redis-cli --pipe, a BITFIELD a key | all | $(piped put) | $(piped query) |"
for window in 64 256 1024; do
  for layout in strings module; do
    where="redis+unix://$work/lfbloom?name=client-$layout"
    [[ $layout == strings ]] || where+='&layout=module'
    figures=$("$client" "$where" "$requests" "$window")
    echo "| lfbloom, $layout | $window | ${figures% *} | ${figures#* } |"
  done
done
