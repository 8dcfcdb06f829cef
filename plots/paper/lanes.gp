# The lanes of warps step by step: a column of cells for each step, a thread in each that is filled.
# data: of lanes.awk. names: the policies, from the top; says: the title.
wide = 1.2
load 'plots/style.gp'
blocks = 'A B C D'
colours = '#b9d8ee #1b4f72 #5d9ecf #e4e4e4'
n = words(names)
row(policy) = sum [i = 1:n] (word(names, i) eq policy ? i - 1 : 0)
lanes = system("awk -F '\t' '$5 + 1 > n { n = $5 + 1 } END { print n }' '" . data . "'") + 0
high = lanes + 3.2
y(policy, lane) = -row(policy) * high - lane
colour(b) = int(sum [i = 1:4] (word(blocks, i) eq b ? i : 0))
set title says noenhanced
unset key
unset ytics
unset xtics
unset xlabel
unset grid
unset border
set xrange [-1.2:*]
set yrange [-n * high + 0.6:2.2]
do for [i = 1:n] {
	set label i word(names, i) at -1.1, -(i - 1) * high - (lanes - 1) / 2.0 left noenhanced
}
plot for [b = 1:4] data using \
	(strcol('on') eq '1' && colour(strcol('block')) == b ? column('step') : NaN): \
	(y(strcol('policy'), column('lane'))):(0.4):(0.46) \
	with boxxyerror fillstyle solid border rgb '#333333' linecolor rgb word(colours, b) notitle, \
	data using (strcol('on') eq '0' ? column('step') : NaN): \
	(y(strcol('policy'), column('lane'))):(0.4):(0.46) \
	with boxxyerror fillstyle empty border rgb '#999999' linecolor rgb '#999999' notitle, \
	data using (column('lane') == 0 ? column('step') : NaN):(y(strcol('policy'), -1.1)): \
	(strcol('block')) with labels notitle, \
	data using (column('lane') == 0 ? column('step') : NaN): \
	(y(strcol('policy'), lanes + 0.1)):('W' . strcol('slot')) with labels notitle, \
	data using (column('lane') == 0 && strcol('note') ne '-' ? column('step') : NaN): \
	(y(strcol('policy'), lanes + 0.9)):(strcol('note')) with labels notitle
