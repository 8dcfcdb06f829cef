# Lines over a column of numbers, a colour and a point a group. data: see pivot.awk.
load 'plots/style.gp'
set xlabel xname
set yrange [0:*]
if (log) { set logscale x 2 }
set rmargin 4
plot for [i = 1:groups] data using 2:(column(i + 2)) with linespoints linestyle i \
	pointtype (i + 3) pointsize 0.8 title columnheader(i + 2)
