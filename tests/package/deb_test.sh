#!/bin/bash
# deb_test.sh DEB VERSION: the Debian packages are built, installed into a separate root, used
# from there, and removed again.
set -euo pipefail
source tests/support/steps.sh
source tests/support/skip.sh

deb=$1 version=$2
here=$(cd "$(dirname "$0")" && pwd)
use=$here/../install
machine=$(dpkg-architecture -q DEB_HOST_MULTIARCH)

deb=$PWD/$deb
# The packager runs in Bazel's folder; everything else runs in another one.
package() { (cd "$laid_out" && "$deb" "$@"); }
laid_out=$PWD
cd "$TEST_TMPDIR"
built=$TEST_TMPDIR/built again=$TEST_TMPDIR/again
package "$built" 2>build.txt || fail "they are not built: $(cat build.txt)"
mkdir -m 1777 "$again"
package "$again" >again.txt 2>&1 || fail "they are not built again: $(cat again.txt)"
diff -r "$built" "$again" || fail "built again they are others"
packages=(lfbloom liblfbloom0.9 liblfbloom-redis0.9 liblfbloom-dev python3-lfbloom redis-module-lfbloom)
for package in "${packages[@]}"; do
  [[ -s $(compgen -G "$built/${package}_$version-*.deb") ]] || fail "no $package"
