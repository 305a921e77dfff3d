#!/bin/bash
# plants_test.sh FILE...: a race test catches every planted bug, as its patch says, and the
# product contains none. FILEs are the patches, the BUILD files with race tests, and the
# product's sources. Seen to fail with a line "Caught by" removed, and with one for a test that
# catches another bug.
set -euo pipefail
source tests/support/complain.sh

patches=() builds=() sources=()
for file; do
  case $file in
  *.patch) patches+=("$file") ;;
  *BUILD.bazel) builds+=("$file") ;;
  *) sources+=("$file") ;;
  esac
done

# "BUG TEST" for each test that, by a patch, catches the bug; sorted.
said() {
  local patch
  for patch in "${patches[@]}"; do
    sed -nE "s,^# Caught by ([a-z0-9_]+): [1-9][0-9]* of [1-9][0-9]* runs.*,$(basename "$patch" .patch) \1,p" "$patch"
  done | sort
}

# The same from `catches` of the race tests: a row of a table, "NAME": {, or name = "NAME".
caught() {
  awk -v bugs="$(basename -a -s .patch "${patches[@]}" | tr '\n' ' ')" '
    BEGIN { while (match(bugs, /[a-z_]+/)) { bug[substr(bugs, RSTART, RLENGTH)] = 1; bugs = substr(bugs, RSTART + RLENGTH) } }
    match($0, /^        "[a-z0-9_]+": [{d]/) || /^ *name = "/ { split($0, part, "\""); name = part[2] }
    {
      for (rest = $0; match(rest, /"[a-z_]+": /); rest = substr(rest, RSTART + RLENGTH)) {
        found = substr(rest, RSTART + 1, RLENGTH - 4)
        if (found in bug) print found, name
      }
    }
  ' "${builds[@]}" | sort
}

difference=$(diff <(said) <(caught)) ||
  complain "the patches (<) and the race tests (>) differ:"$'\n'"$difference"
for patch in "${patches[@]}"; do
  grep -qE '^# (Caught|Found) by ' "$patch" || complain "$patch does not say which test catches it"
done
! grep -n LFB_PLANT "${sources[@]}" || complain "a bug is planted by a macro of the product"

echo "${#patches[@]} planted bugs, $(said | wc -l) times caught"
((${#patches[@]} > 10 && ${#sources[@]} > 100)) || complain "the patches or the sources were not read"
((wrong == 0))
