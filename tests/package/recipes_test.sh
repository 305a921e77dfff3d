#!/bin/bash
# recipes_test.sh AMALGAMATION... KERNEL...: tools/release.sh makes an archive of a commit, always the same, which
# tools/check_release.sh builds and uses; its amalgamation and kernel are Bazel's files.  From this archive
# the recipes for vcpkg and Conan are run by stand-ins of these tools (stand_in.cmake, stand_in.py)
# where the tools themselves are not installed. What they do by themselves, such as fetching, is not shown.
#
# Seen to fail with a version in the recipes that is not the project's; with an archive that has the time
# of its making, or uncommitted lines, or lacks a file that CMake reads.
set -euo pipefail
source tests/support/steps.sh

here=$(cd "$(dirname "$0")" && pwd)
tree=$TEST_TMPDIR/tree out=$TEST_TMPDIR/out
mkdir "$tree" "$out"
cp -RL .bazelrc CMakeLists.txt LICENSE README.md include atomic bloom redis cli completion man packaging tools tests "$tree"
quietly() { "$@" >"$TEST_TMPDIR/said" 2>&1 || fail "$*: $(tail -n 40 "$TEST_TMPDIR/said")"; }

commit=(git -C "$tree" -c user.name=a -c user.email=a@example.org)
git init -q "$tree"
"${commit[@]}" add .
"${commit[@]}" commit -qm one
echo changed >>"$tree/README.md" # in no commit
quietly "$tree/tools/release.sh" "$out/first"
find "$tree" -exec touch -d 2001-02-03 {} + -exec chmod go-rwx {} +
(cd "$out" && umask 077 && TZ=Asia/Tokyo quietly "$tree/tools/release.sh" second)
diff -r "$out/first" "$out/second" || fail "a second archive of the commit differs"
pass "two archives of a commit are the same"

quietly "$tree/tools/check_release.sh" "$out"/first/lfbloom-*.gz
tar -xf "$out"/first/lfbloom-*.gz -C "$out"
source=$(echo "$out"/lfbloom-*)
[[ ! -e $source/tests && $(tail -n 1 "$source/README.md") != changed ]] || fail "it has more than a user's part of the commit"
for file in "$@"; do
  cmp "$file" "$source"/[ak]*/"${file##*/}" || fail "not Bazel's $file"
done
(($(find "$source/amalgamation" "$source/kernel" -name '*.[ch]' | wc -l) == $#)) || fail "its amalgamation or kernel has other files"
pass "it is whole, and builds in an empty folder"
echo >>"$source/NEWS.md"
tar -czf "$out/second/lfbloom-${source##*-}.tar.gz" -C "$out" "${source##*/}"
(cd "$out/second" && sha256sum ./*.gz >"$(echo ./*.sha256)")
! "$tree/tools/check_release.sh" "$out"/second/*.gz >/dev/null 2>&1 || fail "a changed file is not found"
pass "a changed file is found"

# uses PREFIX: a program, built against an installation.
mkdir "$out/use"
cp tests/install/use.c "$out/use"
cat >"$out/use/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(use C)
set(CMAKE_C_STANDARD 11)
find_package(lfbloom REQUIRED CONFIG)
add_executable(use use.c)
target_link_libraries(use lfbloom::lfbloom_static)
END
uses() {
  quietly cmake -S "$out/use" -B "$out/built" -Dlfbloom_DIR="$1/lib/cmake/lfbloom"
  quietly cmake --build "$out/built"
  quietly "$out/built/use"
  rm -rf "$out/built"
}

quietly cmake -DOUT="$out/vcpkg" -DPORT="$source/packaging/vcpkg/ports/lfbloom/portfile.cmake" -P "$here/stand_in.cmake"
[[ -s $out/vcpkg/share/lfbloom/copyright ]] || fail "vcpkg: no licence"
[[ -s $out/vcpkg/lib/liblfbloom.a && ! -e $out/vcpkg/lib/liblfbloom_redis.a ]] || fail "vcpkg: wrong libraries"
uses "$out/vcpkg"
pass "vcpkg's portfile builds and installs"

quietly python3 "$here/stand_in.py" "$source/packaging/conan/conanfile.py" "$source" "$out/conan"
[[ -s $out/conan/licenses/LICENSE && -s $out/conan/lib/liblfbloom.a ]] || fail "Conan: something is missing"
uses "$out/conan"
pass "Conan's recipe builds and installs"

python3 - "$source" <<'P' || fail "recipes of another version"
import json, re, sys
tree = sys.argv[1]
def read(path): return open(f"{tree}/{path}").read()
def value(path, name): return re.search(rf'^ *{name} = "(.*)"', read(path), re.M).group(1)
port = json.loads(read("packaging/vcpkg/ports/lfbloom/vcpkg.json"))
conan = "packaging/conan/conanfile.py"
versions = {port["version"], value(conan, "version")}
assert len(versions) == 1, versions
assert value("tools/version.bzl", "VERSION") in versions, versions
P
pass "they have the version of the project"
echo "$passed passed, 0 failed"
