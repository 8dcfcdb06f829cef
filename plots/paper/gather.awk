# The plan's runs of one tool, with -v dir=runs, become one table: the family and the run's
# settings, then the columns of the run's total, or of all rows of another tool than trace-replay.
# A policy has columns of its own, which are `-` for the others. Runs that have failed are left out.
# The rows of a timeline have their numbers, since tables are sorted.
# Of the instructions of a run (lats) there is one row: how many of the program were issued as LATs,
# in any launch, how many of these the ILT ever had, and the instructions of all threads.
BEGIN {
	FS = OFS = "\t"
	split("scheduler warp machine launch settings" (tool == "replay" ? " kernel" : ""), word, " ")
	for (i in word)
		ours[word[i]]
	numbered = tool == "timeline"
}
$10 != tool { next }
{
	file = dir "/" $1 ".tsv"
	n = 0
	total = ""
	while ((getline line <file) > 0) {
		if (line ~ /^#/)
			continue
		if (!n)
			n = split((numbered ? "row\t" : "") line, name, "\t")
		else if (tool == "lats")
			count(line)
		else if (tool == "replay")
			total = line
		else
			add((numbered ? sprintf("%06d\t", ++at) : "") line)
	}
	at = 0
	close(file)
	if (tool == "lats" && n)
		total = static()
	if (total != "")
		add(total)
}
function count(line,  value, i, cell, inst) {
	split(line, value, "\t")
	for (i = 1; i <= n; i++)
		cell[name[i]] = value[i]
	inst = cell["kernel"] OFS cell["pc"]
	threads += cell["thread_insts"]
	if (cell["lats"])
		lat[inst]
	if (cell["lats_ignored"])
		ignored[inst]
}
# What was counted, under the names of its own columns.
function static(  inst, lats, gone, text) {
	for (inst in lat)
		lats++
	for (inst in ignored)
		gone++
	n = split("thread_insts lats lats_ignored", name, " ")
	text = sprintf("%.0f", threads) OFS lats + 0 OFS gone + 0
	threads = 0
	split("", lat)
	split("", ignored)
	return text
}
function add(line,  i, value) {
	rows++
	split(line, value, "\t")
	for (i = 1; i <= n; i++) {
		if (name[i] in ours)
			continue
		if (!(name[i] in column)) {
			column[name[i]] = ++columns
			heading[columns] = name[i]
		}
		table[rows, column[name[i]]] = value[i]
	}
	head[rows] = $3 OFS $4 OFS $5 OFS $6 OFS $7 OFS $8 OFS $9
}
END {
	line = "family" OFS "workload" OFS "input" OFS "machine" OFS "scheduler" OFS "warp" OFS "settings"
	for (c = 1; c <= columns; c++)
		line = line OFS heading[c]
	print line
	for (r = 1; r <= rows; r++) {
		line = head[r]
		for (c = 1; c <= columns; c++)
			line = line OFS ((r, c) in table ? table[r, c] : "-")
		print line
	}
}
