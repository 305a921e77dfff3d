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

# The same files give the same bytes: wheel takes their names in order, and the time from here.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
info=$work/lfbloom-$version.dist-info
mkdir "$info" "$work/lfbloom"
cd packaging/python
cp -L lfbloom/*.py* lfbloom/py.typed alone/_lfbloom.abi3.so "$work/lfbloom/"
chmod 644 "$work"/lfbloom/*
platform=$(python3 -c 'import sysconfig; print(sysconfig.get_platform())' | tr .- __)
tag=cp311-abi3-$platform
cat >"$info/METADATA" <<END
Metadata-Version: 2.1
Name: lfbloom
Version: $version
Summary: $(sed -n 's/^description = "\(.*\)"/\1/p' pyproject.toml)
License: Apache-2.0
Requires-Python: >=3.11
END
printf '%s\n' 'Wheel-Version: 1.0' 'Generator: lfbloom' 'Root-Is-Purelib: false' "Tag: $tag" >"$info/WHEEL"
SOURCE_DATE_EPOCH=315532800 python3 -m wheel pack --dest-dir "$out" "$work" >&2 || {
  echo "wheel: python3 has no module wheel: apt-get install python3-wheel" >&2
  exit 1
}
wheel=$out/lfbloom-$version-$tag.whl
echo "wrote $wheel"
echo "install: python3 -m pip install $wheel"
