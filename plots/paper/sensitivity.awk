# From the scoreboard and those of the changes (a column more, in front), what becomes of each
# direction, as in the paper or not, when one parameter that no paper gives is halved or doubled, or
# two of them, or inputs are. A row without a parameter is of the runs as they are, on the small inputs
# of all these.
BEGIN {
	FS = OFS = "\t"
	print "machine", "parameter", "value", "varied", "claim", "paper", "whole", "ours", "verdict", \
		"held"
}
function holds(verdict) {
	return verdict ~ /^(met|direction)/ ? "yes" : verdict == "not measured" ? "-" : "no"
}
FNR == NR {
	if (FNR > 1 && holds($5) != "-")
		whole[$1] = $3
	next
}
!($2 in whole) { next }
{
	split($1, word, " ")
	row[++n] = $0
	if ($6 != "not measured")
		concerns[word[1], $2]
}
END {
	for (i = 1; i <= n; i++) {
		split(row[i], field, "\t")
		if (split(field[1], word, " ") == 1)
			word[2] = word[3] = word[4] = "-"
		if ((word[1], field[2]) in concerns)
			print word[1], word[2], word[3], word[4], field[2], field[3], whole[field[2]], \
				field[4], field[6], holds(field[6])
	}
}
