# checks.sh - shared by the tests of the tool: makes a working folder, counts checks, and runs the
# tool as its users do.  To be sourced.
# shellcheck shell=bash
set -u
tool=$(realpath "$1") # the first argument of each script
export LC_ALL=C
source "$(dirname "${BASH_SOURCE[0]}")/../support/skip.sh"
work=$(mktemp -d "${TEST_TMPDIR:-/tmp}/lfbloom_cli.XXXXXX")
# shellcheck disable=SC2046 # words
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
# A check by a name that nothing has ends the test.  (Called in a subshell.)
command_not_found_handle() {
  echo "FAILED: line ${BASH_LINENO[0]}: no command $1"
  kill $$
}
passed=0
failed=0

# check NAME COMMAND...: passes if the command succeeds.
check() {
  local name=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $name: $*"
    head -c 600 out err 2>/dev/null
  fi
}
equal() { [[ $1 == "$2" ]] || { echo "  '$1' is not '$2'"; false; }; }
between() { (($2 <= $1 && $1 <= $3)) || { echo "  $1 is not in $2..$3"; false; }; }
holds() { grep -qF -- "$2" "$1" || { echo "  no '$2' in $1"; false; }; }

# await WHAT COMMAND...: waits until the command succeeds.  After two minutes the test fails.
await() {
  local what=$1 end=$((SECONDS + 120))
  shift
  until "$@"; do
    if ((SECONDS >= end)); then
      echo "FAILED: waited 120 s in vain: $what"
      exit 1
    fi
    sleep 0.05
  done
}
# await_end WHAT PID: waits until a child has ended; $rc is its status.
await_end() {
  await "$1" has_ended "$2"
  wait "$2" && rc=0 || rc=$?
}
has_ended() { ! kill -0 "$1" 2>/dev/null; }

# run COMMAND...: writes standard output to ./out, standard error to ./err and the status to $rc.
run() {
  "$@" >out 2>err && rc=0 || rc=$?
}
# gives NAME STATUS COMMAND...: passes if the status is STATUS and standard error is empty.
gives() {
  local name=$1 status=$2
  shift 2
  run "$@"
  check "$name: status" equal "$rc" "$status"
  check "$name: silent" equal "$(cat err)" ""
}
# prints NAME STATUS TEXT COMMAND...: as gives, and standard output is TEXT.
prints() {
  gives "$1" "$2" "${@:4}"
  check "$1: output" equal "$(cat out)" "$3"
  [[ -n $3 ]] || check "$1: no output" test ! -s out
}
# same NAME STATUS FILE COMMAND...: as gives, and standard output is that in FILE.
same() {
  gives "$1" "$2" "${@:4}"
  check "$1: output" cmp out "$3"
}
# shows NAME STATUS TEXT COMMAND...: as gives, and standard output contains TEXT.
shows() {
  gives "$1" "$2" "${@:4}"
  check "$1: output" holds out "$3"
}
# reports NAME STATUS FIELDS VALUES COMMAND...: as gives, and these are the values of fields of the
# JSON
# object in standard output.
reports() {
  local name=$1 values='' field
  gives "$name" "$2" "${@:5}"
  for field in $3; do values+="${values:+ }$(json "$field")"; done
  check "$name: $3" equal "$values" "$4"
}
# told NAME STATUS TEXT COMMAND...: passes if the status is STATUS and standard error contains TEXT.
told() {
  run "${@:4}"
  check "$1: status" equal "$rc" "$2"
  check "$1: told" holds err "$3"
}
# Whether the command ended with status 2 and one error line of the tool that contains TEXT.
is_error() {
  equal "$rc" 2 && equal "$(wc -l <err)" 1 && equal "$(head -c 9 err)" "lfbloom: " && holds err "$1"
}
# refuses NAME TEXT COMMAND...: passes if that is so, and standard output is empty.
refuses() {
  local name=$1 text=$2
  shift 2
  run "$@"
  check "$name" is_error "$text"
  check "$name: no output" equal "$(wc -c <out)" 0
}
# Prints the number or text of a field of the JSON object in ./out.
json() { sed -E "s/.*\"$1\": \"?([^,}\"]*).*/\1/" out; }
hex() { od -An -v -tx1 "$1" | tr -d ' \n'; }
unhex() { printf '%b' "$(sed 's/../\\x&/g' <<<"$1")"; }
# at FILE OFFSET TEXT: overwrites a few bytes.
at() { printf '%b' "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }

# ---- tables

# table <<'END' ... END: runs the rows of standard input, one case each.  A failure prints the row,
# what was expected of it, and what came.
#
#     0 build -q -p 0.01 -o f abc            status 0, nothing on standard error
#     0 query -c f abc => 3                  and this is standard output; \n is a new line
#     0 query f abc => <abc                  and standard output is that of the file
#     0 build --help => ...a form...         and this is in standard output
#     0 info f => /^form +native$/           and a line of it matches
#     0 info --json f => {n=3 form=native}   and these are fields of the JSON object
#     1 build -n 1 f => * =! too many        status 1, and this is in standard error
#     2 query none =! none: the file          refused: one line "lfbloom: ..." with this, no output
#     ? query f abc                          any status, and anything on standard error
#     and test -s f                          succeeds; ./out, ./err and $rc are the last row's
#     $ rm f                                 between cases: succeeds
#
# =! takes /REGEX/ and *, too.  Spaces at the end of output do not count.  Commands are the shell's,
# with a function for each of the tool's; $x and $(x) are expanded in what is expected, too, except
# in /REGEX/.  A line that ends in \ goes on in the next one.
table() {
  local row more line=${BASH_LINENO[0]} at
  while IFS= read -r row <&9; do
    at=$((++line))
    while [[ $row == *\\ ]] && IFS= read -r more <&9; do
      row=${row%\\}${more#"${more%%[! ]*}"}
      ((++line))
    done
    case $row in
    '' | '#'*) ;;
    '$ '*) eval "${row#* }" || row_failed "status $?" ;;
    'and '*) if eval "${row#* }"; then ((++passed)); else row_failed "status $?"; fi ;;
    *) try_row ;;
    esac
  done 9<&0 </dev/null
}
for command in build claim compare convert dedupe demo diff fold info merge patch plan query \
  remove verify; do
  eval "$command() { \"\$tool\" $command \"\$@\"; }"
