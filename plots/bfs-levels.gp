# Nodes that a breadth-first search visits at each level: its active threads.
load 'plots/style.gp'
set title 'bfs: threads with work at each level'
set xlabel 'level'
set ylabel 'threads'
set xrange [-0.6:*] noextend
set yrange [0:*]
set xtics 0,1
set format y '%.0s%c'
set boxwidth 0.8
set key autotitle columnheader outside top center horizontal
plot data using 1:3 with boxes linestyle 3 fillstyle pattern 4 title 'launched', \
	'' using 1:2 with boxes linestyle 1 title 'in the frontier', \
	'' using 1:2:2 with labels offset 0,0.7 notitle
