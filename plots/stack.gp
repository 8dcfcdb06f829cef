# Bars of parts that add up, the first column at the bottom. data: see pivot.awk.
load 'plots/style.gp'
set xrange [-0.6:right + 0.6]
if (share) { set yrange [0:100] } else { set yrange [0:*] }
part(i) = valid(i + 2) ? column(i + 2) : 0
upto(i) = i == 0 ? 0 : upto(i - 1) + part(i)
top(i) = share ? 100.0 * upto(i) / upto(groups) : upto(i)
plot for [i = 1:groups] data skip 1 \
	using 1:(top(i - 1)):($1 - 0.35):($1 + 0.35):(top(i - 1)):(top(i)):xtic(2) \
	with boxxyerror linestyle look(i) fillstyle pattern hatch(look(i)) title title_of[i], \
	for [m = 1:cluster] clusters using 1:(0):2 with labels offset 0,below notitle
