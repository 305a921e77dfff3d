# peers_rows.awk - the rows of the peers' tables and pictures, in their order: a limit or
# FILTER/CALL, and its title.  With lib.awk.

BEGIN {
  peer_count = split("default/many default/single guava-mitz64/many guava-mitz64/single mutex/many mutex/single ck-bitmap/single libbloom/single guava/single", peers, " ")
  split("lfbloom, many|lfbloom|guava-mitz64, many|guava-mitz64|mutex, many|mutex|ck-bitmap, single only|libbloom, single only|Guava on the JVM, single only", peer_titles, "|")
}

# The hash alone: XXH3, inlined.
function hash_alone(keys) {
  return at("hash", "xxh3", "", "inline", keys, "", 1)
}

# The limit of an operation on the default filter.
function line_limit(what, size) {
  return best[what, "default", size, "many", "u64", "1%", 1]
}
