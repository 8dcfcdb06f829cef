# From the plan: for each run whose scheduler is swl:best, its key and the limit that the runs in
# `dir` show to be the fastest of those tried on the same trace and machine; of equals the first.
BEGIN {
	FS = OFS = "\t"
}
function ipc(key,  file, line, name, value, n, i) {
	file = dir "/" key ".tsv"
	while ((getline line <file) > 0)
		if (line !~ /^#/ && !n)
			n = split(line, name, "\t")
		else if (line !~ /^#/)
			split(line, value, "\t")
	close(file)
	for (i = 1; i <= n; i++)
		if (name[i] == "ipc_thread")
			return value[i] + 0
}
{
	what = $2 OFS $6 OFS $8 OFS $9
}
$7 == "swl:best" { wanted[$1] = what }
$7 ~ /^swl:limit=/ && $10 == "replay" && !($1 in seen) {
	seen[$1]
	limit = substr($7, length("swl:limit=") + 1) + 0
	x = ipc($1)
	if (x > most[what] || x == most[what] && limit < best[what]) {
		most[what] = x
		best[what] = limit
	}
}
END {
	for (key in wanted)
		if (wanted[key] in best)
			print key, best[wanted[key]]
}
