#!/bin/bash
# merge_cli_test.sh LFBLOOM: `lfbloom merge`.
source "$(dirname "$0")/checks.sh"

given abc few third other words.lfb large.lfb torn.lfb short.lfb
for keys in third other; do
  gives "build $keys" 0 "$tool" build -q -n 300k -p 0.001 --seed 7 -o "$keys.lfb" "$keys"
  gives "build $keys for Java" 0 \
    "$tool" build -q -n 300k -p 0.001 --form guava -o "$keys.bin" "$keys"
done
given both
table <<'END'
0 build -q -n 300k -p 0.001 --seed 7 -o both.lfb both
0 merge -o merged.lfb third.lfb other.lfb \
  =! /^lfbloom: merged.lfb: 2 files, about 26[0-9],[0-9]{3} distinct keys, in /
and cmp -i 256 merged.lfb both.lfb
0 verify merged.lfb
0 merge --json -o merged.lfb other.lfb third.lfb third.lfb \
  => {files=3 expected_insertions=300000 fpp=0.001}
and cmp -i 256 merged.lfb both.lfb
0 merge -q -o one.lfb third.lfb
0 merge -q -o one.lfb one.lfb other.lfb && cmp -i 256 one.lfb both.lfb
0 merge -q -o merged.bin third.bin other.bin
and equal "$(hex merged.bin | head -c 2)" 01
0 merge -q --form native -o - third.bin other.bin
$ mv out merged2.lfb
0 merge -q -o again.bin merged.bin merged2.lfb && cmp again.bin merged.bin
0 query -c merged2.lfb both => $(wc -l <both)
? merge -q -o x third.lfb third.lfb
and equal "$(cat err)" ""
END
for keys in third other; do
  gives "build $keys into too little" 0 \
    "$tool" build -q -n 140k -p 0.001 --seed 7 -o "small-$keys.lfb" "$keys"
done
table <<'END'
1 merge -q -o x small-third.lfb small-other.lfb =! warning: more than the 140,000 distinct keys
$ rm x
0 build -q -n 300k -p 0.001 --seed 8 -o seed8.lfb third
2 merge -o x third.lfb other.lfb seed8.lfb =! seed8.lfb: cannot be merged with third.lfb: the \
  filters differ in their hash, its key or its seed (random unless given): build one with --like \
  the other
2 merge -o x third.lfb words.lfb =! words.lfb: cannot be merged with third.lfb: the filters \
  differ in their number of bits: build both with the same -n and -p
# Guava 31 and later releases compute other numbers of probes.  Its form does not record n and p.
0 build -q -n 3 -p 0.022 --form guava -o old.bin abc
0 build -q -n 3 -p 0.022 --form guava --probes-formula current -o new.bin abc
2 merge -o x old.bin new.bin =! new.bin: cannot be merged with old.bin: the filters differ in their \
  number of probes: build both with the same -n, -p and --probes-formula
0 build -q -n 3 -p 0.022 --strategy guava-mitz64 -o old.lfb abc
2 merge -o x old.lfb new.bin =! formula up to 31.1, the other with the current formula: build both \
  with the same --probes-formula
2 merge third.lfb =! no -o
2 merge -o x =! no filter given
2 merge -o x third.lfb missing =! missing: the file cannot be opened: No such file
2 merge -o x missing third.lfb =! missing: the file
2 merge -o x large.lfb torn.lfb =! torn.lfb: the filter is damaged
2 merge -o x short.lfb =! short.lfb: the filter ends too early
2 merge --form nope -o x third.lfb =! no such form
2 merge --form guava -o x third.lfb other.lfb =! cannot be changed without the keys
2 merge --json -o - third.lfb =! both write to standard output
2 merge -o missing/x third.lfb =! missing/x: cannot be written
2 merge -o /dev/full third.lfb =! No space left
and test ! -e x
END
mkdir kept
cp third.lfb kept/out.lfb
over_limit "merge over a limit" 100 "kept/out.lfb: writing failed: File too large" \
  "$tool" merge -o kept/out.lfb kept/out.lfb other.lfb
check "merge: the old file is untouched" cmp kept/out.lfb third.lfb
check "merge: nothing is left beside it" equal "$(ls -A kept)" out.lfb

given wide.lfb
"$tool" fold -q --factor 7 -o seventh.lfb wide.lfb
seq 0 4999 >grown
# Filters of different sizes, in both orders: OUT has the smaller size.
gives "build other, smaller" 0 "$tool" fold -q --factor 10 -o small.lfb wide.lfb
gives "build other, wide" 0 "$tool" build -q -n 20M -p 0.001 --seed 7 --foldable -o wide2.lfb other
for order in "small.lfb wide2.lfb" "wide2.lfb small.lfb"; do
  # shellcheck disable=SC2086
  reports "merge of sizes: $order" 0 expected_insertions 2000000 \
    "$tool" merge --json -o sizes.lfb $order
  prints "merge of sizes: query" 0 "$(wc -l <both)" "$tool" query -c sizes.lfb both
done
# Sizes 3, 2 and 1: the same words in any order in which one is a multiple of the other, with the
# properties of the first. Seen to fail with the larger first filter swapped for the second.
table <<'END'
0 fold -q --factor 10 -o size3 wide.lfb
0 fold -q --factor 15 -o size2 wide2.lfb
0 build -q -n 20M -p 0.001 --seed 7 --foldable -o size1 few
0 fold -q --factor 30 -o size1 size1
$ sort -n both few >all_sizes
0 build -q -n 20M -p 0.001 --seed 7 --foldable -o all1 all_sizes
0 fold -q --factor 30 -o all1 all1
END
for order in "3 1 2" "2 1 3" "1 2 3" "1 3 2"; do
  # shellcheck disable=SC2086
  gives "merge of sizes $order" 0 "$tool" merge -q -o sizes.lfb $(printf 'size%s ' $order)
  check "merge of sizes $order: the words of all" cmp -i 256 sizes.lfb all1
  gives "merge of sizes $order: info" 0 "$tool" info --json sizes.lfb
  check "merge of sizes $order: n" equal "$(json expected_insertions)" 666666
done
table <<'END'
2 merge -o x2 size3 size2 \
  =! size2: cannot be merged with size3: the filters differ in their number of bits
$ echo 00112233445566778899aabbccddeeff >merge.key
0 build -q -n 64k -p 0.01 --foldable --key-file merge.key --keep-key -o with.lfb grown
0 build -q -n 32k -p 0.01 --foldable --key-file merge.key -o without.lfb few
END
for order in "with without" "without with"; do
  # shellcheck disable=SC2086
  gives "merge $order its key" 0 \
    "$tool" merge -q --key-file merge.key -o x2 $(printf '%s.lfb ' $order)
  gives "merge $order its key: info" 0 "$tool" info --json --key-file merge.key x2
  check "merge $order its key: n" equal "$(json expected_insertions)" 32000
  run "$tool" info x2
  case $order in
  without*) check "merge $order its key: no key in OUT" is_error "it opens only with its key" ;;
  *) check "merge $order its key: key in OUT" holds out "its key is in the file" ;;
  esac
done
rm x2
refuses "merge of other sizes" \
  "differ in their number of bits: build both with the same -n and -p (and --copies), or" \
  "$tool" merge -o x2 seventh.lfb small.lfb

finish
