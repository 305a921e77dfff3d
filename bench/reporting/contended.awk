# contended.awk - puts by one thread and by two, and how their rates compare.  With lib.awk.

function row(what, size, call,    one, two) {
  one = at(what, "fast", size, call, "hash", "1%", 1)
  two = at(what, "fast", size, call, "hash", "1%", 2)
  if (one == "" || two == "") return
  printf "| %s | %s | %s | %s | %s | %.2f |\n", words(what), call, binary(size),
    cell(what, "fast", size, call, "hash", "1%", 1), cell(what, "fast", size, call, "hash", "1%", 2),
    one / two
}

END {
  head("operation|call|size|1 thread|2 threads|rate of 2 to that of 1", 4)
  calls = split("single apart many", call, " ")
  for (c = 1; c <= calls; c++)
    for (s = 1; s <= size_count; s++) row("put_new", sizes[s], call[c])
  for (s = 1; s <= size_count; s++) row("put_present", sizes[s], "single")
}
