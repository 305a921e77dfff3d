# limits_rows.awk - the limits, for each number of threads.  With lib.awk.

FNR > 1 && $1 == "limit" {
  row = $2 FS $7
  if (!(row in seen)) order[++count] = row
  seen[row] = 1
  text[row, $3] = figure($8) (spread($8, $9, $10) == "" ? "" : " " spread($8, $9, $10))
}

END {
  columns = "limit, ns|threads"
  for (s = 1; s <= size_count; s++)
    if (sizes[s] in has) columns = columns "|" binary(sizes[s])
  head(columns, 3)
  for (i = 1; i <= count; i++) {
    split(order[i], part, FS)
    line = "| " words(part[1]) " | " part[2] " |"
    for (s = 1; s <= size_count; s++)
      if (sizes[s] in has) line = line " " text[order[i], sizes[s]] " |"
    print line
  }
}
