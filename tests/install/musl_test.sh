#!/bin/bash
# musl_test.sh FILE...: a program of another C library, musl, opens the shared library and the module
# for Redis by dlopen(), and its threads claim.  Seen to fail while all TLS was initial-exec:
# "initial-exec TLS resolves to dynamic definition".
set -euo pipefail
source tests/support/steps.sh
source tests/support/skip.sh
command -v musl-gcc >/dev/null || {
  skip "there is no musl-gcc (Debian: apt-get install musl-tools)"
  exit 0
}
work=$TEST_TMPDIR objects=$TEST_TMPDIR/objects ck=$(gcc -print-file-name=libck.a)
[[ -e $ck ]] || fail "there is no libck.a"

# What belongs to no C library: other libraries' headers, and the kernel's.
mkdir -p "$work/system/openssl" "$objects"
arch=/usr/include/$(gcc -print-multiarch)
ln -s /usr/include/{ck*,xxhash.h,hiredis,z{lib,conf,std,dict}*.h,lzma*,jansson*,linux,asm-generic} "$arch/asm" \
  "$work/system"
ln -s /usr/include/openssl/* "$arch"/openssl/* "$work/system/openssl"

flags=(-std=c11 -O1 -fPIC -fvisibility=hidden -Wall -Wextra -Werror -Iinclude -I. -isystem "$work/system")
for file; do
  [[ $file != *.c ]] || echo "-c $file -o $objects/${file//\//_}.o"
done | xargs -P 2 -L 1 musl-gcc "${flags[@]}" || fail "musl-gcc does not compile the sources"
pass "musl-gcc compiles library and module, $# files, without a warning"

# Seen to fail with the GNU strerror_r(), which returns a text.
find redis/ cli/ -name '*.c' | xargs -P 2 -n 8 musl-gcc "${flags[@]}" -fsyntax-only \
  -DLFBLOOM_{ZLIB,ZSTD,LZMA,JANSSON} -DLFBLOOM_VERSION='""' || fail "musl-gcc refuses the filters on Redis or the tool"
pass "it takes the filters on Redis, and the tool with all its libraries, without a warning"

musl-gcc -shared -o "$work/liblfbloom.so" "$objects"/{atomic,bloom}_*.o "$ck" -pthread \
  -Wl,--version-script=packaging/lfbloom.map -Wl,-z,defs
musl-gcc -shared -o "$work/lfbloom_redis.so" "$objects"/*.o "$ck" -pthread -Wl,-z,defs \
  -Wl,@redis/module/link.txt -Wl,--version-script=redis/module/exports.lds
musl-gcc "${flags[@]}" -o "$work/use" tests/install/musl_use.c -pthread
timeout 120 "$work/use" "$work/liblfbloom.so" "$work/lfbloom_redis.so" || fail "a program with musl cannot use them"
pass "dlopen() takes both; of the claims of threads one wins"
echo "$passed passed, 0 failed"
