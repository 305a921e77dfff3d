#!/bin/bash
# delta_cli_test.sh LFBLOOM GROWING COUNTING WINDOW: `lfbloom diff` and `lfbloom patch`.
set -uo pipefail
tool=$(realpath "$1") growing=$(realpath "$2") counting=$(realpath "$3") window=$(realpath "$4")
source "$(dirname "$0")/checks.sh"

seq 20000 >old
seq 20001 20200 >new
cat old new >both

# versions NAME OPTIONS...: builds old.lfb, and new.lfb with more keys.
versions() {
  local name=$1
  shift
  rm -f old.lfb more.lfb new.lfb copy.lfb new.delta
  gives "$name: build" 0 "$tool" build -q -n 30000 -p 0.001 "$@" -o old.lfb old
  gives "$name: more" 0 "$tool" build -q --like old.lfb -o more.lfb new
  gives "$name: merge" 0 "$tool" merge -q -o new.lfb old.lfb more.lfb
  cp old.lfb copy.lfb
}
# figures FILE: its form, and how many bits are set.
figures() {
  "$tool" info --json "$1" >info
  sed -nE 's/.*"form": ("[a-z]+").*"bits_set": ([0-9]+).*/\1 \2/p' info
}
there() {
  check "$1: every key" equal "$("$tool" query -c "$2" both)" 20200
  check "$1: the bits of the new one" equal "$(figures "$2")" "$(figures new.lfb)"
  check "$1: figures" test -n "$(figures "$2")"
}

for strategy in fast fast-pair sbbf guava-mitz64 guava-mitz32 java-double go-fnv14 redis-mitz32; do
  versions "$strategy" --strategy $strategy
  gives "$strategy: diff" 0 "$tool" diff -q -o new.delta old.lfb new.lfb
  check "$strategy: small" between "$(stat -c %s new.delta)" 300 8000
  gives "$strategy: patch" 0 "$tool" patch -q copy.lfb new.delta
  there "$strategy" copy.lfb
  gives "$strategy: again" 0 "$tool" patch -q copy.lfb new.delta
  there "$strategy, again" copy.lfb
done
for form in guava mapped; do
  versions "$form" --strategy guava-mitz64
  for file in old new copy; do
    gives "$form: convert" 0 "$tool" convert --to $form $file.lfb $file.lfb
  done
  gives "$form: diff" 0 "$tool" diff -q -o new.delta old.lfb new.lfb
  gives "$form: patch" 0 "$tool" patch -q copy.lfb new.delta
  there "$form" copy.lfb
done

# Summaries, standard output, another file.
versions fast
told "diff" 0 "new.delta: " "$tool" diff -o new.delta old.lfb new.lfb
check "diff: summary" holds err " new bits, in "
same "diff: to standard output" 0 new.delta "$tool" diff -q -o - old.lfb new.lfb
told "patch" 0 "copy.lfb: " "$tool" patch copy.lfb new.delta
check "patch: summary" holds err " bits turned on"
gives "patch: -o" 0 "$tool" patch -q -o other.lfb old.lfb new.delta
there "-o" other.lfb
check "-o: the old one stays" equal "$("$tool" diff -q -o - old.lfb other.lfb | cmp - new.delta)" ""
gives "patch: -o -" 0 "$tool" patch -q -o - old.lfb new.delta
check "-o -: the same" equal "$(figures out)" "$(figures new.lfb)"
gives "nothing is new" 0 "$tool" diff -q -o none.delta new.lfb new.lfb
gives "nothing is new: patch" 0 "$tool" patch -q new.lfb none.delta
check "nothing is new: small" equal "$(stat -c %s none.delta)" 256

# A shared filter stays the same file.
"$tool" convert --to mapped old.lfb shared.lfb
inode=$(stat -c %i shared.lfb)
gives "shared" 0 "$tool" patch -q shared.lfb new.delta
check "shared: the same file" equal "$(stat -c %i shared.lfb)" "$inode"
check "shared: every key" equal "$("$tool" query -c shared.lfb both)" 20200

# A key that is not in the files.
echo 00112233445566778899aabbccddeeff >key
rm -f ./*.lfb
"$tool" build -q -n 30000 -p 0.001 --key-file key -o old.lfb old
"$tool" build -q -n 30000 -p 0.001 --key-file key -o new.lfb both
refuses "a key is needed" "give --key-file" "$tool" diff -o x old.lfb new.lfb
gives "a key: diff" 0 "$tool" diff -q --key-file key -o keyed.delta old.lfb new.lfb
refuses "a key is needed" "give --key-file" "$tool" patch old.lfb keyed.delta
gives "a key: patch" 0 "$tool" patch -q --key-file key old.lfb keyed.delta
check "a key: every key" equal "$("$tool" query -c --key-file key old.lfb both)" 20200

# What is refused changes nothing.
versions "refused" --seed 5
"$tool" diff -q -o new.delta old.lfb new.lfb
"$tool" build -q -n 30000 -p 0.001 --seed 6 -o seed.lfb old
"$tool" build -q -n 40000 -p 0.001 --seed 5 -o size.lfb old
"$tool" build -q -n 30000 -p 0.001 --strategy guava-mitz64 -o strategy.lfb old
refuses "the earlier has more" "has bits that the later one lacks" "$tool" diff -o x new.lfb old.lfb
for other in seed size strategy; do
  refuses "diff: $other" "no delta from old.lfb" "$tool" diff -o x old.lfb $other.lfb
  cp $other.lfb before
  refuses "patch: $other" "new.delta: was not made for $other.lfb" \
    "$tool" patch $other.lfb new.delta
  check "patch: $other: unchanged" cmp $other.lfb before
done
cp old.lfb before
head -c 300 new.delta >short
refuses "cut short" "short: the delta is damaged" "$tool" patch old.lfb short
{ head -c 280 new.delta && printf X && tail -c +282 new.delta; } >torn
refuses "damaged" "torn: the delta is damaged" "$tool" patch old.lfb torn
refuses "no delta" "new.lfb: this is not a delta" "$tool" patch old.lfb new.lfb
: >empty
refuses "an empty file" "this is not a delta" "$tool" patch old.lfb empty
refuses "a device" "not a regular file" "$tool" patch old.lfb /dev/null
refuses "absent" "absent: " "$tool" patch old.lfb absent
check "unchanged" cmp old.lfb before
refuses "a delta is no filter" "this is a delta, not a filter" "$tool" query new.delta old
refuses "a delta is no filter" "this is a delta, not a filter" "$tool" diff -o x new.delta old.lfb
for kind in growing counting window; do
  refuses "diff: $kind" "this is a $kind filter" "$tool" diff -o x "${!kind}" old.lfb
  cp "${!kind}" kind.lfb && chmod u+w kind.lfb
  refuses "patch: $kind" "this is a $kind filter" "$tool" patch kind.lfb new.delta
  check "patch: $kind: unchanged" cmp kind.lfb "${!kind}"
done
check "nothing was written" equal "$(ls x 2>&1 | grep -c '^x$')" 0

# Options.
refuses "diff: one filter" "two filters are needed" "$tool" diff -o x old.lfb
refuses "diff: no -o" "no -o given" "$tool" diff old.lfb new.lfb
refuses "diff: the input" "old.lfb" "$tool" diff -o old.lfb old.lfb new.lfb
refuses "patch: one file" "a filter and a delta are needed" "$tool" patch old.lfb
refuses "patch: standard input" "give -o" "$tool" patch - new.delta
check "no file from a refusal" test ! -e x

finish
