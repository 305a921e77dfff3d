#!/bin/bash
# info_cli_test.sh LFBLOOM: `lfbloom info`, and filters from standard input and pipes.
source "$(dirname "$0")/checks.sh"

given abc abc.bloom native.lfb full.bloom
mkdir folder
table <<'END'
0 info --json abc.bloom
and equal "$(cat out)" '{"form": "guava", "strategy": "guava-mitz64", \
  "expected_insertions": null, "fpp": null, "bits": 128, "reachable_bits": 128, "bytes": 16, \
  "probes": 7, "bits_set": 21, "approximate_count": 3, "expected_fpp": 0.00042239944186048695, \
  "saturated": false, "hash": null, "keyed": false, "key_type": null, \
  "written": null, "seed": null}'
$ info --json - <abc.bloom >out2 2>err && rc=0 || rc=$?
and cmp out out2
$ cat abc.bloom | info --json - >out2 2>err && rc=0 || rc=$?
and cmp out out2
? query -c - abc <abc.bloom
and equal "$rc$(cat out)" 03
$ mkfifo filter_pipe
$ cat abc.bloom >filter_pipe &
0 timeout 60 "$tool" info --json filter_pipe => <out2
$ wait $!
0 convert --to guava <(cat abc.bloom) piped.bloom && cmp abc.bloom piped.bloom
0 verify <(cat native.lfb)
END
for path in folder /dev/zero; do
  refuses "info of $path" "$path: not a regular file: a directory" timeout 60 "$tool" info "$path"
  refuses "query of $path" "$path: not a regular file: a directory" \
    timeout 60 "$tool" query "$path" abc
done
table <<'END'
2 query - =! cannot both be standard input
2 query - abc - =! cannot both be standard input
$ : >nothing_in
0 build -q -p 0.1 -o keyless.lfb nothing_in
0 info keyless.lfb => /^made for keys +0$/
0 info abc.bloom => /^probes per key +7$/
0 info abc.bloom => /^keys +unknown \(not recorded: see --keys of query\)$/
0 info --json full.bloom => {saturated=true approximate_count=null expected_fpp=1}
0 info full.bloom => ...every answer is "maybe"...
? printf 'anything' | query full.bloom
and equal "$(cat out)$rc" anything0
2 info =! no filter given
2 info abc.bloom abc.bloom =! one filter only
2 info folder =! folder:
END

finish
