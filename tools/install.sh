#!/bin/bash
# Installs lfbloom: ./bazelw run //:install -- PREFIX
#
# Runs where Bazel has laid out what the rule //:install names.  DESTDIR is
# honoured, as packagers expect.
set -euo pipefail

if (($# != 1)) || [[ $1 != /* ]]; then
  echo "usage: ./bazelw run //:install -- PREFIX   (an absolute path, such as /usr/local)" >&2
  exit 2
fi
prefix=$1
root=${DESTDIR:-}$prefix

read -r version soversion <tools/version.txt

# Not whatever the current folder calls install, should that be on PATH.
command -p install -d "$root/include/lfbloom" "$root/lib/pkgconfig" "$root/bin"
command -p install -m 644 {atomic,bloom,redis}/include/lfbloom/*.h "$root/include/lfbloom/"
for library in liblfbloom liblfbloom_redis; do
  command -p install -m 644 "$library.a" "$root/lib/$library.a"
  command -p install -m 755 "$library.so" "$root/lib/$library.so.$version"
  ln -sf "$library.so.$version" "$root/lib/$library.so.$soversion"
  ln -sf "$library.so.$soversion" "$root/lib/$library.so"
done
command -p install -m 755 cli/lfbloom "$root/bin/lfbloom"
# Writes NAME.pc for libNAME: its description, and what else it says.
write_pc() {
  cat >"$root/lib/pkgconfig/$1.pc" <<EOF
prefix=$prefix
includedir=\${prefix}/include
libdir=\${prefix}/lib

Name: $1
Description: $2
Version: $version
Cflags: -I\${includedir}
Libs: -L\${libdir} -l$1
$3
EOF
}
write_pc lfbloom "A lock-free concurrent Bloom filter" "Libs.private: -lck -lm -pthread"
write_pc lfbloom_redis "lfbloom's filter on a Redis server or cluster" "Requires: lfbloom = $version
Libs.private: -lhiredis"
echo "installed lfbloom $version below $root"

# Programs that use the shared library have to find it when they run.
if [[ -n ${DESTDIR:-} ]]; then
  : # a packager's business
elif ((EUID == 0)) && grep -qsx "$prefix/lib" /etc/ld.so.conf /etc/ld.so.conf.d/*.conf; then
  ldconfig
else
  echo "to find it: export PKG_CONFIG_PATH=$prefix/lib/pkgconfig; link with -Wl,-rpath,$prefix/lib"
fi
