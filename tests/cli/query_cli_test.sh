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
sed -i 's|I/O error|Input/output error|' err # musl's words
complains "unreadable files" <<'END'
missing: No such file or directory
folder: Is a directory
/proc/self/mem: Input/output error
END
table <<'END'
2 query -c f.lfb missing keys => 100000 =! missing: No such file
2 query f.lfb missing =! missing: No such file
# The keys read before an error are queried; the one that it cuts off is not a key.  A file that is
# also the output is skipped, and stays as it is.
$ cp seven self
$ query f.lfb self seven 2>err >>self && rc=0 || rc=$?
and equal "$rc" 2
and equal "$(cat self)" $'7\n7'
and holds err "self: is also the output"
END
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
table <<'END'
0 query -q --threads 1 f.lfb missing seven =! missing: No such file
$ quiet "-q: a match before an error" 0 -q --threads 1 f.lfb seven missing
2 query -q f.lfb missing absent =! missing: No such file
2 query -q missing seven =! missing:
# It ends at the first match: the pipe is still open for writing.
$ mkfifo pipe
$ sleep 300 >pipe &
$ printf '7\n' >pipe &
0 timeout 100 "$tool" query -q --threads 3 f.lfb pipe

# --- what keys are, and the order of answers ------------------------------------------
$ given abc abc.bloom edges nul f1 f2 all third

# Keys are bytes.
0 build --json -p 1e-9 -o edges.bloom edges => {keys=9 expected_insertions=9 new_keys=8}
0 query edges.bloom edges => <edges.kept
1 query -v edges.bloom edges =>
0 query -c edges.bloom edges => 9
1 query -c edges.bloom /dev/null => 0
$ printf 'crlf\nplain\r\n  \nlast without newlin\n' >absent
1 query edges.bloom absent
0 query -v edges.bloom absent => <absent
0 query -vc edges.bloom absent => 4
1 query edges.bloom /dev/null

# All words of Debian's largest English list.
$ words=/usr/share/dict/american-english-insane
0 build --json -p 0.001 -o words.lfb "$words"
and equal "$(json keys)" "$(wc -l <"$words")"
0 query words.lfb "$words" => <$words
$ sed 's/$/-x/' "$words" >no_words
0 query -c words.lfb no_words
# 0.001 of 663,473 is 663; five standard deviations are 129.
and between "$(cat out)" 534 792
END

table <<'END'
# Several files: a last line without a newline ends with its file.
0 build --json -p 1e-9 -o f.bloom f1 f2 f1 => {keys=4}
? query f.bloom f2 - f1 <f1
and equal "$(tr '\n' , <out)$rc" "begin,x,end,end,0"

# The order does not depend on threads: there are enough chunks that some overtake others.
0 build --form guava --json -p 1e-6 -o third.bloom third => {expected_insertions=133333}
and between "$(json new_keys)" 133330 133333
and between "$(json approximate_count)" 132000 134700
0 query --threads 1 third.bloom all
and between "$(wc -l <out)" 133333 133337
and sort -nc out
$ mv out one
and equal "$(comm -13 <(sort one) <(sort third) | wc -l)" 0
END
for threads in 2 8; do
  same "query, $threads threads" 0 one "$tool" query --threads "$threads" third.bloom all
  gives "build, $threads threads" 0 \
    "$tool" build --form guava -q --threads "$threads" -p 1e-6 -o t.bloom third
  check "$threads threads build the same file" cmp t.bloom third.bloom
done
table <<'END'
? cat third | build --form guava -q -n 133333 -p 1e-6 -o t.bloom -
and cmp t.bloom third.bloom
$ build --form guava -q -n 133333 -p 1e-6 -o - <third >t.bloom 2>err && rc=0 || rc=$?
and cmp t.bloom third.bloom
END

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

# --- of what type keys are -----------------------------------------------------------
# A filter of numbers denied them as text: 990 of 1,000, with status 0.
seq 0 999 >numbers
seq 1000 200999 >no_numbers
echo apple >apple
for state in "-n 1000 --strategy fast" "--growing --shared" "--shared -n 1000"; do
  eval "build -q -p 1e-3 --keys=i64 $state -o typed.lfb numbers"
  table <<'END'
