#!/bin/bash
# jsonl_cli_test.sh LFBLOOM: a member of each line's JSON object as its key, against jq.
#
# Seen to fail with escapes kept, with lines without the member left out, and with lines counted
# from the start of a chunk, not of the file.
set -uo pipefail
tool=$(realpath "$1")
source "$(dirname "$0")/checks.sh"
one=(--threads 1 -q -n 200K -p 1e-9)

# Names with escapes and without, numbers, nested objects; most values repeat.
awk 'BEGIN { srand(20); for (i = 1; i <= 20000; i++) {
  n = int(3000 * rand())
  name = "n" n (n % 3 == 0 ? "\\u00e9" : n % 3 == 1 ? "é" : "\\\"\\n")
  printf "{\"id\":%d, \"name\" : \"%s\",\"at\":{\"x\":[1,{\"id\":7}],\"y\":%d.5},\"ok\":%s}\n",
         int(5000 * rand()), name, int(40 * rand()), n % 2 ? "true" : "null" } }' >events
for path in id name at.y ok; do
  gives "claim --jsonl $path" 0 "$tool" claim "${one[@]}" --jsonl $path events
  jq -c ".$path" events | awk '!seen[$0]++ { print NR }' >numbers
  check "claim --jsonl $path: as jq" cmp out \
    <(awk 'NR == FNR { wanted[$1]; next } FNR in wanted' numbers events)
  gives "build --jsonl $path" 0 "$tool" build -q -p 1e-9 -o filter --jsonl $path events
  # The values as JSON lines again, and, without newlines in them, as text.
  jq -c "{v: .$path}" events >values
  gives "query of the values of $path" 1 "$tool" query -v --jsonl v filter values
  jq -r ".$path | tostring | select(test(\"\\n\") | not)" events >texts
  gives "query of the texts of $path" 1 "$tool" query -v filter texts
  same "query --jsonl $path" 0 events "$tool" query --jsonl $path filter events
done
for i in {1..30}; do cat events; done >many

# --- small cases ------------------------------------------------------------------
printf '{"a":1}\r\n\n{"a":"1"}\r\n {"a":1.0}\n{"a":""}\n{"a":"\\u0031"}\n{"a":""}' >few
same "few" 0 <(printf '{"a":1}\r\n {"a":1.0}\n{"a":""}\n') "$tool" claim "${one[@]}" --jsonl a few
gives "few are counted" 0 "$tool" build -q -p 1e-9 -o filter --jsonl a few
"$tool" info --json filter >out
check "few are counted" equal "$(json expected_insertions)" 7
printf '{"a":\n1}\0{"a":2}\0\0{"a":1\n}' >nul
gives "NUL" 0 "$tool" claim "${one[@]}" -0 --jsonl a nul
check "NUL: keys" equal "$(tr '\0\n' '|_' <out)" '{"a":_1}|{"a":2}|'
{
  printf '{"pad":"'
  head -c 900000 /dev/zero | tr '\0' x
  printf '\\n","a":"long"}\n{"a":"long"}\n{"a":"b"}'
} >long
same "long lines" 0 <(sed -n '1p;3p' long; echo) "$tool" claim "${one[@]}" --jsonl a long
# As deep as is allowed, in threads, whose stacks are small; and deeper.
nested() {
  printf '{"x":'
  head -c "$1" /dev/zero | tr '\0' '['
  head -c "$1" /dev/zero | tr '\0' ']'
  printf ',"a":%d}\n' "$2"
}
nested 2040 1 >deep
for i in {1..9}; do cat deep deep; done >deeper && cat deeper deeper deeper deeper deeper >deep
gives "deep" 0 "$tool" claim -q -n 100 -p 1e-9 --threads 4 --jsonl a deep
check "deep: one key" equal "$(wc -l <out)" 1
nested 100000 1 >deep
refuses "too deep" "deep:1: no JSON object: too many brackets in brackets" \
  "$tool" claim -n 10 -p 0.01 --jsonl a deep

