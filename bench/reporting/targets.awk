# targets.awk - the targets of `fast`, and the measured figures: hashes given, one thread.
# With lib.awk; -v wide=W: words per key at 0.1 %.

# The figure that an operation is compared with; "query" is the query of many.
function floor_of(name, size, fpp) {
  return name == "query" ? at("query_present", "fast", size, "many", "hash", fpp, 1) : limit(name, size)
}

# A row for each size with a target: "SIZE=FACTOR SIZE=FACTOR ..."
function rows(what, call, fpp, name, targets,    list, count, i, part, mine, floor) {
  count = split(targets, list, " ")
  for (i = 1; i <= count; i++) {
    split(list[i], part, "=")
    mine = at(what, "fast", part[1], call, "hash", fpp, 1)
    floor = floor_of(name, part[1], fpp)
    if (mine == "" || floor == "") continue
    printf "| %s | %s | %s | %s | %s | %s | %s | %.2f | %s |\n", words(what), call, fpp,
      binary(part[1]), figure(mine), words(name), figure(floor), mine / floor,
      at_most(mine / floor, part[2])
  }
}

function everywhere(factor) {
  return "64KiB=" factor " 1MiB=" factor " 16MiB=" factor " 256MiB=" factor " 1GiB=" factor
}

END {
  head("operation|call|fpp|size|ns|against|ns|ratio|target", 5)
  rows("query_present", "many", "1%", "read", "1MiB=1.4 256MiB=1.1 1GiB=1.1")
  rows("query_present", "inline512", "1%", "read", "1MiB=1.5")
  rows("query_present", "inline512", "1%", "load", "256MiB=1.4")
  rows("query_present", "inline", "1%", "read", "1MiB=1.5")
  rows("query_present", "inline", "1%", "load", "256MiB=1.4")
  rows("put_new", "inline", "1%", "lock_cmpxchg", "1MiB=2.1")
  rows("put_new", "single", "1%", "lock_cmpxchg", "1MiB=2.1")
  rows("put_new", "many", "1%", "lock_cmpxchg", everywhere(2.15))
  rows("put_new", "batch15", "1%", "lock_cmpxchg", everywhere(1.5))
  rows("put_new", "batch49", "1%", "lock_cmpxchg", everywhere(1.15))
  rows("put_new", "build", "1%", "plain_store", "1GiB=1.2")
  rows("put_present", "many", "1%", "query", everywhere(1.15))
  rows("query_present", "many", "0.1%", "read", "1MiB=1.4 256MiB=1.1 1GiB=1.1")
  rows("query_present", "inline512", "0.1%", "read", "1MiB=1.5")
  rows("query_present", "inline512", "0.1%", "load", "256MiB=1.4")
  rows("put_new", "many", "0.1%", "lock_cmpxchg", everywhere(2.15 / 2 * wide))
}
