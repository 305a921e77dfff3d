#!/bin/bash
# claim_cli_test.sh LFBLOOM: `lfbloom claim`; window_, shared_ and redis_cli_test have its states.
source "$(dirname "$0")/checks.sh"

given abc all third again hundred hash.key
mkdir folder
cat all third all third >repeats # 400,000 distinct keys among 1,066,666
# Repeated lines next to each other, so in chunks that several threads process at once, and far
# apart.
awk 'BEGIN {
  srand(1)
  for (i = 0; i < 600000; i++) print int(i / 8 + rand() * 50000), int(rand() * 5)
}' >near
awk '!seen[$0]++' near >near.kept
"$tool" claim -q --threads 1 --key-file hash.key -p 0.1 near >alone
for threads in 2 8; do
  table <<'END'
0 claim -q --threads "$threads" -n 400k -p 1e-9 repeats => <all
? dd if=near obs=777 status=none | claim -q --threads "$threads" -n 600k -p 1e-9
and cmp out near.kept
# False positives, too, are the same with any number of threads.
0 claim -q --threads "$threads" --key-file hash.key -p 0.1 near => <alone
$ rm -f in_order
0 claim -q --threads "$threads" -p 1e-9 --shared in_order near => <near.kept
# All threads claim the same keys at the same time.
0 claim -q --unordered --threads "$threads" -n 133333 -p 1e-9 third third third third third third
and cmp <(sort -n out) third
0 claim -q --threads "$threads" --window 24h -n 2400k -p 1e-9 near => <near.kept
END
done
cat abc third >both
table <<'END'
0 claim -q --threads 1 -p 1e-6 --strategy guava-mitz64 abc abc third => <both
0 claim -q --threads 1 -p 1e-6 --strategy sbbf abc abc third => <both

# The summary.  100,000 distinct keys at 1 %: each is a false positive with the probability at its
# time.
0 claim --json -p 0.01 --strategy guava-mitz64 hundred
and equal "$(wc -l <out)" 1
and equal "$(json in)" 100000
# The standard deviation is 14.
and between $((100000 - $(json out))) 120 260
and equal "$(json expected_false_positives)" $((100000 - $(json out))) # at most
and equal "$(json expected_insertions) $(json fpp)" "100000 0.01"
0 claim --json --threads 3 -n 100k -p 0.01 hundred hundred => {in=200000 threads=3}
0 claim --json -p 0.01 abc abc => {in=6 out=3} => /"expected_false_positives": [0-9.]+e-[0-9]+,/
0 claim --threads 1 -p 0.001 hundred =! /^lfbloom: 100,000 keys in, 99,9[0-9]{2} out, at most \
  about [0-9.]+ distinct ones wrongly left out; in [0-9.]+ KiB; .*keys/s$/
and equal "$(wc -l <err)" 1
1 claim -q -n 1000 -p 0.01 hundred => * \
  =! warning: more than the 1,000 distinct keys that the filter was made for
and equal "$(wc -l <err)" 1
1 claim --json -n 1 -p 0.5 hundred => {expected_false_positives=null} \
  =! warning: more than the 1 distinct keys
0 claim -q -n 10 -p 0.01 again => again
? claim --progress=always -p 0.01 third =! counting =! claiming

2 claim abc =! no -p given
2 claim -p 0.1 --header 1 abc =! unknown option --header
2 claim -p 0.1 abc missing =! missing: No such file
2 claim -p 0.1 folder =! folder: Is a directory
2 claim -n 18446744073709551615 -p 0.1 --strategy guava-mitz64 abc =! larger than its strategy
2 cat abc | claim -p 0.1 =! give -n
# A file on standard input is counted as a named one, from where it is read next.
0 claim --json -p 1e-9 <hundred => {in=100000 expected_insertions=100000}
0 { read -r _ && claim --json -p 1e-9; } <hundred => {in=99999 expected_insertions=99999}
? claim -q --threads 3 -p 1e-9 abc - third - <hundred
and cmp out <(cat abc hundred third | awk '!seen[$0]++')
$ cp abc self
$ claim -q -n 10 -p 0.1 self >>self 2>err && rc=0 || rc=$?
and is_error "self: is also the output"
and cmp self abc
END

finish
