# fpp.awk - fpp.csv as a table.  With lib.awk.
function percent(x) {
  return sprintf("%.4g", 100 * x)
}

FNR > 1 {
  row[++rows] = sprintf("| %s | %s | %.2f | %s | %d | %s | %s | %s to %s |", percent($2), $1, $3,
                        $4 > 0 ? $4 : "any", $5, percent($6), percent($7), percent($8), percent($9))
}

END {
  head("wanted, %|strategy|bits per key|words|probes|model, %|measured, %|95 % interval", 3)
  for (i = 1; i <= rows; i++) print row[i]
}
