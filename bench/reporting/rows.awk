# rows.awk - a line for each row of report.csv with a limit: median, spread, limit, multiple of it;
# by operation, size, threads.  With lib.awk.

FNR > 1 && $11 != "" {
  group = $1 FS $3 FS $7
  if (!(group in seen)) groups[++group_count] = group
  seen[group]++
  line[group, seen[group]] = sprintf("| %s | %s | %s | %s | %s | %s | %s | %s | %.2f |", words($1),
    binary($3), $7, $2, words($4), figure($8), spread($8, $9, $10), figure($11), $12)
}

END {
  head("operation|size|threads|filter|call|ns|spread|limit|ns / limit", 6)
  for (g = 1; g <= group_count; g++)
    for (i = 1; i <= seen[groups[g]]; i++) print line[groups[g], i]
}
