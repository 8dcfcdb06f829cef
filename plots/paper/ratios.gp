# The papers' ratios and ours: on the diagonal both are the same, in the grey quarters they are on
# different sides of 1. The band is what counts as met. Input: ratios.tsv of plots/paper/draw.
taller = 1.5
load 'plots/style.gp'
set termoption noenhanced
set datafile missing '-'
set title name
set xlabel 'ratio that the paper prints'
set ylabel 'ratio here'
set logscale xy
low = 0.08
high = 20
set xrange [low:high]
set yrange [low:high]
set grid xtics
set xtics (0.06, 0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32)
set ytics (0.06, 0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32)
set key outside right top vertical noreverse
set object 1 rectangle from first low, first 1 to first 1, first high \
	fillcolor rgb '#eeeeee' fillstyle solid noborder behind
set object 2 rectangle from first 1, first low to first high, first 1 \
	fillcolor rgb '#eeeeee' fillstyle solid noborder behind
near(x) = abs(x - 1) / 4 > 0.05 ? abs(x - 1) / 4 : 0.05
lowest(x) = x > low ? x : low
inside(x) = x < low ? low : x > high ? high : x
set samples 400
known = 'thesis tbc dwr slides dtbl'
colours = '#1b4f72 #c0504d #5d9ecf #777777 #111111'
at(name) = int(sum [k = 1:words(known)] (word(known, k) eq name ? k : 0))
colour(name) = at(name) ? word(colours, at(name)) : '#111111'
# A look for each paper, and a fill for each verdict: what is not met is open. `met` and `open`, and
# for labels `right` and `left`, name the papers that have such points: gnuplot wants no empty series.
here(name, met) = strcol(2) eq name && (strcol(5) eq 'met') == met
plot '+' using 1:(inside($1 - near($1))):(inside($1 + near($1))) with filledcurves \
		linecolor rgb '#d5e8d4' title 'met', \
	x with lines linecolor rgb '#888888' linewidth 1 title 'the same', \
	for [i = 1:words(met)] data skip 1 using (here(word(met, i), 1) ? inside($3) : NaN):(inside($4)) \
		with points pointtype 3 + 2 * at(word(met, i)) pointsize 0.9 \
		linecolor rgb colour(word(met, i)) title word(met, i), \
	for [i = 1:words(open)] data skip 1 using (here(word(open, i), 0) ? inside($3) : NaN):(inside($4)) \
		with points pointtype 2 + 2 * at(word(open, i)) pointsize 0.9 \
		linecolor rgb colour(word(open, i)) title word(open, i).', not met', \
	for [i = 1:words(right) > 0] data skip 1 \
		using (strcol(6) eq 'right' ? inside($3) : NaN):(inside($4)):1 with labels \
		left offset 0.9, 0 font ',9' textcolor rgb '#333333' notitle, \
	for [i = 1:words(left) > 0] data skip 1 \
		using (strcol(6) eq 'left' ? inside($3) : NaN):(inside($4)):1 with labels \
		right offset -0.9, 0 font ',9' textcolor rgb '#333333' notitle
