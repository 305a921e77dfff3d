#!/bin/bash
# Installs into an empty prefix and uses it as a stranger would: with
# pkg-config, from C11 and C++17, against the shared and the static library.
set -euo pipefail

install=$1 version=$2
here=$(cd "$(dirname "$0")" && pwd)
prefix=$TEST_TMPDIR/prefix
passed=0
pass() {
  passed=$((passed + 1))
  echo "ok: $1"
}
fail() {
  echo "FAILED: $1" >&2
  exit 1
}

"$install" "$prefix"
for file in include/lfbloom/{filter,redis,replica,sink,status}.h lib/liblfbloom{,_redis}.a \
  lib/liblfbloom{,_redis}.so{,.0} lib/pkgconfig/lfbloom{,_redis}.pc bin/lfbloom; do
  [[ -s $prefix/$file ]] || fail "$file is missing"
done
pass "every part is there"

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
for library in lfbloom lfbloom_redis; do
  [[ $(pkg-config --modversion $library) == "$version" ]] || fail "pkg-config names another version"
done
pass "pkg-config knows version $version"

cd "$TEST_TMPDIR"
# The README's ten lines, as they stand there.
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$here/../../README.md" >readme.c
strict=(-O2 -Wall -Wextra -Wpedantic -Werror)
# shellcheck disable=SC2046 # pkg-config's words are meant to be split
{
  cc -std=c11 "${strict[@]}" -o use_c "$here/use.c" $(pkg-config --cflags --libs lfbloom)
  c++ -std=c++17 "${strict[@]}" -o use_cc "$here/use.cc" $(pkg-config --cflags --libs lfbloom) -pthread
  cc -std=c11 "${strict[@]}" -static -o use_static "$here/use.c" \
    $(pkg-config --cflags --static --libs lfbloom)
  cc -std=c11 "${strict[@]}" -o use_redis "$here/use_redis.c" $(pkg-config --cflags --libs lfbloom_redis)
  cc -std=c11 "${strict[@]}" -static -o use_redis_static "$here/use_redis.c" \
    $(pkg-config --cflags --static --libs lfbloom_redis)
}
# shellcheck disable=SC2046
cc -std=c11 "${strict[@]}" -o use_readme readme.c $(pkg-config --cflags --libs lfbloom)
for program in use_c use_cc use_static use_readme use_redis use_redis_static; do
  LD_LIBRARY_PATH=$prefix/lib "./$program" || fail "$program"
  pass "$program runs"
done
# shellcheck disable=SC2046
cc -std=c11 "${strict[@]}" -o use_redis_found "$here/use_redis.c" -Wl,--as-needed,-rpath,"$prefix/lib" \
  $(pkg-config --cflags --libs lfbloom_redis)
./use_redis_found || fail "liblfbloom_redis does not find liblfbloom beside it"
pass "a program that knows where to find one library finds both"

for standard in c11 c17 c2x; do
  for header in "$prefix"/include/lfbloom/*.h; do
    cc -std=$standard "${strict[@]}" -fsyntax-only -x c -I"$prefix/include" "$header" ||
      fail "$header alone as $standard"
  done
done
for standard in c++11 c++14 c++17 c++20; do
  for header in "$prefix"/include/lfbloom/*.h; do
    c++ -std=$standard "${strict[@]}" -fsyntax-only -x c++ -I"$prefix/include" "$header" ||
      fail "$header alone as $standard"
  done
done
pass "each header compiles alone, C11 to C2x and C++11 to C++20"

for library in liblfbloom{,_redis}.{a,so}; do
  flags=(-g --defined-only)
  [[ $library == *.so ]] && flags+=(-D)
  foreign=$(nm "${flags[@]}" "$prefix/lib/$library" | awk 'NF == 3 && $3 !~ /^(lfb_|_end$|_edata$|__bss_start$|_init$|_fini$)/ { print $3 }')
  [[ -z $foreign ]] || fail "$library has foreign names: $foreign"
done
pass "nothing but lfb_ names is visible"

if readelf -d "$prefix/lib/liblfbloom.so" | grep -qE 'NEEDED.*lib(ck|hiredis)'; then
  fail "the shared library needs more than the C library to be installed"
fi
readelf -d "$prefix/lib/liblfbloom_redis.so" | grep -q 'NEEDED.*\[liblfbloom.so.0\]' ||
  fail "the one for Redis does not ask for the shared library"
pass "the shared library needs nothing but the C library"

if readelf -d "$prefix/bin/lfbloom" | grep NEEDED | grep -vqE '\[(lib[cm]|libpthread|ld-linux[^]]*)\.so'; then
  fail "the tool needs more than the C library to be installed"
fi
pass "the tool needs nothing but the C library"
[[ $("$prefix/bin/lfbloom" --version) == *"$version"* ]] || fail "the tool names another version"
pass "the tool runs"

if "$install" >/dev/null 2>&1 || "$install" relative >/dev/null 2>&1; then
  fail "a missing or relative prefix was taken"
fi
pass "a missing or relative prefix is refused"
echo "$passed passed, 0 failed"
