#!/bin/bash
# dedupe_cli_test.sh LFBLOOM: `lfbloom dedupe`.
source "$(dirname "$0")/checks.sh"

given abc few all third again hundred edges nul f1 f2 hash.key
mkdir folder
cat all third all third >repeats # 400,000 distinct keys among 1,066,666
same "dedupe in order" 0 all "$tool" dedupe -q --threads 1 -p 1e-9 repeats
# Repeated lines next to each other, so in chunks that several threads process at once, and far
# apart.
awk 'BEGIN { srand(1)
  for (i = 0; i < 600000; i++) print int(i / 8 + rand() * 50000), int(rand() * 5) }' >near
awk '!seen[$0]++' near >near.kept
awk '!seen[$0]++' near third near repeats >several.kept
"$tool" dedupe -q --threads 1 --key-file hash.key -p 0.1 near >alone
for threads in 2 3 8; do
  same "dedupe, $threads threads" 0 all \
    "$tool" dedupe -q --threads "$threads" -n 400k -p 1e-9 repeats
  same "dedupe of near lines, $threads threads" 0 near.kept \
    "$tool" dedupe -q --threads "$threads" -p 1e-9 near
  gives "dedupe of files, $threads threads" 0 \
    "$tool" dedupe -q --threads "$threads" -p 1e-9 near third near repeats
  check "dedupe of files, $threads threads: as awk's" cmp out several.kept
  dd if=near obs=777 status=none |
    "$tool" dedupe -q --threads "$threads" -n 600k -p 1e-9 >out 2>err && rc=0 || rc=$?
  check "dedupe of a pipe, $threads threads: as awk's" cmp out near.kept
  # False positives, too, are the same with any number of threads.
  same "dedupe with false positives, $threads threads" 0 alone \
    "$tool" dedupe -q --threads "$threads" --key-file hash.key -p 0.1 near
  rm -f in_order
  gives "dedupe, shared, $threads threads" 0 \
    "$tool" dedupe -q --threads "$threads" -p 1e-9 --shared in_order near
  check "dedupe, shared, $threads threads: in order" cmp out near.kept
  gives "dedupe --unordered, $threads threads" 0 \
    "$tool" dedupe -q --unordered --threads "$threads" -n 400k -p 1e-9 repeats
  check "dedupe --unordered, $threads threads: each exactly once" cmp <(sort -n out) all
  # All threads claim the same keys at the same time.
  gives "dedupe of many copies, $threads threads" 0 \
    "$tool" dedupe -q --unordered --threads "$threads" -n 133333 -p 1e-9 third third third third \
    third third
  check "dedupe of many copies, $threads threads: each exactly once" cmp <(sort -n out) third
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
gives "dedupe: empty lines, files that end without a newline" 0 \
  "$tool" dedupe -q --threads 1 -p 1e-9 f1 f2 f1
check "dedupe: no key across files" equal "$(tr '\n' , <out)" "end,begin,x,"
gives "dedupe -0" 0 "$tool" dedupe -0 -q --threads 1 -p 1e-9 nul nul
check "dedupe -0 keeps newlines and ends in NUL" cmp out <(printf 'one\ntwo\0\0three\0four\0')
gives "dedupe of long lines" 0 "$tool" dedupe -q --threads 2 -p 1e-9 edges edges
check "dedupe of long lines: each once" cmp <(sort out) <(sort -u edges)
prints "dedupe of nothing" 0 "" "$tool" dedupe -q -p 0.1 /dev/stdin -n 1 </dev/null

# Without -p.
printf 'b\na\nb\nc\nA\na\n\nb\n' >letters
prints "dedupe -c" 0 "      3 b,      2 a,      1 c,      1 A,      1 ," \
  bash -c '"$1" dedupe -qc letters | tr "\n" ,' _ "$tool"
prints "dedupe -d of a pipe" 0 "b,a," bash -c '"$1" dedupe -qd <<<"$(cat letters)" | tr "\n" ,' _ \
  "$tool"
prints "dedupe -u -i" 0 "c,," bash -c '"$1" dedupe -qui letters | tr "\n" ,' _ "$tool"
prints "dedupe -i" 0 "b,a,c,," bash -c '"$1" dedupe -qi letters | tr "\n" ,' _ "$tool"
prints "dedupe -i -p" 0 "b,a,c,," bash -c '"$1" dedupe -qi -p 1e-9 letters | tr "\n" ,' _ "$tool"
printf '@[`{aZéÉ\n' >edge_letters
printf '@[`{AzéÉ\nAbcdefgHIJK,AbcdefgHIJK\nabcDEFGHijk,ABCDEFGHIJK\n' >>edge_letters
prints "dedupe -i: ASCII alone" 0 "2" bash -c '"$1" dedupe -qi edge_letters | wc -l' _ "$tool"
prints "dedupe -i: two fields" 0 "6" \
  bash -c '"$1" dedupe -qi -k 1 -k 1 -t , edge_letters letters | wc -l' _ "$tool"
