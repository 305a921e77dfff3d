# hashes.awk - hash functions, bare and in a filter, next to XXH3 compiled into the caller's loop.
# With lib.awk.

# A row of figures for "HASH/CALL" or "FILTER/CALL" columns; the first is the peer of the others.
# None if the peer was not measured.
function row(title, what, size, keys, fpp, columns,    count, column, i, part, line, value, peer) {
  count = split(columns, column, " ")
  for (i = 1; i <= count; i++) {
    split(column[i], part, "/")
    value = at(what, part[1], size, part[2], keys, fpp, 1)
    if (i == 1) peer = value
    if (peer == "") return
    line = line " " figure(value) (i == 1 || value == "" ? "" : sprintf(" (%.2f)", value / peer)) " |"
  }
  print "| " title " |" line
}

function bare(call, columns,    i) {
  for (i = 1; i <= key_count; i++)
    row(call " | " key_name[i], "hash", "", keys[i], "", columns)
}

function filter(what, call, peer,    s, k) {
  for (s = 1; s <= size_count; s++)
    for (k = 1; k <= 5; k += 4) # u64 and bytes36
      row(words(what) " | " call " | " binary(sizes[s]) " | " key_name[k], what, sizes[s], keys[k],
        "1%", "fast/" peer " fast/" call " fast-aes/" call " fast-siphash13/" call)
}

END {
  key_count = split("u64 bytes8 bytes16 bytes24 bytes36 bytes100 bytes1000", keys, " ")
  split("u64|8 bytes|16 bytes|24 bytes|36 bytes|100 bytes|1000 bytes", key_name, "|")

  print "\nBare functions.\n"
  head("call|keys|XXH3 inlined|XXH3|AES|SipHash-1-3|inlined|Murmur3 128|inlined|MurmurHash64A", 3)
  bare("single", "xxh3/inline xxh3/single aes/single siphash13/single siphash13/inline murmur3_128/single murmur3_128/inline murmur64a/single")
  bare("chain", "xxh3/inline_chain xxh3/chain aes/chain siphash13/chain siphash13/inline_chain murmur3_128/chain murmur3_128/inline_chain murmur64a/chain")
  bare("many", "xxh3/inline xxh3/many aes/many siphash13/many -/- murmur3_128/many -/- -/-")

  print "\nQueries of `fast`, 1 %.\n"
  head("operation|call|size|keys|XXH3 inlined|XXH3|AES|SipHash-1-3", 5)
  whats = split("query_present query_absent", what, " ")
  for (w = 1; w <= whats; w++) {
    filter(what[w], "single", "hashed")
    filter(what[w], "many", "hashed_many")
  }
}
