# median.awk - combines the rows of all rounds into one each: the median, the least, the most, the
# machine's limit in the same rounds with as many threads, and the median's multiple of it.  The
# limits: a query reads a line, a put of a new key does the filter's locked operations on a line.
BEGIN {
  FS = OFS = ","
  print "what", "who", "size", "call", "keys", "fpp", "threads", "ns", "least", "most", "limit", "ratio"
  # The words that a put of `fast` changes at each fpp; other filters are compared with two.
  split("lock_cmpxchg two_cmpxchg_a_line _ four_cmpxchg_a_line", of_words, " ")
  words["fast", "0.1%"] = words["sbbf", "1%"] = words["sbbf", "0.1%"] = 4
  words["fast-speed", "1%"] = 1
}

$1 == "limit" && $2 == "cmpxchg16b" { pairs = 1 } # so the default is fast-pair

$8 != "ns" {
  row = $1 FS $2 FS $3 FS $4 FS $5 FS $6 FS $7
  if (!(row in count)) order[++rows] = row
  # Insertion sort.
  for (i = ++count[row]; i > 1 && value[row, i - 1] > $8 + 0; i--) value[row, i] = value[row, i - 1]
  value[row, i] = $8 + 0
}

function median(row,    n) {
  n = count[row]
  return (value[row, int((n + 1) / 2)] + value[row, int((n + 2) / 2)]) / 2
}

# "" if it was not measured.
function limit(access, size, threads,    row) {
  row = "limit" FS access FS size FS FS FS FS threads
  return row in count ? median(row) : ""
}

function put_limit(who, call, fpp) {
  if (call ~ /^build/) return "plain_store"
  if (call ~ /^batch/) return "lock_cmpxchg"
  if (who == "fast-pair" || who == "default" && pairs) return "cmpxchg16b"
  return of_words[(who, fpp) in words ? words[who, fpp] : 2]
}

# A row's limit; "" if it has none.
function limit_of(row,    part, read, write, queries) {
  split(row, part, FS)
  read = limit("read", part[3], part[7])
  write = limit(put_limit(part[2], part[4], part[6]), part[3], part[7])
  if (part[1] ~ /^query_|^put_present$/) return read
  if (part[1] == "put_new") return write
  if (part[1] !~ /^mixed/ || read == "" || write == "") return ""
  queries = substr(part[1], 6) / 100
  return queries * read + (1 - queries) * write
}

END {
  for (r = 1; r <= rows; r++) {
    row = order[r]
    middle = median(row)
    best = limit_of(row)
    printf "%s,%.4g,%.4g,%.4g,%s,%s\n", row, middle, value[row, 1], value[row, count[row]],
      best == "" ? "" : sprintf("%.4g", best), best == "" ? "" : sprintf("%.3g", middle / best)
  }
}