refuses "dedupe -d -u" "give --repeated or --unique" "$tool" dedupe -d -u letters
refuses "dedupe -c -p" "a filter does not count" "$tool" dedupe -c -p 0.1 letters

# --header.
printf 'id,v\n1,a\n2,b\n' >a.csv
printf 'id,v\n1,a\n3,b\n' >b.csv
printf 'ID,v\n1,a\n' >c.csv
printf 'id,v' >short.csv
: >none.csv
for way in "" "-p 1e-9"; do
  prints "dedupe --header $way" 0 "id,v 1,a 2,b 3,b " \
    bash -c '"$1" dedupe -q $2 --header 1 none.csv short.csv a.csv b.csv none.csv | tr "\n" " "' _ \
    "$tool" "$way"
done
gives "dedupe --header --unordered" 0 \
  "$tool" dedupe -q -p 1e-9 --unordered --header 1 none.csv short.csv a.csv b.csv none.csv
check "dedupe --header --unordered: it comes first" equal \
  "$(head -1 out) $(tail -n +2 out | sort | tr '\n' ' ')" \
  "id,v 1,a 2,b 3,b "
prints "dedupe --header -c of a pipe" 0 "id,v       2 1,a       1 3,b       1 4 " \
  bash -c 'cat b.csv - <<<"1,a
4" | "$1" dedupe -q -c --header 1 | tr "\n" " "' _ "$tool"
told "dedupe --header: another one" 2 "c.csv: begins with another header than the first file" \
  "$tool" dedupe --header 1 a.csv c.csv
prints "dedupe --header: all lines" 0 "id,v 1,a 2,b " \
  bash -c '"$1" dedupe -q --header 9 a.csv a.csv | tr "\n" " "' _ "$tool"

# -o.
cp near replaced
chmod 640 replaced
ln -s replaced link
prints "dedupe -o a FILE" 0 "" "$tool" dedupe -q -o link link
check "dedupe -o: each once" cmp replaced near.kept
check "dedupe -o: its permissions" equal "$(stat -c %a replaced)" 640
check "dedupe -o: a link stays" test -L link
refuses "dedupe -o: a bad line" "near:1: " "$tool" dedupe -o replaced --jsonl a near
check "dedupe -o: what fails changes nothing" cmp replaced near.kept
refuses "dedupe -o: no folder" "no/such: cannot be written: No such file" \
  "$tool" dedupe -o no/such near
refuses "dedupe -o: full" "/dev/full: No space left on device" "$tool" dedupe -o /dev/full near
prints "dedupe -o -" 0 again "$tool" dedupe -q -o - again
refuses "dedupe -o --json" "leave out -o" "$tool" dedupe -o new --json near
(ulimit -f 8 && "$tool" dedupe -o new near) 2>err && rc=0 || rc=$?
check "dedupe -o: a full disk" equal "$rc" 2
check "dedupe -o: a full disk is named" holds err "new: File too large"
(ulimit -f 8 && "$tool" dedupe -p 1e-9 -o new near) 2>err && rc=0 || rc=$?
check "dedupe -o -p: a full disk" equal "$rc" 2
run "$tool" dedupe -q -p 0.01 -n 10 -o replaced hundred
check "dedupe -o: keys that may be missing: status" equal "$rc" 1
check "dedupe -o: ... what was there stays" cmp replaced near.kept
"$tool" dedupe -q -p 0.01 --shared held again >out
refuses "dedupe -o: over its filter" "is the filter of this run" \
  "$tool" dedupe -p 0.01 --shared held -o ./held again
refuses "dedupe -o: over its window" "is the filter of this run" \
  "$tool" dedupe -p 0.01 -n 10 --window 1h --state st -o st again
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
refuses "dedupe -o: a link to nothing" "dangling: No such file" "$tool" dedupe -o dangling near
long=$(printf 'n%.0s' {1..250})
prints "dedupe -o: a long name" 0 "" "$tool" dedupe -q -o "$long" near
check "dedupe -o: a long name: written" cmp "$long" near.kept
printf 'h\na\na\n' >own
"$tool" dedupe -c --header 1 own >>own 2>err && rc=0 || rc=$?
check "dedupe --header >>FILE: status" equal "$rc" 2
check "dedupe --header >>FILE: nothing was added" equal "$(wc -l <own)" 3
(echo HEAD && seq 400000) |
  "$tool" dedupe -q --header 1 --memory 9M --threads 2 >out 2>err && rc=0 || rc=$?
check "dedupe --header of a pipe beyond --memory" equal "$(wc -l <out) $(head -1 out)" "400001 HEAD"
check "dedupe -o: nothing is left" equal "$(ls -A | grep -c '^new')" 0

