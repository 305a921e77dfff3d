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

# The target of two threads against one; 0 if there is none.  In smaller filters two threads that
# put meet in the same lines.
function doubled(what, who, call, size) {
  if (who !~ /^fast/ || call ~ /claim/) return 0
  if (what == "query_present") return 1.95
  if (what != "put_new" || size == "64KiB") return 0
  return size == "1MiB" ? 1.8 : 1.95
}

function ratio(more, less, wanted) {
  if (more == "" || less == "") return ""
  return wanted ? sprintf("%.2f, %s", more / less, at_least(more / less, wanted)) : sprintf("%.2f", more / less)
}

function row(what, who, size, call,    t, r, line, wanted) {
  for (t = 1; t <= counts; t++) {
    r[t] = rate(what, who, size, call, count[t])
    line = line " " rated(what, who, size, call, count[t]) " |"
  }
  if (r[2] == "") return
  wanted = doubled(what, who, call, size)
  printf "| %s | %s | %s | %s |%s %s | %s |\n", words(what), who, words(call), binary(size), line,
    ratio(r[2], r[1], wanted), ratio(r[5], r[2], wanted >= 1.95 ? 0.9 : 0)
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
