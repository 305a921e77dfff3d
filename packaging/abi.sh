#!/bin/bash
# Describes the interface of both shared libraries, by libabigail:
# ./bazelw run //packaging:abi -- OUTDIR [INCLUDE]
#
# Writes OUTDIR/lfbloom.abi and OUTDIR/lfbloom_redis.abi, and leaves the libraries that it built for
# them in OUTDIR if LFBLOOM_KEEP is set.  INCLUDE is a folder with lfbloom/*.h to use instead of the tree's public headers.
set -euo pipefail

if (($# < 1 || $# > 2)); then
  echo "usage: ./bazelw run //packaging:abi -- OUTDIR [INCLUDE]" >&2
  exit 2
fi
command -v abidw >/dev/null || {
  echo "abi: abidw is missing: apt-get install abigail-tools" >&2
  exit 1
}
# A relative folder is relative to the caller's current directory.
from=${BUILD_WORKING_DIRECTORY:-$PWD}
[[ $1 == /* ]] && out=$1 || out=$from/$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out" "$work/include/lfbloom"
cp {atomic,bloom,redis}/include/lfbloom/*.h "$work/include/lfbloom/"
[[ -z ${2:-} ]] || cp "$2"/lfbloom/*.h "$work/include/lfbloom/"

# library NAME LIBRARIES <SOURCES: without optimisation, since only types and names count.
library() {
  local name=$1
  mkdir "$work/$name"
  xargs -P "$(nproc)" -I{} sh -c 'gcc -std=c11 -w -g -O0 -fPIC -fvisibility=hidden -I. \
    "-I$1/include" -c "$3" -o "$1/$2/$(echo "$3" | tr / _).o"' sh "$work" "$name" {}
  gcc -shared -o "$out/lib$name.so" "$work/$name"/*.o "-Wl,-soname,lib$name.so.1" \
    "-Wl,--version-script=packaging/$name.map" -Wl,--as-needed "${@:2}" -lm -pthread
  ln -sf "lib$name.so" "$out/lib$name.so.1"
  abidw --headers-dir "$work/include" --drop-private-types --no-show-locs --no-corpus-path \
    --no-comp-dir-path --no-elf-needed --out-file "$out/$name.abi" "$out/lib$name.so"
}
sources() { find -L "$@" -name '*.c'; }
sources atomic bloom | library lfbloom -lck
{
  sources redis
  sed -nE 's/^ *"(.*\.c)",$/\1/p' tools/inner.bzl
} | library lfbloom_redis "-L$out" -llfbloom -lhiredis -lssl -lcrypto
[[ -n ${LFBLOOM_KEEP:-} ]] || rm "$out"/liblfbloom{,_redis}.so{,.1}
