#!/bin/bash
# query_cli_test.sh LFBLOOM: `lfbloom query`: every key in its order, with any number of
# threads; -q, and files that query cannot read, as grep has both.
set -uo pipefail
source "$(dirname "$0")/checks.sh"

seq 100000 >keys
printf '7\n' >seven
printf 'x\n' >absent
"$tool" build -q -p 0.000001 -o f.lfb keys
mkdir folder

# --- files that cannot be read ----------------------------------------------------
# Each is reported, and the others are queried.  Seen to fail with today's end at the first one.
# complains NAME: passes if standard error is the lines of standard input, each after "lfbloom: ".
complains() { check "$1: reports" equal "$(cat err)" "$(sed 's/^/lfbloom: /')"; }
run "$tool" query f.lfb seven missing folder /proc/self/mem seven
check "unreadable files: status" equal "$rc" 2
check "unreadable files: the others" equal "$(cat out)" $'7\n7'
complains "unreadable files" <<'END'
missing: No such file or directory
folder: Is a directory
/proc/self/mem: Input/output error
END
run "$tool" query -c f.lfb missing keys
check "-c: status" equal "$rc" 2
check "-c: the others are counted" equal "$(cat out)" 100000
refuses "no file can be read" "missing: No such file" "$tool" query f.lfb missing
# The keys read before an error are queried; the one that it cuts off is not a key.  A file that is
# also the output is skipped, and stays as it is.
cp seven self
"$tool" query f.lfb self seven 2>err >>self && rc=0 || rc=$?
check "its own output: status" equal "$rc" 2
check "its own output: the others" equal "$(cat self)" $'7\n7'
check "its own output: reported" holds err "self: is also the output"
# With more files than threads, and in the order of the files, not of the threads.
for i in {1..40}; do echo "$i" >"k$i"; done
run "$tool" query --threads 4 f.lfb missing k{1..20} missing k{21..40}
check "many files: in order" equal "$(cat out)" "$(seq 40)"
check "many files: two reports" equal "$(wc -l <err)" 2
# Other commands end at once: what they make would lack the keys.
refuses "build ends at a missing file" "missing: No such file" \
  "$tool" build -p 0.1 -o x seven missing
check "build: no file" test ! -e x

# --- -q ---------------------------------------------------------------------------
# quiet NAME STATUS QUERY...: passes if nothing is printed at all.
quiet() {
  local name=$1 status=$2
  shift 2
  prints "$name" "$status" "" "$tool" query "$@"
}
quiet "-q: found" 0 -q f.lfb absent seven
quiet "-q: not found" 1 -q f.lfb absent
quiet "-q: --quiet, and no number" 0 -c --quiet f.lfb seven
quiet "-qv: found" 0 -qv f.lfb seven absent
quiet "-qv: not found" 1 -qv f.lfb keys
# As POSIX has it for grep: a match decides, before the error or after it.
told "-q: a match after an error" 0 "missing: No such file" \
  "$tool" query -q --threads 1 f.lfb missing seven
quiet "-q: a match before an error" 0 -q --threads 1 f.lfb seven missing
run "$tool" query -q f.lfb missing absent
check "-q: an error and no match" equal "$rc" 2
refuses "-q: no filter" "missing: " "$tool" query -q missing seven
# It ends at the first match: the pipe is still open for writing.
mkfifo pipe
sleep 300 >pipe &
printf '7\n' >pipe &
run timeout 100 "$tool" query -q --threads 3 f.lfb pipe
check "-q: does not wait for the end of a pipe" equal "$rc" 0

# --- what keys are, and the order of answers ------------------------------------------
given abc abc.bloom edges nul f1 f2 all third

# Keys are bytes.
reports "build of edges" 0 keys 7 "$tool" build --json -p 1e-9 -o edges.bloom edges
check "n was counted" equal "$(json expected_insertions)" 7
check "all were new" equal "$(json new_keys)" 7
same "query of edges" 0 edges.kept "$tool" query edges.bloom edges
prints "query -v of edges" 1 "" "$tool" query -v edges.bloom edges
prints "query -c" 0 7 "$tool" query -c edges.bloom edges
prints "query -c of nothing" 1 0 "$tool" query -c edges.bloom /dev/null
printf 'crlf\nplain\r\n  \nlast without newlin\n' >absent
gives "near misses" 1 "$tool" query edges.bloom absent
same "near misses, inverted" 0 absent "$tool" query -v edges.bloom absent
prints "near misses, counted" 0 4 "$tool" query -vc edges.bloom absent
gives "query of nothing" 1 "$tool" query edges.bloom /dev/null

