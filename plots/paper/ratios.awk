# From claims.tsv and a scoreboard: a row for each number of a claim that is a ratio, or a change in
# percent, which is taken as the ratio that it makes: id, source, paper, ours, verdict, and where the
# id stands in the picture: to the right or the left of its point, where ours is a third more or a
# quarter less than the paper's and there is room for it. The farthest choose first.
BEGIN {
	FS = OFS = "\t"
	# In letters of the picture's own size: the axes, from a point to its label, a letter of that.
	axis_x = 57
	axis_y = 58
	beside = 0.8
	letter = 0.6
	print "id", "source", "paper", "ours", "verdict", "label"
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
		row[++rows] = $1 OFS source[$1] OFS p OFS o OFS \
			($5 ~ /opposite/ ? "opposite" : $5 ~ /met/ ? "met" : "direction")
		name[rows] = $1
		across[rows] = place(p, axis_x)
		up[rows] = place(o, axis_y)
		if (o > p * 4 / 3 || o < p * 3 / 4)
			apart[rows] = o > 0 && p > 0 ? log(o / p) ^ 2 : 99
	}
}
END {
	while (farthest = most()) {
		delete apart[farthest]
		label(farthest)
	}
	for (i = 1; i <= rows; i++)
		print row[i], (i in side ? side[i] : "-")
}
function ratio(id, x) {
	sub(/^[<~]/, "", x)
	return percent[id] ? 1 + x / 100 : x + 0
}
# Where ratios.gp draws a ratio: 0.08 to 20 are an axis.
function place(x, axis) {
	x = x < 0.08 ? 0.08 : x > 20 ? 20 : x
	return log(x / 0.08) / log(20 / 0.08) * axis
}
function most(  i, at) {
	for (i in apart)
		if (!at || apart[i] > apart[at] || apart[i] == apart[at] && i + 0 < at + 0)
			at = i
	return at + 0
}
function label(i,  width) {
	width = letter * length(name[i])
	from[i] = across[i] + beside
	side[i] = "right"
	if (!free(i, from[i], from[i] + width)) {
		from[i] = across[i] - beside - width
		side[i] = "left"
	}
	to[i] = from[i] + width
	if (!free(i, from[i], to[i]))
		delete side[i]
}
# Whether from a to b in the line of point i there is neither another point nor a label.
function free(i, a, b,  k) {
	if (a < 0 || b > axis_x)
		return 0
	for (k = 1; k <= rows; k++)
		if (k != i && (up[k] - up[i]) ^ 2 < 0.64 && across[k] > a - 0.5 && across[k] < b + 0.5)
			return 0
	for (k in side)
		if (k != i && (up[k] - up[i]) ^ 2 < 1 && from[k] < b && to[k] > a)
			return 0
	return 1
}
