#!/bin/bash
# silence_cli_test.sh LFBLOOM: nothing is destroyed, dropped or denied without a word: an input that
# is the output, options that are given twice, what is no list of keys, lines that are bad.
set -uo pipefail
source "$(dirname "$0")/checks.sh"

printf 'a\nb\n' >keys
printf 'new\n' >new
"$tool" build -q --hash xxh3 --seed 1 -n 100 -p 1e-6 -o seen keys

# --- an output that is one of the inputs ------------------------------------------
# keeps NAME FILE COMMAND...: refused, and the file stays as it is.
keeps() {
  local name=$1 file=$2
  shift 2
  cp "$file" before
  refuses "$name" "is both input and output" "$@"
  check "$name: kept" cmp before "$file"
}
from() { local input=$1; shift; "$@" <"$input"; }
ln -s keys soft
ln keys hard
keeps "an operand" keys "$tool" build -p .01 -o keys keys
keeps "among others" keys "$tool" build -p .01 -o keys new keys
keeps "standard input" keys from keys "$tool" build -p .01 -o keys
keeps "standard input by -" keys from keys "$tool" build -p .01 -o keys new -
keeps "by a link" keys "$tool" build -p .01 -o soft keys
keeps "by another name" keys "$tool" build -p .01 -o hard keys
keeps "through a link" keys from soft "$tool" build -p .01 -o hard
refuses "a shared filter" "hard: is both input and state" from keys \
  "$tool" claim -p .01 -n 9 --shared hard
check "a shared filter: kept" equal "$(cat keys)" $'a\nb'
od -An -tx1 -N16 /dev/urandom | tr -d ' \n' >secret
keeps "the key file" secret "$tool" build -p .01 --key-file secret -o secret keys
keeps "the key file of merge" secret "$tool" merge --key-file secret -o secret seen
cp keys self
"$tool" build -q -p .01 -o - self 2>err >>self && rc=0 || rc=$?
check "standard output" is_error "standard output: is both input and output"
check "standard output: kept" cmp keys self
cp seen before
refuses "--like's file" "OUT would lose its keys" "$tool" build -q --like seen -o seen new
refuses "--like's file, with -p" "OUT would lose its keys" \
  "$tool" build -q -n 9 -p .01 --like seen -o seen new
check "--like's file: kept" cmp before seen
"$tool" build -q --like seen -o more new
gives "merge into its own input" 0 "$tool" merge -q -o sum seen more
gives "a delta" 0 "$tool" diff -q -o delta seen sum
keeps "patch: the delta" delta "$tool" patch -o delta seen delta
keeps "diff: an input" sum "$tool" diff -o sum seen sum
gives "patch in place" 0 "$tool" patch -q seen delta

# --- options that are given twice -------------------------------------------------
refuses "-p twice" "-p is given twice" "$tool" build -p .1 -p .01 -o x keys
refuses "a long one twice" "--output is given twice" "$tool" build -p .1 -o x --output y keys
refuses "a flag twice" "--quiet is given twice" "$tool" build -p .1 -q -q -o x keys
refuses "-t twice" "--separator is given twice" "$tool" claim -p .1 -n 9 -t , -t ';' -k 1 keys
printf 'a,1,b\nc,2,b\na,9,b\na,b\n' >rows
printf 'a\xffb\n' >joined
gives "two fields: a filter" 0 "$tool" build -q -p 1e-9 -t , -k 1 -k 3 -o fields rows
prints "two fields: the key has 0xff between them" 0 1 "$tool" query -c fields joined
# Overlapping fields make keys that are longer than their lines.
printf 'a b c\na b d\na b c\n' >long
prints "fields twice" 0 $'a b c\na b d' \
  "$tool" claim -q -n 10 -p 1e-9 -k 1,3 -k 1,3 -k 1,3 -k 2,3 -k 9 long
printf '{"a":1,"b":{"c":2}}\n{"a":3,"b":{"c":2}}\n{"b":{"c":2},"a":1}\n' >objects
prints "two members" 0 "$(head -n 2 objects)" \
  "$tool" claim -q -n 10 -p 1e-9 --jsonl a --jsonl b.c objects
