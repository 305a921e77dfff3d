#!/bin/bash
# shared_cli_test.sh LFBLOOM: filters that several processes share, `--shared` and `--mode`.
source "$(dirname "$0")/checks.sh"

given abc key hash1.lfb native.lfb
"$tool" build -q --form mapped --key-file key -p 1e-6 -o keyed_mapped abc
seq 1 20000 >first_half
seq 20001 40000 >second_half
"$tool" build -q --shared -n 40000 -p 0.01 -o shared first_half 2>err &
"$tool" build -q --shared -n 40000 -p 0.01 -o shared second_half 2>>err
wait $! && rc=0 || rc=$?
check "two builders of one filter" equal "$rc$(cat err)" 0
table <<'END'
0 query -c shared first_half second_half => 40000
0 info --json shared => {form=mapped expected_insertions=40000}
$ set_before=$(json bits_set)
0 build --shared --json -o shared first_half => {new_keys=0 form=mapped}
2 build --shared -n 50000 -o shared first_half \
  =! shared exists already, made with -n 40000 -p 0.01 --strategy fast
2 build --shared -p 0.1 -o shared first_half =! shared exists already
2 build --shared -o new_one first_half =! no -p given
and test ! -e new_one
2 build --shared --form guava -p 0.1 -o x abc =! --shared allows only --form mapped
2 build --shared -p 0.1 -o - abc =! needs a file
0 build -q --shared --form mapped -o shared first_half
2 build --shared --key-file key -o shared abc =! not the key that the filter was made with
2 build --shared -n 10 -p 0.1 --like hash1.lfb -o shared abc \
  =! not the key that the filter was made with
