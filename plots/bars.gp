# Bars side by side, a colour a group. data: see pivot.awk; marks: position, group, value.
load 'plots/style.gp'
set xrange [-0.6:right + 0.6]
set yrange [0:*]
# A mark that is the highest stays below the edge and the key.
if (marked) { set offsets 0, 0, graph 0.04, 0 }
w = 0.8 / groups
# Marks on thin bars beside each other are small enough to stand apart.
thin = 60.0 * wide * w / (right + 1.2)
size = thin < 1.2 ? thin < 0.8 ? 0.8 : thin : 1.2
place(x, i) = x + (i - (groups + 1) / 2.0) * w
plot for [i = 1:groups] data using (place($1, i)):(column(i + 2)):(w) with boxes \
	linestyle look(i) fillstyle pattern hatch(look(i)) title columnheader(i + 2), \
	data skip 1 using 1:(NaN):xtic(2) with points notitle, \
	for [m = 1:cluster] clusters using 1:(0):2 with labels offset 0,below notitle, \
	for [m = 1:marked] marks using (place($1, $2)):3 with points pointtype 13 pointsize size \
	linecolor rgb 'white' notitle, \
	for [m = 1:marked] marks using (place($1, $2)):3 with points pointtype 12 pointsize size \
	linewidth 2 linecolor rgb 'black' title 'paper'
