# From claims.tsv, scoreboard.tsv, sensitivity.tsv if there is one, plan.tsv, the commands of the
# recordings and of the runs, and the figures' commands.tsv, runs.tsv, left.tsv and list.tsv, in
# this order: the page that shows them. A run's command is known by the file that it writes, which
# its key names.
BEGIN {
	FS = "\t"
	paper["thesis"] = "Rogers, thesis"
	paper["tbc"] = "Thread block compaction"
	paper["dwr"] = "Dynamic warp resizing"
	paper["slides"] = "CROWN"
}
function text(t) {
	gsub(/&/, "\\&amp;", t)
	gsub(/</, "\\&lt;", t)
	gsub(/>/, "\\&gt;", t)
	gsub(/"/, "\\&quot;", t)
	return t
}
function output(line,  t) {
	t = line
	if (match(t, /--events='[^']*'/))
		return substr(t, RSTART + 10, RLENGTH - 11)
	if (!match(t, /-o '[^']*'/))
		return ""
	return substr(t, RSTART + 4, RLENGTH - 5)
}
FNR == 1 {
	file = FILENAME
	sub(/.*\//, "", file)
}
file == "claims.tsv" {
	if (!/^#/)
		statement[$1] = $4
	next
}
file == "scoreboard.tsv" {
	if (FNR > 1) {
		claim[++claims] = $0
		verdicts[word($5)]++
	}
	next
}
file == "sensitivity.tsv" {
	if (FNR > 1 && $2 != "-") {
		tried[$5]++
		held[$5] += $10 == "yes"
		if ($10 != "yes")
			not_held[$5] = not_held[$5] (not_held[$5] == "" ? "" : ", ") $2 " " $3 " \342\206\222 " $4
	}
	next
}
file == "plan.tsv" {
	run = $3 FS $4 FS $5 FS $6 FS $7 FS $8 FS $9
	planned[run] = planned[run] FS $1
	trace[$1] = "traces/" $2 ".wt"
	next
}
file == "traces" || file == "runs" {
	command[output($0)] = $0
	next
}
file == "commands.tsv" {
	drawn[$1] = $2
	next
}
file == "runs.tsv" {
	if (FNR > 1)
		made[$1] = made[$1] "\n" $2 FS $3 FS $4 FS $5 FS $6 FS $7 FS $8
	next
}
file == "left.tsv" {
	if (FNR > 1)
		missing = missing "<li>" caption($1) ". " text($2) "\n"
	next
}
FNR == 1 {
	head()
	board()
	next
}
{ figure() }
END {
	if (missing != "")
		printf "<p id=\"left\">Left out, since what they show was not measured:</p>\n<ul>\n%s</ul>\n", \
			missing
	print "</main>\n</html>"
}

function head() {
	print "<!DOCTYPE html>"
	print "<html lang=\"en\">"
	print "<meta charset=\"utf-8\">"
	print "<title>warptrace: the papers' results</title>"
	print "<meta name=\"viewport\" content=\"width=device-width\">"
	print "<link rel=\"icon\" href=\"data:,\">"
	print "<style>"
	print "body { font: 16px/1.5 sans-serif; color: #222; background: #fff; margin: 0 }"
	print "main { max-width: 64rem; margin: 0 auto; padding: 1rem }"
	print "table { border-collapse: collapse; font-size: 14px }"
	print "th, td { padding: .2rem .6rem; border-bottom: 1px solid #ddd; text-align: left; " \
		"vertical-align: top }"
	print "td.n { font-variant-numeric: tabular-nums; overflow-wrap: anywhere }"
	print "img { width: 100%; height: auto; border: 1px solid #eee }"
	print "figure { margin: 2.5rem 0 }"
	print "pre { overflow-x: auto; background: #f6f6f6; padding: .6rem; font-size: 12px }"
	print "summary { cursor: pointer }"
	print ".wide { overflow-x: auto }"
	print ".met { background: #cfe8cf } .direction { background: #e9f0c4 }"
	print ".partial { background: #dde9f5 } .opposite { background: #f3c9c4 }"
	print ".not { color: #666 }"
	print "</style>"
	print "<main>"
	print "<h1>The papers' results</h1>"
}
function board(  i, f, class) {
	print "<p>Each row is a result that a paper prints, and what the same runs give here. " \
		"<b>met</b>: not on the other side of 1 and within a quarter of the effect, or of 0.05; an order " \
		"that holds, a bound kept. <b>direction</b>: the same side, another size: <b>far</b> if " \
		"the effect is more than three times the paper's, <b>weak</b> if less than a quarter. " \
		"<b>opposite</b>: the other side. <b>no effect</b>: the paper says that there is none. " \
		"<b>partial</b>: some workloads of the set are not there, and how the others stand. <a href=\"scoreboard.tsv\">" \
		"scoreboard.tsv</a>, <a href=\"runs.tsv\">runs.tsv</a></p>"
	printf "<p>"
	i = split("met direction opposite partial", f, " ")
	f[5] = "not measured"
	for (i = 1; i <= 5; i++)
		printf "%s<span class=\"%s\">%d %s</span>", (i > 1 ? ", " : ""), word(f[i]), verdicts[word(f[i])], \
			f[i]
	print "</p>"
	print "<p>Under each figure are the commands that made its data, for a shell in this page's " \
		"folder with the tools in PATH and the source tree as $W.</p>"
	print "<div class=\"wide\"><table id=\"scoreboard\">"
	print "<tr><th>result<th>what<th>paper<th>here<th>ratio<th>verdict"
	for (i = 1; i <= claims; i++) {
		split(claim[i], f, FS)
		class = word(f[5])
		printf "<tr><td>%s<td>%s<td class=\"n\">%s<td class=\"n\">%s<td class=\"n\">%s" \
			"<td class=\"%s\">%s\n", text(f[1]), text(statement[f[1]]), broken(f[2]), \
			broken(f[3]), broken(f[4]), class, text(f[5])
	}
	print "</table></div>"
	sensitivity()
}
# Directions that hold or do not when what a paper leaves open is another.
function sensitivity(  i, f, some) {
	for (i = 1; i <= claims; i++) {
		split(claim[i], f, FS)
		if (!(f[1] in tried))
			continue
		if (!some) {
			print "<h2>Sensitivity</h2>"
			print "<p>Each parameter that its paper does not give, halved and doubled, one at a " \
				"time: whether the result stays on the paper's side. What alters nothing even " \
				"together with others of its kind is not run alone. " \
				"<a href=\"sensitivity.tsv\">sensitivity.tsv</a></p>"
			print "<div class=\"wide\"><table>"
			print "<tr><th>result<th>changes<th>held<th>did not hold"
		}
		some = 1
		printf "<tr><td>%s<td>%d<td>%d<td>%s\n", text(f[1]), tried[f[1]], held[f[1]], \
			text(not_held[f[1]])
	}
	if (some)
		print "</table></div>"
}
function word(verdict) {
	sub(/ .*/, "", verdict)
	return verdict
}
# Long lists may break behind their commas.
function broken(t) {
	t = text(t)
	gsub(/,/, ",<wbr>", t)
	return t
}
# "thesis-3.3a" is the thesis's figure 3.3 (a).
function caption(id,  part, n, kind) {
	n = split(id, part, "-")
	kind = part[2] == "table" ? "table" : part[1] == "slides" ? "slide" : "figure"
	id = part[n]
	if (id ~ /[a-z]$/)
		id = substr(id, 1, length(id) - 1) " (" substr(id, length(id)) ")"
	return paper[part[1]] ", " kind " " id
}
function figure(  id, file_, status) {
	id = $1
	print "<figure id=\"" id "\">"
	if ($2 == "table") {
		rows(dir "/" id ".tsv")
	} else {
		file_ = dir "/" id ".svg"
		status = (getline line <file_) > 0
		close(file_)
		if (status)
			print "<img src=\"figures/" id ".svg\" alt=\"" \
				text($6) "\">"
		else
			rows(dir "/" id ".tsv")
	}
	print "<figcaption><b>" caption(id) ".</b> " text($6) "."
	if ($7 != "-")
		print "Without " text($7) ": not measured, or nothing to divide by."
	if (drawn[id] ~ / -k /)
		print "A diamond is the value that the paper prints."
	print "<a href=\"figures/" id ".tsv\">" id ".tsv</a></figcaption>"
	runs(id)
	print "</figure>"
}
function rows(file_,  n, f, i, head_) {
	print "<div class=\"wide\"><table>"
	while ((getline line <file_) > 0) {
		n = split(line, f, FS)
		printf "<tr>"
		for (i = 1; i <= n; i++)
			printf "%s%s", (head_ ? "<td>" : "<th>"), text(f[i])
		print ""
		head_ = 1
	}
	close(file_)
	print "</table></div>"
}
function need(file_) {
	if (!(file_ in seen) && file_ in command)
		records = records command[file_] "\n"
	seen[file_]
}
# The recordings first, then the runs, then the figure.
function runs(id,  n, run, i, m, key, j, file_, replays, count) {
	split("", seen)
	records = ""
	n = split(made[id], run, "\n")
	for (i = 2; i <= n; i++) {
		m = split(planned[run[i]], key, FS)
		for (j = 2; j <= m; j++) {
			file_ = "runs/" key[j] ".tsv"
			if (file_ in seen || !(file_ in command))
				continue
			seen[file_]
			count++
			replays = replays command[file_] "\n"
			need(trace[key[j]])
			# A schedule by profile needs the profile as well.
			if (match(command[file_], /traces\/[^' ]*\.profile/))
				need(substr(command[file_], RSTART, RLENGTH))
		}
	}
	print "<details><summary>" count (count == 1 ? " run" : " runs") "</summary><pre>" \
		text(records replays) \
		"$W/plots/paper/draw .\n" (id in drawn ? "cd figures; $W/" text(drawn[id]) "\n" : "") \
		"</pre></details>"
}
