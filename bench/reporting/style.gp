# style.gp - the common settings of all pictures.  `out` is the directory of the CSV files.

set border 3 linecolor rgb '#404040'
set tics nomirror out textcolor rgb 'black'
set grid xtics ytics linetype 1 linecolor rgb '#dddddd'
set key below Left reverse samplen 2.5 spacing 1.2
set datafile separator whitespace

# The colour of each filter (Okabe and Ito's, which colour-blind readers can tell apart too).
many = '#0072b2'      # fast, many at a time
single = '#56b4e9'    # fast, by call
machine = '#000000'   # limits
mutex = '#d55e00'
ck = '#e69f00'
libbloom = '#cc79a7'
guava = '#009e73'     # on the JVM
mitz64 = '#7fd1ae'    # the same filter here

# "16 MiB" of "16MiB".
spaced(size) = size[1:strlen(size) - 3] . ' ' . size[strlen(size) - 2:strlen(size)]

pick(want) = sprintf("< awk -v want='%s' -f bench/reporting/pick.awk '%s/report.csv'", want, out)
