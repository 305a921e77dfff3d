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
command -p install -m 644 atomic/include/lfbloom/*.h bloom/include/lfbloom/*.h "$root/include/lfbloom/"
command -p install -m 644 liblfbloom.a "$root/lib/liblfbloom.a"
command -p install -m 755 liblfbloom.so "$root/lib/liblfbloom.so.$version"
ln -sf "liblfbloom.so.$version" "$root/lib/liblfbloom.so.$soversion"
ln -sf "liblfbloom.so.$soversion" "$root/lib/liblfbloom.so"
command -p install -m 755 cli/lfbloom "$root/bin/lfbloom"
cat >"$root/lib/pkgconfig/lfbloom.pc" <<EOF
prefix=$prefix
includedir=\${prefix}/include
libdir=\${prefix}/lib

Name: lfbloom
Description: A lock-free concurrent Bloom filter
Version: $version
Cflags: -I\${includedir}
Libs: -L\${libdir} -llfbloom
Libs.private: -lck -lm -pthread
EOF
echo "installed lfbloom $version below $root"

# Programs that use the shared library have to find it when they run.
if [[ -n ${DESTDIR:-} ]]; then
  : # a packager's business
elif ((EUID == 0)) && grep -qsx "$prefix/lib" /etc/ld.so.conf /etc/ld.so.conf.d/*.conf; then
  ldconfig
else
  echo "to find it: export PKG_CONFIG_PATH=$prefix/lib/pkgconfig; link with -Wl,-rpath,$prefix/lib"
fi
