# fpp.gp - false-positive probability against bits per key: models as lines, measurements
# as points; below, measured divided by modelled, with 95 % intervals.
set terminal svg size 960,820 font 'sans-serif,15' background rgb 'white'
set multiplot title 'false positives against memory' font ',18'
set lmargin at screen 0.1
set rmargin at screen 0.97
set xrange [4:36]

curve(name) = sprintf("< awk -F, '$1 == \"%s\" { print $3, $6, $7, $8, $9 }' '%s/fpp.csv'", name, out)
names = 'guava-mitz64 fast-smallest fast fast-speed'
titles = "'guava-mitz64, classic' 'fast, smallest' 'fast, balanced (default)' 'fast, speed'"
set style line 1 linecolor rgb mitz64 linewidth 1.5 pointtype 9 pointsize 0.8
set style line 2 linecolor rgb '#666666' linewidth 1.5 pointtype 4 pointsize 0.8
set style line 3 linecolor rgb many linewidth 1.5 pointtype 7 pointsize 0.8
set style line 4 linecolor rgb '#aa4499' linewidth 1.5 pointtype 13 pointsize 0.8

set tmargin at screen 0.92
set bmargin at screen 0.43
set logscale y
set format y '10^{%L}'
set yrange [1e-5:0.2]
set ylabel 'probability: lines modelled, points measured'
set key inside top right
plot for [i = 1:4] curve(word(names, i)) using 1:2 with lines linestyle i notitle, \
     for [i = 1:4] curve(word(names, i)) using 1:3 with points linestyle i notitle, \
     for [i = 1:4] NaN with linespoints linestyle i title word(titles, i)

set tmargin at screen 0.36
set bmargin at screen 0.1
unset logscale y
set format y '%.2f'
set yrange [0.85:1.15]
set ylabel 'measured / modelled'
set xlabel 'bits per key'
plot 1 with lines linecolor rgb '#404040' dashtype 2 notitle, \
     for [i = 1:4] curve(word(names, i)) using 1:($3 / $2):($4 / $2):($5 / $2) with yerrorbars linestyle i notitle
