#!/bin/bash
# musl.sh [FOLDER]: builds lfbloom and what it needs, from Debian's sources, with musl, Alpine's C
# library, and runs the tests of the library, the tool and Python. FOLDER keeps it for the next run.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/support/steps.sh
if (($#)); then
  mkdir -p "$1" && root=$(realpath "$1")
else
  root=$(mktemp -d)
  trap 'rm -rf "$root"' EXIT
fi
command -v musl-gcc >/dev/null || fail "there is no musl-gcc (Debian: apt-get install musl-tools)"
unset LIBRARY_PATH CPATH
tree=$PWD prefix=$root/prefix machine=$(uname -m)-linux-musl
mkdir -p "$root"/{sources,lists/partial,build} "$prefix"/{bin,include,lib}
export CC=$prefix/bin/cc CXX=$prefix/bin/c++

# once NAME COMMAND...: a step that FOLDER has kept is not run again.
once() {
  [[ -e $root/done.$1 ]] || "${@:2}" >"$root/$1.log" 2>&1 ||
    fail "$1: $(tail -n 20 "$root/$1.log")"
  touch "$root/done.$1"
  pass "$1"
}

# ---- sources ---------------------------------------------------------------------------

sources() (
  cd "$root/sources"
  . /etc/os-release
  echo "deb-src http://deb.debian.org/debian $VERSION_CODENAME main" >../apt.list
  apt=(apt-get -qq -o Dir::Etc::SourceList="$root/apt.list" -o Dir::Etc::SourceParts=/dev/null
    -o Dir::State::Lists="$root/lists" -o APT::Sandbox::User=root)
  "${apt[@]}" update && "${apt[@]}" --download-only source ck xxhash hiredis zlib libzstd xz-utils \
    jansson openssl libffi redis python3.11 googletest gcc-12 || return
  for dsc in *.dsc; do
    dpkg-source --no-check --skip-patches -x "$dsc" "${dsc%%_*}" || return
  done
  cd gcc-12 || return
  tar xf gcc-*-dfsg.tar.xz --strip-components=1 --exclude='*/testsuite/*/*' \
    --exclude='gcc-*/gcc/*/*' &&
    ln -s gthr-posix.h libgcc/gthr-default.h
)

# ---- compilers: gcc with musl's files, and the prefix ----------------------------------------

compilers() {
  local gcc="-specs $prefix/specs -isystem $prefix/include -L$prefix/lib -Wl,-rpath,$prefix/lib"
  local cxx=$prefix/include/c++ arch
  arch=/usr/include/$(gcc -print-multiarch)
  ln -sf /usr/include/linux /usr/include/asm-generic "$arch/asm" "$prefix/include" || return
  # gcc's own library to unwind by asks glibc for an object's tables.
  musl-gcc -O2 -fPIC -c tests/install/musl_unwind.c -o "$prefix/lib/unwind.o" &&
    ar rcs "$prefix/lib/libunwind.a" "$prefix/lib/unwind.o" || return
  sed "s|libgcc_eh.a%s)|& $prefix/lib/libunwind.a|; s|^-dynamic-linker|--eh-frame-hdr &|" \
    "/usr/lib/$machine/musl-gcc.specs" >"$prefix/specs"
  printf '#!/bin/sh\ncase $* in *print-multiarch*) exec echo %s ;; esac\nexec gcc "$@" %s\n' \
    "$machine" "$gcc" >"$CC"
  printf '#!/bin/sh\nexec g++ -nostdinc++ -isystem %s -isystem %s "$@" %s\n' \
    "$cxx" "$cxx/$machine" "$gcc" >"$CXX"
  chmod +x "$CC" "$CXX"
}

# ---- dependencies ------------------------------------------------------------------------

# at NAME COMMAND...: runs a command in a package's sources.
at() (cd "$root/sources/$1" && "${@:2}")
make() { command make -s -j"$(nproc)" "$@"; }
standard() {
  at "$1" ./configure --prefix="$prefix" "${@:2}" && at "$1" make && at "$1" make install
}
by_cmake() {
  cmake -S "$root/sources/$1" -B "$root/build/$1" -DCMAKE_INSTALL_PREFIX="$prefix" \
    -DCMAKE_BUILD_TYPE=Release "${@:2}" && make -C "$root/build/$1" install
}
libstdcxx() (
  rm -rf "$root/build/cxx" "$prefix/include/c++" && mkdir -p "$root/build/cxx" &&
    cd "$root/build/cxx" && "$root/sources/gcc-12/libstdc++-v3/configure" --host="$machine" \
      --prefix="$prefix" CFLAGS=-O2 CXXFLAGS=-O2 \
      --with-gxx-include-dir="$prefix/include/c++" --disable-{multilib,nls,libstdcxx-pch,shared} &&
    make && make install
)
libraries() {
  standard ck && at xxhash make install PREFIX="$prefix" &&
    at hiredis make install PREFIX="$prefix" && standard zlib &&
    at libzstd make -C lib install PREFIX="$prefix" && by_cmake jansson -DJANSSON_BUILD_DOCS=OFF \
      -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF &&
    standard libffi --host="$machine" --disable-{docs,multi-os-directory} CXX=false &&
    standard xz-utils --host="$machine" \
      --disable-{xz,xzdec,lzmadec,lzmainfo,lzma-links,scripts,doc,nls}
}
openssl() {
  at openssl ./Configure "linux-$(uname -m)" --prefix="$prefix" --libdir=lib no-tests no-shared &&
    at openssl make build_libs && at openssl make install_dev
}
redis() {
  at redis make -C src MALLOC=libc USE_SYSTEMD=no redis-server &&
    cp "$root/sources/redis/src/redis-server" "$prefix/bin"
}

once sources sources
once compilers compilers
once libstdc++ libstdcxx
once libraries libraries
once openssl openssl
once googletest by_cmake googletest -DBUILD_GMOCK=OFF
once redis redis
once python standard python3.11 --disable-test-modules --without-ensurepip

# ---- lfbloom, and its tests ----------------------------------------------------------------

built=$root/build/lfbloom golden=tests/golden
export PATH=$prefix/bin:$PATH # the tests' redis-server
lfbloom() {
  cmake -S . -B "$built" -DCMAKE_FIND_ROOT_PATH="$prefix" -DCMAKE_C_FLAGS="-Wall -Wextra -Werror" \
    -DCMAKE_FIND_ROOT_PATH_MODE_{LIBRARY,INCLUDE,PACKAGE}=ONLY && make -C "$built" &&
    readelf -l "$built/lfbloom" | grep ld-musl && mkdir -p "$root/tree/redis/module" &&
    ln -sfn "$tree/tests" "$root/tree/tests" &&
    ln -sf "$built/lfbloom_redis.so" "$root/tree/redis/module" &&
    "$CC" -std=c11 -Iinclude tests/cli/share_growing.c "$built/liblfbloom.a" -lck \
      -o "$built/share_growing" &&
    "$CXX" -std=c++17 -I. -Iinclude tests/cli/redis_servers.cc tests/redis/server.cc \
      "$built"/liblfbloom{_redis,}.a -lgtest -lhiredis -lssl -lcrypto -lck -o "$built/servers"
}
# The tests of the tool; in a tree with the module built here.
tool() (
  cd "$root/tree"
  local growing=$golden/growing-v1-fast.lfb counting=$golden/counting-v1-fast.lfb
  local window=$golden/window-v2.lfb
  local test files
  for test in tests/cli/*_cli_test.sh; do
    case $test in
    */compare_*) files=("$growing") ;;
    */delta_*) files=("$growing" "$counting" "$window") ;;
    */kinds_*) files=("$growing" "$counting" "$built/share_growing") ;;
    */like_*) files=("$growing" "$counting") ;;
    */module_*) files=("$built/servers" "$growing" "$counting" "$window") ;;
    */redis_* | */threads_*) files=("$built/servers") ;;
    */remove_*) files=("$counting") ;;
    */verify_*) files=($golden/native-v1-{overcounted,keyed,fast-old}.lfb) ;;
    */window_*) files=("$window") ;;
    *) files=() ;;
    esac
    echo "$test" && timeout 600 bash "$test" "$built/lfbloom" "${files[@]}" || return
  done
)
module_of_python() {
  rm -rf "$root/python" && mkdir "$root/python" &&
    cp -R atomic bloom include packaging tools "$root/python" &&
    (cd "$root/python/packaging/python" && PYTHONPATH=/usr/lib/python3/dist-packages \
      python3.11 setup.py build_ext --inplace) || return
  # The others, and the page's examples, need numpy, whose package is for glibc.
  local test
  for test in tests/python/{classes,errors,processes,stubs}_test.py; do
    PYTHONPATH=$root/python/packaging/python:tests/python \
      python3.11 -B -W error -m unittest -k "*test_[!p]*" -k "*test_p[!a]*" "$test" || return
  done
}

# always NAME COMMAND...: a step of each run.
always() {
  rm -f "$root/done.$1"
  once "$@"
}
always lfbloom lfbloom
always "the library's tests" ctest --test-dir "$built" --no-tests=error --output-on-failure -j 2
always "the tool's tests" tool
always "Python's tests" module_of_python
echo "$passed passed, 0 failed"
