#!/bin/bash
# build_cli_test.sh LFBLOOM: `lfbloom build`.
source "$(dirname "$0")/checks.sh"

given abc few third again hundred
mkdir folder
# Made with Guava 31.1: BloomFilter.create(Funnels.byteArrayFunnel(), 10, 0.01) with a, b, hello.
gives "build as Guava does" 0 "$tool" build --form guava -q -n 10 -p 0.01 -o abc.bloom abc
check "Guava's bytes" equal "$(hex abc.bloom)" 01070000000220100220098402048802405800802801
gives "build MITZ_32" 0 \
  "$tool" build --form guava -q -n 10 -p 0.01 --strategy guava-mitz32 -o m32.bloom abc
check "Guava's bytes, MITZ_32" equal "$(hex m32.bloom)" 0007000000020038000221800082200840980008c0a0
reports "k of Guava 31" 0 probes 6 \
  "$tool" build --form guava --json -n 1 -p 0.01 --probes-formula 31 -o k.bloom abc
gives "k of Guava now" 0 \
  "$tool" build --form guava --json -n 1 -p 0.01 --probes-formula current -o k.bloom abc
check "k of Guava now" equal "$(json probes)" 7
refuses "bad formula" "must be 31 or current" \
  "$tool" build --form guava -n 1 -p 0.1 --probes-formula 30 -o x abc
refuses "a formula that nobody asks" "--strategy default takes no --probes-formula" \
  "$tool" build -n 1 -p 0.1 --probes-formula current -o x abc
refuses "a formula that nobody asks, shared" "takes no --probes-formula" \
  "$tool" build --shared -n 1 -p 0.1 --probes-formula 31 -o x abc
gives "a formula for java-double" 0 \
  "$tool" build -q -n 10 -p 0.1 --strategy java-double --probes-formula current -o x abc
rm x
shows "build --help" 0 "number of probes: 31 (up to" "$tool" build --help
refuses "bad form" "no such form: use native, guava, sbbf, mapped, milvus, milvus-int64 or \
milvus-utf8" "$tool" build -n 1 -p 0.1 --form nope -o x abc
refuses "a form that cannot hold it" "cannot hold" \
  "$tool" build --form guava -n 1 -p 0.1 --strategy java-double -o x abc

# Without --form: the native form, the default strategy; damage is detected.
gives "build by default" 0 "$tool" build -q -n 1000 -p 0.001 -o native.lfb abc
reports "info of a native file" 0 "form strategy" "native fast" "$tool" info --json native.lfb
check "native knows n and p" equal "$(json expected_insertions) $(json fpp)" "1000 0.001"
gives "query of a native file" 0 "$tool" query native.lfb abc
check "all three are in" equal "$(tr '\n' , <out)" "a,b,hello,"
gives "build with a seed" 0 "$tool" build -q -n 1000 -p 0.001 --seed 5 -o seed1.lfb abc
reports "info of it" 0 seed 5 "$tool" info --json seed1.lfb
gives "info of it, for people" 0 "$tool" info seed1.lfb
check "info tells the seed, for people" grep -qxE 'seed +5' out
gives "build with it again" 0 \
  "$tool" build -q -n 1000 -p 0.001 --seed 5 --threads 3 -o seed2.lfb abc
check "one seed, the same words" cmp -i 256 seed1.lfb seed2.lfb
gives "build without a seed" 0 "$tool" build -q -n 1000 -p 0.001 -o seed3.lfb abc
check "no seed, other words" test "$(cmp -i 256 seed1.lfb seed3.lfb >/dev/null; echo $?)" = 1
gives "build with a seed of 0" 0 "$tool" build -q -n 1000 -p 0.001 --seed 0 -o seed4.lfb abc
gives "info of a seed of 0" 0 "$tool" info --json --show-key seed4.lfb
check "a seed of 0 is random" test "$(json hash) $(json hash_key)" = "xxh3 null" -a "$(json seed)" \
  != null
