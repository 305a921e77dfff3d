# shellcheck shell=bash
# steps.sh - a test in steps, of which the first that fails ends it; to be sourced.

passed=0
pass() {
  passed=$((passed + 1))
  echo "ok: $1"
}
fail() {
  echo "FAILED: $1" >&2
  exit 1
}
