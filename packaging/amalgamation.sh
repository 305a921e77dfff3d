#!/bin/bash
# Writes the two files of the amalgamation, or of the kernel, into a folder:
# ./bazelw run //packaging:amalgamation -- OUTDIR, or //packaging:kernel
#
# Runs in the folder where Bazel puts the rule's data files; the first arguments are the two files.
set -euo pipefail

if (($# != 3)) || [[ -z $3 ]]; then
  echo "usage: ./bazelw run //packaging:amalgamation -- OUTDIR   # or //packaging:kernel" >&2
  exit 2
fi
# A relative OUTDIR is relative to the caller's current directory.
from=${BUILD_WORKING_DIRECTORY:-$PWD}
[[ $3 == /* ]] && out=$3 || out=$from/$3

mkdir -p "$out" # not install -d, which changes the mode of an existing folder
command -p install -m 644 "$1" "$2" "$out/"
echo "wrote ${1##*/} and ${2##*/} below $out"