gives "build by the default hash" 0 "$tool" build -q -n 1000 -p 0.001 -o hash1.lfb abc
check "the key is in the file, which is its owner's" equal "$(stat -c %a hash1.lfb)" 600
gives "info of the default hash" 0 "$tool" info hash1.lfb
check "info names the hash" grep -qE '^hash +(aes|siphash13) \(its key is in the file\)$' out
check "info keeps the secret" equal "$(grep -c "hash key" out)" 0
gives "info of it as JSON" 0 "$tool" info --json hash1.lfb
check "info keeps the secret, as JSON" equal "$(grep -c hash_key out)" 0
gives "info with its secret" 0 "$tool" info --json --show-key hash1.lfb
json hash_key >hash.key
check "32 digits" grep -qxE '[0-9a-f]{32}' hash.key
gives "build with that key" 0 \
  "$tool" build -q -n 1000 -p 0.001 --key-file hash.key --threads 3 -o hash2.lfb abc
check "one key, the same words" cmp -i 256 hash1.lfb hash2.lfb
check "its file lacks the key" equal "$(od -An -tx1 -j168 -N16 hash2.lfb | tr -d ' 0\n')" ""
gives "build with the hash of a file" 0 \
  "$tool" build -q -n 1000 -p 0.001 --like hash1.lfb -o hash3.lfb few
check "its file has the key, too" equal "$(stat -c %a hash3.lfb)" 600
gives "both can be merged" 0 "$tool" merge -q -o hashes.lfb hash1.lfb hash3.lfb
prints "the merged one has the keys of both" 0 "$(cat abc few | wc -l)" \
  "$tool" query -c hashes.lfb abc few
gives "build with another key" 0 "$tool" build -q -n 1000 -p 0.001 -o hash4.lfb few
refuses "filters with two keys" "differ in their hash, its key or its seed" \
  "$tool" merge -q -o x hash1.lfb hash4.lfb
for hash in aes siphash13 xxh3; do
  gives "build with $hash" 0 "$tool" build -q -n 1000 -p 0.001 --hash $hash -o hash5.lfb abc
  reports "info of $hash" 0 hash "$hash" "$tool" info --json hash5.lfb
  gives "all keys are found, by $hash" 1 "$tool" query -v hash5.lfb abc
done
refuses "an unknown hash" "must be aes, siphash13, xxh3 or default" \
  "$tool" build -q -n 10 -p 0.1 --hash ase -o x abc
gives "build of another strategy" 0 \
  "$tool" build -q -n 1000 -p 0.001 --strategy java-double -o java1.lfb abc
gives "build with its hash" 0 "$tool" build -q -n 1000 -p 0.001 --like java1.lfb -o java2.lfb few
gives "both can be merged" 0 "$tool" merge -q -o x java1.lfb java2.lfb
rm x
refuses "--like another strategy" "java1.lfb: the filters differ in their strategy" \
  "$tool" build -q -n 10 -p 0.1 --strategy fast --like java1.lfb -o x abc
refuses "--key-file for a hash without a key" "its hash has no key: leave out --key-file" \
  "$tool" build -q -n 10 -p 0.1 --like hash5.lfb --key-file hash.key -o x abc
check "none was made" test ! -e x
refuses "xxh3 and a key" "--hash xxh3 has no key" \
  "$tool" build -q -n 10 -p 0.1 --hash xxh3 --key-file hash.key -o x abc
refuses "dedupe: xxh3 and a key" "--hash xxh3 has no key" \
  "$tool" dedupe -q -n 10 -p 0.1 --hash xxh3 --key-file hash.key abc
refuses "aes and a seed" "only --hash xxh3 has a seed" \
  "$tool" build -q -n 10 -p 0.1 --hash aes --seed 3 -o x abc
refuses "--like with --seed" "replaces --hash and --seed" \
  "$tool" build -q -n 10 -p 0.1 --like hash1.lfb --seed 5 -o x abc
refuses "a seed where there is none" "does not take this hash, seed or key" \
  "$tool" build -q -n 10 -p 0.1 --strategy guava-mitz64 --seed 5 -o x abc
gives "any strategy is native" 0 "$tool" build -q -n 10 -p 0.1 --strategy go-fnv14 -o go.lfb abc
prints "query of it" 0 3 "$tool" query -c go.lfb abc

