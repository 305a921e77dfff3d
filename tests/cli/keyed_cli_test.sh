#!/bin/bash
# keyed_cli_test.sh LFBLOOM: filters with a secret key.
source "$(dirname "$0")/checks.sh"

given abc key
unhex 000102030405060708090a0b0c0d0e0f >same_key
echo 000102030405060708090a0b0c0d0e10 >other_key
gives "build keyed" 0 "$tool" build -q --key-file key -p 1e-6 -o keyed_one abc
refuses "query keyed, no key" "opens only with its key: give --key-file" "$tool" query keyed_one abc
refuses "query keyed, wrong key" "not the key" "$tool" query --key-file other_key keyed_one abc
prints "query keyed" 0 "$(grep -c . abc)" "$tool" query -c --key-file same_key keyed_one abc
shows "info keyed" 0 "its key is not in the file" "$tool" info --key-file key keyed_one
gives "verify keyed" 0 "$tool" verify --key-file key keyed_one
gives "build keyed, key kept" 0 "$tool" build -q --key-file key --keep-key -p 1e-6 -o keyed_two abc
gives "query, key kept" 0 "$tool" query -c keyed_two abc
shows "info, key kept" 0 "its key is in the file" "$tool" info keyed_two
# A user that can read the secret key can choose keys that are all false positives.  Seen to be 644.
for make in "build -q --form mapped -p 0.1 -o" "build -q --shared -p 0.1 -n 10 -o"; do
  # shellcheck disable=SC2086
  gives "key kept: $make" 0 "$tool" ${make%% *} --key-file key --keep-key ${make#* } secret_kept abc
  check "key kept, for its owner alone: $make" equal "$(stat -c %a secret_kept)" 600
  rm secret_kept
done
check "key kept, for its owner alone" equal "$(stat -c %a keyed_two)" 600
chmod 640 keyed_two
gives "key kept, replaced" 0 "$tool" build -q --key-file key --keep-key -p 1e-6 -o keyed_two abc
check "key kept, for its owner alone, whatever was there" equal "$(stat -c %a keyed_two)" 600
gives "convert, key kept" 0 "$tool" convert --to native keyed_two keyed_three
check "convert, key kept, for its owner alone" equal "$(stat -c %a keyed_three)" 600
check "key not kept, for all" equal "$(stat -c %a keyed_one)" "$(printf %o $((0666 & ~$(umask))))"
gives "merge keyed" 0 "$tool" merge -q --key-file key -o keyed_both keyed_one keyed_two
gives "convert keyed" 0 "$tool" convert --key-file key --to mapped keyed_one keyed_mapped
gives "query keyed, mapped" 0 "$tool" query -c --key-file key keyed_mapped abc
gives "build into keyed, mapped" 0 "$tool" build -q --shared --key-file key -o keyed_mapped abc
refuses "build into it without" "opens only with its key: give --key-file" \
  "$tool" build -q --shared -o keyed_mapped abc
refuses "keep a key that is not kept" "with its key not in the file" \
  "$tool" build --shared --key-file key --keep-key -o keyed_mapped abc
shows "verify keyed, mapped, no key" 0 "mapped, a keyed hash" "$tool" verify keyed_mapped
gives "verify with another key" 0 "$tool" verify --key-file other_key keyed_one
printf '000102030405060708090a0b0c0d0e0f\r\n' >crlf_key
gives "a key file with a carriage return" 0 "$tool" query -c --key-file crlf_key keyed_one abc
echo 00000000000000000000000000000000 >no_key
refuses "zeros are no key" "a key must not be all zeros" \
  "$tool" build --key-file no_key -p 0.1 -o x abc
# Each of these was seen to be accepted as a key, or to be refused without a reason.
printf 0123456789abcdef >half_key
refuses "half a key" "16 characters of text are not a key" \
  "$tool" build --key-file half_key -p 0.1 -o x abc
echo 0123456789abcde >half_key
refuses "15 characters and a newline" "16 characters of text" \
  "$tool" build --key-file half_key -p 0.1 -o x abc
printf '000102030405060708090a0b0c0d0e0f\n\n' >long_key
refuses "a key and an empty line" "not a key: more than 32 hexadecimal digits" \
  "$tool" query --key-file long_key keyed_one abc
refuses "key and seed" "cannot be combined" "$tool" build --key-file key --seed 3 -p 0.1 -o x abc
refuses "no key" "not a key of 32" "$tool" query --key-file abc keyed_one abc
refuses "no key file" "nowhere" "$tool" query --key-file nowhere keyed_one abc
refuses "keep what" "--keep-key needs --key-file" "$tool" build --keep-key -p 0.1 -o x abc

finish
