# shellcheck shell=bash disable=SC2154 # its variables are set where it is sourced
# write.sh - makes the report's text and pictures from the CSV files in $out; source it.

# One that fails leaves $work/no_table, since a here-document goes on without it.
table() { # scripts, file, variables
  local script scripts=(-f bench/reporting/lib.awk)
  for script in $1; do scripts+=(-f "bench/reporting/$script.awk"); done
  awk "${@:3}" "${scripts[@]}" "$out/$2.csv" || : >"$work/no_table"
}

# A picture; below it the machine, the date and the command.
picture() { # file, what it shows
  printf '![%s](%s.svg)\n\n' "$2" "$1"
  echo "<sub>$(describe_briefly); medians of $rounds rounds: \`$command\`</sub>"
}

write_report() {
  local command="./bazelw run -c opt //bench:report${flags[*]:+ -- ${flags[*]}}"
  cat <<END
<!-- made by: $command -->

# The measured report

Limits of the machine, lfbloom and its peers, in turns in one run; medians of
$rounds rounds.  Nanoseconds are wall time from the first thread's start to the last one's
end, divided by all operations.  "1.10 ±3% (1.71)" is the median, half of what lies between the
least and the most of the rounds, and the multiple of the limit in the same rounds: of a line read
for queries and puts of present keys, of the strategy's locked operations on a line for puts of new
keys.  All figures: [report.csv](report.csv), [fpp.csv](fpp.csv), [memory.csv](memory.csv).

$(describe_machine)

Operations:

- query present, query absent, put present: on a filter that holds the n keys it is made for.
- put new: the mean over filling from empty to n.
- mixed 90, mixed 50: that many queries in 100 operations, half of them of present keys;
  the others put new keys.
- single: one call per key; many: 1024 keys per call; claim, claim many: a claim instead of the
  put, one key and 1024 keys per call; batch15, batch49: calls with that many keys
  for each 64 bytes of the filter; build: by lfbloom/builder.h, without its final count of bits.
- hash: the caller gives the key's hash, 64 bits; u64: numbers; bytes8, bytes36: 8 bytes, UUIDs as
  bytes.

Limits, on random lines of memory of that size:

- read: loads, 128 lines prefetched; load: without prefetching.
- lock cmpxchg: one per line, 128 lines prefetched for writing; two, four cmpxchg a line: as many
  words of each line; cmpxchg16b: two neighbouring words at once; plain store: load and store,
  which loses updates.
- On huge pages; 4k: on pages of 4 KiB.

## Every call at every size

$(picture size "ns per operation against filter size")

One thread, hashes given, ns per operation:

$(table sizes report)

## Threads that share one filter

$(picture two "two threads: million operations per second")

$(picture threads "rate against threads")

Hashes given, 1 %, million operations per second; in brackets the multiple of the limit's time with
as many threads.  libbloom is not for threads.

$(table threads report)

## Two threads that put

Hashes given, 1 %, ns per operation by wall time.  apart: each thread puts into its own half of the
filter's lines.  [What it shows](../performance.md#two-threads-that-put).

$(table contended report)

## Peers

$(picture peers-u64 "numbers: peers and limits")

$(picture peers-bytes36 "strings of 36 bytes: peers and limits")

One thread, 1 %.  Every filter gets the same keys, and hashes them as its users would:

| filter | hash of a number | of a string | call of many keys |
|---|---|---|---|
| lfbloom: the library's default, \`fast-pair\` | AES hash | AES hash | yes |
| guava-mitz64: lfbloom, bit for bit Guava's filter | Murmur3, 128 bits | the same | yes |
| mutex: the bit array of \`fast\` under a mutex, plain reads and writes | XXH3 | XXH3 | locked once for 1024 keys |
| ck-bitmap: the classic filter on ConcurrencyKit's bitmap | XXH3 | XXH3 | none |
| libbloom 1.6, not for threads | MurmurHash2 of its 8 bytes | MurmurHash2 | none |
| Guava 31.1 on the JVM | longFunnel | byteArrayFunnel | none |

Limits: a line read with 128 prefetched, or for a new key its locked operations on a line; XXH3 compiled
into the loop, without a filter.  In brackets the multiple of the time of lfbloom by the same call;
"single only" is compared with its single call.

Numbers of 64 bits, ns per operation:

$(table "peers_rows peers" report -v keys=u64)

Strings of 36 bytes:

$(table "peers_rows peers" report -v keys=bytes36)

## Hashes

ns per key or operation, one thread.  In brackets the multiple of XXH3 inlined.
$(table hashes report)

## What lives

ns per operation, 1 %, hashes given.
$(table living report)

## False positives

$(picture fpp "false-positive probability against bits per key")

$keys keys; words: the words of one line that have a key's bits.

$(table fpp fpp)

## Memory

In addition to its bits, a filter takes less than 64 KiB.  Bytes that the library asked for:

$(table memory memory)

## Targets

What the library is meant to reach, and in the last column why it does not.  "Within the rounds' spread":
less than a tenth is missing, and the rounds differ by more.

$(table "ratios targets" report)
END
}

draw() { # script, picture, further variables
  gnuplot -e "out = '$out'; panels = '$panels'; shared_size = '$shared_size'; ${3-}" \
    bench/reporting/style.gp "bench/reporting/$1.gp" >"$out/$2.svg"
}

draw_pictures() {
  local picture keys
  for picture in size two threads fpp; do draw "$picture" "$picture"; done
  for keys in u64 bytes36; do draw peers "peers-$keys" "keys = '$keys'"; done
}