# A bad choice of fast: 19 KB per key, when 21 bytes per key are enough.
told "a size that another strategy halves" 0 "where --strategy guava-mitz64 takes 20.4" \
  "$tool" build -n 1k -p 1e-35 -o big.lfb abc
run "$tool" dedupe -q -n 1k -p 1e-35 abc
check "a size that another strategy halves: dedupe tells" holds err "--strategy guava-mitz64 takes"
gives "asked for by name, nothing is said" 0 \
  "$tool" build -q -n 1k -p 1e-35 --strategy fast -o big.lfb abc
gives "a usual size, nothing is said" 0 "$tool" build -q -n 1M -p 1e-6 -o big.lfb abc
rm big.lfb

# Made with hyparquet-writer 0.17.0: a column with a, b, hello and a filter.
gives "build for Parquet" 0 "$tool" build --form sbbf -q -p 0.01 -o abc.sbbf abc
check "Parquet's bytes" equal "$(hex abc.sbbf)" \
  15401c1c00001c1c00001c1c0000000080140000020208030400008010000100020220400000810000801800200088
reports "info of Parquet's" 0 "form strategy bytes fpp" "sbbf sbbf 32 null" \
  "$tool" info --json abc.sbbf
gives "query of Parquet's" 0 "$tool" query abc.sbbf abc
check "all three are in Parquet's" equal "$(tr '\n' , <out)" "a,b,hello,"
refuses "a strategy that Parquet's cannot hold" "cannot hold" \
  "$tool" build --form sbbf -n 1 -p 0.1 --strategy fast -o x abc
gives "sbbf is native as well" 0 "$tool" build -q -n 10 -p 0.1 --strategy sbbf -o sbbf.lfb abc
refuses "too many keys for Parquet" "larger than its strategy" \
  "$tool" build --form sbbf -n 10G -p 0.01 -o x abc

gives "info of a new one" 0 "$tool" info sbbf.lfb
check "info shows the time" grep -qE "^written +$(date -u +%Y)-[0-9]{2}-[0-9]{2} .* UTC$" out
gives "info of it, for programs" 0 "$tool" info --json sbbf.lfb
check "the time in JSON" between "$(json written)" $(($(date +%s) - 600)) "$(date +%s)"
cp native.lfb bad.lfb
printf 'x' | dd of=bad.lfb bs=1 seek=700 conv=notrunc status=none
refuses "a damaged file" "checksum does not match (see 'lfbloom verify')" "$tool" query bad.lfb abc

# The count takes a file in pieces of 4 MiB; a key may end at, or reach over, the end of one.  Seen
# to fail with the byte before a piece taken for a delimiter, and for none.
for edge in 'a\n' '\na' 'aa' '\n\n' 'a' '\n' '\na\nb' 'a\n\nb\n'; do
  { head -c 4194303 /dev/zero | tr '\0' x; printf %b "$edge"; } >piece
  reports "a piece and '$edge'" 0 "expected_insertions keys" \
    "$(grep -c . piece) $(grep -c . piece)" \
    "$tool" build --json --threads 2 -p 0.1 -o piece.lfb piece
done

# A file on standard input is counted as a named one, and a pipe at its end.
"$tool" build --json -p 0.01 -o counted.lfb <hundred >out 2>err && rc=0 || rc=$?
check "build of a file on standard input is counted" equal \
  "$rc $(json keys) $(json expected_insertions)" "0 100000 100000"
cat hundred hundred >twice
"$tool" build --json -p 0.01 -o counted.lfb <twice >out 2>err && rc=0 || rc=$?
check "build counts repeats in a file on standard input" equal "$rc $(json expected_insertions)" \
  "0 200000"
"$tool" build --json -p 0.01 -o counted.lfb - hundred - <hundred >out 2>err && rc=0 || rc=$?
check "build counts standard input once" equal "$rc $(json keys) $(json expected_insertions)" \
  "0 200000 200000"
cat twice | "$tool" build --json -p 0.01 -o counted.lfb >out 2>err && rc=0 || rc=$?
check "build of a pipe is sized at its end" between "$(json expected_insertions)" 100000 199999

