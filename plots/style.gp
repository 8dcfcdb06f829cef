# The look of every figure. A script loads it and does not know its terminal:
#   gnuplot -e "term='svg'; out='f.svg'; data='f.tsv'" FIGURE.gp
# Fills differ in lightness and in hatch, so that they survive a grey print.
if (term eq 'png') {
	set terminal pngcairo size 960,540 font 'Sans,14'
} else {
	if (term eq 'pdf') {
		set terminal pdfcairo size 4.8,2.7 font 'Sans,10'
	} else {
		set terminal svg size 800,450 font 'sans-serif,14' background 'white'
	}
}
set output out
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
set style line 4 linecolor rgb '#8c8c8c' linewidth 2
