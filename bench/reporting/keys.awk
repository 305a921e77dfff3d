# keys.awk - ns per operation for each kind of key, at the sizes where all were measured.  With lib.awk.

function row(what, who, call, size,    k, line, value, found) {
  if (at(what, "fast", size, "single", "bytes36", "1%", 1) == "") return
  for (k = 1; k <= kinds; k++) {
    value = cell(what, who, size, call, kind[k], "1%", 1)
    found = found || value != ""
    line = line " " value " |"
  }
  if (found) print "| " words(what) " | " who " | " call " | " binary(size) " |" line
}

END {
  kinds = split("hash u64 bytes8 bytes36", kind, " ")
  head("operation|filter|call|size|hash|u64|8 bytes|UUIDs, 36 bytes", 5)
  whats = split("query_present query_absent put_new", what, " ")
  whos = split("fast guava-mitz64 guava libbloom", who, " ")
  calls = split("single many", call, " ")
  for (w = 1; w <= whats; w++)
    for (f = 1; f <= whos; f++)
      for (c = 1; c <= calls; c++)
        for (s = 1; s <= size_count; s++) row(what[w], who[f], call[c], sizes[s])
}
