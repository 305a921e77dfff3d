#!/bin/bash
# Writes lfbloom.h and lfbloom.c into a folder:
# ./bazelw run //packaging:amalgamation -- OUTDIR
#
# Runs in the folder where Bazel puts the rule's data files.
set -euo pipefail

if (($# != 1)) || [[ -z $1 ]]; then
  echo "usage: ./bazelw run //packaging:amalgamation -- OUTDIR" >&2
  exit 2
fi
# A relative OUTDIR is relative to the caller's current directory.
from=${BUILD_WORKING_DIRECTORY:-$PWD}
[[ $1 == /* ]] && out=$1 || out=$from/$1

mkdir -p "$out" # not install -d, which changes the mode of an existing folder
command -p install -m 644 packaging/lfbloom.{h,c} "$out/"
echo "wrote lfbloom.h and lfbloom.c below $out"
echo "compile: cc -std=c11 -O2 your.c lfbloom.c -lck -pthread -lm   # needs libck-dev"
