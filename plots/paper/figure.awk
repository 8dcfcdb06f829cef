# From sets.tsv, claims.tsv, the tables of runs and figures.ini, in this order: the tables that the
# figures are drawn from. With -v dir=DIR it writes there ID.tsv, ID.marks.tsv where the paper
# prints values, marked.tsv with those claims, runs.tsv with the runs of every figure, and list.tsv with a line a figure: id,
# script, x, y, what the script is told beside these, title, what is not there. A figure without its
# runs has its id and title in left.tsv instead. See figures.ini for the keys.
BEGIN {
	FS = OFS = "\t"
	list = dir "/list.tsv"
	left = dir "/left.tsv"
	used = dir "/runs.tsv"
	marked = dir "/marked.tsv"
	print "id", "draw", "x", "y", "options", "title", "absent" >list
	print "id", "title" >left
	print "id", "claim" >marked
	print "id", "family", "workload", "input", "machine", "scheduler", "warp", "settings" >used
}
function die(text) {
	print "plots/paper/figures.ini: " id ": " text >"/dev/stderr"
	failed = 1
	exit 1
}
function trim(text) {
	gsub(/^[ \t]+|[ \t]+$/, "", text)
	return text
}
function number(text) {
	return sprintf("%.6g", text)
}

# ---- the runs ----

