# threads.awk - million operations per second against threads that share one filter.
# With lib.awk.

function rate(what, who, size, call, threads,    value) {
  value = at(what, who, size, call, "hash", "1%", threads)
  return value == "" ? "" : 1000 / value
}

# Queries have scaling targets, and puts from 16 MiB up: in smaller filters two threads
# that put meet in the same lines.
function is_asked(what, who, call, size) {
  return who == "fast" && call !~ /claim/ && (what == "query_present" || (what == "put_new" && size ~ /16MiB|256MiB|1GiB/))
}

function ratio(more, less, wanted, asked) {
  if (more == "" || less == "") return ""
  return asked ? sprintf("%.2f, %s", more / less, at_least(more / less, wanted)) : sprintf("%.2f", more / less)
}

function row(what, who, size, call,    t, r, line, asked) {
  for (t = 1; t <= counts; t++) {
    r[t] = rate(what, who, size, call, count[t])
    line = line " " figure(r[t]) " |"
  }
  if (r[2] == "") return
  asked = is_asked(what, who, call, size)
  printf "| %s | %s | %s | %s |%s %s | %s |\n", words(what), who, words(call), binary(size), line,
    ratio(r[2], r[1], 1.95, asked), ratio(r[5], r[2], 0.9, asked)
}

END {
  counts = split("1 2 4 16 64", count, " ")
  whats = split("query_present put_new mixed90", what, " ")
  whos = split("fast ck-bitmap mutex", who, " ")
  calls = split("many single claim_many claim", call, " ")
  head("operation|filter|call|size|1 thread|2|4|16|64|2 against 1|64 against 2", 5)
  for (w = 1; w <= whats; w++)
    for (f = 1; f <= whos; f++)
      for (c = 1; c <= calls; c++)
        for (s = 1; s <= size_count; s++) row(what[w], who[f], sizes[s], call[c])
}
