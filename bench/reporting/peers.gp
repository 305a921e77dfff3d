# peers.gp - ns per operation on keys of the kind `keys`: bars from zero for the library, the peers
# and the limits.  A row of panels per size, a column per operation.
columns = 'query_present query_absent put_new'
set terminal svg size 1180,(90 + 330 * words(panels)) font 'sans-serif,14' background rgb 'white'
set multiplot layout words(panels),3 margins 0.19,0.985,0.075,0.88 spacing 0.025,0.13 \
    title sprintf('ns per operation, %s as keys, every library by its own hash: one thread, 1 %%', \
                  keys eq 'u64' ? '64-bit numbers' : 'strings of 36 bytes') font ',18'

colours = 'machine many many mitz64 mitz64 mutex mutex ck libbloom guava'
colour_values = ''
do for [name in colours] { colour_values = colour_values . ' 0x' . value(name)[2:7] }
rows = '"limit: the line" "limit: the hash" "lfbloom, many" "lfbloom" "guava-mitz64, many" "guava-mitz64" "mutex, many" "mutex" "ck-bitmap, single only" "libbloom, single only" "Guava (JVM), single only"'

bars(what, size) = sprintf("< awk -v what=%s -v size=%s -v keys=%s -v colours='%s' -f bench/reporting/lib.awk -f bench/reporting/peers_rows.awk -f bench/reporting/peers_bars.awk '%s/report.csv'", what, size, keys, colour_values, out)

set style fill solid 1 noborder
set grid xtics noytics
set xtics autofreq font ',12'
set key off
set border 2

do for [row = 1:words(panels)] {
  size = word(panels, row)
  do for [column = 1:3] {
    what = word(columns, column)
    set ytics scale 0 format ''
    if (column == 1) { do for [i = 1:words(rows)] { set ytics add (word(rows, i) i) } } else { unset ytics }
    set autoscale # stats leaves out what the ranges do
    stats bars(what, size) using 4 nooutput
    set xrange [0:1.25 * STATS_max]
    set yrange [words(rows) + 0.7:0.3]
    set title sprintf('%s, %s', what eq 'put_new' ? 'put new' : 'query ' . what[7:*], spaced(size)) offset 0,-0.6
    plot bars(what, size) using ($2 / 2):1:(0):2:($1 - 0.36):($1 + 0.36):5 with boxxyerror linecolor rgb variable, \
         '' using 2:1:3:4 with xerrorbars pointtype -1 linewidth 1 linecolor rgb '#404040', \
         '' using 4:1:6 with labels left offset 0.4,0 font ',12'
  }
}
