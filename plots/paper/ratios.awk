# From claims.tsv and a scoreboard: a row for each number of a claim that is a ratio, or a change in
# percent, which is taken as the ratio that it makes: id, source, paper, ours, verdict, and whether
# ours is a third more or a quarter less than the paper's.
BEGIN {
	FS = OFS = "\t"
	print "id", "source", "paper", "ours", "verdict", "apart"
}
FILENAME ~ /claims\.tsv$/ {
	if ($7 == "ratio" || $7 == "percent") {
		source[$1] = $2
		percent[$1] = $7 == "percent"
	}
	next
}
FNR == 1 || !($1 in source) || $3 == "-" { next }
{
	n = split($3, ours, ",")
	m = split($2, paper, ",")
	for (i = 1; i <= n; i++) {
		p = ratio($1, paper[m == 1 ? 1 : i])
		o = ratio($1, ours[i])
		print $1, source[$1], p, o, $5 ~ /opposite/ ? "opposite" : $5 ~ /met/ ? "met" : "direction", \
			(o > p * 4 / 3 || o < p * 3 / 4 ? "far" : "-")
	}
}
function ratio(id, x) {
	sub(/^[<~]/, "", x)
	return percent[id] ? 1 + x / 100 : x + 0
}
