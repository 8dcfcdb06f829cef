# From long tables to the one that a figure draws: a row for each value of the columns `x`, a column
# for each group. Reads any number of tables on end; a line that names the wanted columns is a
# heading. Prints position, label and values, `-` where there is none; the mean is set apart.
#
#   x, y     names of columns, separated by commas; y has several only without g, and
#            they are the groups in this order
#   g        column whose values are the groups, else the groups are the columns of y
#   where    COLUMN=VALUE, one a line, from the environment: only rows that have all of these
#   last     1: only the last row of each run in a table, which is its total, or its only launch. What
#            tells runs apart are the columns before the kernel, as the axes of a sweep, and those of
#            `runs_by`
#   numeric  1: the labels are numbers
#   positive 1: and above 0, for a logarithmic axis
#   parts    1: values add up, and none is negative
#   base     group that every value is divided by; mean: harmonic, geometric or arithmetic
#   points   1: every row of the table is its own, though labels are the same
#   apart    labels, separated by commas, of rows that stand apart, as means do
#   cluster  1: the first of two columns `x` gathers rows, whose label is the second; where each
#            lies, its name and its width are written to `clusterfile`
#   marks    file of marks, a table with the same columns; written to `markfile` by position
# Its status tells a table that cannot be drawn from a shell that cannot write (1) and an awk (2).
function fail(text) {
	if (!failed)
		print text >"/dev/stderr"
	failed = 1
	exit 4
}
function cell(name) {
	if (name == "workload" && !(name in column))
		return workload
	return $column[name]
}
# Whether this line names all columns that are wanted; `workload` may come from the provenance.
function heading(  i, name, k) {
	split("", name)
	for (i = 1; i <= NF; i++)
		name[$i] = i
	for (k in wanted)
		if (!(k in name) && !(k == "workload" && workload != ""))
			return 0
	split("", column)
	for (k in name)
		column[k] = name[k]
	n_run = 0
	for (i = 1; i <= NF; i++)
		if ($i != "launch" && ("kernel" in name && i < name["kernel"] || ($i in runs_by)))
			run_column[++n_run] = i
	return 1
}
# What a row has in the columns that tell runs apart.
function run(  i, text) {
	for (i = 1; i <= n_run; i++)
		text = text FS $run_column[i]
	return text
}
function label(  i, text) {
	for (i = 1; i <= n_x; i++)
		text = text (i > 1 ? cluster ? SUBSEP : " " : "") cell(x_name[i])
	return text
}
function number(text) {
	return text ~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/
}
function add_group(group) {
	if (!(group in nth)) {
		nth[group] = ++groups
		group_name[groups] = group
	}
}
function place(row, group) {
	if (!(row in at)) {
		at[row] = ++rows
		row_name[rows] = row
	}
	add_group(group)
}
# A row as people read it, in a sentence.
function spoken(row) {
	if (points)
		return bare(row)
	gsub(SUBSEP, " ", row)
	return row
}
function bare(row) {
	sub(SUBSEP ".*", "", row)
	return row
}
function keep(row, group, text) {
	if (text == "-")
		return
	if (!number(text))
		fail("'" text "' for '" spoken(row) "' is no number")
	if (numeric && !number(bare(row)))
		fail("'" bare(row) "' along x is no number")
	if (positive && bare(row) + 0 <= 0)
		fail("'" bare(row) "' along x has no logarithm")
	if (parts && text + 0 < 0)
		fail("'" text "' for '" spoken(row) "', '" group "' is negative: parts of a whole are not")
	place(row, group)
	if ((row, group) in value)
		fail("two rows for '" spoken(row) "', '" group "': choose with -w or -T")
	value[row, group] = text
}
function mark(row, group, text) {
	if (text == "-")
		return
	if (row != mean_name && !(row in at) || !(group in nth))
		fail("no bar for the mark of '" spoken(row) "', '" group "'")
	if (!number(text))
		fail("'" text "' for '" spoken(row) "' is no number")
	print row == mean_name ? rows + 0.4 + shift : position[at[row]], nth[group], text >markfile
}
# Where the rows stand: one beside the other, with room around those that are set apart and between
# clusters.
function spread(  i, n, label_, part, before) {
	n = split(apart, label_, ",")
	for (i = 1; i <= n; i++) {
		if (!(label_[i] in at))
			fail("no row '" label_[i] "' to set apart")
		alone[label_[i]]
	}
	for (i = 1; i <= rows; i++) {
		split(row_name[i], part, SUBSEP)
		if (i > 1 && (cluster ? part[1] != before : \
				(row_name[i] in alone) || (row_name[i - 1] in alone)))
			shift += cluster ? 0.7 : 0.4
		before = part[1]
		position[i] = i - 1 + shift
	}
}
function clusters_end(i) {
	print (first_of + position[i]) / 2, cluster_name, position[i] - first_of + 1 >clusterfile
}
# A row's label in the figure, and as it goes by, the clusters.
function shown(i,  part) {
	if (!cluster)
		return bare(row_name[i])
	split(row_name[i], part, SUBSEP)
	if (i == 1 || part[1] != cluster_name) {
		if (i > 1)
			clusters_end(i - 1)
		first_of = position[i]
		cluster_name = part[1]
	}
	if (i == rows)
		clusters_end(i)
	return part[2]
}
function take(  i, row, at_) {
	at_ = n_held
	if (last && (run() in run_at))
		at_ = run_at[run()]
	else if (last)
		run_at[run()] = at_
	row = label() (points ? SUBSEP NR : "")
	if (g != "")
		held[++at_] = row FS cell(g) FS cell(y_name[1])
	else
		for (i = 1; i <= n_y; i++)
			held[++at_] = row FS y_name[i] FS cell(y_name[i])
	if (at_ > n_held)
		n_held = at_
}
# A table's rows are held until it is known which are the last.
function finish(  i, part) {
	for (i = 1; i <= n_held; i++) {
		split(held[i], part, FS)
		keep(part[1], part[2], part[3])
	}
	n_held = 0
	split("", run_at)
}
function mean_of(group,  i, v, sum) {
	for (i = 1; i <= rows; i++) {
		if (!((row_name[i], group) in value))
			return "-"
		v = value[row_name[i], group] + 0
		if (mean != "arithmetic" && v <= 0)
			fail("no " mean_name " with " v " for '" spoken(row_name[i]) "', '" group "'")
		sum += mean == "harmonic" ? 1 / v : mean == "geometric" ? log(v) : v
	}
	return mean == "harmonic" ? rows / sum : mean == "geometric" ? exp(sum / rows) : sum / rows
}
BEGIN {
	FS = OFS = "\t"
	CONVFMT = OFMT = "%.15g"
	n_x = split(x, x_name, ",")
	n_y = split(y, y_name, ",")
	n_where = split(ENVIRON["where"], condition, "\n")
	for (i = 1; i <= n_x; i++)
		wanted[x_name[i]]
	for (i = 1; i <= n_y; i++)
		wanted[y_name[i]]
	if (g != "")
		wanted[g]
	for (i = 1; i <= n_where; i++) {
		eq = index(condition[i], "=")
		where_name[i] = substr(condition[i], 1, eq - 1)
		where_value[i] = substr(condition[i], eq + 1)
		wanted[where_name[i]]
	}
	# Columns are groups in the order that they were asked for, whichever has the first value.
	for (i = 1; g == "" && i <= n_y; i++)
		add_group(y_name[i])
	split("record machine scheduler warp priority policy settings", part, " ")
	for (i in part)
		runs_by[part[i]]
	mean_name = mean == "arithmetic" ? "mean" : mean == "" ? "" : mean " mean"
}
# As workload_of of tools/table.c.
/^# trace-gen / {
	split($0, word, " ")
	workload = word[4] == "" ? "-" : word[4]
	if (workload ~ /^-/)
		workload = match($0, / --entry[ =][^ ]+/) ? substr($0, RSTART + 9, RLENGTH - 9) : "-"
}
/^#/ || /^$/ { next }
{ lines++ }
heading() {
	finish()
	headings++
	next
}
!headings {
	if (lines == 1)
		first = $0
	next
}
{
	for (i = 1; i <= n_where; i++)
		if (cell(where_name[i]) != where_value[i])
			next
	take()
}
END {
	if (failed)
		exit 4
	if (!lines)
		fail("the table is empty")
	if (!headings) {
		split(first, part, FS)
		for (i in part)
			there[part[i]]
		for (k in wanted)
			if (!(k in there) && (missing == "" || k < missing))
				missing = k
		fail("the table has no column '" missing "'")
	}
	finish()
	if (!rows)
		fail("no row is left to draw")
	most = heat ? 256 : 12
	if (groups > most)
		fail(groups " groups are too many to tell apart, " most " are the most")
	spread()
	if (base != "") {
		if (!(base in nth))
			fail("no group '" base "' to normalize to")
		for (i = 1; i <= rows; i++) {
			if (value[row_name[i], base] + 0 == 0)
				fail("nothing to normalize '" spoken(row_name[i]) "' to: '" base "' is 0 or absent")
			unit = value[row_name[i], base]
			for (j = 1; j <= groups; j++)
				if ((row_name[i], group_name[j]) in value)
					value[row_name[i], group_name[j]] /= unit
		}
	}
	printf "position\tlabel"
	for (j = 1; j <= groups; j++)
		printf "\t%s", group_name[j]
	print ""
	for (i = 1; i <= rows; i++) {
		printf "%s\t%s", position[i], shown(i)
		for (j = 1; j <= groups; j++)
			printf "\t%s", (row_name[i], group_name[j]) in value ? \
				value[row_name[i], group_name[j]] : "-"
		print ""
	}
	if (mean != "") {
		printf "%s\t%s", rows + 0.4 + shift, mean_name
		for (j = 1; j <= groups; j++)
			printf "\t%s", mean_of(group_name[j])
		print ""
	}
	if (marks != "") {
		split("", column)
		headings = 0
		while ((got = getline <marks) > 0) {
			if (/^#/ || /^$/)
				continue
			if (!headings) {
				if (!heading())
					fail("'" marks "' has not the columns of the table")
				headings = 1
			} else {
				for (j = 1; j <= n_y; j++)
					mark(label(), g == "" ? y_name[j] : cell(g), cell(y_name[j]))
			}
		}
		if (got < 0 || !headings)
			fail("cannot read '" marks "'")
	}
}
