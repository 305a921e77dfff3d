#!/bin/bash
# static.sh CLANG_TIDY|cppcheck PLANTED FILE...: the C sources among FILE have nothing that
# the analyser finds, and PLANTED, a file with bugs, does.
set -euo pipefail
analyser=$1 planted=$2
shift 2
flags=(-std=c11 -I. -I{atomic,bloom,redis}/include '-DLFBLOOM_VERSION="0"')

analyse() {
  case $analyser in
  cppcheck)
    # Not its matters of style: most of what it calls always true hangs on macros.
    cppcheck --quiet --std=c11 --enable=warning,performance,portability --error-exitcode=1 \
      --suppressions-list=tests/static/cppcheck.txt \
      "${flags[@]:1}" "$@"
    ;;
  # It counts on stderr what it keeps to itself.
  *) "$analyser" --quiet "$@" -- -xc "${flags[@]}" 2> >(grep -v "warnings\? generated" >&2 || true) ;;
  esac
}

if found=$(analyse "$planted" 2>&1); then
  echo "$analyser does not find what is planted in $planted"
  exit 1
fi
grep -qiE 'zero|leak' <<<"$found" || {
  echo "$analyser fails for another reason:"$'\n'"$found"
  exit 1
}

# Of this shard, if there are several.
[[ -z ${TEST_SHARD_STATUS_FILE:-} ]] || touch "$TEST_SHARD_STATUS_FILE"
sources=()
number=0
for file in "$@"; do
  [[ $file == *.c ]] || continue
  ((number++ % ${TEST_TOTAL_SHARDS:-1} == ${TEST_SHARD_INDEX:-0})) && sources+=("$file")
done
echo "${#sources[@]} sources by $analyser"
((${#sources[@]} > 0))
analyse "${sources[@]}"
