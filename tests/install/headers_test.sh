#!/bin/bash
# headers_test.sh CC CXX HEADER...: each public header compiles alone, in every supported C and
# C++, in C++ also inside extern "C", with warnings as errors. Seen to fail with a header that uses
# something it does not include, and with <atomic> included with the linkage of the user's code.
set -euo pipefail
cc=$1 cxx=$2
shift 2
warnings=(-O1 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wundef -Werror)
c=(-Wstrict-prototypes -Wmissing-prototypes)
includes=(-Iinclude)
wrong=0

# compiles COMPILER STANDARD LANGUAGE FLAG...: each of the headers.
compiles() {
  local compiler=$1 standard=$2 language=$3 header
  shift 3
  for header in "${headers[@]}"; do
    # Included from a file, as in a program: the header is not the main file.
    "$compiler" -std="$standard" "${warnings[@]}" "$@" "${includes[@]}" -fsyntax-only -x "$language" - \
      <<<"${before:-}"$'\n'"#include <lfbloom/${header##*/}>"$'\n'"${after:-}" || {
      echo "$header alone as $standard by $compiler $*" >&2
      wrong=$((wrong + 1))
    }
  done
}

headers=("$@")
for standard in c11 c17 c2x; do compiles "$cc" $standard c "${c[@]}"; done
for standard in c++11 c++14 c++17 c++20; do
  compiles "$cxx" $standard c++
  before='extern "C" {' after='}' compiles "$cxx" $standard c++
done
echo "${#headers[@]} headers by $cc and $cxx, $wrong times not"
((${#headers[@]} > 15 && wrong == 0))
