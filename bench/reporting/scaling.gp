# scaling.gp - rate against the number of threads that share one filter, of bench/scaling.c's medians:
#
#     gnuplot -e "csv='docs/performance/scaling.csv'; shared_size='256MiB'" bench/reporting/scaling.gp >scaling.svg
load 'bench/reporting/style.gp'
set terminal svg size 1180,600 font 'sans-serif,15' background rgb 'white'
set multiplot layout 1,2 margins 0.075,0.985,0.3,0.85 spacing 0.09,0 \
    title sprintf('threads that share one filter of %s: 1 %%, hashes given', spaced(shared_size)) font ',18'
set key at graph 0.48,-0.24 center top vertical maxrows 3 width -6 font ',14'

set logscale xy
set xrange [0.85:19]
set xtics ('1' 1, '2' 2, '4' 4, '8' 8, '16' 16)
set xlabel 'threads'
set ylabel 'million operations per second' offset 2,0
set yrange [8:4000]
set ytics (10, 20, 50, 100, 200, 500, 1000, 2000)

line(what, who, call, keys) = sprintf("< awk -v want='%s,%s,%s,%s,%s,*' -f bench/reporting/pick.awk '%s'", what, who, shared_size, call, keys, csv)

do for [what in 'query_present put_new'] {
  set title (what eq 'put_new' ? 'put new' : 'query present')
  plot line('limit', what eq 'put_new' ? 'cmpxchg16b' : 'read', '', ',') using 2:4 with lines linewidth 2 dashtype 2 linecolor rgb machine title 'limit of the machine', \
       line(what, 'fast-pair', 'many', 'hash,1%') using 2:4 with linespoints pointtype 7 linewidth 2.5 linecolor rgb many title 'lfbloom, many', \
       line(what, 'fast-pair', 'single', 'hash,1%') using 2:4 with linespoints pointtype 9 linewidth 2.5 linecolor rgb single title 'lfbloom, by call', \
       line(what, 'rocksdb', 'ahead', 'hash,1%') using 2:4 with linespoints pointtype 13 linewidth 2.5 linecolor rgb ck title 'RocksDB, 128 keys ahead', \
       line(what, 'rocksdb', 'single', 'hash,1%') using 2:4 with linespoints pointtype 4 linewidth 2.5 linecolor rgb mutex title 'RocksDB, by call'
}
