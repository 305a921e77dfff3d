#!/bin/bash
# large_cli_test.sh TOOL: `lfbloom query` and `info` open files of 64 MiB or more in place: with the
# answers of a loaded filter, and without its memory.
#
# Seen to fail with such files loaded.
set -uo pipefail
tool=$(realpath "$1")
source "$(dirname "$0")/checks.sh"

# A loaded filter does not fit; a sanitizer does not either.
limit=(prlimit --data=40000000)
if ! "${limit[@]}" "$tool" --version >out 2>err; then
  not_here "limits on memory (sanitizer)"
  limit=()
fi
# The most memory that the command has had, in KiB, with the pages of the file that it touched.
peak() { sed -nE 's/^VmHWM:\s+([0-9]+) kB$/\1/p' "/proc/$1/status"; }

seq 1 2000 >keys
seq 1500 3500 >asked # the pipe is read into memory: the loaded way
for form in native guava; do
  gives "$form: build" 0 "$tool" build -q -n 60M -p 0.01 --form $form -o large keys
  check "$form: it is large" test "$(stat -c %s large)" -ge $((64 << 20))
  gives "$form: query" 0 "${limit[@]}" "$tool" query --threads 1 large asked
  mv out in_place
  same "$form: query, loaded" 0 in_place "$tool" query --threads 1 <(cat large) asked
  check "$form: every key is in" equal "$(head -n 501 in_place)" "$(seq 1500 2000)"
  gives "$form: info" 0 "${limit[@]}" "$tool" info large
  mv out in_place
  same "$form: info, loaded" 0 in_place "$tool" info <(cat large)
  [[ ${#limit[@]} == 0 ]] && continue
  refuses "$form: the limit is below a loaded filter" "out of memory" \
    "${limit[@]}" "$tool" query --threads 1 <(cat large) asked
  mkfifo keys_in keys_out
  "$tool" query --no-verify large <keys_in >keys_out 2>err &
  exec 7>keys_in 8<keys_out
  printf '%s\n' 1 9000 2 >&7
  read -r -t 60 first <&8
  read -r -t 60 second <&8
  check "$form: it answers" equal "$first $second" "1 2"
  check "$form: of few keys in little memory" between "$(peak $!)" 1 $((20 << 10))
  exec 7>&- 8<&-
  rm keys_in keys_out
  wait $! && rc=0 || rc=$?
  check "$form: the end of the pipe ends it" equal "$rc$(cat err)" 0
done

# In place the checksums of the words are compared beside the query, which ends with an error.
gives "build" 0 "$tool" build -q -n 60M -p 0.01 -o large keys
printf X | dd of=large bs=1 seek=$((32 << 20)) conv=notrunc 2>/dev/null
run "$tool" query -c large keys
check "query, damaged" is_error "(see 'lfbloom verify')"
run "$tool" query large < <(cat keys; sleep 60)
check "query, damaged: before the end" is_error "(see 'lfbloom verify')"
run "$tool" query -f large -f large keys
check "query, damaged and twice" is_error "(see 'lfbloom verify')"
refuses "info, damaged" "(see 'lfbloom verify')" "$tool" info large
gives "query --no-verify, damaged" 0 "$tool" query --no-verify -c large keys
gives "info --no-verify, damaged" 0 "$tool" info --no-verify large
refuses "query, damaged and loaded" "(see 'lfbloom verify')" "$tool" query -c <(cat large) keys
gives "verify, damaged" 1 "$tool" verify large

finish
