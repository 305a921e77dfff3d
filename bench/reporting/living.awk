# living.awk - claims, versions, counting and growing, each next to the plain filter of the
# same run.  With lib.awk.

# A row of figures for "FILTER/CALL" columns; none if the first was not measured.
function row(title, what, size, threads, keys, columns,    count, column, i, part, line) {
  count = split(columns, column, " ")
  for (i = 1; i <= count; i++) {
    split(column[i], part, "/")
    line = line " " figure(at(part[3] == "" ? what : part[3], part[1], size, part[2], keys, "1%", threads)) " |"
    if (i == 1 && line == "  |") return
  }
  print "| " title " | " binary(size) " |" line
}

function rows(whats, keys, columns,    w, count, what, s) {
  count = split(whats, what, " ")
  for (w = 1; w <= count; w++)
    for (s = 1; s <= size_count; s++)
      if (sizes[s] in has) row(words(what[w]), what[w], sizes[s], 1, keys, columns)
}

# The rows of claims next to puts.  In a race the two have different verbs.
function claims(title, what, claim, threads,    s) {
  for (s = 1; s <= size_count; s++)
    if (sizes[s] in has)
      row(title, what, sizes[s], threads, "hash", "fast/single fast/claim/" claim " fast/many fast/claim_many/" claim \
        " fast-pair/single fast-pair/many")
}

END {
  print "\nVersions, numbers: one read-side section per query; held: one for all; many: one per 1024 keys.\n"
  head("operation|size|fast|versions|held|fast, many|versions, many", 3)
  rows("query_present put_present put_new", "u64", "fast/single versions/single versions/section fast/many versions/many")

  print "\nClaims and puts, hashes given; every put of fast-pair is a claim.  Race: both threads have all keys.\n"
  head("operation|size|fast: put|claim|put, many|claim, many|fast-pair: put|put, many", 3)
  claims("new", "put_new", "put_new", 1)
  claims("new, 2 threads", "put_new", "put_new", 2)
  claims("race, 2 threads", "put_race", "claim_race", 2)
  claims("present", "put_present", "put_present", 1)

  print "\nCounting, numbers, as large as the plain filter; put, remove: a new key is put, then removed.\n"
  head("operation|size|fast|its counting|fast, many|its counting, many|guava-mitz64|its counting|put, remove|put, remove, many", 3)
  rows("query_present query_absent put_new", "u64", "fast/single counting/single fast/many counting/many guava-mitz64/single counting-mitz64/single counting/put_remove counting/put_remove_many")

  print "\nGrowing from 1024 numbers to as many keys as the plain filter was made for.\n"
  head("operation|size|plain|growing|plain, many|growing, many", 3)
  rows("fill ask_present ask_absent", "u64", "plain/single growing/single plain/many growing/many")
}
