#!/bin/bash
# like_cli_test.sh LFBLOOM GROWING COUNTING: `lfbloom build --like` makes filters that merge.
growing=$(realpath "$2") counting=$(realpath "$3")
source "$(dirname "$0")/checks.sh"

seq 20000 >old
seq 20001 20010 >new
cat old new >both
given key

# figures FILE: what two filters must have in common to be merged, and what they were made for.
figures() {
  run "$tool" info --json "$1"
  for field in strategy expected_insertions fpp bits probes seed hash; do printf '%s ' \
    "$(json $field)"; done
}
# like_of OPTIONS...: builds a filter with the options, one like it, and merges the two.
like_of() {
  rm -f old.lfb new.lfb merged.lfb
  gives "$*: build" 0 "$tool" build -q -p 0.001 "$@" -o old.lfb old
  gives "$*: --like" 0 "$tool" build -q --like old.lfb -o new.lfb new
  check "$*: the same figures" equal "$(figures new.lfb)" "$(figures old.lfb)"
  gives "$*: merge" 0 "$tool" merge -q -o merged.lfb old.lfb new.lfb
  prints "$*: query" 0 20010 "$tool" query -c merged.lfb both
}
for strategy in fast fast-pair sbbf guava-mitz64 guava-mitz32 java-double go-fnv14 redis-mitz32; do
  like_of --strategy $strategy
  # go-fnv14 keeps no lower rate with so many keys, and the tool would warn.
  [[ $strategy == go-fnv14 ]] || like_of --strategy $strategy -n 123456
done
like_of --strategy go-fnv14 -n 30000
like_of
like_of --hash aes
like_of --hash siphash13
like_of --seed 18446744073709551615
like_of --key-file key --keep-key
like_of --foldable -n 5000000
like_of --foldable --strategy sbbf
like_of --strategy guava-mitz64 --probes-formula current
like_of --form mapped

table <<'END'
# A key that is not in the file is needed, as to open the file.
0 build -q -p 0.001 --key-file key -o keyed.lfb old
2 build --like keyed.lfb -o x new =! give --key-file
0 build -q --like keyed.lfb --key-file key -o more.lfb new
$ rm merged.lfb
0 merge -q --key-file key -o merged.lfb keyed.lfb more.lfb
0 build -q -p 0.001 --seed 5 -o seeded.lfb old
2 build --like seeded.lfb --key-file key -o x new =! its hash has no key

# A shared filter, and keys from a pipe.
0 build -q --shared --like seeded.lfb -o shared.lfb new
0 build -q --shared --like seeded.lfb -o shared.lfb new
0 merge -q --form native -o merged.lfb seeded.lfb shared.lfb
0 build -q -p 0.01 --seed 5 -o other.lfb old
2 build --shared --like other.lfb -o shared.lfb new =! exists already
0 build -q --like seeded.lfb -o more.lfb < <(cat new)
0 merge -q -o merged.lfb seeded.lfb more.lfb

# With -p only the hash and the strategy are taken.
0 build -q --like seeded.lfb -n 10 -p 0.1 -o small.lfb new
0 info --json small.lfb => {expected_insertions=10 fpp=0.1 seed=5}
0 build -q -n 20000 -p 0.001 --form guava -o guava1.bin old
0 build -q -n 20000 -p 0.001 --like guava1.bin -o guava2.lfb new
0 merge -q -o merged.lfb guava1.bin guava2.lfb

# What contradicts it, or cannot be.
2 build --like seeded.lfb -n 20000 -o x new =! give -p, too
2 build --like seeded.lfb --strategy fast -o x new =! give -p, too
2 build --like seeded.lfb --foldable -o x new =! give -p, too
2 build --like seeded.lfb --probes-formula 31 -o x new =! give -p, too
2 build --like seeded.lfb --hash aes -o x new =! replaces --hash and --seed
2 build --like seeded.lfb --seed 5 -o x new =! replaces --hash and --seed
2 build --like missing -o x new =! missing:
2 build --like old -o x new =! old:
2 build --like "$growing" -o x new =! a growing filter
2 build --like "$counting" -o x new =! counting
0 build -q -p 0.001 --form guava -o guava.bin old
2 build --like guava.bin -o x new =! does not record -n and -p
0 build -q -p 0.001 -n 5M --foldable -o wide.lfb old
0 fold -q --factor 4 -o folded.lfb wide.lfb
2 build --like folded.lfb -o x new =! it was folded
and test ! -e x
END

finish
