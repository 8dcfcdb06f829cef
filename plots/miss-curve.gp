# Miss ratio against cache size, from trace-belady --curve --format=tsv: a line for each policy of
# `policies`, at the associativities that the table has.
load 'plots/style.gp'
if (!exists('policies')) { policies = 'lru opt' }
if (!exists('heading')) { heading = 'miss ratio of the L1D by its size' }
name(p) = p eq 'lru' ? 'LRU' : p eq 'opt' ? 'optimal' : p eq 'opt-bypass' ? 'optimal, with bypass' : p
style(p) = p eq 'lru' ? 1 : p eq 'opt' ? 2 : p eq 'opt-bypass' ? 3 : 4
set title heading noenhanced
set xlabel 'size (KB)'
set ylabel 'miss ratio'
set logscale x 2
set yrange [0:*]
set key autotitle columnheader outside top center horizontal maxrows 1
plot for [p in policies] data using (column('size_bytes') / 1024): \
	(strcol('policy') eq p ? column('miss_ratio') : NaN) with lines \
	linestyle style(p) title name(p)
