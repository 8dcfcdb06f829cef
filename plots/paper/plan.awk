# sets.tsv, inputs.tsv, quick.tsv (its inputs are taken with -v quick=1), named.tsv and a recipe
# become a line for each run of each family: key, trace, family, workload, input, machine, scheduler,
# warp, settings, tool. The key names the run's file, and is made of its parts, so that what two
# families share has one. The trace is named by the workload of trace-gen and its settings. With
# -v quick=1, where a family names no input, or one that has settings for it, or a workload of
# inputs.tsv has others, a machine is its small form, quick/NAME.ini, which must be in the list
# -v machines; those of one SM, which have none, stand in the environment's `single`, one a line.
BEGIN {
	FS = OFS = "\t"
	split("replay belady locality loops pcs loads lats timeline events", word, " ")
	for (i in word)
		tools[word[i]]
	n = split(machines, word, " ")
	for (i = 1; quick && i <= n; i++)
		form[word[i]] = "quick/" word[i] ".ini"
	n = split(ENVIRON["single"], word, "\n")
	for (i = 1; i <= n; i++)
		form[word[i]] = word[i]
}
function die(text) {
	printf "plots/paper: %s:%d: %s\n", FILENAME, FNR, text >"/dev/stderr"
	failed = 1
	exit 1
}
function part(text) {
	gsub(/ /, "@", text)
	gsub(/\//, "-", text)
	return text
}
function members(list,  item, n, i, all) {
	n = split(list, item, ",")
	for (i = 1; i <= n; i++) {
		if (item[i] ~ /^@/) {
			if (!(substr(item[i], 2) in set))
				die("there is no set '" substr(item[i], 2) "'")
			item[i] = set[substr(item[i], 2)]
		}
		all = all (i > 1 ? "," : "") item[i]
	}
	return all
}
# The alternatives of a column: under QUICK=1 without those that begin with `~`.
function alternatives(list, which,  item, n, i, m) {
	n = split(list, item, ";")
	for (i = 1; i <= n; i++) {
		if (item[i] !~ /^~/)
			which[++m] = item[i]
		else if (!quick)
			which[++m] = substr(item[i], 2)
	}
	return m
}
# The settings of a named input, and a recipe's.
function both(named_, input) {
	if (input == "-" || input == "small")
		return named_
	return named_ == "-" ? input : named_ "," input
}
/^#/ || /^$/ { next }
FILENAME ~ /sets\.tsv$/ {
	set[$1] = $2
	next
}
FILENAME ~ /inputs\.tsv$/ {
	program[$1] = $2
	named[$1] = $3
	small[$1] = $4
	next
}
FILENAME ~ /quick\.tsv$/ {
	fast[$1] = $2
	small[$1] = $3 == "" ? $2 : $3
	next
}
FILENAME ~ /named\.tsv$/ {
	group[$1]
	cut[$1, $2] = quick && $4 != ""
	input_of[$1, $2] = cut[$1, $2] ? $4 : $3
	next
}
NF != 8 { die(NF " columns instead of 8") }
!($2 in tools) { die("there is no tool '" $2 "'") }
{
	family = $1
	nw = split(members($3), w, ",")
	ni = alternatives($4, in_)
	nm = alternatives($5, m)
	ns = alternatives($6, s)
	np = alternatives($7, p)
	nk = alternatives($8, k)
	for (a = 1; a <= nw; a++) for (b = 1; b <= ni; b++) {
		input = in_[b]
		if (input in group && !((input, w[a]) in input_of))
			input = "-"
		whole = !quick || (w[a] in program ? small[w[a]] == named[w[a]] : \
			input != "-" && !cut[input, w[a]])
		if (input in group)
			input = input_of[input, w[a]]
		else if (w[a] in program)
			input = both(quick || input == "small" ? small[w[a]] : named[w[a]], input)
		else if (input == "small")
			input = w[a] in small ? small[w[a]] : "-"
		else if (quick && input == "-" && w[a] in fast)
			input = fast[w[a]]
		trace = (w[a] in program ? program[w[a]] : w[a]) (input == "-" ? "" : "," input)
		for (c = 1; c <= nm; c++) for (d = 1; d <= ns; d++)
			for (e = 1; e <= np; e++) for (f = 1; f <= nk; f++)
				add(whole ? m[c] : part_of(m[c]), s[d], p[e], k[f])
	}
}
# The small form of a machine. Of one SM there is no part; of others the whole would have too little to do.
function part_of(machine) {
	if (!(machine in form))
		die("machine '" machine "' has several SMs and no small form in plots/paper/quick: " \
			"run without QUICK, or give the family an input of its own")
	return form[machine]
}
function add(machine, scheduler, warp, settings) {
	print part(trace "." machine "." scheduler "." warp "." settings) \
		($2 == "replay" ? "" : "." $2), trace, family, w[a], input, machine, scheduler, warp, \
		settings, $2
}
