#!/bin/bash
# build_cli_test.sh LFBLOOM: `lfbloom build`.
source "$(dirname "$0")/checks.sh"

given abc few third again hundred
mkdir folder
# Made with Guava 31.1: BloomFilter.create(Funnels.byteArrayFunnel(), 10, 0.01) with a, b, hello.
table <<'END'
0 build --form guava -q -n 10 -p 0.01 -o abc.bloom abc
and equal "$(hex abc.bloom)" 01070000000220100220098402048802405800802801
0 build --form guava -q -n 10 -p 0.01 --strategy guava-mitz32 -o m32.bloom abc
and equal "$(hex m32.bloom)" 0007000000020038000221800082200840980008c0a0
0 build --form guava --json -n 1 -p 0.01 --probes-formula 31 -o k.bloom abc => {probes=6}
0 build --form guava --json -n 1 -p 0.01 --probes-formula current -o k.bloom abc => {probes=7}
2 build --form guava -n 1 -p 0.1 --probes-formula 30 -o x abc =! must be 31 or current
2 build -n 1 -p 0.1 --probes-formula current -o x abc \
  =! --strategy default takes no --probes-formula
2 build --shared -n 1 -p 0.1 --probes-formula 31 -o x abc =! takes no --probes-formula
0 build -q -n 10 -p 0.1 --strategy java-double --probes-formula current -o x abc
$ rm x
0 build --help => ...number of probes: 31 (up to...
2 build -n 1 -p 0.1 --form nope -o x abc \
  =! no such form: use native, guava, sbbf, mapped, milvus, milvus-int64 or milvus-utf8
2 build --form guava -n 1 -p 0.1 --strategy java-double -o x abc =! cannot hold

# Without --form: the native form, the default strategy; damage is detected.
0 build -q -n 1000 -p 0.001 -o native.lfb abc
0 info --json native.lfb => {form=native strategy=fast expected_insertions=1000 fpp=0.001}
0 query native.lfb abc => a\nb\nhello
0 build -q -n 1000 -p 0.001 --seed 5 -o seed1.lfb abc
0 info --json seed1.lfb => {seed=5}
0 info seed1.lfb => /^seed +5$/
0 build -q -n 1000 -p 0.001 --seed 5 --threads 3 -o seed2.lfb abc && cmp -i 256 seed1.lfb seed2.lfb
0 build -q -n 1000 -p 0.001 -o seed3.lfb abc
and test "$(cmp -i 256 seed1.lfb seed3.lfb >/dev/null; echo $?)" = 1
0 build -q -n 1000 -p 0.001 --seed 0 -o seed4.lfb abc
0 info --json seed4.lfb => {hash=xxh3}
and test "$(json seed)" != null
0 build -q -n 1000 -p 0.001 -o hash1.lfb abc
and equal "$(stat -c %a hash1.lfb)" 600
0 info hash1.lfb => /^hash +(aes|siphash13) \(its key is in the file\)$/
$ echo 000102030405060708090a0b0c0d0e0f >hash.key
0 build -q -n 1000 -p 0.001 --key-file hash.key -o hash0.lfb abc
0 build -q -n 1000 -p 0.001 --key-file hash.key --threads 3 -o hash2.lfb abc
and cmp -i 256 hash0.lfb hash2.lfb
and equal "$(od -An -tx1 -j168 -N16 hash2.lfb | tr -d ' 0\n')" ""
0 build -q -n 1000 -p 0.001 --like hash1.lfb -o hash3.lfb few
and equal "$(stat -c %a hash3.lfb)" 600
0 merge -q -o hashes.lfb hash1.lfb hash3.lfb
0 query -c hashes.lfb abc few => $(cat abc few | wc -l)
0 build -q -n 1000 -p 0.001 -o hash4.lfb few
2 merge -q -o x hash1.lfb hash4.lfb =! differ in their hash, its key or its seed
END
for hash in aes siphash13 xxh3; do
  gives "build with $hash" 0 "$tool" build -q -n 1000 -p 0.001 --hash $hash -o hash5.lfb abc
  reports "info of $hash" 0 hash "$hash" "$tool" info --json hash5.lfb
  gives "all keys are found, by $hash" 1 "$tool" query -v hash5.lfb abc
done
table <<'END'
2 build -q -n 10 -p 0.1 --hash ase -o x abc =! must be aes, siphash13, xxh3 or default
0 build -q -n 1000 -p 0.001 --strategy java-double -o java1.lfb abc
0 build -q -n 1000 -p 0.001 --like java1.lfb -o java2.lfb few
0 merge -q -o x java1.lfb java2.lfb
$ rm x
2 build -q -n 10 -p 0.1 --strategy fast --like java1.lfb -o x abc \
  =! java1.lfb: the filters differ in their strategy
2 build -q -n 10 -p 0.1 --like hash5.lfb --key-file hash.key -o x abc \
  =! its hash has no key: leave out --key-file
and test ! -e x
2 build -q -n 10 -p 0.1 --hash xxh3 --key-file hash.key -o x abc =! --hash xxh3 has no key
2 claim -q -n 10 -p 0.1 --hash xxh3 --key-file hash.key abc =! --hash xxh3 has no key
2 build -q -n 10 -p 0.1 --hash aes --seed 3 -o x abc =! only --hash xxh3 has a seed
2 build -q -n 10 -p 0.1 --like hash1.lfb --seed 5 -o x abc =! replaces --hash and --seed
2 build -q -n 10 -p 0.1 --strategy guava-mitz64 --seed 5 -o x abc \
  =! does not take this hash, seed or key
0 build -q -n 10 -p 0.1 --strategy go-fnv14 -o go.lfb abc
0 query -c go.lfb abc => 3

# What was asked for is named, and what there is.
2 build -n 1e13 -p 0.01 -o none.lfb abc =! /build: 10000000000000 keys at -p 0.01: out of memory: \
it takes [0-9.]+ TiB, and [0-9.]+ [MGT]iB may be used/
2 claim -n 1e13 -p 0.01 abc =! /out of memory: it takes [0-9.]+ TiB, and [0-9.]+ .iB may be used/
2 claim -n 1e12 -p 1e-6 --window 1h abc =! /out of memory: it takes [0-9.]+ TiB, and [0-9.]+ .iB may/
# Below 1e-18 there is no fast.
2 build -n 1k -p 1e-35 -o none.lfb abc =! build: 1000 keys at -p 1e-35: the false-positive \
  probability must be greater than 0; for fast, fast-pair and sbbf at least 1e-18, or
0 plan -n 10M -p 1e-35 => /^fast +-  .*at least 1e-18, or 1e-12 if the filter grows; .*$/
2 claim -n 1k -p 1e-35 abc =! at least 1e-18
0 build -q -n 1M -p 1e-6 -o big.lfb abc
$ rm big.lfb

# Made with hyparquet-writer 0.17.0: a column with a, b, hello and a filter.
0 build --form sbbf -q -p 0.01 -o abc.sbbf abc
and equal "$(hex abc.sbbf)" 15401c1c00001c1c00001c1c00000000\
  80140000020208030400008010000100020220400000810000801800200088
0 info --json abc.sbbf => {form=sbbf strategy=sbbf bytes=32 fpp=null}
0 query abc.sbbf abc => a\nb\nhello
2 build --form sbbf -n 1 -p 0.1 --strategy fast -o x abc =! cannot hold
0 build -q -n 10 -p 0.1 --strategy sbbf -o sbbf.lfb abc
2 build --form sbbf -n 10G -p 0.01 -o x abc =! larger than its strategy

0 info sbbf.lfb
and grep -qE "^written +$(date -u +%Y)-[0-9]{2}-[0-9]{2} .* UTC$" out
0 info --json sbbf.lfb
and between "$(json written)" $(($(date +%s) - 600)) "$(date +%s)"
$ cp native.lfb bad.lfb
$ printf 'x' | dd of=bad.lfb bs=1 seek=700 conv=notrunc status=none
2 query bad.lfb abc =! checksum does not match (see 'lfbloom verify')
END

# A file on standard input is counted as a named one, and a pipe at its end.
table <<'END'
0 build --json -p 0.01 -o counted.lfb <hundred => {keys=100000 expected_insertions=100000}
$ cat hundred hundred >twice
0 build --json -p 0.01 -o counted.lfb <twice => {expected_insertions=200000}
0 build --json -p 0.01 -o counted.lfb - hundred - <hundred \
  => {keys=200000 expected_insertions=200000}
? cat twice | build --json -p 0.01 -o counted.lfb
and between "$(json expected_insertions)" 100000 199999
END

# The filter is that of -n with the number of keys, bit for bit; repeated keys take no room.
distinct=$(wc -l <third)
for form in native guava sbbf; do
  seed=(--seed 7)
  [[ $form == native ]] || seed=()
  table <<'END'
0 build -q -n "$distinct" -p 0.001 --form "$form" "${seed[@]}" -o given third
0 cat third | build -q -p 0.001 --form "$form" "${seed[@]}" -o piped
0 info --json given
$ size=$(json bytes)
0 info --json piped => {bytes=$size}
0 cat third third third third | build -q -p 0.001 --form "$form" "${seed[@]}" -o repeated
0 info --json repeated
and test "$(json bytes)" -le $((size + size / 50))
END
  check "and fpp is held, $form" awk -v fpp="$(json expected_fpp)" 'BEGIN { exit fpp > 0.001 }'
  prints "query, $form" 0 "$distinct" "$tool" query -c repeated third
done
table <<'END'
0 build -q -n "$distinct" -p 0.001 --foldable --seed 7 -o given third
0 cat third | build -q -p 0.001 --foldable --seed 7 -o piped
and cmp -i 256 given piped
1 fold -q --factor 12 -o x piped =! warning: more than the 11,111 distinct keys
0 build -q -p 0.1 -o x /dev/null
2 build --strategy guava-mitz64 -p 1e-100 -o none.lfb - <third =! more than 255 probes
and test ! -e none.lfb
$ rm x

# Summaries and warnings.
0 build --form guava -q -p 0.01 -o q.bloom third
? build --form guava -p 0.01 -o q.bloom third =! /^lfbloom: q.bloom: 133,333 keys, about \
  13[0-9],[0-9]{3} distinct, in 156\.[0-9]+ KiB; expected fpp 0\.0/
and equal "$(wc -l <err)" 1
1 build --form guava -q -n 100000 -p 0.01 -o q.bloom third \
  =! warning: more than the 100,000 distinct keys
and equal "$(wc -l <err)" 1
END
# Far more keys: the filter is written, but the status says that it is too full.
# useless NAME STATUS BUILD...: passes if OUT was written, with one warning.
useless() {
  local name=$1 status=$2
  shift 2
  rm -f useless.lfb
  run "$tool" build -q "$@" -o useless.lfb third
  check "$name: status" equal "$rc" "$status"
  check "$name: one warning" equal \
    "$(grep -cE '^lfbloom: warning: (more than the|useless.lfb answers)' err) $(wc -l <err)" "1 1"
  check "$name: written" test -s useless.lfb
}
useless "saturated" 1 -n 10 -p 0.01 --strategy guava-mitz64
useless "saturated, without n and p" 1 -n 10 -p 0.01 --form guava
useless "nearly saturated" 1 -n 30000 -p 0.01
echo a >one
table <<'END'
1 build -q -n 1 -p 0.5 --strategy redis-mitz32 -o useless.lfb one # of one bit \
  =! answers "maybe" to most absent keys
$ useless "shared" 1 --shared -n 10 -p 0.01
$ rm useless.lfb
0 build -q -n 100k -p 0.6 -o useless.lfb third
0 build --form guava -q -n 10 -p 0.01 -o q.bloom again
# Here expected_fpp is 0.01002, but the warning depends on the number of new keys.
0 build --form guava -q -n 133333 -p 0.01 --threads 1 -o q.bloom third third
? build --form guava --progress=always -p 0.01 -o q.bloom third =! counting =! building
and grep -q $'\r\033\[Klfbloom: q.bloom' err
END
# The keys never end.  One thread, which reads: under ThreadSanitizer a thread that waits for a mutex
# receives no signals.
mkfifo endless
"$tool" build -q --progress=always --threads 1 -n 10 -p 0.01 -o interrupted.bloom endless 2>err &
building=$!
exec 9>endless
until grep -q building err || ! kill -0 "$building"; do sleep 0.01; done
kill -TERM "$building"
wait "$building" && rc=0 || rc=$?
exec 9>&-
check "interrupted: by the signal" equal "$rc" 143
check "interrupted: nothing is left" equal "$(compgen -G '*interrupted*')" ""
table <<'END'
# Errors.
2 build --form guava -n 1 -o x abc =! no -p
2 build --form guava -n 1 -p 0.1 abc =! no -o
2 build --form guava -p 1 -o x abc =! less than 1
2 build --form guava -n 18446744073709551615 -p 0.1 -o x abc =! larger than its strategy
2 build --form guava -n 18446744073709551616 -p 0.1 -o x abc =! more than 2^64 - 1
2 build --form guava -n 1 -p 0.9 -o x abc =! no bits at all
2 build --form guava -n 1 -p 1e-100 -o x abc =! more than 255 probes
and test ! -e x
2 cat abc | build --shared -p 0.1 -o x =! give -n
2 build --shared -p 0.1 -o x abc /dev/null =! give -n
2 build --form guava -p 0.1 -o x abc missing =! missing: No such file
2 build --form guava -p 0.1 -o x abc folder =! folder: Is a directory
2 build --form guava -n 1 -p 0.1 -o abc abc =! both input and output
and equal "$(wc -c <abc)" 10
2 build --form guava -p 0.1 -o missing/x abc =! missing/x: cannot be written: No such file
2 build --form guava -p 0.1 -o folder abc =! folder: cannot be written: Is a directory
END
for option in "build -p 0.1 -o" "build -p 0.1 --like" "merge -o" "fold --output" \
  "claim -n 1 -p 0.1 --shared"; do
  # shellcheck disable=SC2086 # words
  refuses "$option '': nameless" "'': the name of the file is empty" "$tool" $option '' abc
done
table <<'END'
2 convert --to native abc.bloom '' =! the name of the file to write is empty
2 build --form guava -q -p 0.1 -o /dev/full abc =! No space left
2 build --form guava --json -p 0.1 -o - abc =! both write to standard output
2 build --form guava -n 5 -p 0.1 -o x /proc/self/mem =! /mem: I.+ error/
and test ! -e x
END

finish
