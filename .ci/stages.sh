# shellcheck shell=bash
# stages.sh - what .ci/run and .ci/all share.  They source it with their arguments, which are the
# names of stages to run alone, and then call:
#
#   stage NAME COMMAND...    runs a stage of tests, and fails if no test ran
#   check NAME COMMAND...    runs a stage without tests, or one that may have none to run
#   finish                   prints what the stages were, and exits
#
# At its end a lane prints
#   - what failed, each with the end of its output;
#   - what tests left out.  Only what no right and no package makes possible may be left out
#     (tests/support/skip.h);
#   - one line per stage: its name, result, time, number of tests, and what ran.
set -uo pipefail

lines=() names=()
failed=0
chosen=("$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: >"$work/failures"
: >"$work/left_out"
: >"$work/notes"
: >"$work/ran" # "STAGE LABEL RESULT" of each test

# What a test needs must be installed: a test that is skipped for its lack fails.
whole=--test_env=LFBLOOM_NO_SKIP=1

# Prints what failed in a stage's output, each with the end of its log.  Called after each stage,
# since the tests of the next stage overwrite the logs.
failures() {
  local output=$1 label result
  grep -E '^ERROR|: (fatal )?error: ' "$output" | head -n 10
  # "//tests/words:words_test    FAILED in 1.2s", "TIMEOUT in 300.0s", "FAILED TO BUILD".
  grep -E '^//[^ ]+ +(FAILED|TIMEOUT|NO STATUS)' "$output" | while read -r label result; do
    echo "$label $result"
    [[ $result == *' in '* ]] || continue
    label=${label#//}
    find -L "bazel-testlogs/${label/://}" -name test.log -exec tail -n 25 {} +
  done
}

# Prints "LABEL RESULT" of each test in a stage's output: Bazel's, and CTest's as "ctest:NAME RESULT".
ran() {
  sed -nE '/FAILED TO BUILD/d
    s,^(//[^ ]+) +(\(cached\) )?(PASSED|FLAKY|FAILED|TIMEOUT).*,\1 \3,p
    s,^ *[0-9]+/[0-9]+ Test +#[0-9]+: ([^ ]+) \.+ *(Passed|\*\*\*[A-Za-z ]*).*,ctest:\1 \2,p' "$1" | sort -u
}

is_chosen() {
  local name
  ((${#chosen[@]})) || return 0
  for name in "${chosen[@]}"; do
    [[ $name != "$1" ]] || return 0
  done
  return 1
}

run_stage() {
  local least=$1 name=$2 start=$SECONDS status=ok count
  shift 2
  names+=("$name")
  is_chosen "$name" || return 0
  echo "== $name: $*"
  "$@" 2>&1 | tee "$work/output" || status=FAILED
  ran "$work/output" >"$work/stage_ran"
  count=$(wc -l <"$work/stage_ran")
  if ((count < least)); then
    echo "ERROR: the stage ran no test" | tee -a "$work/output"
    status=FAILED
  fi
  if [[ $status != ok ]]; then
    failed=1
    { echo "== $name: what failed"; failures "$work/output"; } >>"$work/failures" 2>&1
  fi
  sed "s|^|$name |" "$work/stage_ran" >>"$work/ran"
  sed -n "s|^bazelw: left out: |$name |p" "$work/output" >>"$work/left_out"
  lines+=("$(printf '%-17s %-6s %5d s %4d tests   %s' "$name" $status $((SECONDS - start)) "$count" "$*")")
}
stage() { run_stage 1 "$@"; }
check() { run_stage 0 "$@"; }

finish() {
  local name
  for name in ${chosen[@]+"${chosen[@]}"}; do
    [[ " ${names[*]} " == *" $name "* ]] || {
      echo "$0: no stage $name; there are: ${names[*]}" >&2
      failed=1
    }
  done
  cat "$work/failures"
  echo "== left out: $(grep -c ': ' "$work/left_out") ($(grep -c ' SKIPPED: ' "$work/left_out") skipped, which fails)"
  cat "$work/left_out" "$work/notes"
  ((${#lines[@]} == 0)) || printf '%s\n' "${lines[@]}"
  printf 'all %d s\n' "$SECONDS"
  exit $failed
}

# ---- ThreadSanitizer -----------------------------------------------------------------

# races OPTION... [-- -LABEL...]: the tests that catch planted bugs, and //tsan, under ThreadSanitizer,
# without these labels.
races() {
  local options=("$whole") left=()
  while (($#)) && [[ $1 != -- ]]; do options+=("$1"); shift; done
  (($# == 0)) || left=("${@:2}")
  ./bazelw test --config=tsan "${options[@]}" -- //tsan/... ${left[@]+"${left[@]}"} &&
    ./bazelw test --config=tsan --test_tag_filters=race "${options[@]}" -- //tests/... ${left[@]+"${left[@]}"}
}

# ---- proofs: planted bugs that are caught, and models -----------------------------------

# The proofs that passed in the last .ci/all, "HASH LABEL", and "# commit COMMIT".
proved=.ci/proved

# Runs the proofs that are not in .ci/proved with their present hash.
changed_proofs() {
  local proofs=() all
  python3 .ci/proofs.py >"$work/hashes" || return
  all=$(wc -l <"$work/hashes")
  ((all > 0)) || { echo "ERROR: no test is tagged proof"; return 1; }
  mapfile -t proofs < <(grep -v '^#' "$proved" 2>/dev/null | grep -vxFf - "$work/hashes" | cut -d' ' -f2)
  echo "== proofs: $((all - ${#proofs[@]})) of $all are as when .ci/all ran them ($proved), so they were skipped; .ci/all runs all" |
    tee -a "$work/notes"
  ((${#proofs[@]} == 0)) || ./bazelw test "$whole" "${proofs[@]}"
}

# record HASHES: writes .ci/proved, after the stages.  A commit is recorded if clang-tidy found nothing in
# it; otherwise the former one stays.
record() {
  local commit
  commit=$(sed -n 's/^# commit //p' "$proved" 2>/dev/null)
  ! printf '%s\n' "${lines[@]}" | grep -q '^static  *ok ' || commit=$(git rev-parse HEAD)
  {
    echo "# What .ci/all wrote: each proof that passed, with a hash of what it is about (.ci/proofs.py)."
    echo "# commit $commit"
    awk 'NR == FNR { if ($3 == "PASSED") passed[$2]; next } $2 in passed' "$work/ran" "$1"
  } >"$work/proved"
  mv "$work/proved" "$proved"
  echo "$proved: $(grep -vc '^#' "$proved") of $(wc -l <"$1") proofs"
}

# ---- clang-tidy ------------------------------------------------------------------------

# The commit to compare with: LFBLOOM_BASE, the one that .ci/all recorded, or where a branch began.
# Fails if there is none.
base() {
  local commit branch
  if [[ ${LFBLOOM_BASE:-} ]]; then
    git rev-parse --verify --quiet "$LFBLOOM_BASE^{commit}"
    return
  fi
  commit=$(sed -n 's/^# commit //p' "$proved" 2>/dev/null)
  if [[ $commit ]] && git merge-base --is-ancestor "$commit" HEAD 2>/dev/null; then
    echo "$commit"
    return
  fi
  for branch in origin/HEAD origin/main main; do
    commit=$(git merge-base HEAD "$branch" 2>/dev/null) || continue
    [[ $commit == "$(git rev-parse HEAD)" ]] || { echo "$commit"; return; }
  done
  return 1
}

# changed SOURCES: those of the files in the list SOURCES that changed since the base, with the .c
# files that include a header that changed.
changed() {
  local commit file
  if ! commit=$(base); then
    echo "no commit to compare with, so all files" >&2
    cat "$1"
    return
  fi
  { git diff --name-only --diff-filter=d "$commit" && git ls-files --others --exclude-standard; } |
    LC_ALL=C sort -u >"$work/changed"
  if grep -qE '^(\.clang-tidy|tests/static/(static_test\.sh|planted\.c))$' "$work/changed"; then
    echo "the check itself changed since $commit, so all files" >&2
    cat "$1"
    return
  fi
  echo "changed since $commit:" >&2
  LC_ALL=C comm -12 "$work/changed" "$1" | while read -r file; do
    case $file in
    *.c) echo "$file" ;;
    *.h) xargs grep -lE "^#.*include.*[<\"]${file#include/}[>\"]" <"$1" | grep '\.c$' ;;
    esac
  done | LC_ALL=C sort -u
}

# clang-tidy on the sources that changed.
tidy_changed() {
  local tidy=(xargs -r -n 6 -P "$(nproc)" tests/static/static_test.sh clang-tidy tests/static/planted.c)
  # bazelw installs clang-tidy for this label.
  ./bazelw query 'filter("^//.*\.[ch]$", kind("source file", deps(//tests/static)))' >"$work/labels" || return
  sed 's,^//,,; s,:,/,; /^tests\/static\/planted.c$/d' "$work/labels" | LC_ALL=C sort -u >"$work/sources"
  [[ -s $work/sources ]] || { echo "ERROR: //tests/static reads no sources"; return 1; }
  changed "$work/sources" | { grep '\.c$' || true; } >"$work/tidy" # perhaps none
  echo "clang-tidy reads $(wc -l <"$work/tidy") of $(grep -c '\.c$' "$work/sources") sources"
  # Python's header has an include folder of its own.
  { grep -v '^packaging/python/' "$work/tidy" || true; } | "${tidy[@]}" &&
    { grep '^packaging/python/' "$work/tidy" || true; } | "${tidy[@]}"
}

# ---- CMake -----------------------------------------------------------------------------

# cmake_alone OPTION...: builds and tests without Bazel.
cmake_alone() {
  cmake -S . -B "$work/cmake" "$@" && cmake --build "$work/cmake" --parallel "$(nproc)" &&
    ctest --test-dir "$work/cmake" --no-tests=error --parallel "$(nproc)" --output-on-failure
}