done
unset command

# row_failed WHAT...: of the row of the function that calls it.
row_failed() {
  ((++failed))
  echo "FAILED: line $at: $row"
  printf '  %s\n' "$@"
  echo "  status $rc; standard output, then standard error:"
  head -c 600 out err
}

# Runs $row, and compares what comes with what it expects.
try_row() {
  local status=${row%% *} rest="${row#* } " command kind text wrong=() outputs=0 errors=0
  command=${rest%% =[>!] *}
  rest=${rest#"$command"}
  run eval "$command"
  [[ $status == '?' || $rc == "$status" ]] || wrong+=("status: $status")
  while [[ -n ${rest// /} ]]; do
    kind=${rest:1:2} rest=${rest:3}
    text=${rest%% =[>!] *}
    rest=${rest#"$text"}
    text=${text# } text=${text% }
    if [[ $text == *['$\']* && $text != /*/ ]]; then
      eval "text=\$(cat <<END_OF_TEXT
$text
END_OF_TEXT
)"
      text=${text//\\n/$'\n'}
    fi
    if [[ $kind == '=>' ]]; then
      ((++outputs))
      row_output || wrong+=("standard output: $text")
    else
      ((++errors))
      row_error || wrong+=("standard error: $text")
    fi
  done
  [[ $status == '?' || $errors != 0 || ! -s err ]] || wrong+=("nothing on standard error")
  [[ $status != 2 || $outputs != 0 || ! -s out ]] || wrong+=("nothing on standard output")
  if ((${#wrong[@]})); then row_failed "${wrong[@]}"; else ((++passed)); fi
}
row_output() {
  case $text in
  '*') ;;
  '<'*) cmp -s out "${text#<}" ;;
  ...*...) text=${text#...} && grep -qF -- "${text%...}" out ;;
  /*/) text=${text#/} && grep -qE -- "${text%/}" out ;;
  '{'*'}') row_fields ;;
  *) [[ $(tr -d '\0' <out | sed '$ s/ *$//') == "$text" ]] ;;
  esac
}
row_error() {
  case $text in
  '*') ;;
  /*/) text=${text#/} && grep -qE -- "${text%/}" err ;;
  *)
    [[ $status != 2 || $outputs != 0 ]] || is_error "$text" && grep -qF -- "$text" err
    ;;
  esac
}
row_fields() {
  local fields field
  read -ra fields <<<"${text:1:-1}"
  for field in "${fields[@]}"; do
    [[ $(json "${field%%=*}") == "${field#*=}" ]] || return
  done
}

# over_limit NAME BLOCKS TEXT COMMAND...: passes if the command fails with an error that contains
# TEXT, for it may write no file of more than BLOCKS KiB.
over_limit() {
  local name=$1 blocks=$2 text=$3
  shift 3
  # ThreadSanitizer writes a file of its own.
  (ulimit -f 4 && "$tool" --version) >out 2>err ||
    { not_here "$name: limits on the size of files (sanitizer)" && return; }
  (ulimit -f "$blocks" && "$@") >out 2>err && rc=0 || rc=$?
  check "$name" is_error "$text"
}
# Whether programs get a terminal here; says so if not.
has_terminal() {
  script -qec true /dev/null </dev/null >/dev/null 2>&1 ||
    { skip "output on a terminal: \`script\` gets no pseudo-terminal (no /dev/pts?)" && false; }
}
# on_terminal COLUMNS COMMAND: prints what the shell's command prints on a terminal of that width.
on_terminal() { script -qec "stty cols $1; $2" /dev/null </dev/null; }

# given NAME...: makes inputs that several scripts use.  One that is made of others comes after
# them.
given() {
  local name
  for name; do
    given_input "$name" && [[ -s $name ]] || { echo "FAILED: $name was not made" && exit 1; }
  done
}
given_input() {
  local build=("$tool" build -q -o "$1")
  case $1 in
  abc) printf 'a\nb\nhello\n' >abc ;;
  few) seq 500 >few ;;
  hundred) seq 100000 >hundred ;; # thousands
  all) seq 400000 >all ;;
  third) seq 3 3 400000 >third ;; # no line in common with other
  other) seq 1 3 400000 >other ;;
  both) sort -n third other >both ;;
  again) seq 50000 | sed 's/.*/again/' >again ;;
  f1) printf 'end' >f1 ;;
  f2) printf 'begin\nx\n' >f2 ;;
  nul) printf 'one\ntwo\0\0three\0four' >nul && printf 'one\ntwo\0\0three\0four\0' >nul.kept ;;
  edges) # keys are bytes: CR, no final newline, empty lines, invalid UTF-8, NUL, a line of 5 MB
    {
      printf 'crlf\r\n\n\nplain\n\xff\xfe\xc3(\nwith\0nul\n'
      head -c 5000000 /dev/zero | tr '\0' x
      printf '\n \nlast without newline'
    } >edges && { cat edges && echo; } >edges.kept ;;
  *key) echo 000102030405060708090a0b0c0d0e0f >"$1" ;;
  abc.bloom) "${build[@]}" --form guava -n 10 -p 0.01 abc ;;
  m32.bloom) "${build[@]}" --form guava -n 10 -p 0.01 --strategy guava-mitz32 abc ;;
  full.bloom) unhex 010500000001ffffffffffffffff >full.bloom ;;
  third.bloom) "${build[@]}" --form guava -p 1e-6 third ;;
  abc.sbbf) "${build[@]}" --form sbbf -p 0.01 abc ;;
  native.lfb | hash1.lfb) "${build[@]}" -n 1000 -p 0.001 abc ;;
  words.lfb) "${build[@]}" -n 663473 -p 0.001 abc ;; # larger than third.lfb
  large.lfb) "${build[@]}" -n 2M -p 0.01 abc ;;
  short.lfb) head -c 1000000 large.lfb >short.lfb ;;
  torn.lfb) cp large.lfb torn.lfb && at torn.lfb 1100000 xxxxxxxx &&
    at torn.lfb $(($(stat -c %s torn.lfb) - 8)) xxxxxxxx ;;
  head.lfb) cp native.lfb head.lfb && at head.lfb 50 x ;;
  wide.lfb) "${build[@]}" -n 20M -p 0.001 --seed 7 --foldable third ;;
  third.lfb | other.lfb | both.lfb) "${build[@]}" -n 300k -p 0.001 --seed 7 "${1%.lfb}" ;;
  seed8.lfb) "${build[@]}" -n 300k -p 0.001 --seed 8 third ;;
  third.bin | other.bin) "${build[@]}" -n 300k -p 0.001 --form guava "${1%.bin}" ;;
  esac
}

# Prints the number of checks.  Its status is the test's.
finish() {
  echo "$passed passed, $failed failed"
  ((failed == 0))
}
