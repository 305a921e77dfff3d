#!/bin/bash
# Writes the files of the amalgamation, or of the kernel, into a folder:
# ./bazelw run //packaging:amalgamation -- OUTDIR, or //packaging:kernel
#
# Runs in the folder where Bazel puts the rule's data files; the first arguments, up to --, are the files.
set -euo pipefail

files=()
while [[ $1 != -- ]]; do
  files+=("$1")
  shift
done
shift
if (($# != 1)) || [[ -z $1 ]]; then
  echo "usage: ./bazelw run //packaging:amalgamation -- OUTDIR   # or //packaging:kernel" >&2
  exit 2
fi
# A relative OUTDIR is relative to the caller's current directory.
from=${BUILD_WORKING_DIRECTORY:-$PWD}
[[ $1 == /* ]] && out=$1 || out=$from/$1

mkdir -p "$out" # not install -d, which changes the mode of an existing folder
command -p install -m 644 "${files[@]}" "$out/"
echo "wrote ${files[*]##*/} below $out"
