# median.awk - combines the rows of all rounds into one each: the median, the least, the most.
BEGIN {
  FS = OFS = ","
  print "what", "who", "size", "call", "keys", "fpp", "threads", "ns", "least", "most"
}

{
  row = $1 FS $2 FS $3 FS $4 FS $5 FS $6 FS $7
  if (!(row in count)) order[++rows] = row
  # Insertion sort.
  for (i = ++count[row]; i > 1 && value[row, i - 1] > $8 + 0; i--) value[row, i] = value[row, i - 1]
  value[row, i] = $8 + 0
}

END {
  for (r = 1; r <= rows; r++) {
    row = order[r]
    n = count[row]
    middle = (value[row, int((n + 1) / 2)] + value[row, int((n + 2) / 2)]) / 2
    printf "%s,%.4g,%.4g,%.4g\n", row, middle, value[row, 1], value[row, n]
  }
}
