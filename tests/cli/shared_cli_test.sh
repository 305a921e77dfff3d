#!/bin/bash
# shared_cli_test.sh LFBLOOM: filters that several processes share, `--shared` and `--mode`.
source "$(dirname "$0")/checks.sh"

given abc key hash1.lfb native.lfb
wide=$(default_strategy)
"$tool" build -q --form mapped --key-file key -p 1e-6 -o keyed_mapped abc
seq 1 20000 >first_half
seq 20001 40000 >second_half
"$tool" build -q --shared -n 40000 -p 0.01 -o shared first_half 2>err &
"$tool" build -q --shared -n 40000 -p 0.01 -o shared second_half 2>>err
wait $! && rc=0 || rc=$?
check "two builders of one filter" equal "$rc$(cat err)" 0
prints "query of a shared filter" 0 40000 "$tool" query -c shared first_half second_half
reports "info of a shared filter" 0 "form expected_insertions" "mapped 40000" \
  "$tool" info --json shared
set_before=$(json bits_set)
reports "into a shared filter, again" 0 "new_keys form" "0 mapped" \
  "$tool" build --shared --json -o shared first_half
refuses "another -n" "shared exists already, made with -n 40000 -p 0.01 --strategy fast" \
  "$tool" build --shared -n 50000 -o shared first_half
refuses "another -p" "shared exists already" "$tool" build --shared -p 0.1 -o shared first_half
refuses "shared, new, no -p" "no -p given" "$tool" build --shared -o new_one first_half
check "shared: not made" test ! -e new_one
refuses "shared and a form" "--shared allows only --form mapped" \
  "$tool" build --shared --form guava -p 0.1 -o x abc
refuses "shared and standard output" "needs a file" "$tool" build --shared -p 0.1 -o - abc
gives "shared and its form" 0 "$tool" build -q --shared --form mapped -o shared first_half
refuses "another key" "not the key that the filter was made with" \
  "$tool" build --shared --key-file key -o shared abc
refuses "the hash of another filter" "not the key that the filter was made with" \
  "$tool" build --shared -n 10 -p 0.1 --like hash1.lfb -o shared abc
gives "a shared filter with the hash of another" 0 \
  "$tool" build -q --shared --like hash1.lfb -n 10 -p 0.1 -o like abc
gives "put into it again, with the same hash" 0 \
  "$tool" build -q --shared --like hash1.lfb -n 10 -p 0.1 -o like abc
gives "a shared filter without a key" 0 \
  "$tool" build -q --shared --hash xxh3 -n 10 -p 0.1 -o unkeyed abc
refuses "a key for one without" "without a key" "$tool" build --shared --key-file key -o unkeyed abc
refuses "a hash that it does not have" "--strategy $wide --hash xxh3 --seed " \
  "$tool" build --shared --hash siphash13 -o unkeyed abc
