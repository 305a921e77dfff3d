#!/bin/bash
# Writes a wheel into a folder: ./bazelw run //packaging:python -- OUTDIR
#
# Runs in the folder where Bazel puts the rule's data files.
set -euo pipefail

if (($# != 1)) || [[ -z $1 ]]; then
  echo "usage: ./bazelw run //packaging:python -- OUTDIR" >&2
  exit 2
fi
# A relative OUTDIR is relative to the caller's current directory.
from=${BUILD_WORKING_DIRECTORY:-$PWD}
[[ $1 == /* ]] && out=$1 || out=$from/$1

read -r version _ <tools/version.txt
mkdir -p "$out" # not install -d, which changes the mode of an existing folder
wheel=$(python3 packaging/python/wheel.py "$version" packaging/python "$out")
echo "wrote $wheel"
echo "install: python3 -m pip install $wheel"
