#!/bin/bash
# dedupe_cli_test.sh LFBLOOM: `lfbloom dedupe`.
source "$(dirname "$0")/checks.sh"

given abc few all third again hundred edges nul f1 f2 hash.key
mkdir folder
cat all third all third >repeats # 400,000 distinct keys among 1,066,666
same "dedupe in order" 0 all "$tool" dedupe -q --threads 1 -p 1e-9 repeats
# Repeated lines next to each other, so in chunks that several threads process at once, and far
# apart.
awk 'BEGIN {
  srand(1)
  for (i = 0; i < 600000; i++) print int(i / 8 + rand() * 50000), int(rand() * 5)
}' >near
awk '!seen[$0]++' near >near.kept
awk '!seen[$0]++' near third near repeats >several.kept
"$tool" dedupe -q --threads 1 --key-file hash.key -p 0.1 near >alone
for threads in 2 3 8; do
  table <<'END'
0 dedupe -q --threads "$threads" -n 400k -p 1e-9 repeats => <all
0 dedupe -q --threads "$threads" -p 1e-9 near => <near.kept
0 dedupe -q --threads "$threads" -p 1e-9 near third near repeats => <several.kept
? dd if=near obs=777 status=none | dedupe -q --threads "$threads" -n 600k -p 1e-9
and cmp out near.kept
# False positives, too, are the same with any number of threads.
0 dedupe -q --threads "$threads" --key-file hash.key -p 0.1 near => <alone
$ rm -f in_order
0 dedupe -q --threads "$threads" -p 1e-9 --shared in_order near => <near.kept
0 dedupe -q --unordered --threads "$threads" -n 400k -p 1e-9 repeats
and cmp <(sort -n out) all
# All threads claim the same keys at the same time.
0 dedupe -q --unordered --threads "$threads" -n 133333 -p 1e-9 third third third third third third
and cmp <(sort -n out) third
END
done
same "dedupe, a window of time, in order" 0 near.kept \
  "$tool" dedupe -q --threads 3 --window 24h -n 2400k -p 1e-9 near
cat repeats | "$tool" dedupe -q --threads 1 -n 400k -p 1e-9 >out 2>err && rc=0 || rc=$?
check "dedupe of a pipe" cmp out all
for strategy in guava-mitz64 sbbf java-double; do
  gives "dedupe by $strategy" 0 \
    "$tool" dedupe -q --threads 1 -p 1e-6 --strategy "$strategy" abc abc third
  check "dedupe by $strategy" cmp out <(cat abc third)
done
table <<'END'
0 dedupe -q --threads 1 -p 1e-9 f1 f2 f1 => end\nbegin\nx
0 dedupe -0 -q --threads 1 -p 1e-9 nul nul
and cmp out <(printf 'one\ntwo\0\0three\0four\0')
0 dedupe -q --threads 2 -p 1e-9 edges edges
and cmp <(sort out) <(sort -u edges)
0 dedupe -q -p 0.1 /dev/stdin -n 1 </dev/null =>

# Without -p.
$ printf 'b\na\nb\nc\nA\na\n\nb\n' >letters
0 dedupe -qc letters | tr "\n" , =>       3 b,      2 a,      1 c,      1 A,      1 ,
0 dedupe -qd <<<"$(cat letters)" | tr "\n" , => b,a,
0 dedupe -qui letters | tr "\n" , => c,,
0 dedupe -qi letters | tr "\n" , => b,a,c,,
0 dedupe -qi -p 1e-9 letters | tr "\n" , => b,a,c,,
$ printf '@[`{aZéÉ\n' >edge_letters
$ printf '@[`{AzéÉ\nAbcdefgHIJK,AbcdefgHIJK\nabcDEFGHijk,ABCDEFGHIJK\n' >>edge_letters
0 dedupe -qi edge_letters | wc -l => 2
0 dedupe -qi -k 1 -k 1 -t , edge_letters letters | wc -l => 6
2 dedupe -d -u letters =! give --repeated or --unique
2 dedupe -c -p 0.1 letters =! a filter does not count
END

# --header.
printf 'id,v\n1,a\n2,b\n' >a.csv
printf 'id,v\n1,a\n3,b\n' >b.csv
printf 'ID,v\n1,a\n' >c.csv
printf 'id,v' >short.csv
: >none.csv
for way in "" "-p 1e-9"; do
  prints "dedupe --header $way" 0 "id,v 1,a 2,b 3,b " \
    bash -c '"$1" dedupe -q $2 --header 1 none.csv short.csv a.csv b.csv none.csv |
      tr "\n" " "' _ "$tool" "$way"
done
table <<'END'
0 dedupe -q -p 1e-9 --unordered --header 1 none.csv short.csv a.csv b.csv none.csv
and equal "$(head -1 out) $(tail -n +2 out | sort | tr '\n' ' ')" "id,v 1,a 2,b 3,b "
END
prints "dedupe --header -c of a pipe" 0 "id,v       2 1,a       1 3,b       1 4 " \
  bash -c 'cat b.csv - <<<"1,a
