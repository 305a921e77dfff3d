#!/bin/bash
# like_cli_test.sh LFBLOOM GROWING COUNTING: `lfbloom build --like` makes filters that merge.
set -uo pipefail
tool=$(realpath "$1") growing=$(realpath "$2") counting=$(realpath "$3")
source "$(dirname "$0")/checks.sh"

seq 20000 >old
seq 20001 20010 >new
cat old new >both
echo 00112233445566778899aabbccddeeff >key

# figures FILE: what two filters must have in common to be merged, and what they were made for.
figures() {
  run "$tool" info --json "$1"
  for field in strategy expected_insertions fpp bits probes seed hash; do printf '%s ' \
    "$(json $field)"; done
}
# like_of NAME OPTIONS...: builds a filter with the options, one like it, and merges the two.
like_of() {
  local name=$1
  shift
  rm -f old.lfb new.lfb merged.lfb
  gives "$name: build" 0 "$tool" build -q -p 0.001 "$@" -o old.lfb old
  gives "$name: --like" 0 "$tool" build -q --like old.lfb -o new.lfb new
  check "$name: the same figures" equal "$(figures new.lfb)" "$(figures old.lfb)"
  gives "$name: merge" 0 "$tool" merge -q -o merged.lfb old.lfb new.lfb
  prints "$name: query" 0 20010 "$tool" query -c merged.lfb both
}
for strategy in fast fast-pair sbbf guava-mitz64 guava-mitz32 java-double go-fnv14 redis-mitz32; do
  like_of "$strategy" --strategy $strategy
  # go-fnv14 keeps no lower rate with so many keys, and the tool would warn.
  [[ $strategy == go-fnv14 ]] || like_of "$strategy, of unknown n" --strategy $strategy -n 123456
done
like_of "go-fnv14, of unknown n" --strategy go-fnv14 -n 30000
like_of "the default"
like_of "aes" --hash aes
like_of "siphash13" --hash siphash13
like_of "a seed" --seed 18446744073709551615
like_of "a key in the file" --key-file key --keep-key
like_of "foldable" --foldable -n 5000000
like_of "foldable, sbbf" --foldable --strategy sbbf
like_of "the current formula" --strategy guava-mitz64 --probes-formula current
like_of "form mapped" --form mapped

# A key that is not in the file is needed, as to open the file.
"$tool" build -q -p 0.001 --key-file key -o keyed.lfb old
refuses "a key is needed" "give --key-file" "$tool" build --like keyed.lfb -o x new
gives "with the key" 0 "$tool" build -q --like keyed.lfb --key-file key -o more.lfb new
gives "with the key: merge" 0 "$tool" merge -q --key-file key -o x keyed.lfb more.lfb
rm x
gives "no key: built" 0 "$tool" build -q -p 0.001 --seed 5 -o seeded.lfb old
refuses "a key where there is none" "its hash has no key" \
  "$tool" build --like seeded.lfb --key-file key -o x new

# A shared filter, and a filter that is also written.
rm -f merged.lfb
gives "--shared" 0 "$tool" build -q --shared --like seeded.lfb -o shared.lfb new
gives "--shared, again" 0 "$tool" build -q --shared --like seeded.lfb -o shared.lfb new
gives "--shared: merge" 0 "$tool" merge -q --form native -o merged.lfb seeded.lfb shared.lfb
"$tool" build -q -p 0.01 --seed 5 -o other.lfb old
refuses "--shared, of another size" "exists already" \
  "$tool" build --shared --like other.lfb -o shared.lfb new
gives "keys from a pipe" 0 "$tool" build -q --like seeded.lfb -o more.lfb < <(cat new)
gives "keys from a pipe: merge" 0 "$tool" merge -q -o merged.lfb seeded.lfb more.lfb

# With -p only the hash and the strategy are taken.
gives "another size" 0 "$tool" build -q --like seeded.lfb -n 10 -p 0.1 -o small.lfb new
run "$tool" info --json small.lfb
check "another size: its own" equal "$(json expected_insertions) $(json fpp) $(json seed)" \
  "10 0.1 5"
gives "guava, of the same n and p" 0 \
  "$tool" build -q -n 20000 -p 0.001 --form guava -o guava1.bin old
gives "like guava, with n and p" 0 \
  "$tool" build -q -n 20000 -p 0.001 --like guava1.bin -o guava2.lfb new
gives "like guava: merge" 0 "$tool" merge -q -o x guava1.bin guava2.lfb
rm x

# What contradicts it, or cannot be.
for option in "-n 20000" "--strategy fast" "--foldable" "--probes-formula 31"; do
  # shellcheck disable=SC2086 # two words
  refuses "--like with $option" "give -p, too" "$tool" build --like seeded.lfb $option -o x new
done
refuses "--like with --hash" "replaces --hash and --seed" \
  "$tool" build --like seeded.lfb --hash aes -o x new
refuses "--like with --seed" "replaces --hash and --seed" \
  "$tool" build --like seeded.lfb --seed 5 -o x new
refuses "--like: missing" "missing: " "$tool" build --like missing -o x new
refuses "--like: not a filter" "old: " "$tool" build --like old -o x new
refuses "--like: growing" "a growing filter" "$tool" build --like "$growing" -o x new
refuses "--like: counting" "counting" "$tool" build --like "$counting" -o x new
"$tool" build -q -p 0.001 --form guava -o guava.bin old
refuses "--like: without n and p" "does not record -n and -p" \
  "$tool" build --like guava.bin -o x new
"$tool" build -q -p 0.001 -n 5M --foldable -o wide.lfb old
"$tool" fold -q --factor 4 -o folded.lfb wide.lfb
refuses "--like: folded" "it was folded" "$tool" build --like folded.lfb -o x new
check "no file from a refusal" test ! -e x

finish
