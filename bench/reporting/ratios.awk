# ratios.awk - rows of a table of targets: a figure, what it is compared with, the ratio, the target.  A target
# that was missed has its reason in its row.  With lib.awk.

# The times of "limit/ACCESS" or "WHAT/FILTER/CALL/KEYS" by one thread, or "/THREADS"; without KEYS hashes
# are given.  `from` is ns, lowest or highest.
function time_in(from, name, size, fpp,    part, count) {
  count = split(name, part, "/")
  if (count == 3) part[4] = "hash"
  if (count < 5) part[5] = 1
  if (part[1] == "limit" && part[2] == "read_or_load") # the faster of with and without prefetching
    return min(from["limit", "read", size, "", "", "", 1], from["limit", "load", size, "", "", "", 1])
  if (part[1] == "limit") return from["limit", part[2], size, "", "", "", 1]
  return from[part[1], part[2], size, part[3], part[4], fpp, part[5]]
}

function min(a, b) {
  return a == "" || (b != "" && b + 0 < a + 0) ? b : a
}

function titled(name,    part, count) {
  count = split(name, part, "/")
  if (part[1] == "limit") return "limit: " words(part[2])
  return words(part[1]) ", " part[2] ", " words(part[3]) (part[4] == "" || part[4] == "hash" ? "" : ", " part[4]) \
    (count < 5 ? "" : part[5] == 1 ? ", 1 thread" : ", " part[5] " threads")
}

# A row for each size with a target: "SIZE=FACTOR SIZE=FACTOR ..."; `reason` is why one is missed.  It is
# missed closely if a tenth would do, and the rounds differ by more.
function rows(name, fpp, against, targets, reason,    list, count, i, part, mine, other) {
  count = split(targets, list, " ")
  for (i = 1; i <= count; i++) {
    split(list[i], part, "=")
    mine = time_in(ns, name, part[1], fpp)
    other = time_in(ns, against, part[1], fpp)
    if (mine == "" || other == "") {
      if (all_rows && part[1] in has) missing(name, fpp, part[1], mine, against, other, part[2])
      continue
    }
    row(name, fpp, part[1], mine, against, other, mine / other, at_most(mine / other, part[2]),
      mine / other <= 1.1 * part[2] &&
        time_in(lowest, name, part[1], fpp) / time_in(highest, against, part[1], fpp) <= part[2], reason)
  }
}

function row(name, fpp, size, mine, against, other, ratio, verdict, close_to_it, reason) {
  printf "| %s | %s | %s | %s | %s | %s | %.2f | %s | %s |\n", titled(name), fpp, binary(size), figure(mine),
    titled(against), figure(other), ratio, verdict,
    index(verdict, missed_verdict) ? (close_to_it ? "within the rounds' spread; " : "") reason : ""
}

# With `all_rows` a row of which one side was not measured is not left out.
function missing(name, fpp, size, mine, against, other, wanted) {
  printf "| %s | %s | %s | %s | %s | %s | | <= %.2f: not measured | %s |\n", titled(name), fpp, binary(size),
    figure(mine), titled(against), figure(other), wanted, (other == "" ? titled(against) : titled(name)) " is not here"
}

function everywhere(factor) {
  return "64KiB=" factor " 1MiB=" factor " 16MiB=" factor " 256MiB=" factor " 1GiB=" factor
}