4" | "$1" dedupe -q -c --header 1 | tr "\n" " "' _ "$tool"
table <<'END'
2 dedupe --header 1 a.csv c.csv => * =! c.csv: begins with another header than the first file
0 dedupe -q --header 9 a.csv a.csv | tr "\n" " " => id,v 1,a 2,b

# -o.
$ cp near replaced
$ chmod 640 replaced
$ ln -s replaced link
0 dedupe -q -o link link =>
and cmp replaced near.kept
and equal "$(stat -c %a replaced)" 640
and test -L link
2 dedupe -o replaced --jsonl a near =! near:1:
and cmp replaced near.kept
2 dedupe -o no/such near =! no/such: cannot be written: No such file
2 dedupe -o /dev/full near =! /dev/full: No space left on device
0 dedupe -q -o - again => again
2 dedupe -o new --json near =! leave out -o
END
(ulimit -f 8 && "$tool" dedupe -o new near) 2>err && rc=0 || rc=$?
check "dedupe -o: a full disk" equal "$rc" 2
check "dedupe -o: a full disk is named" holds err "new: File too large"
(ulimit -f 8 && "$tool" dedupe -p 1e-9 -o new near) 2>err && rc=0 || rc=$?
check "dedupe -o -p: a full disk" equal "$rc" 2
table <<'END'
1 dedupe -q -p 0.01 -n 10 -o replaced hundred => * =! replaced: not written
and cmp replaced near.kept
$ dedupe -q -p 0.01 --shared held again >out
2 dedupe -p 0.01 --shared held -o ./held again =! is the filter of this run
2 dedupe -p 0.01 -n 10 --window 1h --state st -o st again =! is the filter of this run
END
cp near grows
mkfifo pipe
"$tool" dedupe -q -o grows grows pipe 2>err &
exec 7>pipe
echo more >>grows
exec 7>&-
await_end "dedupe -o: a FILE that grows" $!
check "dedupe -o: a FILE that grows: status" equal "$rc" 2
check "dedupe -o: a FILE that grows: said" holds err "has changed while it was read"
check "dedupe -o: a FILE that grows: kept" equal "$(tail -1 grows)" more
ln -s missing/file dangling
table <<'END'
2 dedupe -o dangling near =! dangling: No such file
$ long=$(printf 'n%.0s' {1..250})
0 dedupe -q -o "$long" near =>
and cmp "$long" near.kept
$ printf 'h\na\na\n' >own
$ dedupe -c --header 1 own >>own 2>err && rc=0 || rc=$?
and equal "$rc" 2
and equal "$(wc -l <own)" 3
? (echo HEAD && seq 400000) | dedupe -q --header 1 --memory 9M --threads 2
and equal "$(wc -l <out) $(head -1 out)" "400001 HEAD"
and equal "$(ls -A | grep -c '^new')" 0

# The summary.  100,000 distinct keys at 1 %: each is a false positive with the probability at its
# time.
0 dedupe --json -p 0.01 --strategy guava-mitz64 hundred
and equal "$(wc -l <out)" 1
and equal "$(json in)" 100000
$ left_out=$((100000 - $(json out)))
$ wrong=$(json expected_false_positives)
and between "${wrong%.*}" 160 220
# The standard deviation is 14.
and between "$left_out" $((${wrong%.*} - 70)) $((${wrong%.*} + 70))
and equal "$(json expected_insertions) $(json fpp)" "100000 0.01"
0 dedupe --json --threads 3 -n 100k -p 0.01 hundred hundred => {in=200000 threads=3}
$ left_out=$((100000 - $(json out)))
$ wrong=$(json expected_false_positives)
and between "$left_out" $((${wrong%.*} - 80)) $((${wrong%.*} + 80))
0 dedupe --json -p 0.01 abc abc => {in=6 out=3} => /"expected_false_positives": [0-9.]+e-[0-9]+,/
0 dedupe --threads 1 -p 0.001 hundred =! /^lfbloom: 100,000 keys in, 99,9[0-9]{2} out, about \
  [0-9.]+ distinct ones wrongly left out; in [0-9.]+ KiB; .*keys/s$/
and equal "$(wc -l <err)" 1
? dedupe -q -n 1000 -p 0.01 hundred \
  =! warning: more than the 1,000 distinct keys that the filter was made for
and equal "$(wc -l <err)" 1
? dedupe --json -n 1 -p 0.5 hundred => {expected_false_positives=null} \
  =! warning: more than the 1 distinct keys
0 dedupe -q -n 10 -p 0.01 again => again
? dedupe --progress=always -p 0.01 third =! counting =! deduplicating
END
mkfifo keys_in keys_out
"$tool" dedupe -q --threads 3 -n 100 -p 1e-9 <keys_in >keys_out 2>err &
exec 7>keys_in 8<keys_out
for key in a b hello; do
  printf '%s\n%s\n' "$key" "$key" >&7
  read -r -t 60 answer <&8
  check "dedupe: $key comes at once" equal "$answer" "$key"
