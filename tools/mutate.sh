#!/bin/bash
# Mutation testing of one C file: tools/mutate.sh --help.
#
# tools/mutate/mutants.py makes the mutants.  tests/covers.txt lists the tests that cover a file,
# and how they are built.  Bazel is not used: all objects are built once.  Then each mutant costs
# the objects that include its file, and one link and run per test until one test fails.
set -euo pipefail
tools=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
  cat <<END
usage: tools/mutate.sh FILE [OPTIONS]

Plants single changes into FILE, one at a time, and runs the tests that cover it.  Prints the
mutants that survive and a score: killed of viable.  A mutant that does not compile, or
compiles to the same code (equivalent), is not viable.  Nor is a survivor with a line in
tools/mutate/argued.txt, which gives the reason why no test can detect it.

  --list          print the mutants (number, line, kind, text) and run nothing
  --only=KIND     compare, constant, negate, drop, logic, sign, shift, bits or order
  --line=N        only mutants of this line
  --number=N,N..  only these mutants
  --jobs=N        number of mutants to run at a time (2)
  --seconds=N     time limit of one test on one mutant, which counts as killed when it is reached
                  (ten times the test's time without a mutant, plus 10 s)
  --all           print each mutant's outcome, not only the survivors
  --keep=DIR      build in DIR, and reuse what an earlier call built there
  --root=DIR      the tree (this one)
  --covers=TABLE  which tests cover which file (tests/covers.txt in the tree)
  --argued=TABLE  which mutants no test can detect (tools/mutate/argued.txt in the tree)

Exit status: 0 if all mutants were tried, regardless of their outcome; 2 if the call was wrong,
or a test fails without a mutant.
END
}

fail() {
  echo "mutate.sh: $*" >&2
  exit 2
}

# ---- options -----------------------------------------------------------------------

file='' only='' line='' number='' jobs=2 seconds='' keep='' root=$tools/.. covers=tests/covers.txt
argued=tools/mutate/argued.txt list='' all=''

number_of() {
  [[ ${1#*=} =~ ^[1-9][0-9]*$ ]] || fail "$1: a number from 1 is wanted"
  echo "${1#*=}"
}

parse() {
  local option
  for option; do
    case $option in
    --help) usage; exit 0 ;;
    --list) list=1 ;;
    --all) all=1 ;;
    --only=*) only=${option#*=} ;;
    --line=*) line=$(number_of "$option") ;;
    --number=*) number=,${option#*=}, ;;
    --jobs=*) jobs=$(number_of "$option") ;;
    --seconds=*) seconds=$(number_of "$option") ;;
    --keep=*) keep=${option#*=} ;;
    --root=*) root=${option#*=} ;;
    --covers=*) covers=${option#*=} ;;
    --argued=*) argued=${option#*=} ;;
    -*) fail "$option: no such option; see --help" ;;
    *) [[ ! $file ]] || fail "$option: one FILE at a time"; file=$option ;;
    esac
  done
  [[ $file ]] || { usage >&2; exit 2; }
  case $only in
  '' | compare | constant | negate | drop | logic | sign | shift | bits | order) ;;
  *) fail "--only=$only: no such kind; see --help" ;;
  esac
}

# ---- the table ---------------------------------------------------------------------

# Of the lines "WORD REST" of covers.txt with this word, prints the rest.
rows() {
  awk -v word="$1" '$1 == word { sub(/^[^ ]+ +/, ""); print }' "$covers"
}

# A killer is a test that covers the file: killer_build[k], killer_sources[k], killer_arguments[k].
read_table() {
  local build sources arguments
  read -ra includes <<<"$(rows include)"
  read -ra libraries <<<"$(rows link)"
  # shellcheck disable=SC2207 # words are patterns
  library=($(rows library))
  killer_build=() killer_sources=() killer_arguments=()
  while read -r build sources arguments; do
    [[ $build != elsewhere ]] || continue
    killer_build+=("$build") killer_sources+=("${sources//,/ }") killer_arguments+=("$arguments")
  done < <(rows "$file")
  ((${#killer_build[@]})) || fail "$file: $covers names no test of it that is built here"
}

# ---- compiling ---------------------------------------------------------------------

# The options of a build for C and C++.
flags_of() {
  case $1 in
  test) echo '-O2' ;;
  asan) echo '-O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-sanitize=vptr' ;;
  tsan) echo '-O1 -fsanitize=thread' ;;
  model) echo "-O0 -DLFB_MODEL -fpermissive -ffunction-sections -I$keep/made/tests/model/modelled" ;;
  *) fail "$covers: no such build: $1" ;;
  esac
}