# The filter is that of -n with the number of keys, bit for bit; repeated keys take no room.
distinct=$(wc -l <third)
for form in native guava sbbf; do
  seed=(--seed 7)
  [[ $form == native ]] || seed=()
  gives "build with -n, $form" 0 \
    "$tool" build -q -n "$distinct" -p 0.001 --form "$form" "${seed[@]}" -o given third
  cat third | "$tool" build -q -p 0.001 --form "$form" "${seed[@]}" -o piped >out 2>err && rc=0 ||
    rc=$?
  check "build from a pipe, $form" equal "$rc $(cat err)" "0 "
  gives "info of given" 0 "$tool" info --json given
  size=$(json bytes)
  reports "info of piped" 0 bytes "$size" "$tool" info --json piped
  cat third third third third |
    "$tool" build -q -p 0.001 --form "$form" "${seed[@]}" -o repeated >out 2>err && rc=0 || rc=$?
  check "build from repeated keys, $form" equal "$rc $(cat err)" "0 "
  gives "info of repeated" 0 "$tool" info --json repeated
  check "repeated keys take no room, $form" test "$(json bytes)" -le $((size + size / 50))
  check "and fpp is held, $form" awk -v fpp="$(json expected_fpp)" 'BEGIN { exit fpp > 0.001 }'
  prints "query, $form" 0 "$distinct" "$tool" query -c repeated third
done
gives "build --foldable with -n" 0 \
  "$tool" build -q -n "$distinct" -p 0.001 --foldable --seed 7 -o given third
cat third | "$tool" build -q -p 0.001 --foldable --seed 7 -o piped >out 2>err && rc=0 || rc=$?
check "build --foldable from a pipe" equal "$rc $(cat err)" "0 "
check "a pipe's foldable filter is the same" cmp -i 256 given piped
run "$tool" fold -q --factor 12 -o x piped
check "it can be folded" equal "$rc" 0
gives "an empty input" 0 "$tool" build -q -p 0.1 -o x /dev/null
refuses "a pipe, of a strategy that cannot" "more than 255 probes" \
  "$tool" build --strategy guava-mitz64 -p 1e-100 -o none.lfb - <third
check "nothing was written" test ! -e none.lfb
rm x

# Summaries and warnings.
gives "--quiet" 0 "$tool" build --form guava -q -p 0.01 -o q.bloom third
run "$tool" build --form guava -p 0.01 -o q.bloom third
check "summary" grep -qE \
  '^lfbloom: q.bloom: 133,333 keys, about 13[0-9],[0-9]{3} distinct, in 156\.[0-9]+ KiB; '\
'expected fpp 0\.0' err
check "summary is one line" equal "$(wc -l <err)" 1
run "$tool" build --form guava -q -n 100000 -p 0.01 -o q.bloom third
check "too many keys: warned" holds err "warning: more than the 100,000 distinct keys"
check "too many keys: one line" equal "$(wc -l <err)" 1
check "too many keys: built" equal "$rc" 0
# Far more keys: the filter is written, but the status says that it is useless.
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
useless "saturated, --force" 0 -n 10 -p 0.01 --force
echo a >one
told "saturated by its n" 1 'answers "maybe" to most absent keys' \
  "$tool" build -q -n 1 -p 0.5 --strategy redis-mitz32 -o useless.lfb one # of one bit
useless "shared" 1 --shared -n 10 -p 0.01
rm useless.lfb
run "$tool" build -q -n 100k -p 0.6 -o useless.lfb third
check "as wanted: status" equal "$rc" 0
gives "many times one key: no warning" 0 \
  "$tool" build --form guava -q -n 10 -p 0.01 -o q.bloom again
# Here expected_fpp is 0.01002, but the warning depends on the number of new keys.
gives "every key twice: no warning" 0 \
  "$tool" build --form guava -q -n 133333 -p 0.01 --threads 1 -o q.bloom third third
