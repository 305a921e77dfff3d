# memory.awk - memory.csv as a table.  With lib.awk.
END {
  head("strategy|bytes of bits|all bytes|other bytes|target", 2)
}

FNR > 1 {
  row[++rows] = sprintf("| %s | %d | %d | %d | < 65536: %s |", $1, $2, $3, $4,
                        $4 < 65536 ? "met" : missed_verdict)
}

END {
  for (i = 1; i <= rows; i++) print row[i]
}
