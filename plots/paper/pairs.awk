# From the scoreboards of changes (a column in front says which) and a plan: with
# -v pairs=N, for each machine the plan of the runs in which two of the N changes that move its results
# most are made together, with the two columns of vary.awk. A change moves a result by the share of it
# by which its first number is another, at most by all of it; what counts is the mean of a change's
# results.
BEGIN { FS = OFS = "\t" }
FILENAME ~ /changed$/ {
	if ($6 == "not measured" || $4 !~ /^-?[0-9]/)
		next
	if ($1 == "-") {
		base[$2] = $4 + 0
		next
	}
	if ($1 ~ /^inputs / || !base[$2])
		next
	share = ($4 - base[$2]) / base[$2]
	share = share < 0 ? -share : share
	moved[$1] += share > 1 ? 1 : share
	results[$1]++
	next
}
# The strongest of a machine, each parameter once.
!chosen++ { choose() }
{
	machine = $6
	sub(/^quick\//, "", machine)
	sub(/\.ini$/, "", machine)
	for (i = 1; i <= n_of[machine]; i++)
		for (j = i + 1; j <= n_of[machine]; j++)
			both(strong[machine, i], strong[machine, j])
}
function choose(  change, word, most, best) {
	for (;;) {
		best = ""
		for (change in moved) {
			split(change, word, " ")
			if (n_of[word[1]] >= pairs || (word[1], word[2]) in taken)
				continue
			share = moved[change] / results[change]
			if (best == "" || share > most || share == most && change < best) {
				best = change
				most = share
			}
		}
		if (best == "")
			return
		split(best, word, " ")
		taken[word[1], word[2]]
		strong[word[1], ++n_of[word[1]]] = best
	}
}
function both(one, other,  a, b, settings, key) {
	split(one, a, " ")
	split(other, b, " ")
	if (index(" " $9, " " a[2] "=") || index(" " $9, " " b[2] "="))
		return
	settings = ($9 == "-" ? "" : $9 " ") a[2] "=" a[4] " " b[2] "=" b[4]
	key = $2 "." $6 "." $7 "." $8 "." settings ($10 == "replay" ? "" : "." $10)
	gsub(/ /, "@", key)
	gsub(/\//, "-", key)
	print key, $2, $3, $4, $5, $6, $7, $8, settings, $10, \
		a[1] " " a[2] "+" b[2] " " a[3] "+" b[3] " " a[4] "+" b[4], $9
}
