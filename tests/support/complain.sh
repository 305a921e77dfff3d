# shellcheck shell=bash
# complain.sh - what is wrong is said and counted, and the test goes on; to be sourced.

wrong=0
complain() {
  echo "$1" >&2
  wrong=$((wrong + 1))
}
