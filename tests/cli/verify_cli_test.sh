#!/bin/bash
# verify_cli_test.sh LFBLOOM OVERCOUNTED KEYED OLD: `lfbloom verify`.
overcounted=$(realpath "$2") # its checksums match, but its header counts 3 bits too many
keyed=$(realpath "$3")       # its hash has a key
old=$(realpath "$4")         # of what `fast` was before it had pairs
source "$(dirname "$0")/checks.sh"

given abc few abc.bloom native.lfb
mkdir folder
table <<'END'
0 build -q -n 2M -p 0.01 -o large.lfb abc
$ large=$(stat -c %s large.lfb)
0 verify native.lfb large.lfb abc.bloom
and equal "$(wc -l <out)" 3
and grep -qx "large.lfb: whole: native, fast, $large bytes checked" out
and holds out "abc.bloom: no damage found: guava, guava-mitz64; this form has no checksums"
0 verify -q native.lfb abc.bloom =>
$ cp large.lfb torn.lfb
$ at torn.lfb 1100000 xxxxxxxx
1 verify torn.lfb => torn.lfb: damaged: a checksum does not match: 1048576 bytes at 1048832
$ at torn.lfb $((large - 8)) xxxxxxxx
1 verify native.lfb torn.lfb
and grep -q "^native.lfb: whole" out
and holds out ": 1048576 bytes at 1048832, 32 bytes at $((large - 32))"
1 verify --json torn.lfb native.lfb => ..."damaged_parts": 2, "damaged_bytes": 1048608, \
  "bits_missing": 0, "damage": [{"offset": 1048832, "size": 1048576}, {...
and equal "$(wc -l <out)" 1
and holds out '}, {"file": "native.lfb", "verdict": "whole", "problem": null, "form": "native"'
$ cp native.lfb head.lfb
$ at head.lfb 50 x
1 verify head.lfb => ...: 256 bytes at 0...
$ cp "$overcounted" overcounted.lfb
1 verify overcounted.lfb => overcounted.lfb: damaged: 3 bits that the header counts are not set
1 verify --json overcounted.lfb => {bits_missing=3}
$ cp "$keyed" keyed.lfb
0 verify keyed.lfb => keyed.lfb: whole: native, a keyed hash, $(stat -c %s keyed.lfb) bytes checked
$ echo >>keyed.lfb
1 verify keyed.lfb => ...is followed by bytes...
$ cp "$keyed" keyed.lfb
$ at keyed.lfb 260 x
1 verify keyed.lfb => ...: 16 bytes at 256...
2 verify "$old" =! the layout of strategy fast from before the first release: build it again
2 query "$keyed" abc =! opens only with its key: give --key-file
$ head -c 1000000 large.lfb >short.lfb
1 verify short.lfb => short.lfb: damaged: the filter ends too early (after 1000000 bytes)
$ { cat native.lfb; echo; } >long.lfb
1 verify long.lfb => ...long.lfb: damaged: the filter is followed by bytes...
2 verify =! no filter given
2 verify missing =! missing: the file cannot be opened: No such file
2 verify folder =! folder:
2 verify abc =! abc: not a filter
2 verify missing native.lfb nowhere torn.lfb => * =! missing: the file cannot be opened
and equal "$(cut -d: -f1,2 err | tr '\n' ,)" "lfbloom: missing,lfbloom: nowhere,"
and equal "$(cut -d: -f1,2 out | tr '\n' ,)" "native.lfb: whole,torn.lfb: damaged,"
$ name=$'\xff\xc3\xa9\xed\xa0\x80.lfb'
$ cp native.lfb "$name"
0 verify --json "$name"
and holds out $'"file": "\\ufffd\xc3\xa9\\ufffd\\ufffd\\ufffd.lfb"'
END

# A file of `dedupe --seen`: its head, blocks, order and filters.
"$tool" dedupe -q --seen seen few >out
seq 501 30000 | "$tool" dedupe -q --seen seen >out
seq 30001 33000 | "$tool" dedupe -q --seen seen >out
table <<'END'
and between $(stat -c %s seen) $((33000 * 19)) $((33000 * 24))
2 info seen =! seen: this is a state of 'lfbloom dedupe --seen', which is no filter
0 verify seen => /^seen: whole: seen, [0-9]+ bytes checked$/
0 verify --json seen => {verdict=whole form=seen damaged_parts=0}
2 query seen abc =! seen: this is a state of 'lfbloom dedupe --seen', which is no filter
END
# Of the head, blocks, and the filters of both runs.
pages=$(($(stat -c %s seen) / 4096))
for at in 20 400 45000 $((4096 * 100 + 8)) $((4096 * (pages - 1) + 100)) $((4096 * (pages - 20))); do
  cp seen bad && printf '%b' "\\x$(printf %02x $((255 - $(od -An -tu1 -j "$at" -N 1 seen))))" |
    dd of=bad bs=1 seek="$at" conv=notrunc status=none
  run "$tool" verify bad
  check "seen: byte $at: status" equal "$rc" 1
  read -r size _ offset < <(sed 's/.*match: //; s/ bytes//' out)
  check "seen: byte $at: where" between "$at" "$offset" $((offset + size - 1))
done
# While a run writes the head it is not damaged: the lock says when none does.
cp seen torn && at torn 450 x
exec 7<torn && flock 7
"$tool" verify torn >out 2>err 7<&- &
await "verify waits" grep -q 'torn: waits for another run' err
at torn 450 '\0'
exec 7<&-
await_end "verify of a torn head" $!
check "verify of a torn head" equal "$rc $(grep -c '^torn: whole: seen, ' out)" "0 1"
head -c 400000 seen >cut
table <<'END'
1 verify cut => cut: damaged: the filter ends too early (after 400000 bytes)
2 dedupe --seen bad few =! bad: state of dedupe: is damaged ('lfbloom verify' says where)
END
finish
