# two.gp - two threads that share one filter of `shared_size`: bars from zero for the library, the peers
# and the limit.  A panel per operation.
set terminal svg size 1180,340 font 'sans-serif,14' background rgb 'white'
set multiplot layout 1,3 margins 0.17,0.975,0.15,0.76 spacing 0.03,0 \
    title sprintf('two threads in one filter of %s: million operations per second, 1 %%, hashes given', spaced(shared_size)) font ',18'

colours = 'machine many single ck mutex mutex'
colour_values = ''
do for [name in colours] { colour_values = colour_values . ' 0x' . value(name)[2:7] }
rows = '"limit of the machine" "lfbloom, many" "lfbloom" "ck-bitmap" "mutex, once for 1024" "mutex"'

bars(what) = sprintf("< awk -v what=%s -v size=%s -v colours='%s' -f bench/reporting/lib.awk -f bench/reporting/two_bars.awk '%s/report.csv'", what, shared_size, colour_values, out)

set style fill solid 1 noborder
set grid xtics noytics
set xtics autofreq font ',12'
set key off
set border 2

do for [what in 'query_present mixed90 put_new'] {
  set ytics scale 0 format ''
  if (what eq 'query_present') { do for [i = 1:words(rows)] { set ytics add (word(rows, i) i) } } else { unset ytics }
  set autoscale # stats leaves out what the ranges do
  stats bars(what) using 4 nooutput
  set xrange [0:1.25 * STATS_max]
  set yrange [words(rows) + 0.7:0.3]
  set title (what eq 'put_new' ? 'put new' : what eq 'mixed90' ? '90 % queries, 10 % puts' : 'query present') offset 0,-0.6
  plot bars(what) using ($2 / 2):1:(0):2:($1 - 0.36):($1 + 0.36):5 with boxxyerror linecolor rgb variable, \
       '' using 2:1:3:4 with xerrorbars pointtype -1 linewidth 1 linecolor rgb '#404040', \
       '' using 4:1:6 with labels left offset 0.4,0 font ',12'
}