refuses "too many fields" "more than 8" "$tool" claim -n 9 -p .1 -k{1,2,3,4,5,6,7,8,9} keys

# --- one winner among processes -----------------------------------------------------
seq 200000 >contested
for size in "-n 200K" "-n 200K" "-p 1e-12" "-p 1e-12"; do
  rm -f together
  [[ $size == -n* ]] || "$tool" build -q --shared --growing -n 1K -p 1e-12 -o together </dev/null
  for process in 1 2 3; do
    # shellcheck disable=SC2086 # words
    "$tool" claim -q --shared together -p 1e-12 ${size%-p*} contested >"won.$process" &
  done
  wait
  check "each line is printed by one process: $size" equal \
    "$(sort -n won.1 won.2 won.3 | cmp - contested && echo once)" once
done
gives "it has grown" 0 "$tool" info together
check "it has grown: layers" grep -qx "layers               [789]" out

# --- many runs with one state ---------------------------------------------------------
# Of 10,000 keys a false positive at 1e-6 comes once in 100 runs of this test: one is allowed.
for size in "" first; do
  new=0
  [[ -z $size ]] || "$tool" build -q --shared --growing -n 1000 -p 1e-6 -o statefirst </dev/null
  for run in {0..9}; do
    gives "run $run${size:+, }$size" 0 \
      "$tool" claim -q --shared "state$size" -p 1e-6 < \
      <(seq $((run * 1000 + 1)) $((run * 1000 + 1000)))
    new=$((new + $(wc -l <out)))
  done
  # Seen to be 97 and 7,643 with states that do not grow.
  check "new lines of all runs${size:+, }$size" between $new 9999 10000
done
reports "all again" 0 "in out probes" "10000 0 null" \
  "$tool" claim --json --shared state < <(seq 10000)
prints "a state is a filter" 0 10000 "$tool" query -c state <(seq 10000)
gives "build puts into a state" 0 "$tool" build -q --shared -o state <(seq 20000 30000)
prints "and claim leaves it out" 0 "" "$tool" claim -q --shared state <(seq 20000 30000)
refuses "numbers among texts" "state: holds keys of --keys=text, not of --keys=i64" \
  "$tool" claim -q --shared state --keys=i64 <(seq 5)
gives "numbers" 0 "$tool" claim -q -p 1e-6 --shared state64 --keys=i64 < <(seq 5)
prints "numbers again" 0 6 "$tool" claim -q --shared state64 < <(seq 6)
gives "build makes one" 0 "$tool" build -q --shared --growing -p 1e-6 -o made < <(seq 50000)
run "$tool" query -c made <(seq 50001 100000)
check "of many keys: few false positives" between "$(cat out)" 0 2
reports "of no keys" 0 expected_fpp 0 \
  "$tool" build --json --shared --growing -p 1e-6 -o nothing </dev/null
gives "with -n, of one size" 0 "$tool" claim -q --shared fixed -n 1000 -p 1e-6 <(seq 100)
refuses "which does not grow" "fixed exists already, made with -n 1000 -p 1e-06 --strategy" \
  "$tool" build --growing --shared -o fixed <(seq 100)
check "which does not grow: says so" holds err " without --growing"
refuses "--growing alone: build" "--growing applies only to a file of --shared" \
  "$tool" build -p .1 --growing -o x keys
refuses "--growing on Redis" "--growing does not apply to a filter on Redis" \
  "$tool" build -p .1 --growing --shared -o redis://nowhere/x keys
refuses "--growing and --like" "leave one out" \
  "$tool" build --shared --growing --like seen -o x keys
# Seen to lose 90,000 lines with status 0.
(ulimit -f 600 && "$tool" claim -q --shared small -p 1e-6 < <(seq 100000)) >out 2>err && rc=0 ||
  rc=$?
check "a state that cannot grow" is_error "small: is full and cannot grow: writing failed: File too large: once it can"
full=$(wc -l <out)
check "a state that cannot grow: what it claimed" between "$full" 1025 99999
gives "the same with room" 0 "$tool" claim -q --shared small < <(seq 100000)
check "the same with room: the rest" between $(($(wc -l <out) + full)) 99999 100000
(ulimit -f 600 && "$tool" build -q --shared --growing -p 1e-6 -o smaller < <(seq 100000)) >out \
  2>err && rc=0 || rc=$?
