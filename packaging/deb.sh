#!/bin/bash
# Builds Debian packages into a folder: ./bazelw run //packaging:deb -- OUTDIR
#
# Runs in the folder where Bazel puts the rule's data files: those that //:install installs, the
# Python module, and packaging/debian.  For the same library, the packages are the same byte for byte.
set -euo pipefail

die() {
  echo "deb: $1" >&2
  exit "${2:-1}"
}

if (($# != 1)) || [[ -z $1 ]]; then
  die "usage: ./bazelw run //packaging:deb -- OUTDIR" 2
fi
for tool in dpkg-shlibdeps dpkg-gencontrol dpkg-gensymbols dpkg-deb; do
  command -v $tool >/dev/null || die "$tool is missing: apt-get install dpkg-dev"
done
# A relative OUTDIR is relative to the caller's current directory.
from=${BUILD_WORKING_DIRECTORY:-$PWD}
[[ $1 == /* ]] && out=$1 || out=$from/$1

read -r version _ <tools/version.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -rL packaging/debian "$work/debian"
chmod -R u+w "$work/debian"
read -r maintainer <tools/project.txt
sed -i "s|@maintainer@|$maintainer|" "$work"/debian/{control,changelog}
packaged=$(dpkg-parsechangelog -l "$work/debian/changelog" -S Version)
[[ ${packaged%-*} == "$version" ]] ||
  die "packaging/debian/changelog is of version ${packaged%-*}, the library is $version"
SOURCE_DATE_EPOCH=$(dpkg-parsechangelog -l "$work/debian/changelog" -S Timestamp)
export SOURCE_DATE_EPOCH
machine=$(dpkg-architecture -q DEB_HOST_MULTIARCH)
libdir=usr/lib/$machine

DESTDIR=$work/all LIBDIR=lib/$machine tools/install.sh /usr >/dev/null

# The Python module, with the library inside: one build for all versions of Python.
module=$work/python3-lfbloom/usr/lib/python3/dist-packages/lfbloom
mkdir -p "$module"
cp -L packaging/python/lfbloom/* "$module/"
chmod -R u+w "$module"

# The tools below must run in the folder that has debian/control.
cd "$work"
umask 022

# put PACKAGE FILE...: moves files of the installation into the package.
put() {
  local package=$1 file
  shift
  for file in "$@"; do
    mkdir -p "$package/$(dirname "$file")"
    mv "all/$file" "$package/$file"
  done
}
# there PATTERN: prints the files of the installation that match.
there() { (cd all && compgen -G "$1"); }

mapfile -t files < <(there "$libdir/liblfbloom.so.*")
put liblfbloom0.9 "${files[@]}"
mapfile -t files < <(there "$libdir/liblfbloom_redis.so.*")
put liblfbloom-redis0.9 "${files[@]}"
mapfile -t files < <(there "$libdir/*")
put liblfbloom-dev usr/include "${files[@]}"
put redis-module-lfbloom usr/lib/redis/modules/lfbloom_redis.so
put liblfbloom-dev usr/share/man/man3
put lfbloom usr/bin usr/share/man/man{1,7} usr/share/bash-completion usr/share/fish
# Debian's zsh uses another folder than upstream's.
mkdir -p lfbloom/usr/share/zsh
mv all/usr/share/zsh/site-functions lfbloom/usr/share/zsh/vendor-completions
left=$(find all ! -type d)
[[ -z $left ]] || die "no package has $left"

packages=(liblfbloom0.9 liblfbloom-redis0.9 liblfbloom-dev lfbloom python3-lfbloom redis-module-lfbloom)
modules=redis-module-lfbloom/usr/lib/redis/modules

# Removes symbols that only a debugger needs, as Debian requires.
for file in liblfbloom0.9/"$libdir"/*.so.*.*.* liblfbloom-redis0.9/"$libdir"/*.so.*.*.*; do
  strip --strip-unneeded --remove-section=.comment --remove-section=.note "$file"
  chmod 644 "$file"
done
strip --remove-section=.comment --remove-section=.note lfbloom/usr/bin/lfbloom
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$module"/*.so "$modules"/*.so
chmod 644 "$module"/*
strip --strip-debug --enable-deterministic-archives liblfbloom-dev/"$libdir"/*.a

# Writes the exported names, all with the version of this package: a program linked with the library
# needs this version.  dpkg-shlibdeps reads the names, or the shlibs file if it has none.
for package in liblfbloom0.9 liblfbloom-redis0.9; do
  mkdir -p $package/DEBIAN
  dpkg-gensymbols -p$package -P$package -v"$packaged" -Idebian/$package.symbols -c4 >&2 ||
    die "debian/$package.symbols says something else than the library"
  echo "activate-noawait ldconfig" >"$package/DEBIAN/triggers"
  soname=$(objdump -p "$package"/"$libdir"/*.so.*.*.* | awk '$1 == "SONAME" { print $2 }')
  echo "${soname%%.so.*} ${soname##*.so.} $package (>= $version)" >"$package/DEBIAN/shlibs"
done

document() {
  local package=$1 doc=$1/usr/share/doc/$1
  mkdir -p "$doc" "$package/DEBIAN"
  cp debian/copyright "$doc/copyright"
  gzip -9n <debian/changelog >"$doc/changelog.Debian.gz"
  if [[ -e debian/$package.lintian-overrides ]]; then
    mkdir -p "$package/usr/share/lintian/overrides"
    cp "debian/$package.lintian-overrides" "$package/usr/share/lintian/overrides/$package"
  fi
  find "$package/usr/share/man" -type f -name '*.[137]' -exec gzip -9n {} + 2>/dev/null || true
  find "$package" -path "$package/DEBIAN" -prune -o -type f -printf '%P\0' | LC_ALL=C sort -z |
    (cd "$package" && xargs -0 md5sum) >"$package/DEBIAN/md5sums"
}

# depend PACKAGE FILE...: computes the dependencies of the package's programs and libraries.
depend() {
  local package=$1
  shift
  : >"debian/$package.substvars"
  (($# == 0)) || dpkg-shlibdeps -Sliblfbloom0.9 "-Tdebian/$package.substvars" "$@"
}

depend liblfbloom0.9 liblfbloom0.9/"$libdir"/*.so.*.*.*
depend liblfbloom-redis0.9 liblfbloom-redis0.9/"$libdir"/*.so.*.*.*
depend liblfbloom-dev
depend lfbloom lfbloom/usr/bin/lfbloom
depend python3-lfbloom "$module"/*.so
depend redis-module-lfbloom "$modules"/*.so
for package in "${packages[@]}"; do
  document "$package"
  dpkg-gencontrol -p"$package" -P"$package" -Tdebian/"$package".substvars 2>gencontrol.txt ||
    die "$(<gencontrol.txt)"
  chmod -R u=rwX,go=rX "$package"
  find "$package" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
done

mkdir built
for package in "${packages[@]}"; do
  dpkg-deb --root-owner-group --build "$package" built >/dev/null
done
# Copied only once all are built.
mkdir -p "$out" # not install -d, which changes the mode of an existing folder
command -p install -m 644 built/*.deb "$out/"
for file in built/*.deb; do
  echo "$out/$(basename "$file")"
done