run "$tool" build --form guava --progress=always -p 0.01 -o q.bloom third
check "bar: counting" holds err "counting"
check "bar: building" holds err "building"
check "bar is wiped away" grep -q $'\r\033\[Klfbloom: q.bloom' err
# On a narrow terminal a part of the line is shown whole or not at all, never as "0 bytes o".
if has_terminal; then
  on_terminal 20 "'$tool' build --form guava -q --progress=always -p 0.01 -o q.bloom third" >narrow
  check "bar: no part of it is cut off" holds narrow $'\rcounting  0 bytes\033['
fi
# After an interrupt the prompt is on a new line.  The keys never end, so there is a bar.  One
# thread, which reads: under ThreadSanitizer a thread that waits for a mutex receives no signals.
mkfifo endless
"$tool" build -q --progress=always --threads 1 -n 10 -p 0.01 -o interrupted.bloom endless 2>err &
building=$!
exec 9>endless
until grep -q building err || ! kill -0 "$building"; do sleep 0.01; done
kill -TERM "$building"
wait "$building" && rc=0 || rc=$?
exec 9>&-
check "interrupted: by the signal" equal "$rc" 143
check "interrupted: the line is ended" equal "$(tail -c 1 err | od -An -tx1)" " 0a"
check "interrupted: nothing is left" equal "$(compgen -G '*interrupted*')" ""
run "$tool" build --form guava --progress=never -p 0.01 -o q.bloom third
check "no bar" equal "$(grep -c $'\r' err)" 0

# Errors.
refuses "no -p" "no -p" "$tool" build --form guava -n 1 -o x abc
refuses "no -o" "no -o" "$tool" build --form guava -n 1 -p 0.1 abc
refuses "-p 1 in build" "less than 1" "$tool" build --form guava -p 1 -o x abc
refuses "n too large" "larger than its strategy" \
  "$tool" build --form guava -n 18446744073709551615 -p 0.1 -o x abc
refuses "n of 2^64" "more than 2^64 - 1" \
  "$tool" build --form guava -n 18446744073709551616 -p 0.1 -o x abc
refuses "no bits" "no bits at all" "$tool" build --form guava -n 1 -p 0.9 -o x abc
refuses "too many probes" "more than 255 probes" "$tool" build --form guava -n 1 -p 1e-100 -o x abc
check "no file from a refusal" test ! -e x
cat abc | "$tool" build --shared -p 0.1 -o x >out 2>err && rc=0 || rc=$?
check "with --shared a pipe needs -n" is_error "give -n"
refuses "with --shared a device needs -n" "give -n" "$tool" build --shared -p 0.1 -o x abc /dev/null
refuses "input missing" "missing: No such file" "$tool" build --form guava -p 0.1 -o x abc missing
refuses "input a directory" "folder: Is a directory" \
  "$tool" build --form guava -p 0.1 -o x abc folder
refuses "output is the input" "both input and output" \
  "$tool" build --form guava -n 1 -p 0.1 -o abc abc
check "and the input is untouched" equal "$(wc -c <abc)" 10
refuses "output directory missing" "missing/x: cannot be written: No such file" \
  "$tool" build --form guava -p 0.1 -o missing/x abc
refuses "output a directory" "folder: cannot be written: Is a directory" \
  "$tool" build --form guava -p 0.1 -o folder abc
for option in "build -p 0.1 -o" "build -p 0.1 --like" "merge -o" "fold --output" \
  "dedupe -n 1 -p 0.1 --shared"; do
  # shellcheck disable=SC2086 # words
  refuses "$option '': nameless" "'': the name of the file is empty" "$tool" $option '' abc
done
refuses "convert: output nameless" "the name of the file to write is empty" \
  "$tool" convert --to native abc.bloom ''
refuses "output a full device" "No space left" "$tool" build --form guava -q -p 0.1 -o /dev/full abc
refuses "two things on standard output" "both write to standard output" \
  "$tool" build --form guava --json -p 0.1 -o - abc
"$tool" build --form guava -n 5 -p 0.1 -o x /proc/self/mem >out 2>err && rc=0 || rc=$?
check "an input that cannot be read" is_error "/proc/self/mem: Input/output error"
check "no file from an input that failed" test ! -e x

finish
