#!/bin/bash
# kinds_cli_test.sh LFBLOOM GROWING COUNTING SHARE_GROWING: filters that only programs make:
# growing, counting, and growing filters that are shared.
growing=$(realpath "$2")       # holds the texts 0 to 4999 in three layers
counting=$(realpath "$3")      # holds the texts 0 to 99, and "stuck" 20 times
share_growing=$(realpath "$4") # makes a shared growing filter
source "$(dirname "$0")/checks.sh"

given abc native.lfb

"$share_growing" shared.growing
seq 0 4999 >grown
seq 100000 199999 >absent
{ seq 0 99 && echo stuck; } >counted

# kind NAME FILE KEYS MOST: a filter with the keys, which finds 100 to MOST of those that are
# absent. Leaves what the tool tells of it in ./info and ./verify.
kind() {
  local name=$1 file=$2 keys=$3 most=$4
  table <<'END'
0 query "$file" "$keys" => <$keys
? query -c "$file" absent
and between "$(cat out)" 100 "$most"
0 info "$file"
$ cp out info
0 verify "$file"
END
  cp out verify
}
# refused NAME TEXT FILE: what is for plain filters refuses it with that text, and writes nothing.
refused() {
  refuses "merge a $1 filter" "$2" "$tool" merge -o none.lfb native.lfb "$3"
  refuses "merge into a $1 filter" "$2" "$tool" merge -o none.lfb "$3" native.lfb
  refuses "convert a $1 filter" "$2" "$tool" convert --to native "$3" none.lfb
  check "$1: nothing was written" test ! -e none.lfb
}

kind growing "$growing" grown 999
table <<'END'
1 query -v "$growing" grown
and grep -qx "layers               3" info
and holds verify ": whole: growing, fast, $(stat -c %s "$growing") bytes checked"
0 info --json "$growing" => {form=growing strategy=fast expected_insertions=1024 fpp=0.01 layers=3}
$ { head -c 3000 "$growing" && printf X && tail -c +3002 "$growing"; } >torn
1 verify torn => ...torn: damaged: a checksum does not match: ...
$ refused growing "a growing filter: it cannot be opened as a plain filter or merged with one" \
  "$growing"
2 query <(cat "$growing") grown =! a growing filter

$ kind counting "$counting" counted 2999
and grep -qx "form                 counting" info
and grep -qx "counters stuck       7 (at 15, permanently)" info
and holds verify ": whole: counting, fast, $(stat -c %s "$counting") bytes checked"
0 info --json "$counting" => ...{"form": "counting", "strategy": "fast", "expected_insertions": \
  120, "fpp": 0.01... => {counters_stuck=7}
$ { head -c 600 "$counting" && printf X && tail -c +602 "$counting"; } >torn
1 verify torn => ...torn: damaged: a checksum does not match: 704 bytes at 512...
2 merge -o none.lfb native.lfb "$counting" =! a counting filter: it cannot be opened as a plain
2 merge -o none.lfb "$counting" native.lfb =! native.lfb: this is a plain filter, not a counting one
2 fold -o none.lfb "$counting" =! a counting filter: it cannot be opened as a plain filter
2 query <(cat "$counting") counted =! a counting filter

$ kind "shared growing" shared.growing grown 999
and grep -qx "layers               3" info
and holds verify ": no damage found: growing in a mapped file, fast"
$ refused "shared growing" "a growing filter in a mapped file: it cannot be opened as a plain \
  filter or merged with one" shared.growing
and equal "$(echo shared.growing*)" shared.growing
and equal "$(stat -c %a shared.growing)" 600
2 build --shared -p 0.1 -o shared.growing grown \
  =! exists already, made with -n 1024 -p 0.01 --strategy fast --seed 1 --growing
0 build --shared --json -p 0.01 -o shared.growing grown => {form=growing new_keys=0}
END
cp shared.growing untouched.growing
# Seen to replace the file.
for form in native mapped; do
  refuses "write over a shared growing filter: $form" \
    "is a growing filter that other processes may be using: delete it first" \
    "$tool" build -p 0.1 --form $form -o shared.growing grown
done
check "shared growing: which stays" cmp -s shared.growing untouched.growing
size=$(stat -c %s shared.growing)
cp shared.growing cut.growing
truncate -s $((size - 1)) cut.growing
shows "verify without the last layer's end" 1 "the filter ends too early" "$tool" verify cut.growing
refuses "query without the last layer's end" "the filter ends too early" \
  "$tool" query cut.growing grown
# Byte 8 of the header is the version.
printf '\11' | dd of=shared.growing bs=1 seek=8 conv=notrunc 2>/dev/null
for command in query info verify; do # verify was seen to report damage
  refuses "$command of another version" "format version is unknown" "$tool" $command shared.growing
done

finish
