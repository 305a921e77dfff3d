# pick.awk - for gnuplot: the rows of report.csv that match -v want="WHAT,FILTER,SIZE,CALL,KEYS,FPP,
# THREADS" ("*" matches anything), as KiB of the size, threads, ns, million operations per second, ns
# of the limit.
BEGIN {
  FS = ","
  count = split(want, wanted, ",")
}

function kib(size) {
  return size + 0 == 0 ? 0 : size * (size ~ /GiB/ ? 1048576 : size ~ /MiB/ ? 1024 : 1)
}

FNR > 1 {
  for (i = 1; i <= count; i++)
    if (wanted[i] != "*" && wanted[i] != $i) next
  print kib($3), $7, $8, 1000 / $8, $11
}
