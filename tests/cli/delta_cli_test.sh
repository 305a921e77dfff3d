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

# Summaries, standard output, another file; a shared filter stays the same file; a key.
versions fast
convert --to mapped old.lfb shared.lfb
inode=$(stat -c %i shared.lfb)
given key
table <<'END'
0 diff -o new.delta old.lfb new.lfb =! /^lfbloom: new.delta: .* new bits, in /
0 diff -q -o - old.lfb new.lfb => <new.delta
0 patch copy.lfb new.delta =! /^lfbloom: copy.lfb: .* bits turned on/
0 patch -q -o other.lfb old.lfb new.delta
$ there "-o" other.lfb
0 diff -q -o - old.lfb other.lfb => <new.delta
0 patch -q -o - old.lfb new.delta
and equal "$(figures out)" "$(figures new.lfb)"
0 diff -q -o none.delta new.lfb new.lfb
0 patch -q new.lfb none.delta
and equal "$(stat -c %s none.delta)" 256
0 patch -q shared.lfb new.delta
and equal "$(stat -c %i shared.lfb)" "$inode"
0 query -c shared.lfb both => 20200
$ rm -f ./*.lfb
0 build -q -n 30000 -p 0.001 --key-file key -o old.lfb old
0 build -q -n 30000 -p 0.001 --key-file key -o new.lfb both
2 diff -o x old.lfb new.lfb =! give --key-file
0 diff -q --key-file key -o keyed.delta old.lfb new.lfb
2 patch old.lfb keyed.delta =! give --key-file
0 patch -q --key-file key old.lfb keyed.delta
0 query -c --key-file key old.lfb both => 20200
END

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
table <<'END'
$ head -c 300 new.delta >short
2 patch old.lfb short =! short: the delta is damaged
$ { head -c 280 new.delta && printf X && tail -c +282 new.delta; } >torn
2 patch old.lfb torn =! torn: the delta is damaged
2 patch old.lfb new.lfb =! new.lfb: this is not a delta
$ : >empty
2 patch old.lfb empty =! this is not a delta
2 patch old.lfb /dev/null =! not a regular file
2 patch old.lfb absent =! absent:
2 query new.delta old =! this is a delta, not a filter
2 diff -o x new.delta old.lfb =! this is a delta, not a filter
2 diff -o x old.lfb =! two filters are needed
2 diff old.lfb new.lfb =! no -o given
2 diff -o old.lfb old.lfb new.lfb =! old.lfb
2 patch old.lfb =! a filter and a delta are needed
2 patch - new.delta =! give -o
and cmp old.lfb before
END
for kind in growing counting window; do
  refuses "diff: $kind" "this is a $kind filter" "$tool" diff -o x "${!kind}" old.lfb
  cp "${!kind}" kind.lfb && chmod u+w kind.lfb
  refuses "patch: $kind" "this is a $kind filter" "$tool" patch kind.lfb new.delta
  check "patch: $kind: unchanged" cmp kind.lfb "${!kind}"
done
check "no file from a refusal" test ! -e x

finish
