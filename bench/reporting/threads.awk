# threads.awk - million operations per second against threads that share one filter.
# With lib.awk.

function rate(what, who, size, call, threads,    value) {
  value = at(what, who, size, call, "hash", "1%", threads)
  return value == "" ? "" : 1000 / value
}

# The rate, with the multiple of the limit in brackets where that was measured.
function rated(what, who, size, call, threads,    multiple) {
  multiple = of_limit[what, who, size, call, "hash", "1%", threads]
  return figure(rate(what, who, size, call, threads)) (multiple == "" ? "" : sprintf(" (%.2f)", multiple))
}

function ratio(more, less) {
  return more == "" || less == "" ? "" : sprintf("%.2f", more / less)
}

function row(what, who, size, call,    t, r, line) {
  for (t = 1; t <= counts; t++) {
    r[t] = rate(what, who, size, call, count[t])
    line = line " " rated(what, who, size, call, count[t]) " |"
  }
  if (r[2] == "") return
  printf "| %s | %s | %s | %s |%s %s | %s |\n", words(what), who, words(call), binary(size), line,
    ratio(r[2], r[1]), ratio(r[5], r[2])
}

END {
  counts = split("1 2 4 16 64", count, " ")
  whats = split("query_present put_new mixed90", what, " ")
  whos = split("fast fast-pair ck-bitmap mutex", who, " ")
  calls = split("many single claim_many claim", call, " ")
  head("operation|filter|call|size|1 thread|2|4|16|64|2 against 1|64 against 2", 5)
  for (w = 1; w <= whats; w++)
    for (f = 1; f <= whos; f++)
      for (c = 1; c <= calls; c++)
        for (s = 1; s <= size_count; s++) row(what[w], who[f], sizes[s], call[c])
}
