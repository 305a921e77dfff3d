#!/bin/bash
# report_test.sh - runs report.sh on a tiny selection: every table has rows, every picture is whole.
set -euo pipefail

report=$1
shift
out=$TEST_TMPDIR/report
fail() {
  echo "FAILED: $1" >&2
  exit 1
}

"$report" "$@" --smoke --out="$out"
for picture in size threads fpp peers; do
  grep -q '</svg>' "$out/$picture.svg" || fail "$picture.svg is not whole"
done
for row in '| put new, fast, many | 1% | 64 KiB | [0-9.]* | limit: two cmpxchg a line |' \
  '| put new, fast-pair, many, 1% | [0-9.]* ([0-9.]*) |' '| query present, guava-mitz64, single, u64 | 1% | 64 KiB |' '| fast | [0-9]* | [0-9]* |' \
  '| limit: read |' '| query present | mutex | single | 64 KiB |' \
  '| put new, fast, claim, 1% |' '| put new | fast | claim many | 64 KiB |' '| mixed 50 | 64 KiB |' '| query present | fast | single | 64 KiB |' \
  '| 0.1 | guava-mitz64 |'; do
  grep -q "^$row" "$out/report.md" || fail "there is no row $row"
done
captions=$(grep -cE '^<sub>.*cores; [0-9-]{10}: `\./bazelw run .*`</sub>$' "$out/report.md" || true)
((captions == 4)) || fail "$captions of 4 pictures say where, when and by what they were drawn"
for peer in guava libbloom ck-bitmap mutex; do
  grep -q "^query_present,$peer,64KiB," "$out/report.csv" || fail "$peer was not measured"
done