cp native.lfb untouched.lfb
refuses "shared over another form" "convert --to mapped" "$tool" build --shared -o native.lfb abc
check "which stays" cmp -s native.lfb untouched.lfb
gives "convert from shared" 0 "$tool" convert --to native shared snapshot.lfb
gives "convert to shared" 0 "$tool" convert --to mapped snapshot.lfb copied
reports "info of the copy" 0 "bits_set form" "$set_before mapped" "$tool" info --json copied
prints "query of the copy" 0 20000 "$tool" query -c copied first_half
gives "into the copy" 0 "$tool" build -q --shared -o copied abc
gives "verify of a shared filter" 0 "$tool" verify shared
prints "a shared filter by a pipe" 0 20000 "$tool" query -c /dev/fd/5 second_half 5< <(cat shared)
# Killed during puts: its puts are there, and the figures match the bits at once.
yes | "$tool" build -q --shared -o shared first_half - &
builder=$!
until [[ -n $(jobs -r) ]]; do :; done
sleep 0.2
kill -KILL $builder
wait $builder 2>/dev/null
gives "info after a death" 0 "$tool" info --json shared
after=$(json bits_set)
gives "convert after a death" 0 "$tool" convert --to native shared snapshot.lfb
reports "the bits themselves" 0 bits_set "$after" "$tool" info --json snapshot.lfb
gives "build after a death" 0 "$tool" build -q --shared -o shared first_half
prints "query after a death" 0 40000 "$tool" query -c shared first_half second_half
# The permissions of a new shared filter.
gives "a new shared filter" 0 "$tool" build -q --shared -n 10 -p 0.1 -o modes abc
check "is for its owner alone" equal "$(stat -c %a modes)" 600
gives "an option that comes too late" 0 "$tool" build -q --shared --mode=644 -o modes abc
check "changes nothing" equal "$(stat -c %a modes)" 600
rm modes
mask=$(umask)
umask 022
for mode in 0640 640 000640 0 0000 0777 444; do
  wanted=$(printf %o $((8#$mode == 0 ? 0600 : 8#$mode & ~022)))
  for command in "build -q --shared --hash xxh3 --mode=$mode -n 10 -p 0.1 -o" \
    "dedupe -q --hash xxh3 --mode $mode -n 10 -p 0.1 --shared"; do
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
  "dedupe --mode 640 -n 10 -p 0.1 --shared"; do
  # shellcheck disable=SC2086 # the command and its options
  refuses "${command%% *} --mode, and a key that was drawn" \
    "the file would hold the secret key of its hash" \
    "$tool" $command modes abc
done
check "nothing was made" test ! -e modes
gives "--mode and a key that stays out of the file" 0 \
  "$tool" build -q --shared --mode 0640 --key-file key -n 10 -p 0.1 -o modes abc
check "--mode and a key that stays out: as it was asked for" equal "$(stat -c %a modes)" 640
rm modes
refuses "--mode and a key kept" "for its owner alone" \
  "$tool" build -q --shared --mode 0666 --key-file key --keep-key -n 10 -p 0.1 -o modes abc
refuses "--mode and a key kept, as in another file" "for its owner alone" \
  "$tool" build -q --shared --mode 0666 --like hash1.lfb -n 10 -p 0.1 -o modes abc
check "neither was made" test ! -e modes
umask "$mask"
for mode in '' 8 1000 00001000 77777777777777777777777 -1 +1 0x1ff 0o600 ' 600' '600 ' 6.0 rw; do
  refuses "--mode '$mode'" "--mode '$mode': not an octal number from 0 to 0777" \
    "$tool" build --shared --mode="$mode" -n 10 -p 0.1 -o modes abc
  refuses "dedupe --mode '$mode'" "not an octal number from 0 to 0777" \
    "$tool" dedupe --mode="$mode" -n 10 -p 0.1 --shared modes abc
done
refuses "--mode alone" "--mode applies only to a new file of --shared" \
  "$tool" build --mode 600 -p 0.1 -o modes abc
refuses "--mode and --form" "--mode applies only to a new file of --shared" \
  "$tool" build --mode 600 --form mapped -p 0.1 -o modes abc
refuses "dedupe, --mode alone" "--mode applies only to a new file of --shared" \
  "$tool" dedupe --mode 600 -p 0.1 abc
refuses "--mode on Redis" "--mode does not apply to a filter on Redis" \
  "$tool" build --shared --mode 600 -p 0.1 -o redis://localhost:1/modes abc
check "none was made" test ! -e modes
gives "build without a key" 0 "$tool" build -q --form mapped --hash xxh3 -n 10 -p 0.1 -o unkeyed abc
gives "merge shared filters" 0 "$tool" merge -q -o merged.shared unkeyed unkeyed
reports "info of what they were merged to" 0 form mapped "$tool" info --json merged.shared
chmod 640 merged.shared
gives "convert in place" 0 "$tool" convert --to mapped merged.shared merged.shared
check "its permissions stay" equal "$(stat -c %a merged.shared)" 640
gives "build into what it is now" 0 "$tool" build -q --shared -o merged.shared abc
gives "query what it is now" 0 "$tool" query -c merged.shared abc
# Two concurrent runs share a filter: one of them prints each key, and no later run does.
seq 1 30000 >ours
seq 10001 40000 >theirs
"$tool" dedupe -q --shared claimed -n 40000 -p 1e-9 ours >first 2>err &
"$tool" dedupe -q --shared claimed -n 40000 -p 1e-9 theirs >second 2>>err
wait $! && rc=0 || rc=$?
check "two that dedupe" equal "$rc$(cat err)" 0
check "each key once" equal "$(sort -n first second | md5sum)" "$(seq 1 40000 | md5sum)"
reports "dedupe again" 0 "in out" "30000 0" "$tool" dedupe --json --shared claimed ours
refuses "dedupe, other -p" "claimed exists already" "$tool" dedupe --shared claimed -p 0.5 ours
refuses "dedupe, shared and new, no -p" "no -p given" "$tool" dedupe --shared nowhere ours
# A file that is deleted or replaced while in use: other runs claim its keys again.  Each of these
# was seen to pass without an error, with status 0.
mkfifo gone_in gone_out
for loss in "rm gone" "cp claimed gone.new" "$tool build -q --form mapped -p 0.1 -o gone abc"; do
  "$tool" dedupe -q --shared gone -n 1000 -p 1e-9 --threads 1 <gone_in >gone_out 2>err &
  exec 7>gone_in 8<gone_out
  echo once >&7
  read -r -t 60 answer <&8
  $loss
  [[ -e gone.new ]] && mv gone.new gone
  exec 7>&- 8<&-
  wait $! && rc=0 || rc=$?
  check "dedupe tells of its file: $loss" is_error \
    "the path no longer names this file: it was deleted or replaced while open"
  rm -f gone
done
cp shared untouched.shared
refuses "a shared filter, --shared forgotten" "shared: is a shared filter that" \
  "$tool" build -p 0.01 -o shared abc
refuses "a shared filter, another form" "'lfbloom build --shared'" \
  "$tool" build -p 0.01 --form guava -o shared abc
refuses "convert over a shared filter" "is a shared filter that other processes may be using" \
  "$tool" convert --to native native.lfb shared
refuses "merge over a shared filter" "is a shared filter that other processes may be using" \
  "$tool" merge -q -o shared native.lfb
refuses "over a shared filter with a key" "is a shared filter that other processes may be using" \
  "$tool" build -p 0.1 -o keyed_mapped abc
check "which stays as it is" cmp -s shared untouched.shared
gives "by one of its form" 0 "$tool" convert --to mapped native.lfb untouched.shared
refuses "a keyed one is there" ", with its key not in the file: leave out the options that differ" \
  "$tool" build --shared --key-file key -n 77 -o keyed_mapped abc
check "a keyed one has no seed" equal "$(grep -c seed err)" 0
: >empty
refuses "shared onto an empty file" "empty: an empty file, not a filter" \
  "$tool" build --shared -p 0.1 -o empty abc
ln -s nowhere dangling
refuses "shared onto a link to nothing" "dangling: a symbolic link to nothing" \
  "$tool" build --shared -p 0.1 -o dangling abc
# Two that start at the same time without -n: if the filter was made for fewer keys, the other
# warns.
seq 1 2000000 >many
"$tool" build -q --shared -p 0.01 -o sized many 2>err_many &
"$tool" build -q --shared -p 0.01 -o sized abc 2>err
wait $! && rc=0 || rc=$?
check "two at once without -n: done, or done and useless" between "$rc" 0 1
gives "info of what they made" 0 "$tool" info --json sized
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