# --- errors -----------------------------------------------------------------------
# bad NAME LINE TEXT: each command refuses that line after 30,000 good ones, and writes nothing.
for i in {1..3}; do head -n 10000 events; done | sed 's/^{/{"a":1,/' >good
bad() {
  { cat good; printf '\n%s\n' "$2"; cat good; } >bad
  for threads in 1 3; do
    for command in "build -n 1M -p 0.01 -o broken" "build -p 0.01 -o broken" "query -c filter" \
      "claim -n 1M -p 0.01 --json"; do
      # shellcheck disable=SC2086 # words
      refuses "$1: $command, $threads" "bad:30002: $3" \
        "$tool" $command --threads $threads --jsonl a bad
      check "$1: $command: nothing is written" test ! -e broken
    done
  done
  run "$tool" claim -n 1M -p 0.01 --jsonl a - <bad
  check "$1: standard input" is_error "standard input:30002: $3"
}
bad "no member" '{"b":1}' "no member a"
bad "an object" '{"a":{"b":1}}' "member a is an object or an array, which is no key"
bad "an array" '{"a":[1]}' "member a is an object or an array, which is no key"
bad "no object" '[1]' "no JSON object: no '{', after 0 bytes"
bad "cut off" '{"a":1' "no JSON object: no '}', after 6 bytes"
bad "two objects" '{"a":1} {"a":2}' "no JSON object: bytes follow the object, after 8 bytes"
bad "damage after the member" '{"a":1,"b":tru}' "no JSON object: no value, after 11 bytes"
bad "a lone surrogate" '{"a":"\ud83d"}' "no JSON object: invalid Unicode"
bad "Latin-1" $'{"a":"\xe9"}' "no JSON object: unable to decode byte 0xe9"
# Every line is bad: one error all the same.
sed 's/"id"/"ID"/' many >bad
for _ in {1..5}; do
  run "$tool" build -n 1M -p 0.01 -o broken --threads 4 --jsonl id bad
  check "all lines are bad" is_error "no member id"
done
# Of several bad lines the first one is named, after the output for all lines before it.  Here its
# chunk takes longer than the next ones.
awk 'BEGIN {
  for (i = 1; i <= 6500; i++) printf "{\"x\":\"\\u00e9\\u00e9\",\"a\":\"\\u00e9%d\"}\n", i
  for (i = 0; i < 100000; i++) print i % 10000 == 0 ? "{bad" : "{\"a\":" i "}"
}' >bad
check "the slow chunk" equal "$(sed -n 6500p bad)" '{"x":"\u00e9\u00e9","a":"\u00e96500"}'
for _ in {1..10}; do
  for command in "build -n 1M -p 0.01 -o broken" "query -c filter" "query filter" \
    "claim -n 1M -p 0.01" "claim -n 1M -p 0.01 --unordered"; do
    # shellcheck disable=SC2086 # words
    run "$tool" $command --threads 4 --jsonl a bad
    check "many bad lines: $command" is_error "bad:6501: no JSON object"
    [[ $command != claim* ]] || check "many bad lines: $command: before them" cmp out \
      <(head -n 6500 bad)
  done
done
# The line is that of its own file.
{ cat good; echo '{"b":1}'; } >bad
refuses "the second file" "bad:30001: no member a" \
  "$tool" build -n 1M -p 0.01 -o broken --jsonl a good bad
# A whole file that is other JSON is not skipped.
printf ' \n[\n{"a":1},\n{"a":2}\n]\n' >array
printf '[{"a":1},{"a":2}]' >short.array
printf '\x1e{"a":1}\n\x1e{"a":2}\n' >sequence
printf '\xef\xbb\xbf[{"a":1}]\n' | gzip -c >array.gz
table <<'END'
2 dedupe --jsonl a --bad-lines skip array =! array: is a JSON array, not an object in each line
2 claim -p 0.01 --jsonl a --bad-lines pass short.array =! pass it through "jq -c '.[]'"
2 query --jsonl a --bad-lines skip filter array.gz =! array.gz: is a JSON array
2 cat sequence | dedupe --jsonl a --bad-lines skip =! standard input: is a JSON text sequence (RFC 7464)
2 dedupe -c --jsonl a --bad-lines skip good array =! array: is a JSON array
$ printf '{"a":1}\n[1]\n{"a":2}\n' >mixed
0 cat mixed | dedupe -q -c --jsonl a --bad-lines skip => * =! 1 line without a key skipped
and equal "$(cut -c9- out)" $'{"a":1}\n{"a":2}'
0 printf 'head\n[1]\n{"a":1}\n' | dedupe -q -c --header 1 --jsonl a --bad-lines pass => \
  head\n[1]\n      1 {"a":1} =! 1 line without a key passed
0 dedupe -q array => <array
END
for text in '' . a. .a a..b a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q; do
  refuses "--jsonl '$text'" \
    "--jsonl '$text': not a name, and not at most 16 names with a dot between" \
    "$tool" claim -n 10 -p 0.01 --jsonl "$text" events
done
for command in "build -p 0.01 -o broken" "claim -p 0.01" "query filter"; do
  # shellcheck disable=SC2086 # words
  refuses "$command: -k and --jsonl" "${command%% *}: -k and --jsonl cannot be combined" \
    "$tool" $command -k 1 --jsonl a events
done
finish
