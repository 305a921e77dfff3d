#!/bin/bash
# info_cli_test.sh LFBLOOM: `lfbloom info`, and filters from standard input and pipes.
source "$(dirname "$0")/checks.sh"

given abc abc.bloom native.lfb full.bloom
mkdir folder
gives "info" 0 "$tool" info --json abc.bloom
check "info" equal "$(cat out)" \
  '{"form": "guava", "strategy": "guava-mitz64", "expected_insertions": null, "fpp": null, '\
'"bits": 128, "reachable_bits": 128, "bytes": 16, "probes": 7, "bits_set": 21, '\
'"approximate_count": 3, "expected_fpp": 0.00042239944186048695, "saturated": false, '\
'"hash": null, "keyed": false, "written": null, "seed": null}'
"$tool" info --json - <abc.bloom >out2 2>err && rc=0 || rc=$?
check "info of standard input" cmp out out2
cat abc.bloom | "$tool" info --json - >out2 2>err && rc=0 || rc=$?
check "info of a pipe" cmp out out2
"$tool" query -c - abc <abc.bloom >out 2>err && rc=0 || rc=$?
check "query a filter from standard input" equal "$rc$(cat out)" 03
mkfifo filter_pipe
cat abc.bloom >filter_pipe &
same "info of a named pipe" 0 out2 timeout 60 "$tool" info --json filter_pipe
wait $!
gives "convert from a pipe" 0 "$tool" convert --to guava <(cat abc.bloom) piped.bloom
check "convert from a pipe" cmp abc.bloom piped.bloom
gives "verify of a pipe" 0 "$tool" verify <(cat native.lfb)
for path in folder /dev/zero; do
  refuses "info of $path" "$path: not a regular file: a directory" timeout 60 "$tool" info "$path"
  refuses "query of $path" "$path: not a regular file: a directory" \
    timeout 60 "$tool" query "$path" abc
done
refuses "query all from standard input" "cannot both be standard input" "$tool" query -
refuses "query all from standard input, named" "cannot both be standard input" "$tool" query - abc -
: >nothing_in
gives "build of nothing" 0 "$tool" build -q -p 0.1 -o keyless.lfb nothing_in
gives "info of nothing" 0 "$tool" info keyless.lfb
check "made for no keys" grep -qxE 'made for keys +0' out
gives "info for people" 0 "$tool" info abc.bloom
check "info for people" grep -qE '^probes per key +7$' out
gives "info of a saturated filter" 0 "$tool" info --json full.bloom
check "saturated" equal "$(json saturated) $(json approximate_count) $(json expected_fpp)" \
  "true null 1"
shows "saturated, for people" 0 "every answer is \"maybe\"" "$tool" info full.bloom
printf 'anything' | "$tool" query full.bloom >out 2>err && rc=0 || rc=$?
check "a saturated filter says maybe" equal "$(cat out)$rc" anything0
refuses "info: no filter" "no filter given" "$tool" info
refuses "info: two" "one filter only" "$tool" info abc.bloom abc.bloom
refuses "info: a directory" "folder: " "$tool" info folder

finish
