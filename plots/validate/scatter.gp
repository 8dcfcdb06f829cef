# Cycles that were measured, and those of a replay: a point for every row of plots/validate/run.
#   gnuplot -e "term='svg'; out='f.svg'; data='results.tsv'" plots/validate/scatter.gp
load 'plots/style.gp'
set logscale xy
set xlabel 'cycles measured'
set ylabel 'cycles of the replay'
set grid xtics ytics
sets = 'h100-empty h100-ffma h100-ffma-recorded h100-cuda-sdk h100-polybench gv100 accel-sim-v100 accel-sim-qv100 accel-sim-plain'
shade(i) = word('#1b4f72 #5d9ecf #777777 #111111 #1b4f72 #5d9ecf #777777 #111111 #777777', i)
kind(i) = int(word('6 4 2 1 8 10 12 2 3', i))
of(i) = sprintf("< awk -F '\t' '$1 == \"%s\" && $3 == \"cycles\"' %s", word(sets, i), data)
plot x with lines linecolor rgb '#bbbbbb' notitle, for [i = 1:words(sets)] of(i) using 4:5 with points \
	linecolor rgb shade(i) pointtype kind(i) pointsize 1 linewidth 1.5 title word(sets, i)
