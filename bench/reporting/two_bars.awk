# two_bars.awk - for gnuplot: a bar for each row of a panel (`what`, `size`): its place from the top,
# million operations per second of two threads, the least, the most, its colour, its figure.  With lib.awk.

function bar(place, ns, least, most, colour) {
  if (ns != "") print place, 1000 / ns, 1000 / most, 1000 / least, colour, figure(1000 / ns)
}

END {
  split(colours, paint, " ")
  split("fast-pair/many fast-pair/single ck-bitmap/single mutex/many mutex/single", rows, " ")
  limit_ns = best[what, "fast-pair", size, "many", "hash", "1%", 2]
  bar(1, limit_ns, limit_ns, limit_ns, paint[1])
  for (i = 1; i in rows; i++) {
    split(rows[i], part, "/")
    bar(i + 1, at(what, part[1], size, part[2], "hash", "1%", 2),
      lowest[what, part[1], size, part[2], "hash", "1%", 2],
      highest[what, part[1], size, part[2], "hash", "1%", 2], paint[i + 1])
  }
}