0 build -q --shared --like hash1.lfb -n 10 -p 0.1 -o like abc
0 build -q --shared --like hash1.lfb -n 10 -p 0.1 -o like abc
0 build -q --shared --hash xxh3 -n 10 -p 0.1 -o unkeyed abc
2 build --shared --key-file key -o unkeyed abc =! without a key
2 build --shared --hash siphash13 -o unkeyed abc =! --strategy fast --hash xxh3 --seed
0 build -q --shared --strategy fast-pair -n 90 -p 1e-4 -o pairs abc
0 build -q --shared --strategy fast-pair -o pairs abc
0 build -q --shared --strategy fast -o pairs abc
0 build -q --shared -n 90 -p 1e-4 -o two_pairs abc
2 build --shared --strategy fast-pair -o two_pairs abc =! two_pairs exists already
$ cp native.lfb untouched.lfb
2 build --shared -o native.lfb abc =! convert --to mapped
and cmp -s native.lfb untouched.lfb
0 convert --to native shared snapshot.lfb
0 convert --to mapped snapshot.lfb copied
0 info --json copied => {bits_set=$set_before form=mapped}
0 query -c copied first_half => 20000
0 build -q --shared -o copied abc
0 verify shared
0 query -c /dev/fd/5 second_half 5< <(cat shared) => 20000
END
# Killed during puts: its puts are there, and the figures match the bits at once.
yes | "$tool" build -q --shared -o shared first_half - &
builder=$!
until [[ -n $(jobs -r) ]]; do :; done
sleep 0.2
kill -KILL $builder
wait $builder 2>/dev/null
table <<'END'
0 info --json shared
$ after=$(json bits_set)
0 convert --to native shared snapshot.lfb
0 info --json snapshot.lfb => {bits_set=$after}
0 build -q --shared -o shared first_half
0 query -c shared first_half second_half => 40000
# The permissions of a new shared filter.
0 build -q --shared -n 10 -p 0.1 -o modes abc
and equal "$(stat -c %a modes)" 600
0 build -q --shared --mode=644 -o modes abc
and equal "$(stat -c %a modes)" 600
END
rm modes
mask=$(umask)
umask 022
for mode in 0640 640 000640 0 0000 0777 444; do
  wanted=$(printf %o $((8#$mode == 0 ? 0600 : 8#$mode & ~022)))
  for command in "build -q --shared --hash xxh3 --mode=$mode -n 10 -p 0.1 -o" \
    "claim -q --hash xxh3 --mode $mode -n 10 -p 0.1 --shared"; do
    # shellcheck disable=SC2086
    "$tool" $command modes abc >out 2>err
    check "${command%% *} --mode $mode" equal "$? $(cat err) $(stat -c %a modes)" "0  $wanted"
    rm -f modes
  done
done
umask 0
gives "--mode, no umask" 0 \
  "$tool" build -q --shared --hash xxh3 --mode 0666 -n 10 -p 0.1 -o modes abc
check "--mode, no umask: as it was asked for" equal "$(stat -c %a modes)" 666
rm modes
for command in "build --shared --mode 640 -n 10 -p 0.1 -o" \
  "claim --mode 640 -n 10 -p 0.1 --shared"; do
  # shellcheck disable=SC2086 # the command and its options
  refuses "${command%% *} --mode, and a key that was drawn" \
    "the file would hold the secret key of its hash" \
    "$tool" $command modes abc
done
check "nothing was made" test ! -e modes
table <<'END'
0 build -q --shared --mode 0640 --key-file key -n 10 -p 0.1 -o modes abc
and equal "$(stat -c %a modes)" 640
$ rm modes
2 build -q --shared --mode 0666 --key-file key --keep-key -n 10 -p 0.1 -o modes abc \
  =! for its owner alone
2 build -q --shared --mode 0666 --like hash1.lfb -n 10 -p 0.1 -o modes abc =! for its owner alone
and test ! -e modes
END
umask "$mask"
for mode in '' 8 1000 00001000 77777777777777777777777 -1 +1 0x1ff 0o600 ' 600' '600 ' 6.0 rw; do
  refuses "--mode '$mode'" "--mode '$mode': not an octal number from 0 to 0777" \
    "$tool" build --shared --mode="$mode" -n 10 -p 0.1 -o modes abc
done
table <<'END'
2 build --mode 600 -p 0.1 -o modes abc =! --mode applies only to a new file of --shared
2 build --mode 600 --form mapped -p 0.1 -o modes abc \
  =! --mode applies only to a new file of --shared
0 claim --mode 600 -p 0.1 abc => <abc =! --mode changes nothing without --shared
2 build --shared --mode 600 -p 0.1 -o redis://localhost:1/modes abc \
  =! --mode does not apply to a filter on Redis
and test ! -e modes
0 build -q --form mapped --hash xxh3 -n 10 -p 0.1 -o unkeyed abc
0 merge -q -o merged.shared unkeyed unkeyed
0 info --json merged.shared => {form=mapped}
$ chmod 640 merged.shared
0 convert --to mapped merged.shared merged.shared
and equal "$(stat -c %a merged.shared)" 640
0 build -q --shared -o merged.shared abc
0 query -c merged.shared abc
# Two concurrent runs share a filter: one of them prints each key, and no later run does.
$ seq 1 30000 >ours
$ seq 10001 40000 >theirs
$ claim -q --shared claimed -n 40000 -p 1e-9 ours >first 2>err &
$ claim -q --shared claimed -n 40000 -p 1e-9 theirs >second 2>>err
$ wait $! && rc=0 || rc=$?
and equal "$rc$(cat err)" 0
and equal "$(sort -n first second | md5sum)" "$(seq 1 40000 | md5sum)"
0 claim --json --shared claimed ours => {in=30000 out=0}
2 claim --shared claimed -p 0.5 ours =! claimed exists already
2 claim --shared nowhere ours =! no -p given
END
# A file that is deleted or replaced while in use: other runs claim its keys again.  Each of these
# was seen to pass without an error, with status 0.
mkfifo gone_in gone_out
for loss in "rm gone" "cp claimed gone.new" "$tool build -q --form mapped -p 0.1 -o gone abc"; do
  "$tool" claim -q --shared gone -n 1000 -p 1e-9 --threads 1 <gone_in >gone_out 2>err &
  exec 7>gone_in 8<gone_out
  echo once >&7
  read -r -t 60 answer <&8
  $loss
  [[ -e gone.new ]] && mv gone.new gone
  exec 7>&- 8<&-
  wait $! && rc=0 || rc=$?
  check "claim tells of its file: $loss" is_error \
    "the path no longer names this file: it was deleted or replaced while open"
  rm -f gone
done
cp shared untouched.shared
table <<'END'
2 build -p 0.01 -o shared abc =! shared: is a shared filter that
2 build -p 0.01 --form guava -o shared abc =! 'lfbloom build --shared'
2 convert --to native native.lfb shared =! is a shared filter that other processes may be using
2 merge -q -o shared native.lfb =! is a shared filter that other processes may be using
2 build -p 0.1 -o keyed_mapped abc =! is a shared filter that other processes may be using
and cmp -s shared untouched.shared
0 convert --to mapped native.lfb untouched.shared
2 build --shared --key-file key -n 77 -o keyed_mapped abc \
  =! , with its key not in the file: leave out the options that differ
and equal "$(grep -c seed err)" 0
$ : >empty
2 build --shared -p 0.1 -o empty abc =! empty: an empty file, not a filter
$ ln -s nowhere dangling
2 build --shared -p 0.1 -o dangling abc =! dangling: a symbolic link to nothing
2 claim --window 1h -n 10 -p 0.1 --shared dangling abc =! dangling: a symbolic link to nothing
# A state is no input and no output.
$ cp shared shared.was
2 claim --shared shared abc >>shared =! shared: is both output and state
2 claim --shared shared <shared =! shared: is both input and state
2 claim --shared ./shared abc shared =! shared: is a filter, not a list of keys
2 build --shared --json -o shared abc >>shared =! shared: is both output and state
2 claim --window 1h -n 10 -p 0.1 --shared empty abc >>empty =! empty: is both output and state
and cmp shared shared.was
# Two that start at the same time without -n: if the filter was made for fewer keys, the other
# warns.
$ seq 1 2000000 >many
$ build -q --shared -p 0.01 -o sized many 2>err_many &
$ build -q --shared -p 0.01 -o sized abc 2>err || :
$ wait $! && rc=0 || rc=$?
and between "$rc" 0 1
0 info --json sized
END
if [[ $(json expected_insertions) == 3 ]]; then
  # The file existed when this run looked for it, or was made while this run counted.
  check "the one with more keys says so" grep -qE \
    "made it for 3 distinct keys, but up to 2,000,000 come from this process|more than the 3 \
distinct keys" err_many
else
  check "the one with fewer has nothing to say" equal "$(cat err err_many)" ""
fi
head -c 100000 shared >cut
refuses "half a shared filter" "ends too early" "$tool" query cut abc

finish
