#!/bin/bash
# apart_test.sh APART_C LIBLFBLOOM_REDIS VERSION_SCRIPT FILE...: the library for Redis works with a
# liblfbloom.so that has other internal structs than those that it was compiled with.  That library
# is built here, from sources with a field more at the head of each such struct.
#
# Seen to fail with the last libraries that shared private functions and structs: the program crashed.
set -euo pipefail
source tests/support/steps.sh

program=$1 redis_library=$2 version_script=$3
shift 3
work=$TEST_TMPDIR/apart
mkdir -p "$work/tree" "$work/objects"
for file in "$@"; do
  if [[ $file == include/* || $file == atomic/* || $file == bloom/* ]]; then
    mkdir -p "$work/tree/${file%/*}"
    cp -L "$file" "$work/tree/$file"
  fi
done
chmod -R u+w "$work/tree"
cp -L "$redis_library" "$work/liblfbloom_redis.so.0.9"

# shift_struct FILE FIRST_LINE: adds a field of 64 bytes at the head of a struct.
shift_struct() {
  local file=$work/tree/$1
  (($(grep -cxF "$2" "$file") == 1)) || fail "$1 has no line \"$2\""
  awk -v first="$2" '{ print } $0 == first { print "  uint64_t shifted[8];" }' "$file" >"$file.new"
  mv "$file.new" "$file"
}
shift_struct bloom/filter/filter.h 'struct lfb_filter {'
shift_struct bloom/filter/description.h 'typedef struct lfb_description {'
shift_struct bloom/strategies/kernel.h 'typedef struct lfb_layout {'
shift_struct bloom/hashing/hash_function.h 'typedef struct lfb_hasher {'
shift_struct bloom/hashing/hash_function.h 'typedef struct lfb_hash_pieces {'
shift_struct bloom/hashing/sink.c 'struct lfb_sink {'

cd "$work/tree"
find atomic bloom -name '*.c' | while read -r source; do
  echo "-c $source -o $work/objects/${source//\//_}.o"
done | xargs -P 2 -L 1 cc -std=c11 -O1 -fPIC -fvisibility=hidden -I. -Iinclude ||
  fail "the shifted sources do not compile"
cd "$OLDPWD"
cc -shared -o "$work/liblfbloom.so.0.9" "$work"/objects/*.o -lck -lm -pthread -Wl,-soname,liblfbloom.so.0.9 \
  -Wl,--version-script="$version_script" -Wl,-z,nodelete
pass "the shifted library is built"

cc -std=c11 -O1 -Wall -Wextra -Werror -o "$work/apart" "$program" -Iinclude \
  "$work/liblfbloom_redis.so.0.9" "$work/liblfbloom.so.0.9" -Wl,-rpath,"$work"
[[ $(ldd "$work/apart") == *"$work/liblfbloom.so.0.9"* ]] || fail "the program takes another library"

server=
trap '[[ -z $server ]] || kill "$server"' EXIT
# Starts a server on a port that is free; sets port and server.
start_server() {
  for ((attempt = 0; attempt < 20; attempt++)); do
    port=$((20000 + RANDOM % 10000))
    redis-server --port $port --bind 127.0.0.1 --save '' --dir "$work" >"$work/server.txt" 2>&1 &
    server=$!
    for ((wait = 0; wait < 200; wait++)); do
      grep -q 'Ready to accept connections' "$work/server.txt" && return
      kill -0 $server 2>/dev/null || break
      sleep 0.05
    done
  done
  fail "redis-server does not start: $(cat "$work/server.txt")"
}
start_server
timeout 120 "$work/apart" $port || fail "the libraries need each other's build"
pass "filters are saved, loaded, published and followed with it"
echo "$passed passed, 0 failed"
