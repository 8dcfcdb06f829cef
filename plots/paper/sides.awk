# From two scoreboards: the claims that both have measured, what each has for them, and whether both
# stand on the same side, that is, both as in the paper or neither. The last row, `total`, has how
# many do and how many were compared.
BEGIN {
	FS = OFS = "\t"
	print "id", "paper", "one", "other", "verdict_one", "verdict_other", "same_side"
}
function side(verdict) {
	sub(/^partial \(/, "", verdict)
	return verdict ~ /^(met|direction)/
}
/^#/ || $1 == "id" { next }
FNR == NR {
	ours[$1] = $3
	verdict[$1] = $5
	next
}
$1 in ours && $5 != "not measured" && verdict[$1] != "not measured" {
	same = side(verdict[$1]) == side($5)
	print $1, $2, ours[$1], $3, verdict[$1], $5, same ? "yes" : "no"
	equal += same
	all++
}
END { print "total", "-", "-", "-", "-", "-", equal + 0 "/" all + 0 }
