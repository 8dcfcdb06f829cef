#!/usr/bin/env -S LC_ALL=C awk -f
# What plots/validate/run's rows come to, for each set and figure: how many, the mean of the
# errors' sizes in percent (of shares, which are percents, in points), the geometric mean of the
# ratios, the correlation of the logarithms. Where ours is 0 in a row there are no logarithms.
BEGIN {
	FS = OFS = "\t"
	print "set", "figure", "calibrated", "rows", "error_percent", "ratio", "correlation"
}
function size(x) {
	return x < 0 ? -x : x
}
$1 == "set" { next }
$3 ~ /_(hit|kept)$/ {
	k = $1 OFS $3 OFS $7
	if (!(k in n))
		order[++sets] = k
	n[k]++
	e[k] += size($5 - $4) / 100
	points[k] = 1
	next
}
$6 == "-" { next }
{
	k = $1 OFS $3 OFS $7
	if (!(k in n))
		order[++sets] = k
	n[k]++
	e[k] += size($6 - 1)
	if ($5 <= 0)
		next
	logs[k]++
	x = log($4)
	y = log($5)
	sx[k] += x
	sy[k] += y
	xx[k] += x * x
	yy[k] += y * y
	xy[k] += x * y
}
END {
	for (i = 1; i <= sets; i++) {
		k = order[i]
		m = n[k]
		if (k in points) {
			print k, m, sprintf("%.1f", 100 * e[k] / m), "-", "-"
			continue
		}
		error = sprintf("%.1f", 100 * e[k] / m)
		if (logs[k] < m) {
			print k, m, error, "-", "-"
			continue
		}
		v = (xx[k] - sx[k] * sx[k] / m) * (yy[k] - sy[k] * sy[k] / m)
		r = m > 2 && v > 0 ? sprintf("%.4f", (xy[k] - sx[k] * sy[k] / m) / sqrt(v)) : "-"
		print k, m, error, sprintf("%.3f", exp((sy[k] - sx[k]) / m)), r
	}
}
