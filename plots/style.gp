# The look of every figure. A script loads it and does not know its terminal:
#   gnuplot -e "term='svg'; out='f.svg'; data='f.tsv'" FIGURE.gp
# Fills differ in lightness and in hatch, so that they survive a grey print.
# One with many bars may ask for a broader picture: wide, 1 if it is not said; another for a taller
# one. Labels that stand take their room from a taller one.
if (!exists('wide')) { wide = 1 }
tall = 1
if (exists('taller')) { tall = taller }
if (exists('heading')) { if (cluster) { tall = 1 + 0.015 * longest } }
if (term eq 'png') {
	set terminal pngcairo size 960 * wide,540 * tall font 'Sans,14'
} else {
	if (term eq 'pdf') {
		set terminal pdfcairo size 4.8 * wide,2.7 * tall font 'Sans,10'
	} else {
		set terminal svg size 800 * wide,450 * tall font 'sans-serif,14' background 'white'
	}
}
set output out
set encoding utf8
set datafile separator "\t"
set datafile commentschars '#'
set border 3 linewidth 0.8 linecolor rgb '#444444'
set tics nomirror out scale 0.5 textcolor rgb '#222222'
set grid ytics linecolor rgb '#dddddd' linetype 1 linewidth 0.6
set key top left reverse Left samplen 1.5 width 1
set style fill solid 1.0 border linecolor rgb '#222222'
set style line 1 linecolor rgb '#1b4f72' linewidth 2
set style line 2 linecolor rgb '#5d9ecf' linewidth 2
set style line 3 linecolor rgb '#b9d8ee' linewidth 2
set style line 4 linecolor rgb '#777777' linewidth 2
set style line 5 linecolor rgb '#1b4f72' linewidth 2
set style line 6 linecolor rgb '#5d9ecf' linewidth 2
set style line 7 linecolor rgb '#333333' linewidth 2
set style line 8 linecolor rgb '#111111' linewidth 2
set style line 9 linecolor rgb '#111111' linewidth 2
set style line 10 linecolor rgb '#1b4f72' linewidth 2
set style line 11 linecolor rgb '#111111' linewidth 2
set style line 12 linecolor rgb '#777777' linewidth 2
# The fill of a look: solid, hatched, or white. Equal lightness has another hatch.
hatch(i) = int(word('3 3 3 4 5 1 0 1 3 6 2 7', i))
# What the figures of users' tables begin with; see plots/figure.bash. Labels along x stay level
# while there is room for them, then slant, and stand where slanting ones would cover each other;
# within clusters they stand, with the clusters' names below.
if (exists('heading')) {
	look(i) = int(word(styles, i))
	below = -0.5 * longest - 1.7
	if (cluster) {
		set xtics scale 0 rotate by 90 right
		set bmargin 0.5 * longest + 2.9
	}
	if (!numeric && !cluster) {
		set xtics scale 0
		if (n * (longest + 2) > 84 * wide) { set xtics rotate by (n > 28 * wide ? 90 : 30) right }
	}
	set termoption noenhanced
	set datafile missing '-'
	# Nothing in these tables is a remark: a name may begin with #.
	set datafile commentschars ''
	set title heading
	set ylabel yname
	set key outside top center horizontal
	if (groups == 1 && !marked) { unset key }
}