check "build: a file that cannot grow" is_error "smaller: is full and cannot grow: writing failed: "

# --- what is no list of keys -------------------------------------------------------
bzip2 -kc keys >keys.bz2 2>/dev/null || printf 'BZh91AY&SY' >keys.bz2
for command in "claim -n 9 -p .1" "build -p .1 -o x" "build -n 9 -p .1 -o x" "query seen"; do
  refuses "bzip2: $command" "keys.bz2: is compressed with bzip2" "$tool" $command keys.bz2
done
refuses "a filter" "sum: is a filter, not a list of keys" "$tool" query seen sum keys
refuses "a filter on standard input" "standard input: is a filter" from sum \
  "$tool" claim -n 9 -p .1
refuses "a delta as keys" "is a delta" "$tool" build -p .1 -o x delta
for text in '\x04\x22\x4d\x18' 'PK\x03\x04' 'LZIP\x01' '7z\xbc\xaf\x27\x1c'; do
  printf "$text"'more\n' >packed
  refuses "$text" "packed: is " "$tool" claim -n 9 -p .1 packed
done
for encoding in UTF-16LE UTF-16BE; do
  {
    [[ $encoding == *LE ]] && printf '\xff\xfe' || printf '\xfe\xff'
    iconv -t $encoding keys
  } >wide
  refuses "$encoding" "is text in UTF-16: pass it through 'iconv" "$tool" build -p .1 -o x wide
done
check "nothing was written" test ! -e x
# What only begins so is text, also if it comes byte by byte.
printf 'BZh9\nPK\nLFBLOOM\r\nL\nLFBLOO\nLZIP' >text
same "text that begins alike" 0 <(cat text; echo) "$tool" claim -q -n 10 -p 1e-9 --threads 1 text
slowly() { while IFS= read -r -n1 -d '' byte; do printf %s "$byte"; sleep .01; done <text | "$@"; }
same "byte by byte" 0 <(cat text; echo) slowly "$tool" claim -q -n 10 -p 1e-9
printf '\xff\xfe\0b\0' >raw
same "bytes of keys that end in NUL" 0 raw "$tool" claim -0 -q -n 10 -p 1e-9 raw

# --- several filters ----------------------------------------------------------------
printf 'a\nnew\nneither\n' >both
"$tool" build -q -n 100 -p 1e-9 -o one keys
"$tool" build -q -n 100 -p 1e-9 -o two new
prints "any of two" 0 $'a\nnew' "$tool" query -f one -f two both
prints "one by -f, three times" 0 1 "$tool" query -c -f one -f one --filter=one both
refuses "one that is missing" "missing: " "$tool" query -f one -f missing both

# --- lines that end in CR ------------------------------------------------------------
printf 'k1\r\nk2\r\n\r\n' >dos
run "$tool" build -q -p 1e-9 -o cr dos
check "CR: status" equal "$rc" 0
check "CR: a warning" equal "$(cat err)" \
  "lfbloom: warning: dos: each line ends in a carriage return, which is part of the line: give \
--crlf if it should not be"
gives "--crlf" 0 "$tool" build -q --crlf -p 1e-9 -o crlf dos
printf 'k1\nk2\n' | run "$tool" query -c crlf
check "--crlf: the keys" equal "$(cat out)" 2
gives "--crlf: claim" 0 "$tool" claim --crlf -q -n 9 -p 1e-9 dos
check "--crlf: whole lines" equal "$(hex out)" 6b310d0a6b320d0a0d0a
printf '{"a":"1"}\r\n{"a":"2"}\r\n' >objects.dos
gives "CR in JSON" 0 "$tool" claim -q -n 9 -p 1e-9 --jsonl a objects.dos
gzip -c dos | head -c 20 >cut.gz
: >nothing
run "$tool" query cr cut.gz nothing
check "CR: only where it is" equal "$(grep -c nothing err)" 0
printf 'k1\r\nk2\nk1\n' >mixed
gives "some CR" 0 "$tool" claim -q -n 9 -p 1e-9 mixed
gives "--crlf, some CR" 0 "$tool" claim -q --crlf -n 9 -p 1e-9 mixed
check "--crlf, some CR: the lines" equal "$(hex out)" 6b310d0a6b320a
printf 'x,1\r\ny,1\r\n' >fields.dos
gives "--crlf: the last field" 0 "$tool" build -q --crlf -t , -k 2 -p 1e-9 -o last fields.dos
printf '1\n' | run "$tool" query -c last
check "--crlf: the last field's key" equal "$(cat out)" 1
refuses "--crlf with -0" "--crlf applies to lines" "$tool" claim -0 --crlf -n 9 -p .1 dos

