# A heat map: columns are the places along x, rows the groups, from the top. data: see pivot.awk.
load 'plots/style.gp'
# Before there are axes, for what is out of range does not count.
low = 1e308
high = -1e308
do for [i = 1:groups] {
	stats data skip 1 using (column(i + 2)) name 'field' nooutput
	low = field_min < low ? field_min : low
	high = field_max > high ? field_max : high
}
set xrange [-0.5:n - 0.5]
set yrange [groups + 0.5:0.5]
unset grid
set border 0
set tics scale 0
set ytics autofreq
set xlabel xname
set ylabel gname
set cblabel yname
set colorbox user origin screen 0.9, graph 0 size screen 0.02, graph 1
set rmargin at screen 0.87
set palette defined (0 '#f4f9fd', 0.5 '#8fbce0', 1 '#1b4f72')
unset key
set style fill solid 1.0 border linecolor rgb 'white'
if (high <= low) { high = low + 1 }
set cbrange [low:high]
# Of many fields the numbers would stand on each other: there are colours alone, and some labels.
many = n > 24 || groups > 16
across = ceil(n / 10.0)
down = ceil(groups / 16.0)
if (many) { set style fill solid 1.0 noborder; set xtics scale 0.4 norotate }
dark(v) = v > low + 0.55 * (high - low)
say(v) = sprintf(abs(v) >= 1000 ? '%.0f' : '%.3g', v)
# A label is written in one of two shades and is empty in the other. A plot of labels of which none
# has a place would end gnuplot 5.4, so all have one, also where there is no value (v is not itself).
light(v) = v == v && !dark(v) ? say(v) : ''
white(v) = v == v && dark(v) ? say(v) : ''
plot for [i = 1:groups] data skip 1 using 0:(i):($0 - 0.5):($0 + 0.5):(i - 0.5):(i + 0.5):(column(i + 2)) \
	with boxxyerror linecolor palette, \
	for [i = 1:(many ? 0 : groups)] data skip 1 using 0:(i):(light(column(i + 2))) \
	with labels textcolor rgb '#222222', \
	for [i = 1:(many ? 0 : groups)] data skip 1 using 0:(i):(white(column(i + 2))) \
	with labels textcolor rgb 'white', \
	data skip 1 every (many ? across : 1) using (column(1)):(NaN):xtic(2) with points, \
	named every (many ? down : 1) using (NaN):1:ytic(2) with points
