# shellcheck shell=bash disable=SC2154 # its variables are set where it is sourced
# write.sh - the report's text and pictures from the CSV files in $out; to be sourced.

table() { # script, file, variables
  awk "${@:3}" -f bench/reporting/lib.awk -f "bench/reporting/$1.awk" "$out/$2.csv"
}

words_at() { # fpp
  awk -F, -v fpp="$1" '$1 == "fast" && $2 == fpp { print $4 }' "$out/fpp.csv"
}

# A picture, and below it which machine, when and by what.
picture() { # file, what it shows
  printf '![%s](%s.svg)\n\n' "$2" "$1"
  echo "<sub>$(describe_briefly): \`$command\`</sub>"
}

write_report() {
  local command="./bazelw run -c opt //bench:report${flags[*]:+ -- ${flags[*]}}"
  cat <<END
<!-- made by: $command -->

# The measured report

Limits of the machine, lfbloom and its peers, turn and turn about in one run; medians of
$rounds rounds.  Nanoseconds are wall time from the first thread's start to the last one's
end, by all operations.  All figures: [report.csv](report.csv), [fpp.csv](fpp.csv),
[memory.csv](memory.csv).

$(describe_machine)

What operations are:

- query present, query absent, put present: of a filter that holds the n keys it is for.
- put new: the mean over filling from empty to n.
- mixed 90, mixed 50: so many queries in 100 operations, half of them of keys that are
  in; the others put new keys.
- single: by a call for each key; inline: by lfbloom/fast.h; inline512: by
  lfbloom/fast_avx512.h; many: 1024 keys a call; claim, claim many: a claim instead of the
  put, by a call for each key and 1024 a call; batch15, batch49: calls of so many keys
  for each 64 bytes of the filter; build: by lfbloom/builder.h, handing over apart.
- hash: 64 bits that are the key's hash already; u64: numbers; bytes8, bytes36, names:
  8 bytes, UUIDs and names as bytes.

What limits are, on random lines of so much memory:

- read: loads, 128 lines asked for ahead; load: without asking ahead.
- lock cmpxchg: that, 128 lines asked for ahead to be written; two cmpxchg a line: two
  words of each line; plain store: load and store, which loses updates.
- On huge pages, with 4k on pages of 4 KiB.

## What was wanted of \`fast\`

$(table targets report -v wide="$(words_at 0.001)")

A filter takes, beside its bits, less than 64 KiB; bytes that the library asked for:

$(table memory memory)

## Every call at every size

$(picture size "ns per operation against filter size")

One thread, hashes given, ns an operation:

$(table sizes report)

## Threads that share one filter

$(picture threads "rate against threads")

Hashes given, 1 %, million operations a second.  libbloom is not for threads.

$(table threads report)

## Peers

$(picture peers "peers and limit")

ns an operation, 1 %, one thread; in brackets how many times as long as \`fast\` by the same
call with the same keys.  mutex: the bit array of \`fast\` behind a mutex, plain reads and
writes (many: locked once for 1024 keys).  ck-bitmap: the classic filter on
ConcurrencyKit's bitmap.  libbloom: libbloom 1.6, not for threads.  Guava: 31.1 on the
JVM, Funnels.longFunnel(), of which guava-mitz64 is the same filter bit for bit.  The
picture's limit: a line loaded without asking ahead, and for a new key two words of a
line written.

$(table peers report)

## Keys

ns an operation, 1 %, one thread.

$(table keys report)

## False positives

$(picture fpp "false-positive probability against bits per key")

$keys keys; words: of one line, that a key's bits lie in.

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
