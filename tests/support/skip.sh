# shellcheck shell=bash
# skip.sh - what a test leaves out, it says; to be sourced.
#
# Each leaves a line in the test's log that .ci/run lists at its end.  Where LFBLOOM_NO_SKIP=1,
# as .ci/run has it, a test that skips something fails.

# skip WHY: for want of what a machine can be given, a right, a package, a network.
skip() {
  echo "SKIPPED: $1"
  [[ ${LFBLOOM_NO_SKIP:-} != 1 ]] || exit 1
}

# not_here WHY: for want of what no right and no package gives, the processor, or the build with
# a sanitizer.
not_here() {
  echo "NOT ON THIS MACHINE: $1"
}
