#!/bin/bash
# static_test.sh CLANG_TIDY|cppcheck PLANTED FILE...: the analyser finds nothing in the C
# sources among FILE, and finds the bugs in PLANTED.
set -euo pipefail
analyser=$1 planted=$2
shift 2
flags=(-std=c11 -I. -Iinclude '-DLFBLOOM_VERSION="0"'
  -DLFBLOOM_{ZLIB,ZSTD,LZMA,JANSSON})
# The Python module.  cppcheck does not read Python's headers: it gets what these macros mean.
if [[ $* == *packaging/python/* ]]; then
  flags+=(-DLFBPY_STABLE '-DLFBPY_VERSION="0"')
  if [[ $analyser == cppcheck ]]; then
    flags+=('-DPyAPI_FUNC(type)=type' '-DPyMODINIT_FUNC=PyObject*' '-DPy_BEGIN_ALLOW_THREADS={'
      '-DPy_END_ALLOW_THREADS=}' '-DPyObject_HEAD=PyObject head;') # last: cppcheck splits at ;
  else
    flags+=(-isystem "$(/usr/bin/python3 -c 'import sysconfig; print(sysconfig.get_paths()["include"])')")
  fi
fi

analyse() {
  case $analyser in
  cppcheck)
    # Without its matters of style: most conditions that it calls always true depend on macros.
    cppcheck --quiet --std=c11 --enable=warning,performance,portability --error-exitcode=1 \
      --suppressions-list=tests/static/cppcheck.txt \
      '-DCK_STACK_CONTAINER(type,member,name)=' "${flags[@]:1}" "$@"
    ;;
  # It reports on stderr how many warnings it suppressed.
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

# For this shard, if there are several.
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
