#!/bin/bash
# Installs into an empty prefix and uses the library as an outside program would: with
# pkg-config and CMake, from C11 and C++17, against the shared and the static library.
set -euo pipefail
source tests/support/steps.sh

install=$1 version=$2
here=$(cd "$(dirname "$0")" && pwd)
# The installer runs in Bazel's folder; everything else runs in another one.
laid_out=$PWD
installs() { (cd "$laid_out" && "$install" "$@"); }
prefix=$TEST_TMPDIR/prefix

said=$(installs "$prefix")
for file in include/lfbloom/{filter,redis,redis_source,sink,status}.h lib/liblfbloom{,_redis}.a \
  lib/liblfbloom{,_redis}.so{,.0.9} lib/pkgconfig/lfbloom{,_redis}.pc bin/lfbloom \
  share/man/man{1/lfbloom{,-build,-dedupe}.1,3/lfbloom.3,7/lfbloom-keys.7} \
  share/{bash-completion/completions/lfbloom,zsh/site-functions/_lfbloom} \
  share/fish/vendor_completions.d/lfbloom.fish; do
  [[ -s $prefix/$file ]] || fail "$file is missing"
done
pass "every part is there"

# Runs the export command that the installer prints.
[[ $said == *"; link with -Wl,-rpath,$prefix/lib" ]] || fail "it does not say how to link: $said"
export=$(sed -n 's/^to find it: \(export .*\); link with .*/\1/p' <<<"$said")
found=$(eval "$export" && type -P lfbloom && pkg-config --modversion lfbloom) ||
  fail "not found after: $export"
[[ $found == "$prefix/bin/lfbloom"$'\n'"$version" ]] ||
  fail "found elsewhere after '$export': $found"
pass "the tool and the library are found by what the installer says"

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
[[ $(pkg-config --modversion lfbloom_redis) == "$version" ]] || fail "pkg-config names another version"

cd "$TEST_TMPDIR"
# The README's example, unchanged.
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$here/../../README.md" >readme.c
strict=(-O2 -Wall -Wextra -Wpedantic -Werror)
# shellcheck disable=SC2046 # pkg-config's words are meant to be split
{
  cc -std=c11 "${strict[@]}" -o use_c "$here/use.c" $(pkg-config --cflags --libs lfbloom)
  c++ -std=c++17 "${strict[@]}" -Wold-style-cast -Wmissing-field-initializers -o use_cc "$here/use.cc" $(pkg-config --cflags --libs lfbloom) -pthread
  # A static program without versions needs no -lck.
  c++ -std=c++11 "${strict[@]}" -static -o use_cc_static "$here/use.cc" -I"$prefix/include" "$prefix/lib/liblfbloom.a" -pthread
  cc -std=c11 "${strict[@]}" -static -o use_static "$here/use.c" \
    $(pkg-config --cflags --static --libs lfbloom)
  cc -std=c11 "${strict[@]}" -o use_redis "$here/use_redis.c" $(pkg-config --cflags --libs lfbloom_redis)
  cc -std=c11 "${strict[@]}" -static -o use_redis_static "$here/use_redis.c" \
    $(pkg-config --cflags --static --libs lfbloom_redis)
}
# shellcheck disable=SC2046
cc -std=c11 "${strict[@]}" -o use_readme readme.c $(pkg-config --cflags --libs lfbloom)
for program in use_c use_cc use_cc_static use_static use_readme use_redis use_redis_static; do
  LD_LIBRARY_PATH=$prefix/lib "./$program" || fail "$program"
  pass "$program runs"
done
# shellcheck disable=SC2046
cc -std=c11 "${strict[@]}" -o use_redis_found "$here/use_redis.c" -Wl,--as-needed,-rpath,"$prefix/lib" \
  $(pkg-config --cflags --libs lfbloom_redis)
./use_redis_found || fail "liblfbloom_redis does not find liblfbloom beside it"
pass "a program that knows where to find one library finds both"

for library in liblfbloom{,_redis}.{a,so}; do
  flags=(-g --defined-only)
  [[ $library == *.so ]] && flags+=(-D)
  foreign=$(nm "${flags[@]}" "$prefix/lib/$library" | awk 'NF == 3 && $2 != "A" && $3 !~ /^(lfb_|_end$|_edata$|__bss_start$|_init$|_fini$)/ { print $3 }')
  [[ -z $foreign ]] || fail "$library has foreign names: $foreign"