# The summary.  100,000 distinct keys at 1 %: each is a false positive with the probability at its
# time.
gives "dedupe --json" 0 "$tool" dedupe --json -p 0.01 --strategy guava-mitz64 hundred
check "dedupe: one object, no keys" equal "$(wc -l <out)" 1
check "dedupe: in" equal "$(json in)" 100000
left_out=$((100000 - $(json out)))
wrong=$(json expected_false_positives)
check "dedupe: expected" between "${wrong%.*}" 160 220
# The standard deviation is 14.
check "dedupe: as many as expected" between "$left_out" $((${wrong%.*} - 70)) $((${wrong%.*} + 70))
check "dedupe: n was counted" equal "$(json expected_insertions) $(json fpp)" "100000 0.01"
gives "dedupe by fast, --json" 0 "$tool" dedupe --json --threads 3 -n 100k -p 0.01 hundred hundred
check "dedupe by fast: in" equal "$(json in) $(json threads)" "200000 3"
left_out=$((100000 - $(json out)))
wrong=$(json expected_false_positives)
check "dedupe by fast: as many as expected" between "$left_out" $((${wrong%.*} - 80)) \
  $((${wrong%.*} + 80))
reports "dedupe of few, --json" 0 "in out" "6 3" "$tool" dedupe --json -p 0.01 abc abc
check "dedupe of few: hardly any wrong" grep -qE '"expected_false_positives": [0-9.]+e-[0-9]+,' out
run "$tool" dedupe --threads 1 -p 0.001 hundred
check "dedupe: status" equal "$rc" 0
check "dedupe: summary" grep -qE \
  '^lfbloom: 100,000 keys in, 99,9[0-9]{2} out, about [0-9.]+ distinct ones wrongly left out; '\
'in [0-9.]+ KiB; .*keys/s$' err
check "dedupe: summary is one line" equal "$(wc -l <err)" 1
run "$tool" dedupe -q -n 1000 -p 0.01 hundred
check "dedupe: too many keys: warned" holds err \
  "warning: more than the 1,000 distinct keys that the filter was made for"
check "dedupe: too many keys: one line" equal "$(wc -l <err)" 1
run "$tool" dedupe --json -n 1 -p 0.5 hundred
check "dedupe: far too many keys: who knows" equal "$(json expected_false_positives)" null
check "dedupe: far too many keys: warned" holds err "warning: more than the 1 distinct keys"
prints "dedupe of one key, many times: no warning" 0 again "$tool" dedupe -q -n 10 -p 0.01 again
run "$tool" dedupe --progress=always -p 0.01 third
check "dedupe: bar: counting" holds err "counting"
check "dedupe: bar: deduplicating" holds err "deduplicating"
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
  check "dedupe without -p, $threads threads: as awk's" cmp out \
    <(awk '!seen[$0]++' near third blank near repeats)
  cat near blank | "$tool" dedupe -q --threads "$threads" --memory 20M >out 2>err && rc=0 || rc=$?
  check "dedupe of a pipe without -p, $threads threads" cmp out <(awk '!seen[$0]++' near blank)
done
gives "dedupe without -p: standard input" 0 "$tool" dedupe -q - abc <near
check "dedupe without -p: standard input is read" cmp out <(awk '!seen[$0]++' near abc)
gives "dedupe without -p: -0" 0 "$tool" dedupe -0 -q nul nul
check "dedupe without -p: -0 ends in NUL" cmp out <(printf 'one\ntwo\0\0three\0four\0')
gzip -k near
gives "dedupe without -p: compressed, and a field" 0 "$tool" dedupe -q -k 2 near.gz
check "dedupe without -p: compressed, and a field: as awk's" cmp out <(awk '!seen[$2]++' near)
gives "dedupe with -p: empty lines, too" 0 "$tool" dedupe -q -p 1e-9 blank
check "dedupe with -p: as awk's" cmp out <(awk '!seen[$0]++' blank)
gives "dedupe without -p: of nothing" 0 "$tool" dedupe -q - </dev/null
check "dedupe without -p: nothing" equal "$(wc -c <out)" 0
gives "dedupe without -p: --json" 0 "$tool" dedupe --json --memory 20M near
check "dedupe without -p: in, out" equal "$(json in) $(json out) $(json expected_false_positives)" \
  "600000 $(wc -l <near.kept) 0"
run "$tool" dedupe abc abc
check "dedupe without -p: summary" grep -qE \
  '^lfbloom: 6 keys in, 3 out, 3 came again; in [0-9.]+ MiB; .*keys/s$' err
