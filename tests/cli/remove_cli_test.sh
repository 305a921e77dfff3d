#!/bin/bash
# remove_cli_test.sh LFBLOOM COUNTING: `lfbloom remove`, and counting filters in the other commands.
# COUNTING has counters, of the texts 0 to 99 and "stuck".
#
# Seen to fail with keys put instead of removed, with a key of each batch left, with FILTER not
# written, with OUT written when it is full, without the look whether FILTER has changed, and
# without its lock.
counting=$(realpath "$2")
source "$(dirname "$0")/checks.sh"

given abc few key
seq 5000 >keys
seq 4001 5000 >gone
seq 4000 >left
for copy in 1 2 3; do cat few; done >thrice
table <<'END'
0 build --counting -p 0.001 -o users.lfb keys =! users.lfb: 5,000 keys, all stored, in 10.50 KiB;
0 query users.lfb keys => <keys
0 remove users.lfb gone =! users.lfb: 1,000 keys removed, 0 absent
1 query -v users.lfb left => *
and test ! -s out
? query -c users.lfb gone
and between "$(cat out)" 0 10
$ cp users.lfb before && chmod 400 users.lfb
1 remove --threads 4 users.lfb abc - =! users.lfb: 0 keys removed, 3 absent
and cmp users.lfb before
1 remove users.lfb abc left =! users.lfb: 4,000 keys removed, 3 absent
and equal "$(stat -c %a users.lfb)" 400
1 query -c users.lfb keys => 0

# What a key is, as everywhere.
0 build -q --counting --keys i64 -p 0.01 -o numbers.lfb few
0 remove -q numbers.lfb few
2 remove --keys text numbers.lfb few =! numbers.lfb: holds keys of --keys=i64
2 remove numbers.lfb abc =! abc:1: not a whole number
0 remove --bad-lines=skip numbers.lfb abc =! 3 lines without a key skipped
0 build -q --counting -n 10 -p 0.01 --key-file key -o keyed.lfb abc
2 remove keyed.lfb abc =! keyed.lfb: the filter's hash is keyed: it opens only with its key
0 remove -q --key-file key keyed.lfb abc

# A key is present as often as it was put.
0 build -q --counting -n 1500 -p 0.001 --copies 3 -o thrice.lfb thrice
0 remove -q thrice.lfb few
0 remove -q thrice.lfb few
0 query -c thrice.lfb few => 500
0 remove -q thrice.lfb few
1 query -c thrice.lfb few => 0
0 build -q --counting -n 1k -p 0.01 -o same.lfb <(yes | head -n 64)
2 build --counting -n 1k -p 0.01 -o full.lfb <(yes | head -n 65) =! full.lfb: not written: it is \
  full with 64 keys, made for 1,000: give a larger -n, or if keys repeat --copies, or put each
2 build --counting -n 100 -p 0.01 -o full.lfb keys =! full.lfb: not written: it is full with
and test ! -e full.lfb

# What cannot be.
2 remove =! no filter given
2 remove - abc =! FILTER must be a file
2 remove redis://localhost/x abc =! open filters on Redis
2 remove none.lfb abc =! none.lfb: No such file
2 remove abc few =! abc: not a filter in any form that lfbloom knows
2 remove same.lfb same.lfb =! same.lfb: is both input and output
2 remove same.lfb none =! none: No such file
0 build -q -p 0.01 -o plain.lfb abc
2 remove plain.lfb abc =! plain.lfb: this is a plain filter, not a counting one
2 build --counting -p 0.01 -o x - =! keys from a pipe or terminal cannot be counted first: give -n
2 build --strategy tags -p 0.01 -o x abc =! --strategy tags needs --counting
2 build --copies 2 -p 0.01 -o x abc =! --copies needs --counting
2 build --counting --copies 17 -p 0.01 -o x abc =! strategy tags takes at most 16 copies of a key
2 build --counting -p 1e-9 -o x abc =! for tags at least 7e-9
2 build --counting -n 1e13 -p 0.01 -o x abc =! /out of memory: it takes 19.15 TiB/
2 build --counting --strategy fast -n 1e12 -p 0.01 -o x abc =! /it takes 4.95 TiB/
2 build --counting -p 0.01 -o redis://localhost/x abc =! --counting does not apply
$ cp plain.lfb x
END
for option in --shared "--like plain.lfb" "--form native" --foldable; do
  # shellcheck disable=SC2086 # words
  refuses "$option" "--counting takes no --shared, --like, --form or --foldable" \
    "$tool" build --counting $option -p 0.01 -o x abc
