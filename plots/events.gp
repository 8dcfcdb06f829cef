# What the warps of an SM do: a row for each warp, and its colour says what it does in a cycle. The
# table is that of plots/events.awk; `sm` stands above the picture.
if (!exists('wide')) { wide = 1.4 }
if (!exists('sm')) { sm = '' }
load 'plots/style.gp'
does = 'issued not_picked idle memory stall withheld sync'
colours = '#1b4f72 #5d9ecf #b9d8ee #e4e4e4 #999999 #cc8400 #111111'
texts = "'issues' 'ready, another issues' 'waits for a result' 'waits for a load' 'its unit is full' 'withheld' 'waits for others'"
# Only what is in the table has its colour explained.
there = system("awk -F '\t' 'NF == 3 && NR > 1 && !n[$3]++ { printf \" %s \", $3 }' '" . data . "'")
is_there(i) = strstrt(there, ' ' . word(does, i) . ' ') > 0
stats data using 'warp' nooutput
rows = STATS_max + 1
set title sm noenhanced offset 0,-0.5
set xlabel 'cycle'
set ylabel 'warp slot'
set yrange [rows - 0.4:-0.6]
set xrange [*:*] noextend
unset grid
set key outside top center horizontal samplen 0.8 width -1
thick = rows < 100 ? 235.0 / rows : 2
plot for [i = 7:1:-1] data using \
	(strcol('what') eq word(does, i) ? column('cycle') : NaN):(column('warp')) \
	with lines linewidth thick linecolor rgb word(colours, i) notitle, \
	for [i = 1:7] keyentry with lines linewidth (is_there(i) ? 10 : 0) \
	linecolor rgb (is_there(i) ? word(colours, i) : '#ffffff') \
	title (is_there(i) ? word(texts, i) : '')
