# Areas that add up over a column of numbers, the first at the bottom. data: see pivot.awk. A row's
# value holds up to its number, as an interval's does up to its end.
load 'plots/style.gp'
set xlabel xname
if (share) { set yrange [0:100] } else { set yrange [0:*] }
set autoscale xfix
set rmargin 4
part(i) = valid(i + 2) ? column(i + 2) : 0
upto(i) = i == 0 ? 0 : upto(i - 1) + part(i)
whole(x) = x > 0 ? x : 1
top(i) = share ? 100.0 * upto(i) / whole(upto(groups)) : upto(i)
# From the top, so that what is below lies over it.
plot for [k = 1:groups] data skip 1 using 2:(top(groups + 1 - k)) with filledcurves y1=0 \
	linestyle look(groups + 1 - k) fillstyle pattern hatch(look(groups + 1 - k)) \
	title title_of[groups + 1 - k]
