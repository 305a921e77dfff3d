#!/bin/bash
# check_release.sh ARCHIVE: checks what tools/release.sh made, in an empty folder: the checksums beside it and inside
# it, the sources by CMake (configured, built, installed), the amalgamation and the kernel.  A program is compiled
# with each of the three, and runs.
#
# It takes a minute or two, and needs what the sources need: cmake, a C compiler, libck-dev, libxxhash-dev.
set -euo pipefail

if (($# != 1)) || [[ ! -r $1 || $1 != *.tar.gz ]]; then
  echo "usage: tools/check_release.sh lfbloom-VERSION.tar.gz" >&2
  exit 2
fi
archive=$(realpath "$1")
name=$(basename "$archive" .tar.gz)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# ok WHAT COMMAND...: prints WHAT; if the command fails, its output instead.
ok() {
  if ! "${@:2}" >said 2>&1; then
    echo "check_release: wrong: $1" >&2
    tail -n 40 said >&2
    exit 1
  fi
  echo "ok: $1"
}

beside() { (cd "$(dirname "$archive")" && sha256sum -c --strict "$name.tar.gz.sha256"); }
within() (
  tar -xzf "$archive" && cd "$name" && sha256sum -c --strict --quiet SHA256SUMS &&
    diff <(cut -c67- SHA256SUMS) <(find . -type f ! -path ./SHA256SUMS -printf '%P\n' | LC_ALL=C sort)
)
installs() {
  cmake -S "$name" -B b -DCMAKE_INSTALL_LIBDIR=lib && cmake --build b --parallel 2 && cmake --install b --prefix "$work/prefix"
}
with_library() {
  local flags
  flags=$(PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig pkg-config --cflags --libs lfbloom) || return
  # shellcheck disable=SC2086 # words of their own
  cc -std=c11 -o library library.c $flags -Wl,-rpath,"$work/prefix/lib" && ./library
}
with_amalgamation() {
  cc -std=c11 -O2 -I "$name/amalgamation" -o amalgamated amalgamated.c "$name/amalgamation/lfbloom.c" -pthread -lm &&
    ./amalgamated
}
with_kernel() { cc -std=c11 -O2 -I "$name/kernel" -o kernel kernel.c "$name"/kernel/*.c -lm && ./kernel; }

# program HEADER CONFIG MORE TYPE CALLS: one that puts a key and asks for it.
program() {
  cat <<END
#include $1
int main(void)
{
  const $2_config config = {.expected_insertions = 1000, .fpp = 0.001$3};
  $4 *seen;
  if ($5_create(&config, &seen) != 0 || !$5_put(seen, "apple", 5))
    return 1;
  return !$5_might_contain(seen, "apple", 5) || $5_might_contain(seen, "pear", 4);
}
END
}
program '<lfbloom/filter.h>' lfb '' lfb_filter lfb_filter >library.c
program '"lfbloom.h"' lfb '' lfb_filter lfb_filter >amalgamated.c
program '"lfbloom_core.h"' lfb_core ', .key = {1}' lfb_core lfb_core >kernel.c

ok "the archive is that of its .sha256" beside
ok "SHA256SUMS has each file inside" within
ok "CMake builds and installs it" installs
ok "a program uses what is installed" with_library
ok "a program uses the amalgamation" with_amalgamation
ok "a program uses the kernel" with_kernel
