#!/bin/bash
# plants_test.sh PLANT:SOURCE,SOURCE... -- SOURCE...: each planted bug that is said to be
# in some sources only (tools/library.bzl) is in those that see its macro, and in no others.
# Seen to fail with one source named for another.
set -euo pipefail

declare -A said
while [[ $1 != -- ]]; do
  said[${1%%:*}]=${1#*:}
  shift
done
shift

# "PLANT SOURCE" for each source that sees the macro, in itself or in a header.
seen() {
  local source files
  for source in "$@"; do
    files=$(cc -MM -I. -I{atomic,bloom,redis}/include "$source")
    # shellcheck disable=SC2046 # words are file names
    awk -v source="$source" '
      /^ *# *(if|elif).*LFB_PLANT_/ {
        for (; match($0, /LFB_PLANT_[A-Z_]+/); $0 = substr($0, RSTART + RLENGTH))
          print tolower(substr($0, RSTART + 10, RLENGTH - 10)), source
      }' $(grep -oE '[^ ]+\.[ch]( |$)' <<<"$files")
  done | sort -u
}

sources=()
for file in "$@"; do
  [[ $file == *.c ]] && sources+=("$file")
done
found=$(seen "${sources[@]}")

wrong=0
for plant in "${!said[@]}"; do
  difference=$(diff <(tr ',' '\n' <<<"${said[$plant]}" | sort) <(sed -n "s/^$plant //p" <<<"$found")) || {
    echo "$plant: said to be in (<), and seen by (>):"$'\n'"$difference" >&2
    wrong=$((wrong + 1))
  }
done
echo "${#said[@]} planted bugs, ${#sources[@]} sources, $(wc -l <<<"$found") places, $wrong wrong"
((${#said[@]} > 10 && ${#sources[@]} > 50))
((wrong == 0))
