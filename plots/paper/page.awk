# From claims.tsv, scoreboard.tsv, reasons.tsv, made.tsv, sides.tsv and sensitivity.tsv if there
# are any, plan.tsv, the commands of the recordings and of the runs, and the figures' marked.tsv,
# commands.tsv, runs.tsv, left.tsv and list.tsv, in this order: the page that shows them. A run's
# command is known by the file that it writes, which its key names. -v date says when the runs were
# gathered.
BEGIN {
	FS = "\t"
	papers = split("thesis tbc dwr slides dtbl mechanisms", order, " ")
	title["thesis"] = "Rogers, thesis"
	title["tbc"] = "Thread block compaction"
	title["dwr"] = "Dynamic warp resizing"
	title["slides"] = "CROWN"
	title["dtbl"] = "Dynamic thread block launch"
	title["mechanisms"] = "All mechanisms side by side"
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
	if (/^#/)
		next
	source[$1] = $2
	place[$1] = $3
	statement[$1] = $4
	unit[$1] = $5
	next
}
file == "scoreboard.tsv" {
	if (FNR > 1) {
		claim[++claims] = $0
		verdict[$1] = $5
		verdicts[word($5)]++
		if ($5 != "not measured")
			measured[source[$1]]++
		all[source[$1]]++
	}
	next
}
file == "reasons.tsv" {
	if (!/^#/) {
		reason[$1] = $2
		experiment[$1] = $3
	}
	next
}
file == "made.tsv" {
	made_with[$1] = $2
	next
}
# A claim whose value a figure marks belongs to it.
file == "marked.tsv" {
	if (FNR > 1)
		link($2, $1)
	next
}
file == "sides.tsv" {
	if ($1 == "total")
		sides = $7
	else if (FNR > 1)
		whole[$1] = $4 FS $6 FS $7
	next
}
file == "sensitivity.tsv" {
	if (FNR > 1 && $2 == "-") {
		stands[$5] = $10
	} else if (FNR > 1) {
		tried[$5]++
		held[$5] += $10 == "yes"
		if ($10 != stands[$5])
			turned[$5] = turned[$5] (turned[$5] == "" ? "" : ", ") $2 " " $3 " \342\206\222 " $4
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
FNR > 1 {
	figure_[++figures] = $0
	there[$1]
	of[figures] = paper_of($1)
	shown[of[figures]]++
}
END {
	for (i = 1; i <= claims; i++)
		belongs(word_of(claim[i]))
	head()
	contents()
	summary()
	for (k = 1; k <= papers; k++)
		paper(order[k])
	if (missing != "")
		printf "<h2 id=\"left\">Left out</h2>\n" \
			"<p>What these show was not measured:</p>\n<ul>\n%s</ul>\n", missing
	sensitivity()
	script()
	print "</main>\n</html>"
}
function word_of(line) {
	sub(/\t.*/, "", line)
	return line
}
function paper_of(id) {
	sub(/-.*/, "", id)
	return id
}
function link(id, figure) {
	if ((id, figure) in linked)
		return
	linked[id, figure]
	figures_of[id] = figures_of[id] " " figure
}
# The figures that a claim is read from: figure 3.14 may be drawn in parts, a and b.
function belongs(id,  name, i, at, rest) {
	name = source[id] "-" (place[id] ~ /^T/ ? "table-" substr(place[id], 2) : place[id])
	for (i = 1; i <= figures; i++) {
		at = word_of(figure_[i])
		rest = index(at, name) == 1 ? substr(at, length(name) + 1) : "-"
		if (rest ~ /^[a-z]?$/)
			link(id, at)
	}
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
	print "main { max-width: 76rem; margin: 0 auto; padding: 1rem }"
	print "table { border-collapse: collapse; font-size: 14px; width: 100% }"
	print "th, td { padding: .2rem .6rem; border-bottom: 1px solid #ddd; text-align: left; " \
		"vertical-align: top }"
	print "td.n { font-variant-numeric: tabular-nums; overflow-wrap: anywhere }"
	print "td.why { min-width: 16rem } td.why code { font-size: 12px; overflow-wrap: anywhere }"
	print "img { width: 100%; max-width: 64rem; height: auto; border: 1px solid #eee }"
	print "figure { margin: 2.5rem 0; max-width: 64rem }"
	print "pre { overflow-x: auto; background: #f6f6f6; padding: .6rem; font-size: 12px }"
	print "summary { cursor: pointer }"
	print ".wide { overflow-x: auto }"
	print ".met { background: #cfe8cf } .direction { background: #e9f0c4 }"
	print ".partial { background: #dde9f5 } .opposite { background: #f3c9c4 }"
	print ".not { color: #666 }"
	print "tr:target, figure:target { outline: 3px solid #5d9ecf }"
	print "nav ul { columns: 3 22rem; font-size: 14px } nav li li { break-inside: avoid }"
	print "#filter { position: sticky; top: 0; background: #fff; padding: .4rem 0; " \
		"border-bottom: 1px solid #ddd; z-index: 1 }"
	print "#filter label { margin-right: 1rem; white-space: nowrap }"
	print ".quick { border-left: 4px solid #5d9ecf; padding-left: .8rem }"
	print "[hidden] { display: none }"
	print "</style>"
	print "<main>"
	print "<h1>The papers' results</h1>"
	printf "<p>warptrace %s", text(made_with["version"])
	if (date != "")
		printf ", %s", text(date)
	printf ", %s. Tools, kernels and machines have the checksum %s.</p>\n", quick() ? \
		"<b>QUICK</b>: smaller inputs on a part of each machine" : \
		"default inputs on whole machines", text(made_with["checksum"])
	if (quick()) {
		print "<p class=\"quick\">Every figure here is of a QUICK run, and says so. A machine has a " \
			"part of its SMs, and of its L2 and DRAM channels in proportion, and the inputs are in " \
			"proportion as well (<code>plots/paper/quick.tsv</code>, <code>plots/paper/quick/</code>)."
		if (sides != "") {
			split(sides, part, "/")
			printf "Of the %d results that the whole run has measured, %d are on the same side of " \
				"the paper here; the column <b>whole run</b> has them all " \
				"(<a href=\"sides.tsv\">sides.tsv</a>).", part[2], part[1]
		}
		print "</p>"
	}
}
function quick() {
	return made_with["inputs"] == "QUICK"
}
function contents(  k, i, id) {
	print "<nav id=\"contents\"><h2>Contents</h2>\n<ul>"
	print "<li><a href=\"#all\">All results</a>"
	for (k = 1; k <= papers; k++) {
		if (!all[order[k]] && !shown[order[k]])
			continue
		printf "<li><a href=\"#%s\">%s</a>", order[k], title[order[k]]
		if (all[order[k]])
			printf ": %d of %d results measured", measured[order[k]], all[order[k]]
		print ""
		if (!shown[order[k]])
			continue
		print "<ul>"
		for (i = 1; i <= figures; i++) {
			if (of[i] != order[k])
				continue
			split(figure_[i], f, FS)
			printf "<li><a href=\"#%s\">%s</a> %s\n", f[1], numbered(f[1]), text(f[6])
		}
		print "</ul>"
	}
	if (missing != "")
		print "<li><a href=\"#left\">Left out</a>"
	if (sensitive())
		print "<li><a href=\"#sensitivity\">Sensitivity</a>"
	print "</ul></nav>"
}
function summary(  i, f, line) {
	print "<h2 id=\"all\">All results</h2>"
	print "<p>Each row of the tables is a result that a paper prints, and what the same runs give " \
		"here. <b>met</b>: not on the other side of 1 and within a quarter of the effect, or of " \
		"0.05; an order that holds, a bound kept. <b>direction</b>: the same side, another size: " \
		"<b>far</b> if the effect is more than three times the paper's, <b>weak</b> if less than a " \
		"quarter. <b>opposite</b>: the other side. <b>no effect</b>: the paper says that there is hardly " \
		"any. <b>partial</b>: some workloads of the set are not there, and how the others stand. " \
		"A result's name leads to itself, what stands under <b>source</b> to its figure, and each " \
		"figure back to its results. <a href=\"scoreboard.tsv\">scoreboard.tsv</a>, " \
		"<a href=\"runs.tsv\">runs.tsv</a></p>"
	printf "<p>"
	f[1] = "met"; f[2] = "direction"; f[3] = "opposite"; f[4] = "partial"; f[5] = "not measured"
	for (i = 1; i <= 5; i++)
		printf "%s<span class=\"%s\">%d %s</span>", (i > 1 ? ", " : ""), word(f[i]), \
			verdicts[word(f[i])], f[i]
	print "</p>"
	if ((getline line <(dir "/ratios.svg")) > 0) {
		print "<figure id=\"ratios\">"
		print "<img src=\"figures/ratios.svg\" alt=\"The papers' ratios and ours\">"
		print "<figcaption><b>The papers' ratios and ours.</b> On the line both are the same, in " \
			"the grey quarters they are on different sides of 1; a change in percent is taken as " \
			"the ratio that it makes. What lies outside stands at the edge. " \
			"<a href=\"figures/ratios.tsv\">ratios.tsv</a></figcaption>"
		print "</figure>"
	}
	close(dir "/ratios.svg")
	print "<p>Under each figure are the commands that made its data, for a shell in this page's " \
		"folder with the tools in PATH and the source tree as $W.</p>"
	print "<div id=\"filter\" hidden>Show"
	for (i = 1; i <= 5; i++)
		printf "<label class=\"%s\"><input type=\"checkbox\" checked value=\"%s\"> %s</label>\n", \
			word(f[i]), word(f[i]), f[i]
	print "<label>with the words <input type=\"search\" size=\"20\"></label> " \
		"<span id=\"count\"></span></div>"
}
function paper(name,  i, f) {
	if (!all[name] && !shown[name])
		return
	printf "<section id=\"%s\">\n<h2>%s</h2>\n", name, title[name]
	if (all[name])
		board(name)
	for (i = 1; i <= figures; i++)
		if (of[i] == name) {
			$0 = figure_[i]
			figure()
		}
	print "</section>"
}
function board(name,  i, f, class, w) {
	print "<div class=\"wide\"><table class=\"board\">"
	print "<thead><tr><th>result<th>what<th>source<th>unit<th>paper<th>here<th>ratio<th>verdict" \
		(quick() && sides != "" ? "<th>whole run" : "") "<th>why it parts from the paper<tbody>"
	for (i = 1; i <= claims; i++) {
		split(claim[i], f, FS)
		if (source[f[1]] != name)
			continue
		class = word(f[5])
		printf "<tr id=\"%s\" class=\"row\" data-verdict=\"%s\"><td><a href=\"#%s\">%s</a><td>%s" \
			"<td>%s<td>%s<td class=\"n\">%s<td class=\"n\">%s<td class=\"n\">%s" \
			"<td class=\"%s\">%s", f[1], class, f[1], text(f[1]), text(statement[f[1]]), \
			cited(f[1]), unit_of(f[1]), broken(f[2]), broken(f[3]), broken(f[4]), class, text(f[5])
		if (quick() && sides != "") {
			split("", w)
			if (f[1] in whole)
				split(whole[f[1]], w, FS)
			printf "<td class=\"n\">%s", w[1] == "" ? "-" : broken(w[1]) (w[3] == "yes" ? "" : \
				", <b>another side</b>")
		}
		printf "<td class=\"why\">%s%s\n", text(reason[f[1]]), experiment[f[1]] == "" ? "" : \
			" <code>" text(experiment[f[1]]) "</code>"
	}
	print "</table></div>"
}
# Where the paper has it, and the figure here.
function cited(id,  n, item, i, said) {
	said = where(id)
	n = split(figures_of[id], item, " ")
	for (i = 1; i <= n; i++)
		if (item[i] in there)
			said = said (i > 1 ? ", " : ": ") "<a href=\"#" item[i] "\">" numbered(item[i]) "</a>"
	return said
}
# The thesis numbers figures by chapter, 3.8, and sections below those, 3.4.1; the others number
# figures 2b and sections 4.2 or IV.E.
function where(id,  at) {
	at = text(place[id])
	if (at ~ /^T/)
		return "table " substr(at, 2)
	if (at ~ /^S/)
		return "section " substr(at, 2)
	if (source[id] == "slides")
		return (at ~ /,/ ? "slides " : "slide ") at
	if (source[id] == "thesis")
		return (at ~ /^[0-9]+$/ ? "chapter " : at ~ /\..*\./ ? "section " : "figure ") at
	return (at ~ /[.]/ ? "section " : "figure ") at
}
function unit_of(id,  u) {
	u = unit[id]
	gsub(/_/, " ", u)
	sub(/^ipc/, "IPC", u)
	return text(u)
}
# Directions that hold or do not when what a paper leaves open is another.
function sensitive(  id) {
	for (id in tried)
		return 1
	return 0
}
function sensitivity(  i, f) {
	if (!sensitive())
		return
	print "<h2 id=\"sensitivity\">Sensitivity</h2>"
	print "<p>Each parameter that its paper does not give, halved and doubled, one at a " \
		"time, and the inputs, in size and in what each thread has to do: whether the " \
		"result is on the paper's side, and what turns it. What alters nothing even " \
		"together with others of its kind is not run alone. " \
		"<a href=\"sensitivity.tsv\">sensitivity.tsv</a></p>"
	print "<div class=\"wide\"><table>"
	print "<tr><th>result<th>on its side<th>changes<th>on its side<th>turned by"
	for (i = 1; i <= claims; i++) {
		split(claim[i], f, FS)
		if (f[1] in tried)
			printf "<tr><td>%s<td>%s<td>%d<td>%d<td>%s\n", text(f[1]), stands[f[1]], \
				tried[f[1]], held[f[1]], text(turned[f[1]])
	}
	print "</table></div>"
}
function word(verdict) {
	sub(/ .*/, "", verdict)
	return verdict
}
# Long lists may break at their commas.
function broken(t) {
	t = text(t)
	gsub(/,/, ",<wbr>", t)
	return t
}
# "thesis-3.3a" is the thesis's figure 3.3 (a), "thesis-3.8-what-if" its figure 3.8, what if.
function numbered(id,  part, n, kind, at, more) {
	n = split(id, part, "-")
	kind = part[1] == "thesis" && id ~ /\..*\./ ? "section" : part[2] == "table" ? "table" : part[1] == "slides" ? "slide" : "figure"
	at = n == 1 ? 1 : kind == "table" ? 3 : 2
	id = part[at]
	if (id ~ /[0-9][a-z]$/)
		id = substr(id, 1, length(id) - 1) " (" substr(id, length(id)) ")"
	for (more = at + 1; more <= n; more++)
		id = id (more == at + 1 ? ", " : " ") part[more]
	return kind " " id
}
function caption(id) {
	return title[paper_of(id)] ", " numbered(id)
}
function figure(  id, file_, status, i, f, n, item, j, said) {
	id = $1
	print "<figure id=\"" id "\">"
	if ($2 == "table") {
		rows(dir "/" id ".tsv")
	} else {
		file_ = dir "/" id ".svg"
		status = (getline line <file_) > 0
		close(file_)
		if (status)
			print "<img src=\"figures/" id ".svg\" alt=\"" text($6) "\">"
		else
			rows(dir "/" id ".tsv")
	}
	print "<figcaption><b>" caption(id) \
		(quick() && $2 != "paper/lanes" ? " (QUICK)" : "") ".</b> " text($6) "."
	if ($7 != "-")
		print "Without " text($7) ": not measured, or nothing to divide by."
	if (drawn[id] ~ / -k /)
		print "A diamond is the value that the paper prints."
	for (i = 1; i <= claims; i++) {
		j = word_of(claim[i])
		if ((j, id) in linked)
			said = said (said == "" ? "Results: " : ", ") "<a href=\"#" j "\">" text(j) "</a> (" \
				text(verdict[j]) ")"
	}
	if (said != "")
		print said "."
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
# Rows are hidden by their verdict and by words that they lack. Without scripts all are there.
function script() {
	print "<script>"
	print "const filter = document.getElementById('filter'), rows = document.querySelectorAll('tr.row')"
	print "function show() {"
	print "\tconst on = [...filter.querySelectorAll(':checked')].map(box => box.value)"
	print "\tconst words = filter.querySelector('[type=search]').value.toLowerCase().split(' ')"
	print "\tlet n = 0"
	print "\tfor (const row of rows) {"
	print "\t\tconst said = row.textContent.toLowerCase()"
	print "\t\trow.hidden = !on.includes(row.dataset.verdict) || !words.every(w => said.includes(w))"
	print "\t\tn += !row.hidden"
	print "\t}"
	print "\tdocument.getElementById('count').textContent = n + ' of ' + rows.length"
	print "}"
	print "filter.hidden = false"
	print "filter.addEventListener('input', show)"
	print "show()"
	print "</script>"
}
