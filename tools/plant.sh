#!/bin/bash
# plant.sh PATCH DIRECTORY FILE...: copies FILEs to DIRECTORY and plants the bug of PATCH into the
# copies.  The old text of each hunk must occur exactly once in its file: then the hunk applies to
# the intended place, even if its line number has changed.
set -euo pipefail
patch=$1 directory=$2
shift 2

fail() {
  echo "$patch: $*" >&2
  exit 1
}

for file; do
  mkdir -p "$(dirname "$directory/$file")"
  cp "$file" "$directory/$file"
  chmod 644 "$directory/$file"
done
awk '
  function text(file, all, line) {
    all = "\n"
    while ((getline line <file) > 0) all = all line "\n"
    return all
  }
  function look(rest, at, times) {
    if (old == "") return
    for (rest = whole; (at = index(rest, "\n" old)) > 0; rest = substr(rest, at + 1)) times++
    if (times != 1) wrong = wrong sprintf("\n%s, %s: its text is there %d times", file, hunk, times)
    old = ""
  }
  /^--- a\// { look(); hunk = ""; file = substr($1 " " $2, 7); whole = text(file); next }
  /^@@/ { look(); hunk = $0; next }
  hunk != "" && /^[ -]/ { old = old substr($0, 2) "\n" }
  END { look(); printf "%s", wrong; exit wrong != "" }
' "$patch" >"$directory/wrong" || fail "no longer applies:$(<"$directory/wrong")"
rm "$directory/wrong"
output=$(patch --batch --forward --fuzz=0 --strip=1 --no-backup-if-mismatch \
  --directory="$directory" <"$patch") || fail "no longer applies:"$'\n'"$output"
for file; do
  ! cmp -s "$file" "$directory/$file" || fail "does not change $file, which tools/plants.bzl says"
done
