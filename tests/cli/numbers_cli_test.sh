#!/bin/bash
# numbers_cli_test.sh LFBLOOM: the numbers of options, as every command reads them.
source "$(dirname "$0")/checks.sh"

for n in 10000000 10,000,000 10M 1e7 0.01G 10,000k 10000k 10000K 1.0e7 1E+7 100000000e-1; do
  reports "-n $n" 0 n 10000000 "$tool" plan -n "$n" -p 1e-4 --json
done
reports "-n 2^64-1" 0 n 18446744073709551615 "$tool" plan -n 18446744073709551615 -p 0.01 --json
check "2^64-1 keys are too many bits" holds out "larger than its strategy can address"
refuses "-n 2^64" "more than 2^64 - 1" "$tool" plan -n 18446744073709551616 -p 0.01
refuses "-n 1e20" "more than 2^64 - 1" "$tool" plan -n 1e20 -p 0.01
refuses "-n 18446744073709552T" "more than 2^64 - 1" "$tool" plan -n 18446744073709552T -p 0.01
for n in -5 abc '' 5x 1e e5 . 0x10 '1 0' 10MM 1,00 1,0000 1000,000 ,100 '1,'; do
  refuses "-n '$n'" "not a number" "$tool" plan -n "$n" -p 0.01
done
refuses "-n 1.5" "not a whole number" "$tool" plan -n 1.5 -p 0.01
for p in 0 -1 nan -nan 1e-999; do
  refuses "-p $p" "must be greater than 0" "$tool" plan -n 10 -p "$p"
done
for p in 1 2 inf; do
  refuses "-p $p" "must be less than 1" "$tool" plan -n 10 -p "$p"
done
for p in abc '' 0.1x ' 0.1' % 1%% 1e1% ..% , 0,0,1 0,1x ,%; do
  refuses "-p '$p'" "not a probability" "$tool" plan -n 10 -p "$p"
done
for threads in 0 -1 x 1.5 4097 1e20; do
  refuses "--threads $threads" "not a number of threads" "$tool" demo --threads "$threads"
done
# A count that a double does not hold is a string, and a seed always is one.
printf 'a\n' >a
table <<'END'
0 plan -n 10 -p .7% --json => {fpp=0.007}
0 plan -n 10 -p 7e-3 --json => {fpp=0.007}
0 plan -n 10 -p 0,7% --json => {fpp=0.007}
0 plan -n 10 -p 7,0e-3 --json => {fpp=0.007}
0 plan -n 9007199254740991 -p 0.5 --json => ..."n": 9007199254740991,...
0 plan -n 9007199254740992 -p 0.5 --json => ..."n": "9007199254740992",...
0 demo -n 1000 --seed 1 --json => ..."seed": "1"...
0 build -q -p 0.01 --seed 9007199254740993 -o seed.lfb a
0 info --json seed.lfb => ..."seed": "9007199254740993"... => /"bits": [0-9]+,/
END
refuses "--progress maybe" "must be always or never" "$tool" demo --progress maybe
refuses "--strategy nope" "no such strategy" "$tool" demo --strategy nope

finish
