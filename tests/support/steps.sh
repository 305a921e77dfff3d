# shellcheck shell=bash
# steps.sh - a test in steps; the first step that fails ends it; to be sourced.

passed=0
pass() {
  passed=$((passed + 1))
  echo "ok: $1"
}
fail() {
  echo "FAILED: $1" >&2
  exit 1
}