# --- lines of JSON without a key -------------------------------------------------------
# model_test has them in random places, with each command.
bad='{"id":2,"x":NaN} {"x":2} {"id":[1]} Traceback'
for line in $bad; do
  printf '{"id":1}\n%s\n{"id":3}\n{"id":1}\n%s\n' "$line" "$line" >lines
  run "$tool" claim -q -n 10 -p 1e-9 --jsonl id lines
  check "$line: fails" is_error "lines:2: "
  run "$tool" claim -q -n 10 -p 1e-9 --unordered --jsonl id --bad-lines=pass lines
  check "$line: pass" equal "$rc $(cat out)" "0 $(sed 4d lines)"
  check "$line: pass says so" holds err "2 lines without a key passed"
  run "$tool" claim --json -n 10 -p 1e-9 --jsonl id --bad-lines=pass lines
  check "$line: counted" equal "$(json bad_lines) $(json out)" "2 2"
  run "$tool" build -q -p 1e-9 --jsonl id --bad-lines=skip -o good lines
  run "$tool" query -c --jsonl id --bad-lines=pass good lines
  check "$line: query counts keys alone" equal "$rc $(cat out)" "0 3"
done
# Whole batches and chunks of bad lines, and no key lost beside them.
{
  seq -f 'bad %g' 20000
  seq -f '{"a":%g}' 500
  seq -f 'worse %g' 3000
  seq -f '{"a":%g}' 250 700
} >sparse
for order in --unordered ""; do
  run "$tool" claim --json -p .01 -n 800 --threads 3 $order --jsonl a --bad-lines=pass sparse
  check "sparse, $order: counted" equal "$(json in) $(json bad_lines)" "951 23000"
  run "$tool" claim -q -p .01 -n 800 --threads 3 $order --jsonl a --bad-lines=skip sparse
  check "sparse, $order: keys" between "$(grep -c '"a"' out)" 685 700
  check "sparse, $order: no others" equal "$(wc -l <out)" "$(grep -c '"a"' out)"
done
seq 20000 | sed 's/^/x/' >words; seq 300 >>words
run "$tool" claim -q -p 1e-6 -n 800 --keys=i64 --bad-lines=skip words
check "sparse numbers" equal "$rc $(wc -l <out)" "0 300"
told "--bad-lines alone" 0 "--bad-lines changes nothing without --jsonl or --keys" \
  "$tool" claim -q --bad-lines=skip -n 9 -p .1 keys

# --- what the text of a key stands for ----------------------------------------------------
printf '5\n-1\n18446744073709551615\n9223372036854775807\n' >numbers
for strategy in guava-mitz64 guava-mitz32 java-double sbbf fast; do
  form=native
  [[ $strategy != guava* ]] || form=guava
  [[ $strategy != sbbf ]] || form=sbbf
  gives "i64, $strategy" 0 \
    "$tool" build -q -n 1000 -p 1e-3 --strategy $strategy --form $form --keys=i64 -o longs numbers
  printf '5\n-1\n6\n' >asked
  prints "i64, $strategy: found" 0 $'5\n-1' "$tool" query --keys=i64 longs asked
  if [[ $form == native ]]; then
    prints "i64, $strategy: as they were put" 0 $'5\n-1' "$tool" query longs asked
  else
    told "i64, $strategy: a hint" 1 "longs does not record what its keys are" \
      "$tool" query longs asked
    check "i64, $strategy: not as text" test ! -s out
  fi
