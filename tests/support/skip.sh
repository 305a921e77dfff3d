# shellcheck shell=bash
# skip.sh - reports the parts that a test skips; to be sourced.
#
# Each skip writes a line to the test's log, and bazelw lists these lines at its end.  With
# LFBLOOM_NO_SKIP=1, which .ci/stages.sh sets, a test that skips something fails.

# skip WHY: the host lacks something that it could be given: a right, a package, a network.
skip() {
  echo "SKIPPED: $1"
  [[ ${LFBLOOM_NO_SKIP:-} != 1 ]] || exit 1
}

# not_here WHY: the processor, or the build with a sanitizer, lacks something that no right and no
# package provides.
not_here() {
  echo "NOT ON THIS MACHINE: $1"
}