# compile BUILD SOURCE OBJECT [MUTANT]: #include looks in MUTANT's folder first.
compile() {
  local build=$1 source=$2 object=$3 mutant=${4:-} include
  local command=(gcc -std=c11)
  [[ $source == *.cc ]] && command=(g++ -std=c++17)
  # shellcheck disable=SC2207 # words are options
  command+=(-w $(flags_of "$build"))
  [[ $source == *.cc && $build != model ]] && command+=(-O1)
  # shellcheck disable=SC2207
  command+=($(rows flags | awk -v source="$source" '$1 == source { $1 = ""; print }'))
  if [[ $mutant ]]; then
    command+=("-ffile-prefix-map=$mutant/=./")
    for include in "${includes[@]}"; do command+=("-I$mutant/$include"); done
    [[ -e $mutant/$source ]] && source=$mutant/$source
  fi
  for include in "$keep/made" "${includes[@]}"; do command+=("-I$include"); done
  [[ $source == /* ]] || source=./$source
  mkdir -p "${object%/*}"
  "${command[@]}" -MMD -MF "$object.d" -c "$source" -o "$object"
}

# The files that an object was made of, one per line.
made_of() {
  tr -s ' \\\n' '\n' <"$1.d" | sed -n '/:$/d; s,^\./,,p; t; p'
}

is_fresh() {
  [[ -e $1 && -e $1.d ]] || return 1
  local made
  while read -r made; do
    [[ -z $made || $1 -nt $made ]] || return 1
  done < <(made_of "$1")
}

# Whether an object was made of the mutated file, or of a header that is made of it.
is_made_of_file() {
  made_of "$1" | grep -qxF -e "$file" ${made_target:+-e "$keep/made/$made_target"}
}

in_turn() {
  while (($(jobs -rp | wc -l) >= jobs)); do wait -n || failed=1; done
}

all_done() {
  while (($(jobs -rp | wc -l))); do wait -n || failed=1; done
}

# ---- what is built once ------------------------------------------------------------

# Makes the headers that are made of sources; made_target is the one made of the mutated file.
make_headers() {
  local target source command
  made_target='' made_command=''
  while read -r target source command; do
    mkdir -p "$(dirname "$keep/made/$target")"
    eval "$command" <"$source" >"$keep/made/$target.new"
    cmp -s "$keep/made/$target"{.new,} || mv "$keep/made/$target"{.new,}
    [[ $source != "$file" ]] || made_target=$target made_command=$command
  done < <(rows made)
}

builds() {
  printf '%s\n' "${killer_build[@]}" | sort -u
}

# The sources of a build, each once: those of the library, and those of its tests.
sources_of() {
  local k
  [[ $1 == model ]] || printf '%s\n' "${library[@]}"
  for k in "${!killer_build[@]}"; do
    # shellcheck disable=SC2086 # words are names
    [[ ${killer_build[k]} != "$1" ]] || printf '%s\n' ${killer_sources[k]}
  done | sort -u
}

compile_all() {
  local build source object
  failed=0
  for build in $(builds); do
    while read -r source; do
      object=$keep/$build/$source.o
      is_fresh "$object" && continue
      in_turn
      compile "$build" "$source" "$object" &
    done < <(sources_of "$build")
  done
  all_done
  ((!failed)) || fail "$file: what it is tested with does not compile"
}

# Compiles GoogleTest for the builds with tests that use it.
compile_googletest() {
  local build part home=/usr/src/googletest/googletest
  for build in $(builds); do
    grep -rqs --include='*.cc.o' _ZN7testing "$keep/$build" || continue
    for part in gtest-all gtest_main; do
      [[ -e $keep/$build/$part.o ]] && continue
      in_turn
      # shellcheck disable=SC2046
      g++ -std=c++17 -w $(flags_of "$build") -O1 -I$home -c $home/src/$part.cc -o "$keep/$build/$part.o" &
    done
  done
  all_done
}

archive() {
  local build
  for build in $(builds); do
    [[ $build == model ]] && continue
    rm -f "$keep/$build/library.a"
    (cd "$keep/$build" && find . -name 'gtest*.o' -printf '%P\0' | xargs -0r ar qcT library.a &&
      printf '%s.o\0' "${library[@]}" | xargs -0 ar qcT library.a)
  done
}

# link KILLER BINARY [OBJECT...]: links these objects before the archive's, and instead of the same
# objects of the test.
link() {
  local k=$1 binary=$2 build=${killer_build[$1]} source own
  shift 2
  local command=(g++ -o "$binary" -pthread)
  # shellcheck disable=SC2054,SC2207
  command+=($(flags_of "$build") -Wl,--gc-sections)
  for source in ${killer_sources[k]}; do
    own=$keep/$build/$source.o
    [[ " $* " == *"/$build/$source.o "* ]] || command+=("$own")
    # The functions that a test wraps between the library and the C library.
    # shellcheck disable=SC2207
    command+=($(grep -oE '__wrap_[a-zA-Z0-9_]+' "$source" | sort -u | sed 's/^__wrap_/-Wl,--wrap=/'))
  done
  command+=("$@")
  [[ $build == model ]] || command+=("$keep/$build/library.a" "${libraries[@]}")
  "${command[@]}" -Wl,--trace
}

# Writes to needs/K the sources of a killer's objects that are made of the mutated file.
find_needs() {
  local k=$1 build=${killer_build[$1]} object
  sed -n "s,.*$keep/$build/\(.*\)\.o)\?$,\1,p" "$keep/trace/$k" | sort -u | while read -r object; do
    [[ $object == gtest* ]] || ! is_made_of_file "$keep/$build/$object.o" || echo "$object"
  done >"$keep/needs/$k"
  [[ -s $keep/needs/$k ]] || fail "$file: no part of ${killer_sources[k]}, which is said to cover it"
}

# Runs each test without a mutant: it has to pass.  Measures how long it takes.
run_all() {
  local k start
  mkdir -p "$keep"/{bin,trace,needs,took}
  for k in "${!killer_build[@]}"; do
    link "$k" "$keep/bin/$k" >"$keep/trace/$k" 2>"$keep/output" ||
      { tail -n 20 "$keep/output" >&2; fail "${killer_sources[k]}: does not link"; }
    find_needs "$k"
    start=$(date +%s%N)
    run "$k" "$keep/bin/$k" "$keep" 600 >"$keep/output" 2>&1 ||
      { tail -n 20 "$keep/output" >&2; fail "${killer_sources[k]} (${killer_build[k]}): fails without a mutant"; }
    echo $((($(date +%s%N) - start) / 1000000)) >"$keep/took/$k"
  done
}

# run KILLER BINARY FOLDER SECONDS
run() {
  local k=$1 binary=$2 folder=$3/tmp limit=$4
  mkdir -p "$folder"
  (
    # A mutant must not allocate all of the host's memory.
    [[ ${killer_build[k]} == *san ]] || ulimit -v $((16 << 20))
    ulimit -c 0
    export TEST_TMPDIR=$folder GTEST_FAIL_FAST=1 TSAN_OPTIONS=halt_on_error=1
    export ASAN_OPTIONS=detect_stack_use_after_return=0:allocator_may_return_null=1
    set -f
    # shellcheck disable=SC2086 # words are arguments
    exec timeout -s KILL "$limit" "$binary" ${killer_arguments[k]}
  )
}

# ---- one mutant --------------------------------------------------------------------

# Whether a build can see a change of this kind that the ordinary one does not.
sees() {
  case $1 in
  model) ;;
  tsan) [[ $2 == order ]] ;;
  *) [[ $2 != order ]] ;;
  esac
}

# The killers in the order in which they are tried: build "test" first; in each group, those with
# the most kills per time first.
in_order() {
  local k rank
  for k in "${!killer_build[@]}"; do
    sees "${killer_build[k]}" "$1" || continue
    rank=1
    [[ ${killer_build[k]} == test ]] && rank=0
    echo "$rank $((($(grep -cx "$k" "$work/kills") + 1) * 1000000 / ($(<"$keep/took/$k") + 500))) \
$(<"$keep/took/$k") $k"
  done | sort -k1,1n -k2,2nr -k3,3n | cut -d' ' -f4
}

# Compiles a killer's objects that are made of the mutated file.  Sets `objects` to those that
# differ; fails if one does not compile.
compile_mutant() {
  local k=$1 mutant=$2 build=${killer_build[$1]} source object
  objects=()
  while read -r source; do
    object=$mutant/$build/$source.o
    [[ -e $object ]] || compile "$build" "$source" "$object" "$mutant" 2>/dev/null || return 1
    cmp -s "$object" "$keep/$build/$source.o" && continue
    objects+=("$object")
  done <"$keep/needs/$k"
}

# Prints the outcome of a mutant: killed, and by which test; survived, equivalent or uncompiled.
outcome() {
  local kind=$1 mutant=$2 changed='' k limit
  for k in $(in_order "$kind"); do
    # If the code is the same in all ordinary tests, it is the same in the other builds.
    [[ $kind != order && ${killer_build[k]} != test && ! $changed ]] &&
      [[ " ${killer_build[*]} " == *" test "* ]] && break
    # A model compiles C as C++, which accepts less.
    compile_mutant "$k" "$mutant" || { [[ $changed ]] && continue; echo uncompiled; return; }
    ((${#objects[@]})) || continue
    changed=1
    limit=${seconds:-$((10 + $(<"$keep/took/$k") / 100))}
    if link "$k" "$mutant/binary" "${objects[@]}" >/dev/null 2>&1 &&
      run "$k" "$mutant/binary" "$mutant" "$limit" >/dev/null 2>&1; then
      continue
    fi
    echo "$k" >>"$work/kills"
    echo "killed by ${killer_sources[k]%% *} (${killer_build[k]})"
    return
  done
  [[ $changed || $kind == order ]] && echo survived || echo equivalent
}

# try NUMBER KIND: plants and tries a mutant, and writes its outcome to $work/outcome.
try() {
  local number=$1 kind=$2 mutant=$work/mutant$1
  mkdir -p "$mutant/$(dirname "$file")"
  python3 "$tools/mutate/mutants.py" write "$file" "$number" >"$mutant/$file"
  if [[ $made_target ]]; then
    mkdir -p "$mutant/$(dirname "$made_target")"
    eval "$made_command" <"$mutant/$file" >"$mutant/$made_target" || true
  fi
  outcome "$kind" "$mutant" >"$work/outcome/$number" 2>/dev/null
  rm -rf "$mutant"
}

# ---- all of them -------------------------------------------------------------------

try_all() {
  local number at kind text count=0
  while IFS=$'\t' read -r number at kind text; do
    in_turn
    try "$number" "$kind" &
    [[ ! -t 2 ]] || printf '\r%d of %d' $((count += 1)) "$(wc -l <"$work/mutants")" >&2
  done <"$work/mutants"
  all_done
  [[ ! -t 2 ]] || printf '\r' >&2
}

is_argued() {
  [[ -e $argued ]] && grep -qxF -e "$file: $1: $2" "$argued"
}

# Fails if an argued mutant no longer exists: its argument may be outdated.
check_argued() {
  local line
  [[ -e $argued ]] || return 0
  python3 "$tools/mutate/mutants.py" list "$file" |
    awk -F'\t' -v file="$file" '{ print file ": " $3 ": " $4 }' >"$work/all"
  while read -r line; do
    grep -qxF -e "$line" "$work/all" || fail "$argued: no such mutant: $line"
  done < <(grep -F -e "$file: " "$argued")
}

print_outcomes() {
  local number at kind text outcome
  while IFS=$'\t' read -r number at kind text; do
    outcome=$(<"$work/outcome/$number")
    if [[ $outcome == survived ]] && is_argued "$kind" "$text"; then
      outcome=argued
      echo argued >"$work/outcome/$number"
    fi
    [[ $all || $outcome == survived ]] &&
      printf '%s:%s: %s #%s: %s: %s\n' "$file" "$at" "$kind" "$number" "$outcome" "$text"
  done <"$work/mutants" || true
}

print_score() {
  cat "$work"/outcome/* | awk -v file="$file" '
    { count[$1]++ }
    END {
      viable = count["killed"] + count["survived"]
      printf "%s: %d mutants, %d uncompiled, %d equivalent, %d argued, %d viable, %d killed", file, NR,
        count["uncompiled"], count["equivalent"], count["argued"], viable, count["killed"]
      if (viable > 0) printf ": %.1f %%", 100 * count["killed"] / viable
      print ""
    }'
}

wanted_mutants() {
  python3 "$tools/mutate/mutants.py" list "$file" "$only" "$line" |
    awk -F'\t' -v numbers="$number" 'numbers == "" || index(numbers, "," $1 ",")'
}

main() {
  parse "$@"
  cd "$root" || fail "$root: no such folder"
  file=${file#./}
  [[ -f $file ]] || fail "$file: no such file in $PWD"
  if [[ $list ]]; then
    wanted_mutants
    exit
  fi
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  mkdir "$work/outcome"
  : >"$work/kills"
  wanted_mutants >"$work/mutants"
  [[ -s $work/mutants ]] || fail "$file: no such mutants"
  check_argued
  keep=${keep:-$work/built}
  mkdir -p "$keep"
  keep=$(cd "$keep" && pwd)
  read_table
  make_headers
  compile_all
  compile_googletest
  archive
  run_all
  try_all
  print_outcomes
  print_score
}

main "$@"
