# Bars side by side, a colour a group. data: see pivot.awk; marks: position, group, value.
load 'plots/style.gp'
set xrange [-0.6:right + 0.6]
# Bars begin at zero. Where some hang from it, clusters have their names below those.
if (negative) {
	set yrange [*<0:0<*]
	set xzeroaxis linetype 1 linecolor rgb '#444444' linewidth 0.8
} else {
	set yrange [0:*]
}
set y2range [0:1]
# A mark that is the highest stays below the edge and the key, and the lowest above the axis.
if (marked) { set offsets 0, 0, graph 0.04, 0 }
if (marked && negative) { set offsets 0, 0, graph 0.04, graph 0.04 }
w = 0.8 / groups
# Marks on thin bars beside each other are small enough to stand apart.
thin = 60.0 * wide * w / (right + 1.2)
size = thin < 1.2 ? thin < 0.8 ? 0.8 : thin : 1.2
place(x, i) = x + (i - (groups + 1) / 2.0) * w
plot for [i = 1:groups] data skip 1 using (place($1, i)):(column(i + 2)):(w) with boxes \
	linestyle look(i) fillstyle pattern hatch(look(i)) title title_of[i], \
	data skip 1 using 1:(NaN):xtic(2) with points notitle, \
	for [m = 1:cluster] clusters using 1:(0):2 axes x1y2 with labels offset 0,below notitle, \
	for [m = 1:marked] marks using (place($1, $2)):3 with points pointtype 13 pointsize size \
	linecolor rgb 'white' notitle, \
	for [m = 1:marked] marks using (place($1, $2)):3 with points pointtype 12 pointsize size \
	linewidth 2 linecolor rgb 'black' title 'paper'