done
exec 7>&- 8<&-
wait $! && rc=0 || rc=$?
check "dedupe: the end of the pipe ends it" equal "$rc" 0

# Without -p: as awk, exactly.  exact_test has the ways and the failures.
printf 'b\n\na\nb\n\nc' >blank
for threads in 1 3; do
  gives "dedupe without -p, $threads threads" 0 \
    "$tool" dedupe -q --threads "$threads" near third blank near repeats
  check "dedupe without -p, $threads threads: as awk's" \
    cmp out <(awk '!seen[$0]++' near third blank near repeats)
  cat near blank | "$tool" dedupe -q --threads "$threads" --memory 20M >out 2>err && rc=0 || rc=$?
  check "dedupe of a pipe without -p, $threads threads" cmp out <(awk '!seen[$0]++' near blank)
done
table <<'END'
0 dedupe -q - abc <near
and cmp out <(awk '!seen[$0]++' near abc)
0 dedupe -0 -q nul nul
and cmp out <(printf 'one\ntwo\0\0three\0four\0')
$ gzip -k near
0 dedupe -q -k 2 near.gz
and cmp out <(awk '!seen[$2]++' near)
0 dedupe -q -p 1e-9 blank
and cmp out <(awk '!seen[$0]++' blank)
0 dedupe -q - </dev/null
and equal "$(wc -c <out)" 0
0 dedupe --json --memory 20M near
and equal "$(json in) $(json out) $(json expected_false_positives)" "600000 $(wc -l <near.kept) 0"
? dedupe abc abc =! /^lfbloom: 6 keys in, 3 out, 3 came again; in [0-9.]+ MiB; .*keys/s$/
? dedupe --progress=always near =! deduplicating =! of memory; beyond it, temporary files in
$ printf '{"a":1}\n{"a":2}\n' >good.json
2 (cat good.json && echo bad) | dedupe -q -c --jsonl a good.json - => * \
  =! standard input:3: no JSON object
and cmp out <(sed 's/^/      2 /' good.json)
END
for option in "-n 10" "--strategy fast" "--hash xxh3" "--key-file hash.key" "--unordered"; do
  # shellcheck disable=SC2086 # words
  refuses "dedupe without -p: $option" "no -p given: ${option%% *} applies only with it" \
    "$tool" dedupe $option abc
done
table <<'END'
2 dedupe -p 0.1 --memory 1G abc =! --memory applies only without -p
2 dedupe -p 0.1 --temp . abc =! --temp applies only without -p
2 dedupe --threads 2 --memory 1M abc =! threads need at least
2 dedupe --temp missing abc =! missing: temporary file: No such file
0 dedupe -q --seen printed near => <near.kept
and equal "$(stat -c %a printed)" 600
0 dedupe -q --seen printed near blank
and cmp out <(awk '!seen[$0]++' near blank | tail -n +$(($(wc -l <near.kept) + 1)))
0 dedupe -q --seen printed -o more third
and cmp more <(grep -vxFf <(cat near blank) third | awk '!seen[$0]++')
2 dedupe --seen printed -o printed abc =! printed: is the state of this run
2 dedupe printed =! is a state of 'dedupe --seen'
2 dedupe --seen printed -p 0.1 abc =! --seen applies only without -p
2 dedupe --seen printed -c abc =! --seen does not count
0 dedupe --json --seen fresh abc
0 dedupe -q --seen fresh abc
and equal "$(wc -l <out)" 3
$ dedupe -q --seen fresh near >/dev/full 2>err && rc=0 || rc=$?
and equal "$rc" 2
0 dedupe -q --seen fresh near
and cmp out <(grep -vxFf abc near.kept)
$ cp abc self
$ dedupe -q self >>self 2>err && rc=0 || rc=$?
and is_error "self: is also the output"

2 dedupe -p 0.1 abc missing =! missing: No such file
2 dedupe -p 0.1 folder =! folder: Is a directory
2 dedupe -n 18446744073709551615 -p 0.1 --strategy guava-mitz64 abc =! larger than its strategy
2 cat abc | dedupe -p 0.1 =! give -n
# A file on standard input is counted as a named one, from where it is read next.
0 dedupe --json -p 1e-9 <hundred => {in=100000 expected_insertions=100000}
0 { read -r _ && dedupe --json -p 1e-9; } <hundred => {in=99999 expected_insertions=99999}
? dedupe -q --threads 3 -p 1e-9 abc - third - <hundred
and cmp out <(cat abc hundred third | awk '!seen[$0]++')
$ cp abc self
$ dedupe -q -n 10 -p 0.1 self >>self 2>err && rc=0 || rc=$?
and is_error "self: is also the output"
and cmp self abc
END

finish