done
# Guava's strings and ints, and Parquet's: the same filter by the bytes that these types have.
while read -r type text bytes bad; do
  gives "$type: by type" 0 "$tool" build -q -n 10 -p .1 --strategy guava-mitz64 --keys=$type \
    -o typed <(printf '%b\n' "$text")
  gives "$type: by bytes" 0 "$tool" build -q -n 10 -p .1 --strategy guava-mitz64 --keys=hex \
    -o plain <(echo $bytes)
  check "$type: the same bits" cmp <(tail -c +257 typed) <(tail -c +257 plain)
  for text in ${bad//,/ }; do
    printf '1234\n%b\n' "$text" >bad.txt
    run "$tool" claim -n 9 -p .1 --keys=$type bad.txt
    check "$type: $text is refused" is_error "bad.txt:2: not "
  done
done <<'END'
i64 -2 feffffffffffffff 18446744073709551616,-9223372036854775809,1.5,-
i32 4294967294 feffffff 4294967296,-2147483649,1.5
f64 1.5 000000000000f83f 1x,nine
f32 -0.25 000080be 1x
utf16 a\xc3\xa9\xf0\x9f\x98\x80 6100e9003dd800de \xff,\xed\xa0\x80,\xed\xbf\xbf,\xc1\xbf,\xe0\x9f\xbf,\xf0\x8f\xbf\xbf
utf16 \x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf 7f008000ff070008ffd700e0ffff \xf4\x90\x80\x80
utf16 \xf0\x90\x80\x80\xf4\x8f\xbf\xbf 00d800dcffdbffdf \xc2
hex 0aFf 0aff 123,0g
END
printf '\xef\xbb\xbf{"id":1}\n  \n\n{"id":3}\r\n\t\r\n' >marked
reports "a BOM, blank lines" 0 "in out" "2 2" "$tool" claim --json -n 9 -p 1e-9 --jsonl id marked
gives "i64: claim" 0 "$tool" claim -q -n 9 -p 1e-9 --keys=i64 --shared numbers.st numbers
check "i64: claim, each number once" equal "$(cat out)" $'5\n-1\n9223372036854775807'
prints "i64: what another program finds" 0 4 "$tool" query -c --keys=i64 numbers.st numbers
refuses "an unknown type" "must be text, i64" "$tool" query --keys=long seen keys
refuses "two fields and a type" "--keys applies to keys of one field" \
  "$tool" claim -n 9 -p .1 --keys=i64 -k 1 -k 2 keys
refuses "numbers that pass" "--bad-lines=pass applies only" \
  "$tool" claim -n 9 -p .1 --keys=i64 --bad-lines=pass keys

# --- a rate that is out of reach -----------------------------------------------------------
told "double hashing" 0 \
  "guava-mitz64 has a false-positive probability of about 2.5e-07 with so few bits, not 1e-09" \
  "$tool" build -q -n 10000 -p 1e-9 --strategy guava-mitz64 -o rate keys
gives "double hashing, large" 0 "$tool" build -q -n 1M -p 1e-4 --strategy guava-mitz64 -o rate keys
gives "fast" 0 "$tool" build -q -n 10000 -p 1e-9 -o rate keys

# --- what nobody reads ------------------------------------------------------------------
mkfifo fifo
for signal in INT TERM; do
  env --default-signal=$signal "$tool" build -q -n 1000 -p .01 -o fifo keys 2>err &
  sleep .3
  kill -$signal $!
  await_end "a FIFO without a reader, $signal" $!
done
{ env --default-signal=TERM \
  "$tool" build -q -n 10M -p .01 -o - keys & echo $! >pid; wait; } |
  { await "a pipe's writer" test -s pid; sleep .5
  kill -TERM "$(cat pid)"; await "a stuck pipe" has_ended "$(cat pid)"; }

# --- the same bytes ----------------------------------------------------------------------
export SOURCE_DATE_EPOCH=1700000000
"$tool" build -q --hash xxh3 --seed 1 -p .01 -o first keys
check "SOURCE_DATE_EPOCH" equal "$(od -An -tu8 -j80 -N8 first | tr -d ' ')" 1700000000

# --- files of other projects ---------------------------------------------------------------
{ printf '\0\0\0\1\0\0\0\3\0\0\0\2'; head -c 16 /dev/zero; } >spark
refuses "Spark" "this is a Spark filter" "$tool" info spark

finish
