#!/bin/bash
# Installs lfbloom: ./bazelw run //:install -- PREFIX
#
# Runs in the folder in which Bazel has laid out the files of //:install.  DESTDIR works as
# packagers expect.  LIBDIR is the folder for libraries below PREFIX; by default lib.
set -euo pipefail

if (($# != 1)) || [[ $1 != /* ]]; then
  echo "usage: ./bazelw run //:install -- PREFIX   (an absolute path, such as /usr/local)" >&2
  exit 2
fi
prefix=$1
root=${DESTDIR:-}$prefix
libdir=${LIBDIR:-lib}
if [[ $libdir == /* || /$libdir/ == */../* ]]; then
  echo "install: LIBDIR=$libdir is not a folder below PREFIX, such as lib/x86_64-linux-gnu" >&2
  exit 2
fi
libraries=$root/$libdir

read -r version soversion <tools/version.txt

# Every user can read what any user installs.
umask 022
# Not by install -d, which changes the modes of existing folders such as /usr/local.
mkdir -p "$root/include/lfbloom" "$libraries/pkgconfig" "$libraries/cmake/lfbloom" "$root/bin"
# command -p: not a file `install` of the current folder, if that is on PATH.
command -p install -m 644 include/lfbloom/*.h "$root/include/lfbloom/"
for library in liblfbloom liblfbloom_redis; do
  command -p install -m 644 "$library.a" "$libraries/$library.a"
  command -p install -m 755 "$library.so" "$libraries/$library.so.$version"
  ln -sf "$library.so.$version" "$libraries/$library.so.$soversion"
  ln -sf "$library.so.$soversion" "$libraries/$library.so"
done
command -p install -m 755 cli/lfbloom "$root/bin/lfbloom"
# Executable: redis-server refuses to load it otherwise.
mkdir -p "$root/lib/redis/modules"
command -p install -m 755 redis/module/lfbloom_redis.so "$root/lib/redis/modules/lfbloom_redis.so"
# place FILE TARGET: installs a data file below share/, and makes its folders.
place() {
  mkdir -p "$(dirname "$root/share/$2")"
  command -p install -m 644 "$1" "$root/share/$2"
}
for page in man/*.[137]; do
  place "$page" "man/man${page##*.}/${page##*/}"
done
place completion/lfbloom.bash bash-completion/completions/lfbloom
place completion/_lfbloom zsh/site-functions/_lfbloom
place completion/lfbloom.fish fish/vendor_completions.d/lfbloom.fish
# The relative path from a CMake file to PREFIX, so that the installed tree can be moved.
to_prefix=$(tr -s / '\n' <<<"$libdir/cmake/lfbloom" | sed '/^\.*$/d; s/.*/../' | paste -s -d / -)
pointer_size=$(($(getconf LONG_BIT) / 8))
tls_flags=" -lssl -lcrypto" tls_libraries=";ssl;crypto"
# fill FILE TARGET: writes FILE with each @name@ replaced by its value, as CMake does.
fill() {
  local text name
  text=$(<"$1")
  for name in version soversion prefix libdir to_prefix pointer_size tls_flags tls_libraries; do
    text=${text//@$name@/"${!name}"}
  done
  printf '%s\n' "$text" >"$2"
}
for file in lfbloomConfig{,Version}.cmake; do
  fill "packaging/cmake/$file.in" "$libraries/cmake/lfbloom/$file"
done
for file in lfbloom{,_redis}.pc; do
  fill "packaging/pkgconfig/$file.in" "$libraries/pkgconfig/$file"
done
echo "installed lfbloom $version below $root"

# Programs that use the shared library have to find it when they run.  The manual pages and
# CMake's files are also found by PATH.
if [[ -n ${DESTDIR:-} ]]; then
  : # left to the packager
elif ((EUID == 0)) && grep -qsx "$prefix/$libdir" /etc/ld.so.conf /etc/ld.so.conf.d/*.conf; then
  ldconfig
else
  path=
  [[ :$PATH: == *:$prefix/bin:* ]] || path="PATH=$(printf %q "$prefix/bin"):\$PATH "
  printf 'to find it: export %sPKG_CONFIG_PATH=%q; link with -Wl,-rpath,%q\n' \
    "$path" "$prefix/$libdir/pkgconfig" "$prefix/$libdir"
fi