run "$tool" dedupe --progress=always near
check "dedupe without -p: bar" holds err "deduplicating"
check "dedupe without -p: the plan" holds err "of memory; beyond it, temporary files in "
printf '{"a":1}\n{"a":2}\n' >good.json
(cat good.json && echo bad) | "$tool" dedupe -q -c --jsonl a good.json - >out 2>err && rc=0 || rc=$?
check "dedupe -c of a pipe: where a line is bad" is_error "standard input:3: no JSON object"
check "dedupe -c of a pipe: what comes before it" cmp out <(sed 's/^/      2 /' good.json)
for option in "-n 10" "--strategy fast" "--hash xxh3" "--key-file hash.key" "--unordered"; do
  # shellcheck disable=SC2086 # words
  refuses "dedupe without -p: $option" "no -p given: ${option%% *} applies only with it" \
    "$tool" dedupe $option abc
done
refuses "dedupe -p --memory" "--memory applies only without -p" \
  "$tool" dedupe -p 0.1 --memory 1G abc
refuses "dedupe -p --temp" "--temp applies only without -p" "$tool" dedupe -p 0.1 --temp . abc
refuses "dedupe --memory 1M" "threads need at least" "$tool" dedupe --threads 2 --memory 1M abc
refuses "dedupe --temp missing" "missing: temporary file: No such file" \
  "$tool" dedupe --temp missing abc
gives "dedupe --seen" 0 "$tool" dedupe -q --seen printed near
check "dedupe --seen: a new file" cmp out near.kept
check "dedupe --seen: the file, which has a key, is its owner's alone" equal \
  "$(stat -c %a printed)" 600
gives "dedupe --seen: again, and more" 0 "$tool" dedupe -q --seen printed near blank
check "dedupe --seen: only what is more" cmp out \
  <(awk '!seen[$0]++' near blank | tail -n +$(($(wc -l <near.kept) + 1)))
gives "dedupe --seen -o" 0 "$tool" dedupe -q --seen printed -o more third
check "dedupe --seen -o: written" cmp more <(grep -vxFf <(cat near blank) third | awk '!seen[$0]++')
refuses "dedupe --seen -o the same" "printed: is the state of this run" \
  "$tool" dedupe --seen printed -o printed abc
refuses "dedupe of a state" "is a state of 'dedupe --seen'" "$tool" dedupe printed
refuses "dedupe --seen -p" "--seen applies only without -p" "$tool" dedupe --seen printed -p 0.1 abc
refuses "dedupe --seen -c" "--seen does not count" "$tool" dedupe --seen printed -c abc
gives "dedupe --seen --json" 0 "$tool" dedupe --json --seen fresh abc
gives "dedupe --seen --json: remembers nothing" 0 "$tool" dedupe -q --seen fresh abc
check "dedupe --seen: printed" equal "$(wc -l <out)" 3
"$tool" dedupe -q --seen fresh near >/dev/full 2>err && rc=0 || rc=$?
check "dedupe --seen: output lost" equal "$rc" 2
gives "dedupe --seen: output lost before" 0 "$tool" dedupe -q --seen fresh near
check "dedupe --seen: it is printed again" cmp out <(grep -vxFf abc near.kept)
cp abc self
"$tool" dedupe -q self >>self 2>err && rc=0 || rc=$?
check "dedupe without -p onto its own input" is_error "self: is also the output"

refuses "dedupe: input missing" "missing: No such file" "$tool" dedupe -p 0.1 abc missing
refuses "dedupe: input a directory" "folder: Is a directory" "$tool" dedupe -p 0.1 folder
refuses "dedupe: n too large" "larger than its strategy" \
  "$tool" dedupe -n 18446744073709551615 -p 0.1 --strategy guava-mitz64 abc
cat abc | "$tool" dedupe -p 0.1 >out 2>err && rc=0 || rc=$?
check "dedupe: a pipe needs -n" is_error "give -n"
# A file on standard input is counted as a named one, from where it is read next.
"$tool" dedupe --json -p 1e-9 <hundred >out 2>err && rc=0 || rc=$?
check "dedupe of a file on standard input is counted" equal \
  "$rc $(json in) $(json expected_insertions)" "0 100000 100000"
{ read -r _ && "$tool" dedupe --json -p 1e-9; } <hundred >out 2>err && rc=0 || rc=$?
check "dedupe of the rest of a file" equal "$rc $(json in) $(json expected_insertions)" \
  "0 99999 99999"
"$tool" dedupe -q --threads 3 -p 1e-9 abc - third - <hundred >out 2>err && rc=0 || rc=$?
check "dedupe of files and standard input, in order" cmp out \
  <(cat abc hundred third | awk '!seen[$0]++')
cp abc self
"$tool" dedupe -q -n 10 -p 0.1 self >>self 2>err && rc=0 || rc=$?
check "dedupe onto its own input" is_error "self: is also the output"
check "and it is untouched by dedupe" cmp self abc

finish
