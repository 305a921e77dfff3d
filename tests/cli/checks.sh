# checks.sh - what the tests of the tool have in common: a folder of their own to stand in, checks
# that are counted, and the tool run as its users do.  To be sourced.
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

# await WHAT COMMAND...: waits until the command succeeds; the test ends if it takes two minutes.
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
# await_end WHAT PID: waits until a child has ended; its status to $rc.
await_end() {
  await "$1" has_ended "$2"
  wait "$2" && rc=0 || rc=$?
}
has_ended() { ! kill -0 "$1" 2>/dev/null; }

# run COMMAND...: standard output to ./out, standard error to ./err, status to $rc.
run() {
  "$@" >out 2>err && rc=0 || rc=$?
}
# gives NAME STATUS COMMAND...: exits so, and says nothing on standard error.
gives() {
  local name=$1 status=$2
  shift 2
  run "$@"
  check "$name: status" equal "$rc" "$status"
  check "$name: silent" equal "$(cat err)" ""
}
# One line, from the tool, with TEXT in it; status 2.
is_error() {
  equal "$rc" 2 && equal "$(wc -l <err)" 1 && equal "$(head -c 9 err)" "lfbloom: " && holds err "$1"
}
# refuses NAME TEXT COMMAND...: fails with one line that has TEXT in it, and prints nothing.
refuses() {
  local name=$1 text=$2
  shift 2
  run "$@"
  check "$name" is_error "$text"
  check "$name: no output" equal "$(wc -c <out)" 0
}
# The number or text under a key of the JSON object in ./out.
json() { sed -E "s/.*\"$1\": \"?([^,}\"]*).*/\1/" out; }
hex() { od -An -v -tx1 "$1" | tr -d ' \n'; }
unhex() { printf '%b' "$(sed 's/../\\x&/g' <<<"$1")"; }
# Says how many checks there were; the test's exit status.
finish() {
  echo "$passed passed, $failed failed"
  ((failed == 0))
}
