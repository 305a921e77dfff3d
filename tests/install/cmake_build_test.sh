#!/bin/bash
# cmake_build_test.sh INSTALL: CMake builds the library as a part of another project, and
# installs the same as the installer INSTALL. Seen to fail with a file of another name, and with
# a library built without immediate binding.
set -euo pipefail
source tests/support/steps.sh
install=$1
here=$(cd "$(dirname "$0")" && pwd)
source=$TEST_TMPDIR/source
bazel=$TEST_TMPDIR/bazel cmake=$TEST_TMPDIR/cmake build=$TEST_TMPDIR/build

# Copies the files: Bazel's are links, and CMake would install links.
mkdir "$source"
cp -RL .bazelrc CMakeLists.txt README.md include atomic bloom redis cli completion man packaging tools "$source"

# quietly COMMAND...: prints the output only on failure.
quietly() { "$@" >"$TEST_TMPDIR/said" 2>&1 || fail "$*: $(tail -n 40 "$TEST_TMPDIR/said")"; }
# runs FOLDER: runs the programs built there.
runs() {
  for program in "$1"/use_*; do
    "$program" >/dev/null || fail "$program"
  done
}

quietly cmake -S "$here/cmake" -B "$build" -Dsource="$source" -DLFBLOOM_INSTALL=ON \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_LIBDIR=lib -DFETCHCONTENT_FULLY_DISCONNECTED=ON
quietly cmake --build "$build" --parallel 2
runs "$build"
pass "a project that has the library as a part of itself builds and runs"

quietly cmake --install "$build" --prefix "$cmake"
text=$(size "$cmake/lib/liblfbloom.so" | awk 'NR == 2 { print $1 }')
((text <= 420000)) || fail "liblfbloom.so has $text bytes of code: are .bazelrc's flags for small files used?"
quietly cmake -S "$here/cmake" -B "$build.found" -DCMAKE_PREFIX_PATH="$cmake"
quietly cmake --build "$build.found"
runs "$build.found"
[[ $(readelf -d "$build.found/use_redis") == *"RUNPATH"*"[$cmake/lib"* ]] ||
  fail "CMake takes another library"
c++ -static -o use_cc_static "$here/use.cc" -I"$cmake/include" "$cmake/lib/liblfbloom.a" -pthread && ./use_cc_static ||
  fail "a static program without versions needs libck"
pass "a project that finds the installed library builds and runs"
[[ $(PKG_CONFIG_PATH=$cmake/lib/pkgconfig pkg-config --cflags lfbloom_redis) == *"-I$cmake/include"* ]] ||
  fail "pkg-config looks elsewhere than in the prefix that was asked for"
pass "pkg-config finds it below the prefix that it was installed to"

# same WHAT COMMAND...: the command prints the same in both trees.
same() {
  local what=$1
  shift
  diff <(cd "$bazel" && "$@") <(cd "$cmake" && "$@") || fail "$what: < Bazel's, > CMake's"
  pass "$what: the same as Bazel's"
}
texts() { find include share lib/cmake lib/pkgconfig -type f -print0 | sort -z | xargs -0 tail -n +1 | sed "s|$PWD|PREFIX|"; }
names() { nm -Dg --defined-only "lib/$1.so" | sed 's/^[^ ]* //' | sort; }
# Without the folders of Bazel's own libraries, which are not installed.
dynamic() {
  readelf -d "lib/$1.so" | sed -nE 's/.*\((NEEDED|SONAME|RUNPATH|RPATH|FLAGS_1)\)/\1/p' |
    sed 's|\$ORIGIN/_solib[^:]*:||' | sort
}
tool_needs() { readelf -d bin/lfbloom | sed -nE 's/.*\(NEEDED\)//p' | sort; }

quietly "$install" "$bazel"
same "files and links" find . -printf '%P %y %l\n' | sort
same "headers, pages, completion, and what CMake and pkg-config ask for" texts
for library in liblfbloom liblfbloom_redis; do
  same "$library's names" names $library
  same "$library's soname, and what it needs" dynamic $library
done
same "what the tool needs" tool_needs
[[ $("$cmake/bin/lfbloom" --version) == "$("$bazel/bin/lfbloom" --version)" ]] || fail "another version"
pass "the tool tells the same version"
echo "$passed passed, 0 failed"
