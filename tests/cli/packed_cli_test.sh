#!/bin/bash
# packed_cli_test.sh LFBLOOM: the tool reads .gz, .zst and .xz files as gzip, zstd and xz print
# them, refuses damaged ones, and needs little memory for them.
#
# Seen to fail with the second member left out, with padding taken for data, with the end of a file
# taken for the end of its data, and with only the first piece of a compressed file counted.
set -uo pipefail
tool=$(realpath "$1")
source "$(dirname "$0")/checks.sh"
declare -A pack=([gz]="gzip -c" [zst]="zstd -qc" [xz]="xz -c")
declare -A unpack=([gz]="gzip -dc" [zst]="zstd -qdc" [xz]="xz -dc")
declare -A format=([gz]=gzip [zst]=zstd [xz]=xz)
# size_in: the number of keys that were counted, from the filter's n.
size_in() { "$tool" info --json "$1" >out && json expected_insertions; }

# More than one piece, repeats, no newline at the end.
{ seq 1 400000; seq 399000 500000; printf last; } >keys
awk '!seen[$0]++' keys >distinct
head -c 70000 /dev/zero | tr '\0' 'x' >long_line # longer than a read of the tool
{ cat long_line; printf '\nshort\n'; } >long
printf 'a\0b\n\0a\0c' >nul

for end in gz zst xz; do
  ${pack[$end]} keys >"keys.$end"
  ${pack[$end]} long >"long.$end"
  ${pack[$end]} nul >"nul.$end"

  # --- what is read -------------------------------------------------------------
  same "$end: claim" 0 distinct "$tool" claim -q --threads 1 -p 1e-9 "keys.$end"
  gives "$end: build" 0 "$tool" build -q -p 1e-6 -o filter "keys.$end"
  check "$end: all keys are counted" equal "$(size_in filter)" "$(grep -c . keys)"
  gives "$end: query" 0 "$tool" query filter "keys.$end"
  check "$end: query's lines" cmp out <(sed -n p keys; echo) # a newline at the end

  # --- several members ----------------------------------------------------------
  {
    ${pack[$end]} keys
    ${pack[$end]} long
    ${pack[$end]} </dev/null
    ${pack[$end]} long
  } >"members.$end"
  gives "$end: members" 0 "$tool" build -q -p 1e-6 -o filter "members.$end"
  check "$end: members are counted" equal "$(size_in filter)" \
    "$(${unpack[$end]} "members.$end" | grep -c .)"
  gives "$end: members are read" 1 "$tool" query -v filter <(${unpack[$end]} "members.$end")
  ${pack[$end]} </dev/null >"none.$end"
  prints "$end: no bytes" 0 "" "$tool" claim -q -n 1 -p 0.01 "none.$end"

  # --- by its first bytes, and by its name ---------------------------------------
  same "$end: a pipe" 0 distinct "$tool" claim -q -n 1M -p 1e-9 --threads 1 < <(cat "keys.$end")
  cp "keys.$end" "NAME_$end"
  gives "$end: another name" 0 "$tool" build -q -p 1e-6 -o filter "NAME_$end"
  check "$end: another name's keys are counted" equal "$(size_in filter)" "$(grep -c . keys)"
  gives "$end: another name's keys" 1 "$tool" query -v filter keys
  for other in gz zst xz; do
    [[ $other == "$end" ]] || cp "keys.$end" "$end.$other"
    [[ $other == "$end" ]] || gives "$end: the name of $other" 1 \
      "$tool" query -v filter "$end.$other"
  done
  mkfifo "pipe.$end"
  cat "nul.$end" >"pipe.$end" &
  gives "$end: a named pipe" 0 "$tool" claim -q -0 -n 10 -p 1e-6 "pipe.$end"
  check "$end: a named pipe's keys" equal "$(tr -d '\0\n' <out)" abc
  cp keys "hoax.$end"
  refuses "$end: not compressed" \
    "hoax.$end: not ${format[$end]} data, although its name ends in .$end: rename it" \
    "$tool" claim -n 1M -p 0.01 "hoax.$end"

  # --- damaged ------------------------------------------------------------------
  # broken NAME TEXT FILE: counting and reading report the damage, and no filter is written.
  broken() {
    refuses "$end: $1, counted" "$3: $2" "$tool" build -p 0.01 -o broken "$3"
    refuses "$end: $1, read" "$3: $2" "$tool" build -n 1M -p 0.01 -o broken "$3"
    check "$end: $1, no output" test ! -e broken
  }
  : >"empty.$end"
  broken "empty" "cut short: its ${format[$end]} data have no end" "empty.$end"
  size=$(stat -c %s "keys.$end")
  for bytes in 3 $((size / 2)) $((size - 1)); do
    head -c $bytes "keys.$end" >"cut.$end"
    broken "cut to $bytes" "cut short: its ${format[$end]} data have no end" "cut.$end"
  done
  for bytes in 3 $((size / 2)) $((size - 1)); do
    { cat "keys.$end"; head -c $bytes "keys.$end"; } >"second.$end"
    broken "the second cut to $bytes" "cut short: its ${format[$end]} data have no end" \
      "second.$end"
  done
  cp "keys.$end" flipped."$end"
  printf '\xff\x00\xff' | dd of=flipped."$end" bs=1 seek=$((size / 2)) conv=notrunc status=none
  broken "flipped" "cannot decompress its ${format[$end]} data: " "flipped.$end"
  # The first member is read before the error: its keys are printed, the status is 2.
  { ${pack[$end]} long; cat keys; } >"tail.$end"
  run "$tool" claim -n 1M -p 1e-9 --threads 1 "tail.$end"
  check "$end: bytes after the end" is_error "tail.$end: "
  refuses "$end: bytes after the end, counted" "tail.$end: " \
    "$tool" build -p 0.01 -o broken "tail.$end"
