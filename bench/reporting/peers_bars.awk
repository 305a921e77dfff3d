# peers_bars.awk - for gnuplot: a bar for each row of a panel (`what`, `size`, `keys`): its place from
# the top, ns, the least, the most, its colour, its figure.  With lib.awk, peers_rows.awk.

function bar(place, ns, least, most, colour) {
  if (ns != "") print place, ns, least, most, colour, figure(ns)
}

END {
  for (i = 1; i <= split(colours, colour, " "); i++) paint[i] = colour[i]
  bar(1, line_limit(what, size), line_limit(what, size), line_limit(what, size), paint[1])
  bar(2, hash_alone(keys), lowest["hash", "xxh3", "", "inline", keys, "", 1],
    highest["hash", "xxh3", "", "inline", keys, "", 1], paint[1])
  for (i = 1; i <= peer_count; i++) {
    split(peers[i], part, "/")
    bar(i + 2, at(what, part[1], size, part[2], keys, "1%", 1),
      lowest[what, part[1], size, part[2], keys, "1%", 1],
      highest[what, part[1], size, part[2], keys, "1%", 1], paint[i + 1])
  }
}
