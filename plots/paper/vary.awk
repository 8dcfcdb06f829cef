# From parameters.tsv, scales.tsv, sizes.tsv and a plan: the plan of the runs in which one parameter
# that no paper gives is halved or doubled, or the inputs of all workloads in one of the two ways of
# sizes.tsv, behind the plan itself. Two more columns: what is varied as `machine parameter value
# varied`, with `inputs` for the machine, or `-` for nothing; and the run's settings without it.
# scales.tsv has each parameter of a workload with its default (workload, `-`, parameter, value), and
# each preset (workload, preset, settings).
BEGIN { FS = OFS = "\t" }
# A size in bytes, and zero for what is no number.
function number(text,  unit) {
	if (text !~ /^[0-9]+[KM]?$/)
		return 0
	unit = substr(text, length(text))
	return (text + 0) * (unit == "K" ? 1024 : unit == "M" ? 1048576 : 1)
}
FILENAME ~ /parameters\.tsv$/ {
	if ($4 == "ours" && number($3)) {
		n = ++parameters[$1]
		key[$1, n] = $2
		value[$1, n] = $3
	}
	next
}
/^#/ { next }
FILENAME ~ /scales\.tsv$/ {
	if (NF == 4)
		given[$1, $3] = $4
	else
		preset[$1, $2] = $3
	next
}
FILENAME ~ /sizes\.tsv$/ {
	scale["size", $1] = $2
	scale["degree", $1] = $3
	next
}
{
	print $0, "-", $9
	resize("size", "1/2")
	resize("size", 2)
	resize("degree", "1/2")
	resize("degree", 2)
	for (i = 1; i <= parameters[$6]; i++) {
		half = int(number(value[$6, i]) / 2)
		if (half)
			vary(key[$6, i], value[$6, i], half)
		vary(key[$6, i], value[$6, i], 2 * number(value[$6, i]))
	}
}
# A run on another input; one whose workload has nothing of that kind is as it is.
function resize(kind, times,  w, name, value, input, trace) {
	w = $2
	sub(/[,:].*/, "", w)
	name = scale[kind, w]
	value = (w, name) in given ? of_input(w, $5, name) : 0
	if (name ~ /^log2/)
		value += times == 2 ? 1 : -1
	else
		value = times == 2 ? 2 * value : int(value / 2)
	trace = $2 (value > 0 ? "," name "=" value : "")
	input = value > 0 ? ($5 == "-" ? "" : $5 ",") name "=" value : $5
	print key_of(trace, $9), trace, $3, $4, input, $6, $7, $8, $9, $10, \
		"inputs " kind " 1 " times, $9
}
# What an input has for a parameter: the last that it says of it, else the default.
function of_input(w, input, name,  n, item, i, value) {
	value = given[w, name]
	n = split(input, item, ",")
	for (i = 1; i <= n; i++)
		if (index(item[i], "preset=") == 1)
			value = set_in(preset[w, substr(item[i], 8)], name, value)
		else
			value = set_in(item[i], name, value)
	return number(value)
}
function set_in(sets, name, value,  n, item, i) {
	n = split(sets, item, ",")
	for (i = 1; i <= n; i++)
		if (index(item[i], name "=") == 1)
			value = substr(item[i], length(name) + 2)
	return value
}
# As plan.awk makes it.
function key_of(trace, settings,  key) {
	key = trace "." $6 "." $7 "." $8 "." settings ($10 == "replay" ? "" : "." $10)
	gsub(/ /, "@", key)
	gsub(/\//, "-", key)
	return key
}
# A machine and its part for QUICK=1 are one: a claim may have runs on both.
function machine(text) {
	sub(/^quick\//, "", text)
	sub(/\.ini$/, "", text)
	return text
}
function vary(name, from, to,  settings) {
	if (index(" " $9, " " name "="))
		return
	settings = ($9 == "-" ? "" : $9 " ") name "=" to
	print key_of($2, settings), $2, $3, $4, $5, $6, $7, $8, settings, $10, machine($6) " " name " " from " " to, $9
}
