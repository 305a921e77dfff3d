# peers.awk - ns per operation of the library and the peers, one thread, on keys of the kind `keys`.
# In brackets the multiple of the time of lfbloom by the same call.  With lib.awk, peers_rows.awk.

function peer(what, size, i,    part, theirs, ours, text) {
  split(peers[i], part, "/")
  theirs = at(what, part[1], size, part[2], keys, "1%", 1)
  ours = at(what, "default", size, part[2], keys, "1%", 1)
  if (theirs == "" || ours == "") return ""
  text = figure(theirs)
  if (around[what, part[1], size, part[2], keys, "1%", 1] != "")
    text = text " " around[what, part[1], size, part[2], keys, "1%", 1]
  return part[1] == "default" ? text : text " (" figure(theirs / ours) ")"
}

END {
  columns = "operation|size|limit: line|limit: hash"
  for (i = 1; i <= peer_count; i++) columns = columns "|" peer_titles[i]
  head(columns, 3)
  whats = split("query_present query_absent put_present put_new", what, " ")
  for (w = 1; w <= whats; w++)
    for (s = 1; s <= size_count; s++) {
      if (at(what[w], "default", sizes[s], "single", keys, "1%", 1) == "") continue
      printf "| %s | %s | %s | %s |", words(what[w]), binary(sizes[s]),
        figure(line_limit(what[w], sizes[s])), figure(hash_alone(keys))
      for (i = 1; i <= peer_count; i++) printf " %s |", peer(what[w], sizes[s], i)
      print ""
    }
}
