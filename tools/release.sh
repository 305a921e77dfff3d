#!/bin/bash
# release.sh OUTDIR: makes lfbloom-VERSION.tar.gz of the last commit, and lfbloom-VERSION.tar.gz.sha256.
# Also: ./bazelw run //tools:release -- OUTDIR
#
# The archive has
#   - what git tracks, except what only a developer of lfbloom needs (`developers`, below);
#   - amalgamation/, what `./bazelw run //packaging:amalgamation` makes;
#   - kernel/, what `./bazelw run //packaging:kernel` makes;
#   - SHA256SUMS, of all these files.
#
# The same commit gives the same bytes: names are sorted, owners are 0, times are that of the commit, or
# SOURCE_DATE_EPOCH.  The amalgamation contains the host's xxhash.h, so a release is compared on a host with
# the same libxxhash-dev.  It needs git, a C compiler, libxxhash-dev, awk and python3, and no Bazel.
set -euo pipefail

# Tests, benchmarks, fuzzers, and what runs and formats them: they are in the repository.
developers=(tests bench fuzz tsan .ci .github .clang-format .clang-tidy .editorconfig .gitignore)

complain() {
  echo "release: $1" >&2
  exit 1
}

if (($# != 1)) || [[ -z $1 ]]; then
  echo "usage: tools/release.sh OUTDIR   # or ./bazelw run //tools:release -- OUTDIR" >&2
  exit 2
fi
# A relative OUTDIR is relative to the caller's current directory.
[[ $1 == /* ]] && out=$1 || out=${BUILD_WORKING_DIRECTORY:-$PWD}/$1
cd "${BUILD_WORKSPACE_DIRECTORY:-$(dirname "${BASH_SOURCE[0]}")/..}"
[[ -e .git ]] || complain "$PWD is not a git checkout: a release is made of a commit"
[[ -z $(git status --porcelain --untracked-files=no) ]] ||
  echo "release: uncommitted changes are not in it: it has commit $(git rev-parse --short HEAD)" >&2
export LC_ALL=C
umask 022

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree"
git archive HEAD -- . "${developers[@]/#/:(exclude)}" | tar -x -C "$work/tree"
version=$(sed -n 's/^VERSION = "\(.*\)"$/\1/p' "$work/tree/tools/version.bzl")
[[ $version ]] || complain "tools/version.bzl has no version"
name=lfbloom-$version
mv "$work/tree" "$work/$name"
(
  cd "$work/$name"
  mkdir amalgamation kernel
  find atomic bloom -name '*.[ch]' -exec tools/amalgamate.sh amalgamation {} +
  cp packaging/core/lfbloom_core.h kernel/
  tools/kernel.sh >kernel/lfbloom_core.c
  find . -type f -printf '%P\0' | sort -z | xargs -0 sha256sum >"$work/SHA256SUMS"
  mv "$work/SHA256SUMS" .
)

cd "$work"
tar --sort=name --format=ustar --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
  --mtime="@${SOURCE_DATE_EPOCH:-$(git -C "$OLDPWD" log -1 --format=%ct)}" -c "$name" | gzip -n9 >"$name.tar.gz"
sha256sum "$name.tar.gz" >"$name.tar.gz.sha256"
mkdir -p "$out"
mv "$name.tar.gz" "$name.tar.gz.sha256" "$out/"
echo "wrote $name.tar.gz and $name.tar.gz.sha256 below $out"
