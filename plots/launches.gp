# Launches over time: the CTAs on the SMs by their kernels, the launches by threads that wait, and
# each of those as a row, from its call on. The table is that of plots/launches.awk; `run` stands
# above the picture.
if (!exists('run')) { run = '' }
if (!exists('wide')) { wide = 1.4 }
taller = 1.3
load 'plots/style.gp'
set datafile columnheaders
colours = '#1b4f72 #cc8400 #999999 #5d9ecf #b9d8ee #111111'
kernels = int(system("awk -F '\t' 'NR == 1 { print NF - 1; exit }' '" . data . "'"))
kernel(i) = system(sprintf("awk -F '\t' 'NR == 1 { print $%d; exit }' '%s'", i + 1, data))
colour(i) = word(colours, 1 + (i - 1) % 6)
set multiplot
set lmargin at screen 0.09
set rmargin at screen 0.98
set xrange [*:*] noextend
set yrange [0:*]
set label 1 run noenhanced center at screen 0.5,0.97
set key at screen 0.5,0.925 center horizontal noenhanced samplen 1
set format x ''
set ylabel 'CTAs on the SMs' offset 0.5,0
set tmargin at screen 0.89
set bmargin at screen 0.66
plot for [i = kernels:1:-1] data index 0 using 1:(column(i + 1)) with filledcurves x1 \
	fillcolor rgb colour(i) title kernel(i)
unset label 1
unset key
set ylabel "waiting"
set tmargin at screen 0.63
set bmargin at screen 0.48
plot data index 1 using 1:2 with steps linecolor rgb '#333333' linewidth 1.5
set format x '%.0f'
set xlabel 'cycle'
set ylabel 'launches by threads'
set key at screen 0.53,0.03 center horizontal samplen 1.5
set tmargin at screen 0.45
set bmargin at screen 0.17
set yrange [*:*] reverse
stats data index 0 using 1 nooutput
set xrange [STATS_min:STATS_max]
stats data index 2 using 1 nooutput
thick = 130.0 / (STATS_records > 0 ? STATS_records : 1)
thick = thick < 0.7 ? 0.7 : thick > 8 ? 8 : thick
plot data index 2 using 2:1:($3 - $2):(0) with vectors nohead linewidth thick linecolor rgb '#b9d8ee' notitle, \
	data index 2 using 3:1:($4 - $3):(0) with vectors nohead linewidth thick linecolor rgb '#1b4f72' notitle, \
	keyentry with lines linewidth 8 linecolor rgb '#b9d8ee' title 'from the call to the first block', \
	keyentry with lines linewidth 8 linecolor rgb '#1b4f72' title 'from the first block to the end of the last'
unset multiplot
