# peers.awk - ns per operation of `fast` and the peers, one key at a time, and each peer's multiple
# of the time of `fast` with the same keys.  With lib.awk.

function peer(what, size, who, call, keys,    theirs, ours) {
  theirs = at(what, who, size, call, keys, "1%", 1)
  ours = at(what, "fast", size, call, keys, "1%", 1)
  return theirs == "" || ours == "" ? "" : figure(theirs) " (" figure(theirs / ours) ")"
}

function fast(what, size, call, keys) {
  return figure(at(what, "fast", size, call, keys, "1%", 1))
}

END {
  head("operation|size|fast, hash|mutex|ck-bitmap|fast, bytes8|libbloom|fast, u64|guava-mitz64|Guava|fast, hash, many|mutex, many", 3)
  whats = split("query_present query_absent put_present put_new mixed90 mixed50", what, " ")
  for (w = 1; w <= whats; w++)
    for (s = 1; s <= size_count; s++) {
      if (fast(what[w], sizes[s], "single", "u64") == "") continue
      printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", words(what[w]),
        binary(sizes[s]), fast(what[w], sizes[s], "single", "hash"),
        peer(what[w], sizes[s], "mutex", "single", "hash"),
        peer(what[w], sizes[s], "ck-bitmap", "single", "hash"),
        fast(what[w], sizes[s], "single", "bytes8"),
        peer(what[w], sizes[s], "libbloom", "single", "bytes8"),
        fast(what[w], sizes[s], "single", "u64"),
        peer(what[w], sizes[s], "guava-mitz64", "single", "u64"),
        peer(what[w], sizes[s], "guava", "single", "u64"),
        fast(what[w], sizes[s], "many", "hash"),
        peer(what[w], sizes[s], "mutex", "many", "hash")
    }
}
