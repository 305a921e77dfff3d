# limits.awk - for gnuplot: the number of each operation and its lower limit in ns: for a query, one
# line read without prefetching; for a new key, two words of a line written.  -v size=SIZE.
BEGIN {
  FS = ","
}

$1 == "limit" && $3 == size {
  ns[$2] = $8
}

END {
  read = ns["load"]
  write = ns["two_cmpxchg_a_line"]
  print 0, read
  print 1, read
  print 2, read
  print 3, write
  print 4, 0.9 * read + 0.1 * write
  print 5, 0.5 * read + 0.5 * write
}
