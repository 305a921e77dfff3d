#!/bin/bash
# verify_cli_test.sh LFBLOOM OVERCOUNTED KEYED: `lfbloom verify`.
overcounted=$(realpath "$2") # its checksums match, but its header counts 3 bits too many
keyed=$(realpath "$3")       # its hash has a key
source "$(dirname "$0")/checks.sh"

given abc abc.bloom native.lfb
mkdir folder
wide=$(default_strategy)
gives "build of 3 MiB" 0 "$tool" build -q -n 2M -p 0.01 -o large.lfb abc
large=$(stat -c %s large.lfb)
gives "verify whole files" 0 "$tool" verify native.lfb large.lfb abc.bloom
check "verify: a line a file" equal "$(wc -l <out)" 3
check "verify: whole" grep -qx "large.lfb: whole: native, $wide, $large bytes checked" out
check "verify: no checksums" holds out \
  "abc.bloom: no damage found: guava, guava-mitz64; this form has no checksums"
prints "verify -q of whole files" 0 "" "$tool" verify -q native.lfb abc.bloom
cp large.lfb torn.lfb
at torn.lfb 1100000 xxxxxxxx
gives "verify a damaged file" 1 "$tool" verify torn.lfb
check "verify: where" equal "$(cat out)" \
  "torn.lfb: damaged: a checksum does not match: 1048576 bytes at 1048832"
at torn.lfb $((large - 8)) xxxxxxxx
gives "verify, damaged twice" 1 "$tool" verify native.lfb torn.lfb
check "verify: the whole one" grep -q "^native.lfb: whole" out
check "verify: both places" holds out ": 1048576 bytes at 1048832, 32 bytes at $((large - 32))"
gives "verify --json" 1 "$tool" verify --json torn.lfb native.lfb
check "verify: JSON" holds out \
  '"damaged_parts": 2, "damaged_bytes": 1048608, "bits_missing": 0, '\
'"damage": [{"offset": 1048832, "size": 1048576}, {'
check "verify: one object" equal "$(wc -l <out)" 1
check "verify: JSON of a whole one" holds out \
  '}, {"file": "native.lfb", "verdict": "whole", "problem": null, "form": "native"'
cp native.lfb head.lfb
at head.lfb 50 x
shows "verify a damaged header" 1 ": 256 bytes at 0" "$tool" verify head.lfb
cp "$overcounted" overcounted.lfb
gives "verify bits that are gone" 1 "$tool" verify overcounted.lfb
check "verify: how many" equal "$(cat out)" \
  "overcounted.lfb: damaged: 3 bits that the header counts are not set"
reports "verify --json of it" 1 bits_missing 3 "$tool" verify --json overcounted.lfb
cp "$keyed" keyed.lfb
gives "verify a filter without its key" 0 "$tool" verify keyed.lfb
check "verify: without its key" equal "$(cat out)" \
  "keyed.lfb: whole: native, a keyed hash, $(stat -c %s keyed.lfb) bytes checked"
echo >>keyed.lfb
shows "verify it with more behind it" 1 "is followed by bytes" "$tool" verify keyed.lfb
cp "$keyed" keyed.lfb
at keyed.lfb 300 x
shows "verify it damaged" 1 ": 64 bytes at 256" "$tool" verify keyed.lfb
refuses "query without the key" "opens only with its key: give --key-file" \
  "$tool" query "$keyed" abc
head -c 1000000 large.lfb >short.lfb
gives "verify half a file" 1 "$tool" verify short.lfb
check "verify: where it ends" equal "$(cat out)" \
  "short.lfb: damaged: the filter ends too early (after 1000000 bytes)"
{ cat native.lfb; echo; } >long.lfb
shows "verify a file with more behind it" 1 "long.lfb: damaged: the filter is followed by bytes" \
  "$tool" verify long.lfb
refuses "verify nothing" "no filter given" "$tool" verify
refuses "verify: missing" "missing: the file cannot be opened: No such file" "$tool" verify missing
refuses "verify: a directory" "folder: " "$tool" verify folder
refuses "verify: no filter" "abc: not a filter" "$tool" verify abc
run "$tool" verify missing native.lfb nowhere torn.lfb
check "verify: one cannot be read: status" equal "$rc" 2
check "verify: each is told" equal "$(cut -d: -f1,2 err | tr '\n' ,)" \
  "lfbloom: missing,lfbloom: nowhere,"
check "verify: the others are checked" equal "$(cut -d: -f1,2 out | tr '\n' ,)" \
  "native.lfb: whole,torn.lfb: damaged,"
name=$'\xff\xc3\xa9\xed\xa0\x80.lfb'
cp native.lfb "$name"
gives "verify a name that is no text" 0 "$tool" verify --json "$name"
check "verify: its name" holds out $'"file": "\\ufffd\xc3\xa9\\ufffd\\ufffd\\ufffd.lfb"'
if command -v python3 >/dev/null; then
  python3 -c 'import json, sys; json.load(open("out", encoding="utf-8"))' 2>err && rc=0 || rc=$?
  check "verify: JSON that others read" equal "$rc" 0
else
  skip "JSON that others read (no python3)"
fi

finish
