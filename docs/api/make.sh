#!/bin/bash
# make.sh FILTER DOXYFILE MAIN HEADER... -- [FOLDER]: writes the pages of the public headers into
# FOLDER, or docs/api/html; ./bazelw run //docs/api [-- FOLDER].  Fails if a public name has
# no comment, or if a comment refers to an unknown name.
set -euo pipefail

filter=$PWD/$1 doxyfile=$2 main=$3
shift 3
headers=()
while [[ $1 != -- ]]; do
  headers+=("$1")
  shift
done
folder=${2:-${BUILD_WORKSPACE_DIRECTORY:?run by bazel run, or given a FOLDER}/docs/api/html}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# All in one folder, as after installation.
mkdir -p "$work/lfbloom" "$folder"
folder=$(cd "$folder" && pwd)
command -p install -m 644 "${headers[@]}" "$work/lfbloom"
cp "$main" "$work/main.dox"
{
  cat "$doxyfile"
  echo "INPUT = $work"
  echo "RECURSIVE = YES"
  echo "FILTER_PATTERNS = \"*.h=awk -f $filter\""
  echo "STRIP_FROM_PATH = $work"
  echo "STRIP_FROM_INC_PATH = $work"
  echo "INCLUDE_PATH = $work"
  echo "HTML_OUTPUT = $folder"
} >"$work/Doxyfile"
doxygen "$work/Doxyfile"
echo "made: $folder/index.html"