done
{ cat keys.gz; head -c 1000 /dev/zero; } >padded.gz
{ cat keys.xz; head -c 1000 /dev/zero; } >padded.xz
for end in gz xz; do
  same "$end: padding" 0 distinct "$tool" claim -q -p 1e-9 --threads 1 "padded.$end"
done
run "$tool" claim -n 1M -p 1e-9 tail.gz
check "gz: what follows" is_error "tail.gz: after its gzip data come bytes that are none"

# --- bounded memory -------------------------------------------------------------
# Windows beyond the limits: zstd's 1 GiB, xz's 1.5 GiB.
head -c 3000000 keys | zstd -qc --long=30 >window.zst
refuses "zst: a large window" \
  "window.zst: cannot decompress its zstd data: it needs more than 128 MiB of memory" \
  "$tool" claim -n 1M -p 0.01 window.zst
helps() { $(sed "s/.*'\(.*\)'$/\1/" err) "$1" | cmp - "$2"; } # the command in the message
check "zst: a large window: what helps" helps window.zst <(head -c 3000000 keys)
seq 10 | xz -T1 -c --lzma2=preset=0,dict=384MiB,mf=hc3,nice=4 >window.xz
refuses "xz: a large window" \
  "window.xz: cannot decompress its xz data: it needs more than 256 MiB of memory" \
  "$tool" claim -n 1M -p 0.01 window.xz
check "xz: a large window: what helps" helps window.xz <(seq 10)
# Much text in few bytes: one record, or none.
head -c 400000000 /dev/zero | zstd -qc >zeros.zst
refuses "one long record" "zeros.zst: a record of over 256.00 MiB in a compressed file" \
  "$tool" claim -n 1M -p 0.01 zeros.zst
gives "no record: counted" 0 "$tool" build -q -0 -p 0.01 -o filter zeros.zst
limit=(prlimit --data=60000000)
if "${limit[@]}" "$tool" --version >out 2>err; then
  gives "no record: in little memory" 0 "${limit[@]}" "$tool" claim -q -0 -n 1 -p 0.01 zeros.zst
else
  not_here "limits on memory (sanitizer)"
fi

# --- as other input -------------------------------------------------------------
refuses "it is also the output" "keys.gz: is also the output" \
  bash -c "exec '$tool' claim -n 1M -p 0.01 keys.gz >>keys.gz; true"
refuses "a missing file" "missing.gz: No such file or directory" \
  "$tool" build -p 0.01 -o broken missing.gz
mkdir folder.gz
refuses "a folder" "folder.gz: Is a directory" "$tool" build -p 0.01 -o broken folder.gz
finish