done
(($(find "$built" -type f | wc -l) == ${#packages[@]})) || fail "other files: $(ls "$built")"
[[ $(stat -c %a "$again") == 1777 ]] || fail "the mode of a folder that was there is changed"
pass "six packages, the same when they are built again, also into a folder that is there"

# depends PACKAGE: the names of the packages that it needs, in order.
depends() { dpkg-deb -f "$built"/"$1"_*.deb Depends | sed 's/([^)]*)//g; s/[ ]//g' | tr , '\n' | LC_ALL=C sort | paste -sd ' '; }
[[ $(depends lfbloom) == "libc6 libssl3" ]] || fail "the tool needs: $(depends lfbloom)"
[[ $(depends liblfbloom0.9) == "libc6 libck0" ]] || fail "the library needs: $(depends liblfbloom0.9)"
[[ $(depends liblfbloom-redis0.9) =~ ^libc6\ libhiredis[0-9.]+\ liblfbloom0.9\ libssl3$ ]] ||
  fail "the one for Redis needs: $(depends liblfbloom-redis0.9)"
[[ $(depends liblfbloom-dev) == "liblfbloom-redis0.9 liblfbloom0.9" ]] ||
  fail "the headers need: $(depends liblfbloom-dev)"
[[ $(depends python3-lfbloom) == "libc6 libck0 python3" ]] ||
  fail "the Python module needs: $(depends python3-lfbloom)"
[[ $(depends redis-module-lfbloom) == libc6 ]] || fail "the module needs: $(depends redis-module-lfbloom)"
pass "each depends on what it needs and on nothing else"

# An empty system. The packages that ours depend on come from this host.
root=$TEST_TMPDIR/root
mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers}
touch "$root"/var/lib/dpkg/{available,status}
on_root() {
  PATH=$PATH:/usr/sbin:/sbin dpkg --root="$root" --log=/dev/null --force-not-root --force-depends \
    --force-script-chrootless "$@" >dpkg.txt 2>&1 || fail "dpkg $1: $(cat dpkg.txt)"
}
files() { (cd "$root" && find . -path ./var/lib/dpkg -prune -o -print | LC_ALL=C sort); }
files >before.txt
on_root --install "$built"/*.deb
for package in "${packages[@]}"; do
  [[ $(dpkg-query --admindir="$root/var/lib/dpkg" -W -f='${Status}' "$package") == "install ok installed" ]] ||
    fail "$package is not installed"
  (cd "$root" && md5sum --quiet -c "var/lib/dpkg/info/$package"*.md5sums) || fail "$package differs from its sums"
done
pass "dpkg installs them"

strict=(-O2 -Wall -Wextra -Wpedantic -Werror)
libraries=$root/usr/lib/$machine
export PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$libraries/pkgconfig
for library in lfbloom lfbloom_redis; do
  # Files in the system's own folders need no flags; here they do.
  PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 pkg-config --cflags --libs $library >$library.flags
done
# shellcheck disable=SC2046 # pkg-config's words are meant to be split
{
  cc -std=c11 "${strict[@]}" -o use_c "$use/use.c" $(<lfbloom.flags)
  cc -std=c11 "${strict[@]}" -o use_redis "$use/use_redis.c" $(<lfbloom_redis.flags) -Wl,-rpath-link,"$libraries"
}
for program in use_c use_redis; do
  LD_LIBRARY_PATH=$libraries "./$program" || fail "$program"
  readelf -d $program | grep 'NEEDED.*\[liblfbloom' >/dev/null || fail "$program has the library inside"
done
cmake -S "$use/cmake" -B cmake -DCMAKE_PREFIX_PATH="$root/usr" -Dversion="${version%.*}" >cmake.txt 2>&1 ||
  fail "CMake: $(cat cmake.txt)"
cmake --build cmake >cmake.txt 2>&1 || fail "CMake: $(cat cmake.txt)"
for program in cmake/use_*; do
  "$program" || fail "$program, built by CMake"
done
pass "programs are compiled and run against them, by pkg-config and by CMake"

tool=$root/usr/bin/lfbloom
[[ $("$tool" --version) == *"$version"* ]] || fail "the tool names another version"
printf '%s\n' apple pear | "$tool" build -n 100 -p 0.001 -o fruit.lfb - 2>/dev/null
[[ $(printf '%s\n' apple plum | "$tool" query fruit.lfb - 2>/dev/null) == apple ]] || fail "the tool gives wrong answers"
man=$(gzip -dc "$root"/usr/share/man/man{1/lfbloom.1,1/lfbloom-build.1,3/lfbloom.3,7/lfbloom-keys.7}.gz)
[[ $man == *".Dt LFBLOOM 1"*".Dt LFBLOOM-BUILD 1"*".Dt LFBLOOM 3"*".Dt LFBLOOM-KEYS 7"* ]] || fail "the manual pages are none"
pass "the tool and its manual are there"

PYTHONPATH=$root/usr/lib/python3/dist-packages /usr/bin/python3 -B -W error - <<'END' || fail "the Python module"
import lfbloom
assert "dist-packages" in lfbloom.__file__
seen = lfbloom.Filter(1000, 1e-9)
assert seen.put("apple") and "apple" in seen and "plum" not in seen
END
pass "the Python module is there"

if command -v redis-server >/dev/null; then
  redis-server --port 0 --unixsocket redis --save "" --daemonize yes --dir "$TEST_TMPDIR" \
    --pidfile "$TEST_TMPDIR/redis.pid" --logfile redis.txt \
    --loadmodule "$root/usr/lib/redis/modules/lfbloom_redis.so" >/dev/null
  for ((tries = 0; tries < 600; tries++)); do
    redis-cli -s redis ping >/dev/null 2>&1 && break
    sleep 0.1
  done
  [[ $(redis-cli -s redis BF.ADD seen apple) == 1 && $(redis-cli -s redis BF.EXISTS seen apple) == 1 ]] ||
    fail "the module: $(cat redis.txt)"
  redis-cli -s redis SHUTDOWN NOSAVE >/dev/null 2>&1 || true
  while [[ -S redis ]]; do sleep 0.1; done
  pass "redis-server loads the module"
else
  skip "redis-server is not installed"
fi

if command -v lintian >/dev/null; then
  # The maintainers' address is a reserved one, and Debian has no bug that requests the package.
  lintian --no-cfg --allow-root --fail-on error,warning --suppress-tags \
    initial-upload-closes-no-bugs,bogus-mail-host,bogus-mail-host-in-debian-changelog "$built"/*.deb ||
    fail "lintian complains"
  pass "lintian has nothing to say"
else
  skip "lintian is not installed"
fi

on_root --purge "${packages[@]}"
files | diff before.txt - || fail "something is left behind"
pass "removed, they leave nothing behind"

if package 2>/dev/null || package "" 2>/dev/null; then
  fail "a missing folder was taken"
fi
pass "a missing folder is refused"
echo "$passed passed, 0 failed"
