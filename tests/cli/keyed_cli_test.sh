#!/bin/bash
# keyed_cli_test.sh LFBLOOM: filters with a secret key.
source "$(dirname "$0")/checks.sh"

given abc key
unhex 000102030405060708090a0b0c0d0e0f >raw_key
echo 000102030405060708090a0b0c0d0e10 >other_key
printf '000102030405060708090a0b0c0d0e0f\r\n' >crlf_key
table <<'END'
0 build -q --key-file key -p 1e-6 -o keyed_one abc
2 query keyed_one abc =! opens only with its key: give --key-file
2 query --key-file other_key keyed_one abc =! not the key
0 query -c --key-file crlf_key keyed_one abc => 3
0 info --key-file key keyed_one => ...its key is not in the file...
0 verify --key-file key keyed_one
0 verify --key-file other_key keyed_one
0 build -q --key-file key --keep-key -p 1e-6 -o keyed_two abc
0 query -c keyed_two abc => 3
0 info keyed_two => ...its key is in the file...
# A user that can read the secret key can choose keys that are all false positives.  Seen to be 644.
0 build -q --key-file key --keep-key --form mapped -p 0.1 -o secret_kept abc
and equal "$(stat -c %a secret_kept)" 600
$ rm secret_kept
0 build -q --key-file key --keep-key --shared -p 0.1 -n 10 -o secret_kept abc
and equal "$(stat -c %a secret_kept)" 600
and equal "$(stat -c %a keyed_two)" 600
$ chmod 640 keyed_two
0 build -q --key-file key --keep-key -p 1e-6 -o keyed_two abc
and equal "$(stat -c %a keyed_two)" 600
0 convert --to native keyed_two keyed_three
and equal "$(stat -c %a keyed_three)" 600
and equal "$(stat -c %a keyed_one)" "$(printf %o $((0666 & ~$(umask))))"
0 merge -q --key-file key -o keyed_both keyed_one keyed_two
0 convert --key-file key --to mapped keyed_one keyed_mapped
0 query -c --key-file key keyed_mapped abc => 3
0 build -q --shared --key-file key -o keyed_mapped abc
2 build -q --shared -o keyed_mapped abc =! opens only with its key: give --key-file
2 build --shared --key-file key --keep-key -o keyed_mapped abc =! with its key not in the file
0 verify keyed_mapped => ...mapped, a keyed hash...

$ echo 00000000000000000000000000000000 >no_key
2 build --key-file no_key -p 0.1 -o x abc =! a key must not be all zeros
2 build --key-file raw_key -p 0.1 -o x abc =! not a key of 32 hexadecimal digits
$ printf '000102030405060708090a0b0c0d0e0f\n\n' >long_key
2 query --key-file long_key keyed_one abc =! not a key of 32 hexadecimal digits
2 build --key-file key --seed 3 -p 0.1 -o x abc =! cannot be combined
2 query --key-file abc keyed_one abc =! not a key of 32
2 query --key-file nowhere keyed_one abc =! nowhere
2 build --keep-key -p 0.1 -o x abc =! --keep-key needs --key-file
END

finish
