#!/bin/bash
# hostile_cli_test.sh LFBLOOM: files that are no filters, or filters that claim too much.
source "$(dirname "$0")/checks.sh"

given abc abc.bloom
limit=()
if prlimit --as=400000000 "$tool" --version >out 2>err; then
  limit=(prlimit --as=400000000) # a sanitizer's shadow memory needs more
else
  not_here "limits on memory (sanitizer)"
fi
refuse_file() { # NAME TEXT HEX
  unhex "$3" >hostile
  for command in info query; do
    refuses "$command: $1" "$2" timeout 60 "${limit[@]}" "$tool" "$command" hostile
  done
  run timeout 60 "${limit[@]}" "$tool" verify hostile
  check "verify: $1" test "$rc" = 1 -o "$rc" = 2
}
# Files of other programs, by their first bytes.  DCSO's were seen to be "claims to have no probes".
refuse_file "DCSO's" "this is a DCSO filter" \
  0100000000000000e8030000000000007b14ae47e17a843f07000000000000008125000000000000000000000000000000
run "$tool" verify hostile
check "verify: DCSO's is no damage" equal "$rc $(cat err)" \
  "2 lfbloom: hostile: this is a DCSO filter (Go), which lfbloom does not read"
refuse_file "bits-and-blooms's" "bits-and-blooms (Go) as JSON" \
  7b226d223a3935392c226b223a372c2262223a7d
refuse_file "Java's" "a serialized Java object" aced00057372002c636f6d2e676f6f676c65
refuse_file "Parquet's, whole" "a Parquet file, which lfbloom does not read" 5041523115041500
refuse_file "Parquet's, encrypted" "an encrypted Parquet file" 5041524515041500
refuse_file "Redis's" "a dump of Redis" 524544495330303131
refuse_file "gzip's" "compressed with gzip" 1f8b080000000000
refuse_file "zstd's" "compressed with zstd" 28b52ffd2000
refuse_file "xz's" "compressed with xz" fd377a585a000004
refuse_file "a mark begun" "the filter ends too early" 01050000
refuse_file "Guava's of no probes" "claims to have no probes" 010000000001000000000000000000
refuse_file "empty" "the filter ends too early" ""
refuse_file "header cut" "the filter ends too early" 0105000000
refuse_file "16 GiB claimed by 6 bytes" "the filter ends too early" 01057fffffff
refuse_file "16 GiB claimed, one word there" "the filter ends too early" \
  01057fffffff0000000000000001
refuse_file "last byte missing" "the filter ends too early" 01050000000100000000000000
refuse_file "a byte too many" "is followed by bytes" 01050000000100000000000000000f
refuse_file "no words" "impossible number of words" 010500000000
refuse_file "negative words" "impossible number of words" 0105ffffffff
refuse_file "no probes" "no probes" 0100000000010000000000000000
refuse_file "Parquet's header cut" "the filter ends too early" 15401c1c00001c
refuse_file "Parquet's with 33 bytes" "impossible number of words" 15421c1c00001c1c00001c1c000000
refuse_file "2 GiB claimed by Parquet's header" "the filter ends too early" \
  15c0ffffff0f1c001c001c0000
refuse_file "another algorithm of Parquet's" "does not exist" 15401c2c00001c1c00001c1c000000
refuse_file "unknown strategy" "" 0205000000010000000000000000
refuse_file "negative strategy" "" ff05000000010000000000000000
(unhex 01057fffffff && head -c 5000000 /dev/zero) >hostile
cat hostile | timeout 60 "${limit[@]}" "$tool" info /dev/stdin >out 2>err && rc=0 || rc=$?
check "16 GiB claimed through a pipe" is_error "ends too early"
if ((${#limit[@]})); then
  refuses "no memory for the filter" "keys at -p 0.01: out of memory: it takes" "${limit[@]}" \
    "$tool" build --form guava -n 1e9 -p 0.01 -o x abc
  refuses "no memory for the demo" "out of memory: it takes" "${limit[@]}" "$tool" demo -n 1e9 -p 0.01
  run "${limit[@]}" "$tool" query --threads 4000 abc.bloom abc
  check "no memory for all threads: an error, or all keys" eval '((rc == 2)) || cmp out abc'
  check "no memory for all threads: said" holds err " of 4000 threads are used: "
  refuses "no memory for the demo's threads" "cannot start thread" \
    "${limit[@]}" "$tool" demo -n 1000 -p 0.01 --threads 4000
  head -c 500000000 /dev/zero | tr '\0' x |
    "${limit[@]}" "$tool" build --form guava -q -n 1 -p 0.01 -o x >out 2>err && rc=0 || rc=$?
  check "no memory for a line of 500 MB" is_error " memory"
  check "no file from any of them" test ! -e x
fi

finish
