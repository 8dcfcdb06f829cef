# From the tables of `trace-locality --format=tsv`, one file NAME.tsv a workload: a row each with
# misses and hits by class per thousand thread instructions, and their arithmetic mean set apart.
BEGIN {
	FS = OFS = "\t"
	print "workload", "misses", "inter-CTA", "inter-warp", "intra-warp", "intra-thread"
}
function row(label, p) {
	print label, p["misses"], p["inter_cta"], p["inter_warp"], p["intra_warp"], p["intra_thread"]
}
function finish(  k) {
	if (name == "")
		return
	row(name, pki)
	for (k in pki)
		sum[k] += pki[k]
	n++
	delete pki
}
FNR == 1 {
	finish()
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.tsv$/, "", name)
	split("", column)
}
/^#/ { next }
!("class" in column) {
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}
$1 != "total" {
	pki[$1 ~ /^(cold|written|capacity|conflict)$/ ? "misses" : $1] += $column["pki"]
}
END {
	finish()
	for (k in sum)
		sum[k] /= n
	if (n > 1) {
		print "", 0, 0, 0, 0, 0
		row("mean", sum)
	}
}