0 query -c typed.lfb numbers => 1000
0 query -c --keys=i64 typed.lfb numbers => 1000
2 query typed.lfb numbers --keys=text =! typed.lfb: holds keys of --keys=i64, not of --keys=text
2 query typed.lfb numbers --keys=i32 =! typed.lfb: holds keys of --keys=i64, not of --keys=i32
2 query typed.lfb apple =! apple:1: not a whole number of 64 bits (--keys=i64)
2 query -k 1 -k 2 typed.lfb numbers =! typed.lfb: holds keys of --keys=i64: --keys applies to
2 query --bad-lines=pass typed.lfb numbers =! typed.lfb: holds keys of --keys=i64: --bad-lines=pass
0 query --bad-lines=skip typed.lfb numbers apple => <numbers =! 1 line without a key skipped
0 info typed.lfb => /^keys +i64$/
0 info --json typed.lfb => {key_type=i64}
$ rm typed.lfb
END
done
table <<'END'
0 build -q -p 1e-3 --keys=i64 -o typed.lfb numbers
0 build -q -p 1e-3 -o texts.lfb numbers
0 info texts.lfb => /^keys +text$/
2 query texts.lfb numbers --keys=i64 =! texts.lfb: holds keys of --keys=text, not of --keys=i64
# Digits of the same bytes.
$ sed 's/./3&/g' numbers >digits
0 query -c --keys=hex texts.lfb digits => 1000
2 query -f texts.lfb -f typed.lfb numbers =! typed.lfb: holds keys of --keys=i64, not of --keys=text
2 merge -o x texts.lfb typed.lfb =! typed.lfb: holds keys of --keys=i64, not of --keys=text
2 compare typed.lfb texts.lfb =! texts.lfb: holds keys of --keys=text, not of --keys=i64
2 diff -o x typed.lfb texts.lfb =! texts.lfb: holds keys of --keys=text, not of --keys=i64
2 build -q --like typed.lfb --keys=f64 -o x numbers =! holds keys of --keys=i64, not of --keys=f64
0 build -q --like typed.lfb -o like.lfb numbers
0 merge -q -o merged.lfb typed.lfb like.lfb
0 query -c merged.lfb numbers => 1000
# A shared filter, by whatever puts into it.
0 claim -q -p 1e-9 -n 2000 --keys=i64 --shared shared.st numbers => <numbers
0 claim -q --shared shared.st numbers =>
2 claim -q --shared shared.st --keys=text numbers =! shared.st: holds keys of --keys=i64, not of
2 build -q --shared -o shared.st --keys=text numbers =! shared.st: holds keys of --keys=i64, not of
0 claim -q -p 1e-9 -n 2000 --window 1h --keys=i64 --shared window.st numbers => <numbers
0 query -c window.st numbers => 1000
2 claim -q --window 1h --shared window.st --keys=text numbers =! window.st: holds keys of

# Milvus' forms say it, and it is the form that decides.
0 build -q -p 1e-3 --form milvus-int64 -o ints.mbf numbers
0 query -c ints.mbf numbers => 1000
0 build -q -p 1e-3 --form milvus-int64 --keys=i64 -o again.mbf numbers && cmp again.mbf ints.mbf
2 query ints.mbf numbers --keys=text =! ints.mbf: holds keys of --keys=i64, not of --keys=text
2 build -q -p .1 --form milvus-int64 --keys=text -o x numbers =! milvus-int64: holds keys of
2 build -q -p .1 --form milvus-utf8 --keys=i64 -o x numbers =! milvus-utf8: holds keys of
2 build -q -p .1 --form milvus --keys=f32 -o x numbers =! milvus: holds keys of --keys=text, not of
2 convert --to milvus-utf8 ints.mbf x =! milvus-utf8: holds keys of --keys=text, not of --keys=i64
0 convert --to native ints.mbf ints.lfb
0 query -c ints.lfb numbers => 1000
2 merge --form milvus-utf8 -o x ints.lfb =! milvus-utf8: holds keys of --keys=text, not of
$ rm -f x

# Forms of others do not: a note if no more keys are found than by chance, and nobody said what
# they are.  200 of 200,000 are found by chance; with 250 more, it is not chance.
0 build -q -p 1e-3 --strategy guava-mitz64 --form guava --keys=i64 -o longs.guava numbers
0 query -c longs.guava no_numbers => * =! /note: [0-9]+ of 200,000 keys were found, as many as by /
0 query -c --keys=text longs.guava no_numbers => *
1 query longs.guava <(seq 1 3) =! note: 0 of 3 keys were found, as many as by chance, and longs.guava
1 query longs.guava apple
0 query -c --keys=i64 longs.guava <(cat numbers no_numbers) => *
0 build -q -p 1e-3 --form guava -o texts.guava numbers
0 query -c texts.guava <(seq 750 200999) => *
0 query -c -f longs.guava -f texts.lfb no_numbers => *
END

# Errors.
table <<'END'
2 query =! no filter given
2 query missing abc =! missing:
2 query folder abc =! folder:
$ cp abc self
$ query abc.bloom self >>self 2>err && rc=0 || rc=$?
and is_error "self: is also the output"
and cmp self abc
END

finish