done

# Others merge them, look at them, and make plain ones of them.
mkfifo slow
table <<'END'
0 build -q --counting -n 1000 -p 0.01 --seed 5 -o a.lfb few
0 build -q --counting -n 1000 -p 0.01 --seed 5 -o b.lfb few
0 build -q --counting -n 1000 -p 0.01 --seed 5 -o c.lfb <(seq 600)
0 merge -o ab.lfb a.lfb b.lfb =! ab.lfb: 2 files, 1,000 keys, in 2.25 KiB
0 remove -q ab.lfb few few
1 remove -q ab.lfb few
2 merge -o x.lfb a.lfb c.lfb =! c.lfb: cannot be merged with a.lfb: the counting filter is full
2 merge -o x.lfb a.lfb same.lfb =! or both with one --seed or --key-file, as counting filters must be
2 merge -o x.lfb a.lfb users.lfb =! the filters differ in their number of bits
2 merge --form mapped -o x.lfb a.lfb =! a.lfb: is a counting filter: only the native form holds it
2 convert --to native a.lfb x.lfb =! a.lfb: strategy tags keeps no bits
0 convert --to mapped "$counting" plain.lfb
0 query plain.lfb <(seq 0 99) => $(seq 0 99)
0 build -q --counting --strategy fast -n 1000 -p 1e-6 -o counters.lfb few
0 remove -q counters.lfb <(seq 101 500)
0 query -c counters.lfb few => 100
0 merge -q -o counters.lfb counters.lfb counters.lfb
0 info a.lfb => /^keys stored +500 \(each as often as it was put\)$/
and grep -qx "bits of a key's tag  16" out
0 info --json a.lfb => {form=counting strategy=tags copies=500 slots=1152}
0 verify a.lfb => ...a.lfb: whole: counting, tags, ...
$ at a.lfb 700 xx
1 verify a.lfb => ...a.lfb: damaged: ...
2 remove a.lfb few =! a.lfb: the filter is damaged
0 plan --counting -n 10M -p 1e-3 => /^tags +168,422,400 +20.08 MiB +16.84 +16 +0.000928  the default$/
and grep -qE "^guava-mitz64 +575,103,744 +68.56 MiB +57.51 " out # 4 times 143,775,936
0 plan --counting --copies 2 -n 10M -p 1e-3 --json => ..."default": "tags", "strategies": {"tags": \
  {"bits": 355558400, ...
2 plan --copies 2 -n 10M -p 1e-3 =! --copies needs --counting
2 plan --counting --window 1h -n 1 -p 0.1 =! --counting takes no --window

# Another program replaces FILTER while its keys are read.
$ { build -q --counting -n 1500 -p 0.001 -o c.lfb few && cat few; } >slow &
2 remove c.lfb slow =! c.lfb: has changed while it was read
0 query -c c.lfb few => 500
# Of two removals at once, the second is refused: else both could write, and the first be lost.
$ { remove c.lfb abc 2>second; echo $? >>second; cat few; } >slow &
0 remove c.lfb slow =! c.lfb: 500 keys removed, 0 absent
and equal "$(cat second)" "lfbloom: c.lfb: another removal is running, so no key was removed: run \
  it again"$'\n'2
2 remove slow abc =! slow: is no regular file
and equal "$(ls -d x* .lfb* 2>/dev/null)" x
END
finish
