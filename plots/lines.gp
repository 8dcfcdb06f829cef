# Lines over a column of numbers, a colour and a point a group. data: see pivot.awk.
load 'plots/style.gp'
set xlabel xname
if (negative) { set yrange [*<0:0<*] } else { set yrange [0:*] }
if (log) { set logscale x 2 }
set rmargin 4
# No light ones, for a line is thin; the others are dashed.
shade(i) = word('#1b4f72 #5d9ecf #777777 #111111', (i - 1) % 4 + 1)
dash(i) = (i + 3) / 4
# Points may lie on one another: no filled ones.
kind(i) = points ? int(word('4 6 2 1 8 10 12 3 4 6 8 10', i)) : i + 3
if (points) { set style data points; set offsets graph 0.02, graph 0.02, 0, 0 } else {
	set style data linespoints
}
plot for [i = 1:groups] data skip 1 using 2:(column(i + 2)) linecolor rgb shade(look(i)) \
	linewidth 2 dashtype dash(look(i)) pointtype kind(look(i)) pointsize points ? 1.2 : 0.8 \
	title title_of[i]
