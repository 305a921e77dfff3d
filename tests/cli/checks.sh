# checks.sh - shared by the tests of the tool: makes a working folder, counts checks, and runs the
# tool as its users do.  To be sourced.
# shellcheck shell=bash
export LC_ALL=C
source "$(dirname "${BASH_SOURCE[0]}")/../support/skip.sh"
work=$(mktemp -d "${TEST_TMPDIR:-/tmp}/lfbloom_cli.XXXXXX")
# shellcheck disable=SC2046 # words
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
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
# Prints the number of checks.  Its status is the test's.
finish() {
  echo "$passed passed, $failed failed"
  ((failed == 0))
}
