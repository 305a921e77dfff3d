# size.gp - ns per operation against the filter's size: queries on the left, puts on the right.
set terminal svg size 1180,640 font 'sans-serif,15' background rgb 'white'
set multiplot layout 1,2 margins 0.075,0.985,0.34,0.86 spacing 0.09,0 \
    title "strategy fast and the machine's limits: 1 %, hashes given, one thread" font ',18'
set key at graph 0.48,-0.27 center top vertical maxrows 3 width -6 font ',14'

line(what, call) = pick(what . ',fast,*,' . call . ',hash,1%,1')
limit(access) = pick('limit,' . access . ',*,,,,1')

# Ranges and scales would hide sizes from `stats`.
stats limit('read') using 1 name 'sizes' nooutput
set xrange [40:1.6 * sizes_max]
set logscale xy
set xtics ('64 KiB' 64, '1 MiB' 1024, '16 MiB' 16384, '256 MiB' 262144, '1 GiB' 1048576) font ',13'
set xlabel 'filter size'
set ylabel 'ns per operation' offset 1,0
set yrange [0.4:500]
set ytics (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)

set title 'query'
plot limit('read') using 1:3 with linespoints pointtype 2 linewidth 2 dashtype 2 linecolor rgb machine title 'limit: line read, 128 ahead', \
     limit('load') using 1:3 with linespoints pointtype 1 linewidth 2 dashtype 3 linecolor rgb machine title 'limit: line read, none ahead', \
     line('query_present', 'many') using 1:3 with linespoints pointtype 7 linewidth 2.5 linecolor rgb many title 'many', \
     line('query_present', 'single') using 1:3 with linespoints pointtype 9 linewidth 2.5 linecolor rgb single title 'by call'

set title 'put'
plot limit('lock_cmpxchg') using 1:3 with linespoints pointtype 2 linewidth 2 dashtype 2 linecolor rgb machine title 'limit: lock cmpxchg', \
     limit('two_cmpxchg_a_line') using 1:3 with linespoints pointtype 1 linewidth 2 dashtype 3 linecolor rgb machine title 'limit: two of them a line', \
     line('put_new', 'many') using 1:3 with linespoints pointtype 7 linewidth 2.5 linecolor rgb many title 'new, many', \
     line('put_new', 'single') using 1:3 with linespoints pointtype 9 linewidth 2.5 linecolor rgb single title 'new, by call', \
     line('put_present', 'many') using 1:3 with linespoints pointtype 6 linewidth 2.5 dashtype 4 linecolor rgb many title 'present, many'
