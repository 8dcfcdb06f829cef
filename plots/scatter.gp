# A point for every row. data: see pivot.awk; correlation: what is said of it.
load 'plots/style.gp'
set xlabel xname
if (log) { set logscale x 2 }
set offsets graph 0.02, graph 0.02, graph 0.05, graph 0.02
set rmargin 4
set grid xtics ytics
set label 1 correlation at graph 0.02, 0.97 left front
shade(i) = word('#1b4f72 #5d9ecf #777777 #111111', (i - 1) % 4 + 1)
kind(i) = int(word('6 4 2 1 8 10 12 3 4 6 8 10', i))
plot for [i = 1:groups] data skip 1 using 2:(column(i + 2)) with points linecolor rgb shade(look(i)) \
	pointtype kind(look(i)) pointsize 1 linewidth 1.5 title title_of[i]
