# From results.tsv, and from the records and the cycles of plots/validate/sensitivity: a row for each
# machine as it is and for each change of one key, with the size of the change in front, by which they
# are sorted. Sums go in the order of the cycles, so that they are the same each time.
BEGIN { FS = OFS = "\t" }
function size(x) {
	return x < 0 ? -x : x
}
function percent(x,  text) {
	text = sprintf("%.2f", 100 * x)
	return text == "-0.00" ? "0.00" : text
}
function fail(text) {
	print "sensitivity: " text | "cat >&2"
	failed = 1
	exit 1
}
FNR == 1 { reading++ }
reading == 1 {
	if ($3 == "cycles")
		measured[$1, $2] = $4
}
reading == 2 {
	if (($3, $4) in measured)
		want[$1] = measured[$3, $4]
	else if ($3 != "-")
		fail("results.tsv has no cycles of " $3 " " $4)
}
reading == 3 {
	if ($3 == "-" && $6 !~ /^[0-9]+$/)
		fail("record " $1 " does not run on " $2)
	if ($3 == "-")
		base[$2, $1] = $6
	record[++n] = $1
	machine[n] = $2
	change[n] = $2 OFS $3 OFS $4 OFS $5
	cycles[n] = $6
}
END {
	if (failed)
		exit 1
	for (i = 1; i <= n; i++) {
		k = change[i]
		r = record[i]
		b = base[machine[i], r]
		if (!(k in many))
			order[++rows] = k
		many[k]++
		if (cycles[i] !~ /^[0-9]+$/) {
			refused[k]
			continue
		}
		logs[k] += log(cycles[i] / b)
		if (r in want) {
			rated[k]++
			off[k] += size(cycles[i] / want[r] - 1)
			before[k] += size(b / want[r] - 1)
		}
	}
	for (i = 1; i <= rows; i++) {
		k = order[i]
		m = many[k]
		if (k in refused)
			print -1, k, m, "refused", "-", "-"
		else
			print (k ~ /\t-\t-\t-$/ ? 1e9 : size(logs[k] / m)), k, m, \
				percent(exp(logs[k] / m) - 1), \
				rated[k] ? percent(off[k] / rated[k]) : "-", \
				rated[k] ? percent((off[k] - before[k]) / rated[k]) : "-"
	}
}