done
pass "nothing but lfb_ names is visible"

# exported LIBRARY: its names as the loader sees them, with their versions.
exported() { nm -D --defined-only "$prefix/lib/$1.so" | awk '$2 ~ /[B-Z]/ { print $3 }'; }
for library in liblfbloom liblfbloom_redis; do
  node=${library#lib}_0.9
  [[ $(readelf -d "$prefix/lib/$library.so") == *"[$library.so.0.9]"* ]] || fail "$library has no soname"
  (($(exported $library | grep -c "^lfb_.*@@${node^^}\$") > 10)) || fail "$library exports next to nothing"
  others=$(exported $library | grep -v "^lfb_.*@@${node^^}\$" || true)
  [[ -z $others ]] || fail "$library exports without its version: $others"
done
[[ $(readelf -V use_c) == *LFBLOOM_0.9* ]] || fail "a program does not ask for the version"
pass "every exported name is of version 0.9, and nothing else is exported"

# declared HEADER...: the functions that installed headers declare.
declared() {
  local headers=("${@/#/$prefix/include/lfbloom/}")
  grep -hoE '^LFB_(API|CHECKED) [^(]*' "${headers[@]}" | grep -oE 'lfb_[a-z0-9_]+$' | sort
}
# same WHAT ONE OTHER: fails unless two lists are equal.
same() { [[ $2 == "$3" ]] || fail "$1: $(diff <(echo "$2") <(echo "$3") | grep '^[<>]')"; }
for_redis=(redis.h redis_source.h)
mapfile -t for_core < <(cd "$prefix/include/lfbloom" && printf '%s\n' *.h | grep -vxF "$(printf '%s\n' "${for_redis[@]}")")
core=$(declared "${for_core[@]}") redis=$(declared "${for_redis[@]}")
(($(wc -l <<<"$core") > 100 && $(wc -l <<<"$redis") > 20)) || fail "declarations are not found"
same "liblfbloom.so: < exported, > declared" "$(exported liblfbloom | grep -o '^lfb_[^@]*' | sort)" "$core"
same "liblfbloom_redis.so: < exported, > declared" \
  "$(exported liblfbloom_redis | grep -o '^lfb_[^@]*' | sort)" "$redis"
pass "each library exports the functions that its headers declare, and no other"

# What the library for Redis takes from the other one, and what it has copies of.
imported=$(nm -D --undefined-only "$prefix/lib/liblfbloom_redis.so" | grep -o 'lfb_[^@]*' | sort)
copied=$(nm "$prefix/lib/liblfbloom_redis.so" | awk '$2 ~ /[tT]/ && $3 ~ /^lfb_/ { print $3 }' | sort)
grep -qx lfb_filter_read <<<"$imported" || fail "the one for Redis takes nothing from the other"
grep -qx lfb_layout_of <<<"$copied" || fail "the copies of the one for Redis are not found"
private=$(comm -23 <(echo "$imported") <(echo "$core"))
[[ -z $private ]] || fail "the one for Redis takes what no header declares: $private"
# A copy of a function on a filter, sink or follower would look into what the other library made.
same "copies of declared functions: < there, > known to take no object of the other library" \
  "$(comm -12 <(echo "$copied") <(echo "$core"))" "$(printf '%s\n' lfb_hash_from_name lfb_hash_name \
  lfb_strategy_from_name lfb_strategy_name)"
pass "the one for Redis takes only declared functions from the other, and has copies of none on objects"

# needed FILE: the libraries that it loads.
needed() { readelf -d "$1" | sed -nE 's/.*NEEDED.*\[(.*)\]/\1/p'; }
c_library='^(libc|libm|libpthread|ld-linux[^.]*)\.so'
if needed "$prefix/lib/liblfbloom.so" | grep -vE "$c_library|^libck\\.so\\.0$"; then
  fail "the shared library needs more than the C library and libck to be installed"
fi
if needed "$prefix/lib/liblfbloom_redis.so" | grep -vE "$c_library|^liblfbloom\.so|^libhiredis|^lib(ssl|crypto)\\."; then
  fail "the one for Redis needs more than hiredis, OpenSSL and the other one"
fi
readelf -d "$prefix/lib/liblfbloom_redis.so" | grep -q 'NEEDED.*\[liblfbloom.so.0.9\]' ||
  fail "the one for Redis does not ask for the shared library"
[[ $(needed "$prefix/lib/liblfbloom.so") == *libck.so.0* ]] || fail "the shared library does not ask for libck"
pass "the shared library needs nothing but the C library and libck"

if needed "$prefix/bin/lfbloom" | grep -vE "$c_library|^lib(ssl|crypto)\\."; then
  fail "the tool needs more than the C library and OpenSSL to be installed"
fi
pass "the tool needs nothing but the C library and OpenSSL"
[[ $("$prefix/bin/lfbloom" --version) == *"$version"* ]] || fail "the tool names another version"
pass "the tool runs"

# cmake_uses PREFIX LIBDIR: builds a project against the installation there.
cmake_uses() {
  rm -rf build
  if ! { cmake -S "$here/cmake" -B build -DCMAKE_PREFIX_PATH="$1" -Dversion="${version%.*}" &&
    cmake --build build; } >cmake.txt 2>&1; then
    fail "CMake, $1: $(cat cmake.txt)"
  fi
  for program in build/use_*; do
    "$program" || fail "$program, built by CMake"
  done
  readelf -d build/use_redis | grep "RUNPATH.*\[$1/$2:*\]" >/dev/null || fail "CMake takes another library"
}
cmake_uses "$prefix" lib
pass "CMake finds it, shared and static"
folder=lib/$(cc -print-multiarch)
LIBDIR=$folder installs "$PWD/wide" >/dev/null
PKG_CONFIG_PATH=$PWD/wide/$folder/pkgconfig pkg-config --libs lfbloom |
  grep -- "-L$PWD/wide/$folder" >/dev/null || fail "pkg-config does not know LIBDIR"
mv wide moved
cmake_uses "$PWD/moved" "$folder"
pass "also where libraries have a folder of their own, and after it was moved"
installs "$PWD/a place" >where.txt
eval "$(sed -nE 's/^to find it: (export [^;]*);.*/\1/p' where.txt)"
eval "cc -std=c11 ${strict[*]} -o use_place '$here/use.c' $(pkg-config --cflags --libs lfbloom)"
LD_LIBRARY_PATH="$PWD/a place/lib" ./use_place || fail "a prefix with a space"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
cmake_uses "$PWD/a place" lib
pass "also where its prefix has a space"
major=${version%%.*}
for own in "$major" "${version%.*}" "$version"; do
  cmake -S "$here/cmake" -B "own-$own" -DCMAKE_PREFIX_PATH="$prefix" -Dversion="$own" >/dev/null ||
    fail "CMake does not take it for version $own"
done
for other in "${version%.*}.99" "$major.99" $((major + 1)) $((major + 1)).0; do
  if cmake -S "$here/cmake" -B other -DCMAKE_PREFIX_PATH="$prefix" -Dversion="$other" >/dev/null 2>&1; then
    fail "CMake takes it for version $other"
  fi
done
pass "CMake does not take it for another version"
for libdir in /usr/lib ../lib; do
  if LIBDIR=$libdir installs "$PWD/refused" 2>/dev/null || [[ -e refused ]]; then
    fail "LIBDIR=$libdir was taken"
  fi
done
pass "a LIBDIR outside of PREFIX is refused"

# Folder modes as of /usr/local on some systems, and a strict umask.
mkdir -p "$PWD/kept/bin" "$PWD/kept/lib/pkgconfig"
chmod 2775 kept/{bin,lib,lib/pkgconfig}
(umask 077 && installs "$PWD/kept" >/dev/null)
(($(stat -c %a kept/{bin,lib,lib/pkgconfig} | grep -cx 2775) == 3)) || fail "the modes of folders that were there are changed"
[[ -z $(find kept/ -mindepth 1 ! -type l ! -perm -o+r) ]] || fail "not for all to read: $(find kept/ ! -perm -o+r)"
pass "folders that were there stay as they are, and what is installed is for all to read"

if installs >/dev/null 2>&1 || installs relative >/dev/null 2>&1; then
  fail "a missing or relative prefix was taken"
fi
pass "a missing or relative prefix is refused"
echo "$passed passed, 0 failed"
