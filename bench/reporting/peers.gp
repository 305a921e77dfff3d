# peers.gp - ns per operation, one key per call, of fast, the peers and the limit: one panel per size.
set terminal svg size 1180,(60 + 430 * words(panels)) font 'sans-serif,15' background rgb 'white'
set multiplot layout words(panels),1 title 'ns per operation: one key per call, one thread, 1 %' font ',18'

set style fill solid 1 border rgb 'white'
set logscale y
set yrange [0.3:2000]
set ytics (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)
set xrange [-0.6:5.6]
set xtics ('query present' 0, 'query absent' 1, 'put present' 2, 'put new' 3, 'mixed 90/10' 4, 'mixed 50/50' 5) scale 0
set grid noxtics
set ylabel 'ns'
set boxwidth 0.1
operations = 'query_present query_absent put_present put_new mixed90 mixed50'

# For each measured operation: its number, KiB, threads, ns, rate, ns of the limit.
bars(who, call, keys, size) = sprintf("< n=0; for what in %s; do awk -v want=\"$what,%s,%s,%s,%s,1%%,1\" -f bench/reporting/pick.awk '%s/report.csv' | sed \"s/^/$n /\"; n=$((n + 1)); done", operations, who, size, call, keys, out)
at(place) = (place - 4) * 0.115

do for [size in panels] {
  set title sprintf('filter of %s', spaced(size))
  plot bars('fast', 'single', 'hash', size) using ($1 + at(1)):6 with boxes linecolor rgb machine title 'limit', \
       bars('fast', 'single', 'hash', size) using ($1 + at(2)):4 with boxes linecolor rgb single title 'fast', \
       bars('mutex', 'single', 'hash', size) using ($1 + at(3)):4 with boxes linecolor rgb mutex title 'mutex', \
       bars('ck-bitmap', 'single', 'hash', size) using ($1 + at(4)):4 with boxes linecolor rgb ck title 'ck-bitmap', \
       bars('libbloom', 'single', 'bytes8', size) using ($1 + at(5)):4 with boxes linecolor rgb libbloom title 'libbloom', \
       bars('guava-mitz64', 'single', 'u64', size) using ($1 + at(6)):4 with boxes linecolor rgb mitz64 title 'guava-mitz64', \
       bars('guava', 'single', 'u64', size) using ($1 + at(7)):4 with boxes linecolor rgb guava title 'Guava 31.1, JVM'
}
