#!/bin/bash
# recipes_test.sh: the recipes for vcpkg and Conan, run by stand-ins of these tools (stand_in.cmake,
# stand_in.py) where the tools themselves are not installed: cmake configures, builds and
# installs as the recipes say, and a program finds what was installed. What the tools do by themselves,
# such as fetching dependencies, is not shown.
#
# Seen to fail with a version in the recipes that is not the project's.
set -euo pipefail
source tests/support/steps.sh

here=$(cd "$(dirname "$0")" && pwd)
source=$TEST_TMPDIR/source out=$TEST_TMPDIR/out
mkdir "$source" "$out"
cp -RL .bazelrc CMakeLists.txt LICENSE README.md include atomic bloom redis cli completion man packaging tools "$source"
quietly() { "$@" >"$TEST_TMPDIR/said" 2>&1 || fail "$*: $(tail -n 40 "$TEST_TMPDIR/said")"; }

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