# All words of Debian's largest English list.
words=/usr/share/dict/american-english-insane
gives "build of real words" 0 "$tool" build --json -p 0.001 -o words.lfb "$words"
check "as many keys as words" equal "$(json keys)" "$(wc -l <"$words")"
same "query of real words" 0 "$words" "$tool" query words.lfb "$words"
sed 's/$/-x/' "$words" >no_words
gives "query of no words" 0 "$tool" query -c words.lfb no_words
# 0.001 of 663,473 is 663; five standard deviations are 129.
check "about one in a thousand is wrong" between "$(cat out)" 534 792

# Keys that end in NUL.
reports "build -0" 0 keys 3 "$tool" build -0 --json -p 1e-9 -o nul.bloom nul
same "query -0" 0 nul.kept "$tool" query -0 nul.bloom nul
gives "query -0 as lines" 1 "$tool" query nul.bloom nul

# Records of 0 to 7 bytes, from whole pieces of input and by several threads, as grep finds them.
# Seen to fail with empty records counted or printed, and with the end of a chunk or of a block
# lost.
seq 1400000 | tr 0-4 '\n' >records
grep . records >records.kept
kept=$(wc -l <records.kept)
"$tool" build -q -n 10 -p 1e-9 -o nothing.lfb /dev/null
for threads in 1 3; do
  gives "records, $threads threads" 0 \
    "$tool" build --json --threads $threads -p 0.1 -o records.lfb records
  check "records: counted and put" equal "$(json expected_insertions) $(json keys)" "$kept $kept"
  gives "records that are absent, $threads threads" 0 \
    "$tool" query -v --threads $threads nothing.lfb records
  check "records: all of them" cmp out records.kept
done
tr '\n' '\0' <records.kept >records.nul
same "records -0 that are absent" 0 records.nul \
  "$tool" query -0v nothing.lfb - < <(tr '\n' '\0' <records)

# Several files: a last line without a newline ends with its file.
reports "several files" 0 keys 4 "$tool" build --json -p 1e-9 -o f.bloom f1 f2 f1
"$tool" query f.bloom f2 - f1 <f1 >out 2>err && rc=0 || rc=$?
check "files in their order, - is standard input" equal "$(tr '\n' , <out)$rc" "begin,x,end,end,0"

# The order does not depend on threads: there are enough chunks that some overtake others.
reports "build of a third" 0 expected_insertions 133333 \
  "$tool" build --form guava --json -p 1e-6 -o third.bloom third
check "a third was put" between "$(json new_keys)" 133330 133333
check "count estimate" between "$(json approximate_count)" 132000 134700
gives "query, 1 thread" 0 "$tool" query --threads 1 third.bloom all
check "finds the third and nearly nothing else" between "$(wc -l <out)" 133333 133337
check "in order" sort -nc out
mv out one
check "all of it" equal "$(comm -13 <(sort one) <(sort third) | wc -l)" 0
for threads in 2 4 8; do
  same "query, $threads threads" 0 one "$tool" query --threads "$threads" third.bloom all
  gives "query -v, $threads threads" 0 "$tool" query -v --threads "$threads" third.bloom all
  check "$threads threads: -v gives all others" cmp <(sort -n out one) all
  gives "build, $threads threads" 0 \
    "$tool" build --form guava -q --threads "$threads" -p 1e-6 -o t.bloom third
  check "$threads threads build the same file" cmp t.bloom third.bloom
done
cat all | "$tool" query --threads 4 third.bloom >out 2>err && rc=0 || rc=$?
check "a pipe gives the same output" cmp out one
cat third | "$tool" build --form guava -q -n 133333 -p 1e-6 -o t.bloom - 2>err && rc=0 || rc=$?
check "a pipe builds the same file" cmp t.bloom third.bloom
"$tool" build --form guava -q -n 133333 -p 1e-6 -o - <third >t.bloom 2>err && rc=0 || rc=$?
check "-o - writes to standard output" cmp t.bloom third.bloom
tail -c 3000000 edges | "$tool" query -c edges.bloom >out 2>err && rc=0 || rc=$?
check "a long line through a pipe" equal "$(cat out)" 2

# A key from a pipe is answered when it arrives, not when a buffer is full.
mkfifo in answers
"$tool" query --threads 3 abc.bloom <in >answers 2>err &
exec 7>in 8<answers
for key in a b hello; do
  echo "$key" >&7
  read -r -t 60 answer <&8
  check "the answer to $key comes at once" equal "$answer" "$key"
done
exec 7>&- 8<&-
wait $! && rc=0 || rc=$?
check "and the end of the pipe ends it" equal "$rc" 0

# Errors.
refuses "query: no filter" "no filter given" "$tool" query
refuses "query: filter missing" "missing: " "$tool" query missing abc
refuses "query: filter a directory" "folder: " "$tool" query folder abc
cp abc self
"$tool" query abc.bloom self >>self 2>err && rc=0 || rc=$?
check "query onto its own input" is_error "self: is also the output"
check "and it is untouched" cmp self abc

finish
