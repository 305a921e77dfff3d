#!/bin/bash
# Writes the Rust crate into a folder: ./bazelw run //packaging:rust -- OUTDIR
#
# Runs in the folder where Bazel puts the rule's data files.
set -euo pipefail

if (($# != 1)) || [[ -z $1 ]]; then
  echo "usage: ./bazelw run //packaging:rust -- OUTDIR" >&2
  exit 2
fi
# A relative OUTDIR is relative to the caller's current directory.
from=${BUILD_WORKING_DIRECTORY:-$PWD}
[[ $1 == /* ]] && out=$1 || out=$from/$1

while read -r file; do
  command -p install -D -m 644 "packaging/rust/$file" "$out/$file"
done < <(cd packaging/rust && find -L Cargo.toml build.rs src -type f)
command -p install -m 644 LICENSE "$out/"
command -p install -m 644 docs/rust.md "$out/README.md"
command -p install -D -m 644 -t "$out/c" packaging/lfbloom{.h,.c,_versions.c}
echo "wrote the crate below $out"
echo "use: lfbloom = { path = \"$out\" }   # needs a C compiler and libck-dev"
