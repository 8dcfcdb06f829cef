# Misses and hits by kind of locality, per thousand thread instructions: a stacked bar a workload,
# in the manner of figures 3.1 and 3.12 of Rogers' thesis. data: see locality.awk.
load 'plots/style.gp'
set title 'what an L1D finds in the accesses of each workload'
set ylabel 'per 1000 thread instructions'
set yrange [0:*]
set xrange [-0.6:*] noextend
set style data histograms
set style histogram rowstacked
set boxwidth 0.7
set xtics rotate by -30 left scale 0
set key autotitle columnheader outside top center horizontal
plot data using 2:xtic(1) linestyle 4 title 'misses', \
	'' using ($3 + $4) linestyle 3 fillstyle pattern 4 title 'inter-warp hits', \
	'' using 5 linestyle 2 fillstyle solid title 'intra-warp, between threads', \
	'' using 6 linestyle 1 fillstyle solid title 'intra-thread'
