# shellcheck shell=bash
# complain.sh - reports and counts errors, while the test continues; to be sourced.

wrong=0
complain() {
  echo "$1" >&2
  wrong=$((wrong + 1))
}
