# Bars side by side, a colour a group. data: see pivot.awk; marks: position, group, value.
load 'plots/style.gp'
set xrange [-0.6:right + 0.6]
set yrange [0:*]
if (level(longest, n)) { set xtics scale 0 } else { set xtics rotate by -30 left scale 0 }
w = 0.8 / groups
place(x, i) = x + (i - (groups + 1) / 2.0) * w
plot for [i = 1:groups] data using (place($1, i)):(column(i + 2)):(w) with boxes \
	linestyle i fillstyle pattern hatch(i) title columnheader(i + 2), \
	data skip 1 using 1:(0):xtic(2) with points pointsize 0 notitle, \
	for [m = 1:marked] marks using (place($1, $2)):3 with points pointtype 13 pointsize 1.2 \
	linecolor rgb 'white' notitle, \
	for [m = 1:marked] marks using (place($1, $2)):3 with points pointtype 12 pointsize 1.2 \
	linewidth 2 linecolor rgb 'black' title 'paper'
