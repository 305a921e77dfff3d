# sizes.awk - every limit, and every call of `fast` and `fast-pair`, at every size.  With lib.awk.

function row(title, what, who, call, keys, fpp,    s, line, found, value) {
  for (s = 1; s <= size_count; s++) {
    if (!(sizes[s] in has)) continue
    value = cell(what, who, sizes[s], call, keys, fpp, 1)
    found = found || value != ""
    line = line " " value " |"
  }
  if (found) print "| " title " |" line
}

END {
  columns = "ns"
  for (s = 1; s <= size_count; s++)
    if (sizes[s] in has) columns = columns "|" binary(sizes[s])
  head(columns, 2)
  limits = split("read load lock_cmpxchg two_cmpxchg_a_line four_cmpxchg_a_line cmpxchg16b plain_store read_4k load_4k lock_cmpxchg_4k two_cmpxchg_a_line_4k", access, " ")
  for (l = 1; l <= limits; l++) row("limit: " words(access[l]), "limit", access[l], "", "", "")
  # Calls that the processor or the build lacks are left out.
  whats = split("query_present put_new put_present", what, " ")
  calls = split("many single claim claim_many batch15 batch49 build", call, " ")
  fpps = split("1% 0.1%", fpp, " ")
  whos = split("fast fast-pair fast-speed sbbf", who, " ")
  for (w = 1; w <= whats; w++)
    for (f = 1; f <= whos; f++)
      for (p = 1; p <= fpps; p++)
        for (c = 1; c <= calls; c++)
          row(words(what[w]) ", " who[f] ", " words(call[c]) ", " fpp[p], what[w], who[f], call[c],
            "hash", fpp[p])
}
