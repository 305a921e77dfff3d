#!/bin/bash
# Writes lfbloom.h and lfbloom.c into a folder:
# ./bazelw run //packaging:amalgamation -- OUTDIR
#
# Runs where Bazel has laid out what the rule names.
set -euo pipefail

if (($# != 1)) || [[ -z $1 ]]; then
  echo "usage: ./bazelw run //packaging:amalgamation -- OUTDIR" >&2
  exit 2
fi
# A relative one is meant from where the command was called.
out=$(realpath -m "${BUILD_WORKING_DIRECTORY:-$PWD}/")
[[ $1 == /* ]] && out=$1 || out=$out/$1

mkdir -p "$out" # not by install -d, which changes the mode of one that is there
command -p install -m 644 packaging/lfbloom.{h,c} "$out/"
echo "wrote lfbloom.h and lfbloom.c below $out"
echo "compile: cc -std=c11 -O2 your.c lfbloom.c -pthread -lm"