FILENAME ~ /sets\.tsv$/ {
	if ($0 !~ /^#/) {
		set[$1] = $2
		lacking[$1] = $3
	}
	next
}
FILENAME ~ /claims\.tsv$/ {
	if ($0 !~ /^#/)
		paper[$1] = $6
	next
}
FILENAME ~ /\.tsv$/ {
	if (FNR == 1) {
		split("", name)
		for (i = 1; i <= NF; i++)
			name[i] = $i
		next
	}
	load()
	next
}
# A run that has a row for each class becomes one, with columns CLASS.COLUMN; one that has a row for
# each loop becomes their sum.
function load(  i, parent, prefix) {
	parent = ""
	if (name[8] == "class" || name[8] == "loop") {
		for (i = 1; i <= 7; i++)
			parent = parent SUBSEP $i
		prefix = name[8] == "class" ? $8 "." : ""
	}
	if (parent == "" || !(parent in known_as)) {
		runs++
		members[$1, $2] = members[$1, $2] " " runs
		for (i = 1; i <= 7; i++)
			cell[runs, name[i]] = $i
		if (parent != "")
			known_as[parent] = runs
	}
	for (i = 8; i <= NF; i++)
		if (name[i] == "ipc_thread")
			ipc[identity(runs)] = $i
	for (i = 8; i <= NF; i++)
		if (name[8] == "loop")
			cell[known_as[parent], name[i]] += $i
		else
			cell[parent == "" ? runs : known_as[parent], prefix name[i]] = $i
}

# The run that a series names, on a workload; 0 if there is none. Of several the fastest, and of
# equally fast ones the first.
function find(text, w,  at, part, n, r, i, star, best, s) {
	at = index(text, "@")
	if (at) {
		w = substr(text, at + 1)
		text = substr(text, 1, at - 1)
	}
	split("", part)
	# A settings' own slash would be taken for ours; none has one.
	split(text, part, "/")
	star = part[2] ~ /\*$/
	n = split(members[part[1], w], r, " ")
	for (i = 1; i <= n; i++) {
		s = cell[r[i], "scheduler"]
		if (star ? index(s, substr(part[2], 1, length(part[2]) - 1)) != 1 : s != dash(part[2]))
			continue
		if (cell[r[i], "warp"] != dash(part[3]) || cell[r[i], "settings"] != dash(part[4]))
			continue
		if (part[5] != "" && cell[r[i], "policy"] != part[5])
			continue
		if (!best || star && speed(r[i]) > speed(best))
			best = r[i]
	}
	# The runs that the fastest was chosen from are behind the figure as well.
	for (i = 1; star && i <= n; i++)
		if (index(cell[r[i], "scheduler"], substr(part[2], 1, length(part[2]) - 1)) == 1)
			behind[r[i]]
	if (best)
		behind[best]
	return best
}
# A run's IPC; for a tool that does not say, that of the same run by trace-replay.
function speed(r) {
	return ipc[identity(r)] + 0
}
function identity(r) {
	return cell[r, "workload"] SUBSEP cell[r, "input"] SUBSEP cell[r, "machine"] SUBSEP \
		cell[r, "scheduler"] SUBSEP cell[r, "warp"] SUBSEP cell[r, "settings"]
}
function dash(text) {
	return text == "" ? "-" : text
}
function sum_of(text, r,  n, term, i, m, factor, j, sum, v, product) {
	n = split(text, term, / \+ /)
	for (i = 1; i <= n; i++) {
		product = 1
		m = split(term[i], factor, / \* /)
		for (j = 1; j <= m; j++) {
			v = cell[r, factor[j]]
			# Of the fastest of several, which it was.
			if (factor[j] == "swl_limit" && match(cell[r, "scheduler"], /limit=[0-9]+/))
				v = substr(cell[r, "scheduler"], RSTART + 6, RLENGTH - 6)
			if (v == "" || v == "-")
				return ""
			product *= v
		}
		sum += product
	}
	return sum
}
# An expression of a run's columns, empty if one of them is not there.
function evaluate(text, r,  n, way, i, part, top, below) {
	n = split(text, way, / \? /)
	for (i = 1; i <= n; i++) {
		split("", part)
		split(way[i], part, / \/ /)
		top = sum_of(part[1], r)
		below = 2 in part ? sum_of(part[2], r) : 1
		if (top != "" && below != "" && below != 0)
			return top / below
	}
	return ""
}

# Of TBC's workloads those that are divergent by its section 2.2: below 76 % of SIMD efficiency, but
# for NNC, whose blocks are half a warp. Its tables have a division of their own (sets.tsv).
function divergence(  n, w, i, r, half) {
	if ("DIVG76" in set)
		return
	set["DIVG76"] = set["COHE76"] = ""
	lacking["DIVG76"] = lacking["COHE76"] = lacking["TBC21"]
	n = split(set["TBC21"], w, ",")
	for (i = 1; i <= n; i++) {
		r = find("tbc//fixed:32", w[i])
		if (!r)
			continue
		half = w[i] != "nnc" && cell[r, "simd_efficiency"] < 0.76 ? "DIVG76" : "COHE76"
		set[half] = set[half] (set[half] == "" ? "" : ",") w[i]
	}
	# What was asked here is not behind the figure that happens to be the first.
	split("", behind)
}

# ---- the figures ----

/^#/ || /^$/ { next }
/\\$/ {
	held = held substr($0, 1, length($0) - 1)
	next
}
{
	line = held trim($0)
	held = ""
}
line ~ /^\[.*\]$/ {
	figure()
	id = substr(line, 2, length(line) - 2)
	next
}
{
	eq = index(line, "=")
	key[trim(substr(line, 1, eq - 1))] = trim(substr(line, eq + 1))
}
END {
	if (!failed)
		figure()
}

# pairs(TEXT): LABEL = VALUE; ... into label and what; without a label it is the value.
function pairs(text,  n, item, i, eq) {
	split("", label)
	split("", what)
	n = split(text, item, ";")
	for (i = 1; i <= n; i++) {
		item[i] = trim(item[i])
		gsub(/[ \t]+/, " ", item[i])
		eq = index(item[i], " = ")
		label[i] = eq ? substr(item[i], 1, eq - 1) : item[i]
		what[i] = eq ? substr(item[i], eq + 3) : item[i]
	}
	return n
}
function is_mean(text) {
	return text ~ /^(HMEAN|GMEAN|AVG)/
}
# The rows: workloads and means, by name; from[i] is the first row that a mean is of, or of[i] the set
# of those before it. lacks is what their sets have in the paper and not here.
function layout(  n, item, i, w, m, j, first, colon) {
	rows = 0
	first = 1
	lacks = ""
	n = split(key["rows"], item, ",")
	for (i = 1; i <= n; i++) {
		item[i] = trim(item[i])
		if (item[i] ~ /^@/) {
			if (!(substr(item[i], 2) in set))
				die("there is no set '" item[i] "'")
			item[i] = substr(item[i], 2)
			m = split(set[item[i]], w, ",")
			for (j = 1; j <= m; j++)
				row[++rows] = w[j]
			# Of TBC's halves it is the same.
			if (lacking[item[i]] !~ /^-?$/)
				lacks = lacking[item[i]]
		} else {
			colon = is_mean(item[i]) ? index(item[i], ":") : 0
			row[++rows] = colon ? substr(item[i], 1, colon - 1) : item[i]
			if (is_mean(item[i])) {
				from[rows] = colon ? 1 : first
				if (colon)
					of[rows] = set[substr(item[i], colon + 1)]
				first = rows + 1
			}
		}
	}
}
# For a figure by instruction: a row for each that made accesses, in the kernel that made most of
# them, in the order of the program. An asterisk says that it is in a loop.
function expand(  family, i, j, k, n, r, w, m, sum, most, kernel, first) {
	family = chosen[1]
	sub(/\/.*/, "", family)
	for (i = 1; i <= rows; i++)
		w[i] = row[i]
	m = rows
	rows = 0
	split("", fixed)
	for (i = 1; i <= m; i++) {
		n = split(members[family, w[i]], r, " ")
		split("", sum)
		most = ""
		for (j = 1; j <= n; j++) {
			kernel = cell[r[j], "kernel"]
			sum[kernel] += tries(r[j])
			if (most == "" || sum[kernel] > sum[most])
				most = kernel
		}
		first = rows + 1
		for (j = 1; j <= n; j++) {
			if (cell[r[j], "kernel"] != most || !tries(r[j]) || \
					key["draw"] == "points" && cell[r[j], "loop"] == "-")
				continue
			behind[r[j]]
			for (k = ++rows; k > first && cell[fixed[k - 1], "pc"] > cell[r[j], "pc"] + 0; k--) {
				fixed[k] = fixed[k - 1]
				row[k] = row[k - 1]
			}
			fixed[k] = r[j]
			row[k] = w[i] OFS cell[r[j], "pc"] (cell[r[j], "loop"] == "-" ? "" : "*")
		}
	}
}
# Accesses of an instruction, or executions of a load.
function tries(r) {
	return cell[r, (r, "accesses") in cell ? "accesses" : "count"]
}
# Every execution of the loads in loops of a workload: x against `value`, a column for each load.
function scatter(file,  i, j, at, pc) {
	for (i = 1; i <= rows; i++) {
		pc = cell[fixed[i], "pc"]
		if (!(pc in at))
			column[++n_columns] = "PC=" pc
		at[pc]
	}
	heading(file, label[1])
	for (i = 1; i <= rows; i++) {
		line_ = cell[fixed[i], what[1]]
		for (j = 1; j <= n_columns; j++)
			put(column[j] == "PC=" cell[fixed[i], "pc"] ? value[i, 1, 1] : "")
		print line_ >file
	}
}
# The mean of the rows from[r] to r - 1, none if one is not there.
function mean(r, s, p,  i, n, v, sum) {
	for (i = from[r]; i < r; i++) {
		if (i in from || r in of && !listed(of[r], row[i]))
			continue
		v = value[i, s, p]
		if (v == "" || row[r] !~ /^A/ && v <= 0)
			return ""
		sum += row[r] ~ /^H/ ? 1 / v : row[r] ~ /^G/ ? log(v) : v
		n++
	}
	return !n ? "" : row[r] ~ /^H/ ? n / sum : row[r] ~ /^G/ ? exp(sum / n) : sum / n
}
function height(r, s,  p, sum) {
	for (p = 1; p <= parts; p++) {
		if (value[r, s, p] == "")
			return ""
		sum += value[r, s, p]
	}
	return sum
}
function shares(r, s,  p, whole) {
	whole = height(r, s)
	for (p = 1; p <= parts; p++)
		value[r, s, p] = whole ? value[r, s, p] / whole : ""
}
# Divides all series of a row by the base: part by part, or by its whole height.
function normalize(r,  s, p, unit) {
	for (p = 1; p <= parts; p++)
		unit[p] = stacked ? height(r, base) : value[r, base, p]
	for (s = 1; s <= n_series; s++)
		for (p = 1; p <= parts; p++) {
			if (unit[p] == "" || unit[p] == 0)
				value[r, s, p] = ""
			else if (value[r, s, p] != "")
				value[r, s, p] /= unit[p]
		}
}
function listed(text, item,  n, one, i) {
	n = split(text, one, ",")
	for (i = 1; i <= n; i++)
		if (trim(one[i]) == item)
			return 1
	return 0
}
function shown_row(r) {
	return there[r] && (key["only"] == "" || listed(key["only"], row[r]))
}
function shown_series(s) {
	return any[s] && !listed(key["hide"], series[s])
}

function figure(  n, i, r, p, absent) {
	if (id == "looks") {
		n = pairs(key["looks"])
		for (i = 1; i <= n; i++)
			look[label[i]] = what[i]
	} else if (key["draw"] == "area") {
		if (listing())
			for (r = 1; r <= runs; r++)
				if (r in behind)
					behind_it(r)
	} else if (id != "" && measure()) {
		for (i = 1; i <= n_series; i++)
			if (!any[i])
				absent = absent (absent == "" ? "" : "; ") series[i]
		for (r = 1; r <= rows; r++)
			if (!there[r])
				absent = absent (absent == "" ? "" : "; ") row[r]
		for (p = 1; p <= parts; p++)
			if (!some_part[p])
				absent = absent (absent == "" ? "" : "; ") part_name[p]
		if (lacks != "")
			absent = absent (absent == "" ? "" : "; ") lacks
		gsub(/\|/, " ", absent)
		gsub(/,/, "; ", absent)
		write(absent)
		for (r = 1; r <= runs; r++)
			if (r in behind)
				behind_it(r)
	} else if (id != "") {
		print id, key["title"] >left
	}
	split("", key)
	split("", value)
	split("", from)
	split("", of)
	split("", behind)
	split("", fixed)
}
function behind_it(r,  text) {
	text = id OFS cell[r, "family"] OFS cell[r, "workload"] OFS cell[r, "input"] OFS \
		cell[r, "machine"] OFS cell[r, "scheduler"] OFS cell[r, "warp"] OFS cell[r, "settings"]
	if (!(text in told))
		print text >used
	told[text]
}
# Fills value[row, series, part], there[row] and any[series]; 0 if there is nothing to draw.
function measure(  r, s, p, run_, drawn, lost) {
	divergence()
	n_series = pairs(key["series"])
	base = 0
	for (s = 1; s <= n_series; s++) {
		series[s] = label[s]
		chosen[s] = what[s]
		any[s] = 0
		if (label[s] == key["base"])
			base = s
	}
	if (key["base"] != "" && !base)
		die("there is no series '" key["base"] "'")
	parts = pairs(key["value"])
	for (p = 1; p <= parts; p++) {
		some_part[p] = 0
		part_name[p] = label[p]
		expression[p] = what[p]
	}
	stacked = key["draw"] == "stack"
	layout()
	if (key["by"] != "")
		expand()
	split("", there)
	for (r = 1; r <= rows; r++) {
		if (r in from)
			continue
		for (s = 1; s <= n_series; s++) {
			run_ = r in fixed ? fixed[r] : find(chosen[s], row[r])
			for (p = 1; p <= parts; p++)
				value[r, s, p] = run_ ? evaluate(expression[p], run_) : ""
		}
		if (base && !stacked)
			normalize(r)
		for (s = 1; key["share"] && s <= n_series; s++)
			shares(r, s)
		settle(r)
	}
	for (r = 1; r <= rows; r++) {
		if (!(r in from))
			continue
		for (s = 1; s <= n_series; s++)
			for (p = 1; p <= parts; p++)
				value[r, s, p] = mean(r, s, p)
		settle(r)
	}
	if (base && stacked)
		for (r = 1; r <= rows; r++) {
			normalize(r)
			settle(r)
		}
	sort_rows()
	for (s = 1; s <= n_series; s++) {
		drawn += shown_series(s)
		lost = lost || !any[s] && listed(key["needs"], series[s])
	}
	for (r = 1; r <= rows; r++)
		if (shown_row(r))
			return drawn && !lost
	return 0
}
# A timeline: all rows of a run, the columns `x` and `value`. 0 if there is none.
function listing(  file, p, i, n, r, x, y) {
	file = dir "/" id ".tsv"
	pairs(key["series"])
	n = all_of(what[1], key["rows"], r)
	if (!n) {
		print id, key["title"] >left
		return 0
	}
	pairs(key["x"])
	x = label[1]
	for (i = 1; i <= n; i++) {
		line_of[i] = number(cell[r[i], what[1]])
		behind[r[i]]
	}
	parts = pairs(key["value"])
	for (p = 1; p <= parts; p++)
		column[p] = label[p]
	n_columns = parts
	heading(file, x)
	for (i = 1; i <= n; i++) {
		line_ = line_of[i]
		for (p = 1; p <= parts; p++)
			put(evaluate(what[p], r[i]))
		print line_ >file
	}
	close(file)
	for (p = 1; p <= parts; p++)
		y = y (p > 1 ? "," : "") column[p]
	print id, key["draw"], x, y, dash(key["y"] == "" ? "" : "-l|" key["y"]), key["title"], "-" >list
	return 1
}
# The runs that a series names on a workload, into r, by their rows' numbers.
function all_of(text, w, r,  part, m, n, i, j, k, x) {
	split("", part)
	split(text, part, "/")
	m = split(members[part[1], w], x, " ")
	for (i = 1; i <= m; i++) {
		if (cell[x[i], "scheduler"] != dash(part[2]) || cell[x[i], "warp"] != dash(part[3]) || \
				cell[x[i], "settings"] != dash(part[4]))
			continue
		for (k = ++n; k > 1 && cell[r[k - 1], "row"] > cell[x[i], "row"]; k--)
			r[k] = r[k - 1]
		r[k] = x[i]
	}
	return n + 0
}
# Rows by the height of the series `sort`, the lowest first; those that are not there are last.
function sort_rows(  at, r, k, s, t) {
	for (at = 1; at <= n_series && series[at] != key["sort"]; at++)
		;
	for (r = 2; at <= n_series && r <= rows; r++)
		for (k = r; k > 1 && there[k] && (!there[k - 1] || \
				value[k, at, 1] < value[k - 1, at, 1]); k--) {
			t = row[k]
			row[k] = row[k - 1]
			row[k - 1] = t
			t = there[k]
			there[k] = there[k - 1]
			there[k - 1] = t
			for (s = 1; s <= n_series; s++) {
				t = value[k, s, 1]
				value[k, s, 1] = value[k - 1, s, 1]
				value[k - 1, s, 1] = t
			}
		}
}
function settle(r,  s, p) {
	there[r] = 0
	for (s = 1; s <= n_series; s++)
		for (p = 1; p <= parts; p++)
			if (value[r, s, p] != "") {
				there[r] = 1
				any[s] = 1
				some_part[p] = 1
			}
}
function put(v) {
	line_ = line_ OFS (v == "" ? "-" : number(v))
}

# Writes the table by the figure's shape, its marks and its line of the list.
function write(absent,  file, options, x, y, r, s, p, i, n, apart, all, short) {
	file = dir "/" id ".tsv"
	n_columns = 0
	split("", column)
	if (stacked) {
		for (p = 1; p <= parts; p++)
			column[++n_columns] = part_name[p]
		n = i = 0
		for (r = 1; r <= rows; r++)
			n += shown_row(r)
		for (s = 1; s <= n_series; s++)
			i += shown_series(s)
		x = n == 1 ? "series" : key["by"] != "" ? "workload," key["by"] : \
			i == 1 ? "workload" : "workload,series"
		heading(file, x)
		for (r = 1; r <= rows; r++)
			for (s = 1; s <= n_series; s++) {
				if (!shown_row(r) || !shown_series(s))
					continue
				line_ = n == 1 ? series[s] : i == 1 ? row[r] : row[r] OFS series[s]
				for (p = 1; p <= parts; p++)
					put(value[r, s, p])
				print line_ >file
			}
		if (x ~ /,/)
			options = "\t-c"
		if (key["share"])
			options = options "\t-p"
		if (x == "workload")
			apart = apart_rows()
	} else if (key["draw"] == "table") {
		for (s = 1; s <= n_series; s++)
			for (p = 1; p <= parts; p++)
				column[++n_columns] = (n_series > 1 ? series[s] ": " : "") part_name[p]
		x = "workload"
		heading(file, x)
		for (r = 1; r <= rows; r++) {
			if (!shown_row(r))
				continue
			line_ = row[r]
			for (s = 1; s <= n_series; s++)
				for (p = 1; p <= parts; p++)
					put(value[r, s, p])
			print line_ >file
		}
	} else if (key["draw"] == "points") {
		pairs(key["x"])
		x = label[1]
		scatter(file)
		options = "\t-P"
	} else if (key["draw"] == "lines") {
		x = key["x"]
		for (r = 1; r <= rows; r++)
			if (shown_row(r))
				column[++n_columns] = row[r]
		heading(file, x)
		for (s = 1; s <= n_series; s++) {
			if (!shown_series(s))
				continue
			line_ = series[s]
			for (r = 1; r <= rows; r++)
				if (shown_row(r))
					put(value[r, s, 1])
			print line_ >file
		}
	} else if (key["series"] ~ /\|/) {
		x = fold(file) == 1 ? "case" : "workload,case"
		if (x ~ /,/)
			options = "\t-c"
	} else {
		for (s = 1; s <= n_series; s++)
			if (shown_series(s))
				column[++n_columns] = series[s]
		x = parts > 1 ? "metric" : "workload"
		heading(file, x)
		for (r = 1; r <= rows; r++)
			for (p = 1; shown_row(r) && p <= parts; p++) {
				line_ = parts > 1 ? part_name[p] : row[r]
				for (s = 1; s <= n_series; s++)
					if (shown_series(s))
						put(value[r, s, p])
				print line_ >file
			}
		apart = apart_rows()
		mark_table(x)
	}
	close(file)
	for (i = 1; i <= n_columns; i++) {
		y = y (i > 1 ? "," : "") column[i]
		short = short || !(column[i] in look)
		all = all (i > 1 ? "," : "") (short ? "" : look[column[i]])
	}
	if (!stacked && !short)
		options = options "\t-s\t" all
	if (apart != "")
		options = options "\t-a\t" apart
	if (key["y"] != "")
		options = options "\t-l\t" key["y"]
	gsub(/\t/, "|", options)
	print id, (key["draw"] == "points" ? "lines" : key["draw"]), x, y, dash(substr(options, 2)), \
		key["title"], dash(absent) >list
}
function heading(file, x,  i) {
	gsub(/,/, OFS, x)
	line_ = x
	for (i = 1; i <= n_columns; i++)
		line_ = line_ OFS column[i]
	print line_ >file
}
function apart_rows(  r, text) {
	for (r = 1; r <= rows; r++)
		if (shown_row(r) && is_mean(row[r]) && key["only"] == "")
			text = text (text == "" ? "" : ",") row[r]
	return text
}
# Series A|B: a row for each A, a column for each B; of several rows, for each of them.
function fold(file,  r, s, c, i, two, n_cases, cases, at, known, n) {
	for (r = 1; r <= rows; r++)
		n += shown_row(r)
	for (s = 1; s <= n_series; s++) {
		if (!shown_series(s))
			continue
		split(series[s], two, "|")
		if (!(two[1] in known))
			cases[++n_cases] = two[1]
		known[two[1]]
		for (i = 1; i <= n_columns && column[i] != two[2]; i++)
			;
		if (i > n_columns)
			column[++n_columns] = two[2]
		for (r = 1; r <= rows; r++)
			at[r, two[1], two[2]] = value[r, s, 1]
	}
	heading(file, n == 1 ? "case" : "workload,case")
	for (r = 1; r <= rows; r++)
		for (c = 1; shown_row(r) && c <= n_cases; c++) {
			line_ = (n == 1 ? "" : row[r] OFS) cases[c]
			for (i = 1; i <= n_columns; i++)
				put(at[r, cases[c], column[i]])
			print line_ >file
		}
	return n
}
# The paper's values for the bars that there are.
function mark_table(x,  n, i, r, p, s, place, claim, v, want, many, mark, file, name_, some) {
	n = pairs(key["marks"])
	for (i = 1; i <= n; i++) {
		place = label[i]
		claim = what[i]
		many = claim ~ /%$/
		sub(/%$/, "", claim)
		split("", v)
		split(claim, v, ":")
		if (!(v[1] in paper))
			die("there is no claim '" v[1] "'")
		print id, v[1] >marked
		split(paper[v[1]], want, ",")
		mark[place] = want[2 in v ? v[2] : 1]
		if (many)
			mark[place] = 1 + mark[place] / 100
	}
	file = dir "/" id ".marks.tsv"
	for (r = 1; r <= rows; r++)
		for (p = 1; shown_row(r) && p <= parts; p++) {
			name_ = parts > 1 ? part_name[p] : row[r]
			line_ = name_
			many = 0
			for (s = 1; s <= n_series; s++) {
				if (!shown_series(s))
					continue
				if ((name_ "/" series[s]) in mark && value[r, s, p] != "") {
					put(mark[name_ "/" series[s]])
					many = 1
				} else {
					put("")
				}
			}
			if (many) {
				held_ = line_
				if (!some)
					heading(file, x)
				some = 1
				print held_ >file
			}
		}
	close(file)
}
