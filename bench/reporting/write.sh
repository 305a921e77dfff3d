# shellcheck shell=bash disable=SC2154 # its variables are set where it is sourced
# write.sh - makes the report's text and pictures from the CSV files in $out; source it.

table() { # script, file, variables
  awk "${@:3}" -f bench/reporting/lib.awk -f "bench/reporting/$1.awk" "$out/$2.csv"
}

# A picture; below it the machine, the date and the command.
picture() { # file, what it shows
  printf '![%s](%s.svg)\n\n' "$2" "$1"
  echo "<sub>$(describe_briefly): \`$command\`</sub>"
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
- single: one call per key; inline: by lfbloom/fast.h; inline512: by
  lfbloom/fast_avx512.h; many: 1024 keys per call; claim, claim many: a claim instead of the
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

## Targets

$(table targets report)

In addition to its bits, a filter takes less than 64 KiB.  Bytes that the library asked for:

$(table memory memory)

## Every call at every size

$(picture size "ns per operation against filter size")

One thread, hashes given, ns per operation:

$(table sizes report)

## Threads that share one filter

$(picture threads "rate against threads")

Hashes given, 1 %, million operations per second; in brackets the multiple of the limit's time with
as many threads.  libbloom is not for threads.

$(table threads report)

## Peers

$(picture peers "peers and limit")

ns per operation, 1 %, one thread; in brackets the multiple of the time of \`fast\` by the same
call with the same keys.  mutex: the bit array of \`fast\` under a mutex, plain reads and
writes (many: locked once for 1024 keys).  ck-bitmap: the classic filter on
ConcurrencyKit's bitmap.  libbloom: libbloom 1.6, not for threads.  Guava: 31.1 on the
JVM, Funnels.longFunnel(); guava-mitz64 is the same filter bit for bit.  The
picture's limit is that of \`fast\`: a line read with 128 prefetched, and for a new key two words
of a line written.

$(table peers report)

## Keys

ns per operation, 1 %, one thread.

$(table keys report)

## False positives

$(picture fpp "false-positive probability against bits per key")

$keys keys; words: the words of one line that have a key's bits.

$(table fpp fpp)
END
}

draw_pictures() {
  local picture
  for picture in size threads fpp peers; do
    gnuplot -e "out = '$out'; panels = '$panels'; shared_size = '$shared_size'" \
      bench/reporting/style.gp "bench/reporting/$picture.gp" >"$out/$picture.svg"
  done
}
