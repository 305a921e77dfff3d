# median.awk - combines the rows of all rounds into one each: the median, the least and the most, the
# row's limit in the same rounds, and the multiple of it.  rows.jq writes the rows;
# bench/filter_bench.c says which limit a row has.
BEGIN {
  FS = OFS = ","
  print "what", "who", "size", "call", "keys", "fpp", "threads", "ns", "least", "most", "limit", "ratio"
}

$8 != "ns" {
  row = $1 FS $2 FS $3 FS $4 FS $5 FS $6 FS $7
  if (!(row in count)) order[++rows] = row
  add(row, $8)
  if ($9 != "") add("limit of " row, $9)
}

# Insertion sort.
function add(row, x,    i) {
  for (i = ++count[row]; i > 1 && value[row, i - 1] > x + 0; i--) value[row, i] = value[row, i - 1]
  value[row, i] = x + 0
}

function median(row,    n) {
  n = count[row]
  return (value[row, int((n + 1) / 2)] + value[row, int((n + 2) / 2)]) / 2
}

END {
  for (r = 1; r <= rows; r++) {
    row = order[r]
    middle = median(row)
    best = "limit of " row in count ? median("limit of " row) : ""
    printf "%s,%.4g,%.4g,%.4g,%s,%s\n", row, middle, value[row, 1], value[row, count[row]],
      (best == "" ? "" : sprintf("%.4g", best)), (best == "" ? "" : sprintf("%.3g", middle / best))
  }
}
