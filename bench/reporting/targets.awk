# targets.awk - the targets, and the measured figures: one thread.  With lib.awk.

# The time of "limit/ACCESS" or "WHAT/FILTER/CALL/KEYS"; without KEYS hashes are given.
function time_of(name, size, fpp,    part) {
  if (split(name, part, "/") == 3) part[4] = "hash"
  return part[1] == "limit" ? limit(part[2], size) : at(part[1], part[2], size, part[3], part[4], fpp, 1)
}

# A row for each size with a target: "SIZE=FACTOR SIZE=FACTOR ..."
function rows(name, fpp, against, targets,    list, count, i, part, mine, other) {
  count = split(targets, list, " ")
  for (i = 1; i <= count; i++) {
    split(list[i], part, "=")
    mine = time_of(name, part[1], fpp)
    other = time_of(against, part[1], fpp)
    if (mine == "" || other == "") continue
    printf "| %s | %s | %s | %s | %s | %s | %.2f | %s |\n", titled(name), fpp, binary(part[1]),
      figure(mine), titled(against), figure(other), mine / other, at_most(mine / other, part[2])
  }
}

function titled(name,    part) {
  split(name, part, "/")
  if (part[1] == "limit") return "limit: " words(part[2])
  return words(part[1]) ", " part[2] ", " words(part[3]) (part[4] == "" ? "" : ", " part[4])
}

function everywhere(factor) {
  return "64KiB=" factor " 1MiB=" factor " 16MiB=" factor " 256MiB=" factor " 1GiB=" factor
}

# guava-mitz64 against Guava itself.
function guava(what, keys, factor) {
  rows(what "/guava-mitz64/single/" keys, "1%", what "/guava/single/" keys, everywhere(factor))
  rows(what "/guava-mitz64/many/" keys, "1%", what "/guava/single/" keys, "256MiB=0.125")
}

END {
  head("operation|fpp|size|ns|against|ns|ratio|target", 4)
  read = "64KiB=1.2 1MiB=1.2 256MiB=1.08 1GiB=1.08"
  rows("query_present/fast/many", "1%", "limit/read", read)
  rows("query_present/fast-pair/many", "1%", "limit/read", read)
  rows("query_present/fast/many", "0.1%", "limit/read", read)
  rows("query_present/fast/single", "1%", "limit/read", "1MiB=1.5")
  rows("query_present/fast-pair/single", "1%", "limit/read", "1MiB=1.5")
  rows("put_present/fast/many", "1%", "query_present/fast/many", everywhere(1.15))
  rows("put_new/fast/many", "1%", "limit/two_cmpxchg_a_line", everywhere(1.1))
  rows("put_new/fast/many", "0.1%", "limit/four_cmpxchg_a_line", everywhere(1.1))
  rows("put_new/fast-pair/many", "1%", "limit/cmpxchg16b", everywhere(1.15))
  rows("put_new/fast/many", "1%", "put_new/mutex/many", "64KiB=1")
  rows("put_new/fast-speed/many", "1%", "put_new/fast/many", everywhere(0.55))
  rows("put_new/fast/batch15", "1%", "put_new/fast/many", everywhere(0.6))
  rows("put_new/fast/batch49", "1%", "put_new/fast/many", everywhere(0.45))
  rows("put_new/fast/build", "1%", "limit/plain_store", "1GiB=1.2")
  rows("put_new/fast-pair/claim", "1%", "put_new/fast-pair/single", everywhere(1.1))
  rows("put_new/fast-pair/claim_many", "1%", "put_new/fast-pair/many", everywhere(1.1))
  rows("put_new/sbbf/many", "1%", "limit/four_cmpxchg_a_line", everywhere(1.3))
  guava("query_present", "u64", 0.25)
  guava("query_absent", "u64", 0.25)
  guava("put_new", "u64", 0.33)
  guava("query_present", "bytes36", 0.25)
  guava("put_new", "bytes36", 0.33)
}
