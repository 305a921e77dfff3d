#!/bin/bash
# guide_test.sh INSTALL REDIS_SERVERS PAGE PROGRAMS COMMANDS [FILE...]: follows a page as a reader does, the
# guide or the recipes. The page has at least so many programs and commands. Each FILE is in the folder, and each
# that is a program is a command, too. Each ```c, ```cpp and
# ```java block is saved under the name in its first line. Each line of a ```console block that
# begins with "$ " is run, in order, in one folder, with an installation by :install. Its output
# must be the text below it; ... stands for anything.
#
# Seen to fail with a function's name misspelt, with a number changed in the output, and with a
# command that fails silently.
set -euo pipefail

install=$1 servers=$PWD/$2 page=$PWD/$3 least_saved=$4 least_ran=$5
shift 5
prefix=$TEST_TMPDIR/prefix
"$install" "$prefix" >/dev/null
export PATH=$prefix/bin:$PATH PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib
export LC_ALL=C
# A JVM keeps its performance data in /tmp under its process number. A JVM in another test's
# sandbox can have the same number; if both are there, it warns.
mkdir "$TEST_TMPDIR/bin"
quiet() { # PROGRAM OPTION
  printf '#!/bin/bash\nexec %q %s "$@"\n' "$(command -v "$1")" "$2" >"$TEST_TMPDIR/bin/$1"
  chmod +x "$TEST_TMPDIR/bin/$1"
}
quiet java -XX:-UsePerfData
quiet javac -J-XX:-UsePerfData
export PATH=$TEST_TMPDIR/bin:$PATH
mkdir "$TEST_TMPDIR/work"
for file; do
  if [[ $file == *.* ]]; then cp "$file" "$TEST_TMPDIR/work/"; else ln -s "$PWD/$file" "$TEST_TMPDIR/bin/"; fi
done
cd "$TEST_TMPDIR/work"

# The guide's server has Redis' usual port, which other tests may use here.
coproc "$servers" server
read -r port <&"${COPROC[0]}"

ran=0
saved=0
wrong=0
# run COMMAND WANTED: the output that the page promises; ... stands for anything.
run() {
  local got status=0 pattern
  ran=$((ran + 1))
  got=$(timeout 120 bash -c "${1//:6379/:$port}" 2>&1) || status=$?
  ((status == 0)) || got+=$'\n'"(exit status $status)"
  pattern=$(sed 's/[][*?\\]/\\&/g; s/\.\.\./*/g' <<<"$2")
  # shellcheck disable=SC2053 # a pattern is intended
  [[ $got == $pattern ]] && return
  wrong=$((wrong + 1))
  printf 'FAILED: %s\n--- the page says:\n%s\n--- printed:\n%s\n' "$1" "$2" "$got"
}
# Takes a block of commands, each followed by its output.
run_all() {
  local line command='' wanted=''
  while IFS= read -r line; do
    if [[ $line == '$ '* ]]; then
      [[ -z $command ]] || run "$command" "$wanted"
      command=${line#'$ '} wanted=''
    else
      wanted+=${wanted:+$'\n'}$line
    fi
  done <"$1"
  run "$command" "$wanted"
}
# Takes a block that is a program.
save() {
  local name
  name=$(sed -nE '1s,^(/\*|//) ([A-Za-z]+\.(c|cc|java)) - .*,\2,p' "$1")
  [[ -n $name ]] || { echo "a program without a name: $(head -1 "$1")"; exit 1; }
  saved=$((saved + 1))
  cp "$1" "$name"
}

mkdir ../blocks
awk -v folder=../blocks '
  /^```[a-z]/ { file = sprintf("%s/%03d.%s", folder, ++blocks, substr($0, 4)); next }
  /^```$/ { file = ""; next }
  file { print >file }' "$page"
for block in ../blocks/*; do
  case $block in
  *.c | *.cpp | *.java) save "$block" ;;
  *.console) run_all "$block" ;;
  *) echo "what is ${block##*.}?" && exit 1 ;;
  esac
done

echo "$saved programs saved, $ran commands run, $wrong wrong"
((wrong == 0 && saved >= least_saved && ran >= least_ran))
