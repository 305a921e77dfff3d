# threads.gp - rate against the number of threads that share one filter.
set terminal svg size 1180,600 font 'sans-serif,15' background rgb 'white'
set multiplot layout 1,2 margins 0.075,0.985,0.33,0.85 spacing 0.09,0 \
    title sprintf('threads that share one filter of %s: 1 %%, hashes given', spaced(shared_size)) font ',18'
set key at graph 0.48,-0.27 center top vertical maxrows 3 width -6 font ',14'

set logscale xy
set xrange [0.85:75]
set xtics ('1' 1, '2' 2, '4' 4, '16' 16, '64' 64)
set xlabel 'threads'
set ylabel 'million operations per second' offset 2,0
set yrange [2:3000]
set ytics (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)

line(what, who, call) = pick(what . ',' . who . ',' . shared_size . ',' . call . ',hash,1%,*')

do for [what in 'query_present put_new'] {
  set title (what eq 'put_new' ? 'put new' : 'query present')
  plot line(what, 'fast', 'many') using 2:4 with linespoints pointtype 7 linewidth 2.5 linecolor rgb many title 'fast, many', \
       line(what, 'fast', 'single') using 2:4 with linespoints pointtype 9 linewidth 2.5 linecolor rgb single title 'fast, by call', \
       line(what, 'ck-bitmap', 'single') using 2:4 with linespoints pointtype 13 linewidth 2.5 linecolor rgb ck title 'ck-bitmap', \
       line(what, 'mutex', 'many') using 2:4 with linespoints pointtype 4 linewidth 2.5 dashtype 4 linecolor rgb mutex title 'mutex, once for 1024 keys', \
       line(what, 'mutex', 'single') using 2:4 with linespoints pointtype 5 linewidth 2.5 linecolor rgb mutex title 'mutex'
}
