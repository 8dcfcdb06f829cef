# From parameters.tsv and a plan, the plan of the runs in which one parameter that no paper gives is
# halved or doubled, behind the plan itself. Two more columns: what is varied as
# `machine parameter value varied`, `-` for nothing, and the run's settings without it.
BEGIN { FS = OFS = "\t" }
# A size in bytes, and zero for what is no number.
function number(text,  unit) {
	if (text !~ /^[0-9]+[KM]?$/)
		return 0
	unit = substr(text, length(text))
	return (text + 0) * (unit == "K" ? 1024 : unit == "M" ? 1048576 : 1)
}
FNR == NR {
	if ($4 == "ours" && number($3)) {
		n = ++parameters[$1]
		key[$1, n] = $2
		value[$1, n] = $3
	}
	next
}
{
	print $0, "-", $9
	for (i = 1; i <= parameters[$6]; i++) {
		half = int(number(value[$6, i]) / 2)
		if (half)
			vary(key[$6, i], value[$6, i], half)
		vary(key[$6, i], value[$6, i], 2 * number(value[$6, i]))
	}
}
# A machine and its part for QUICK=1 are one: a claim may have runs on both.
function machine(text) {
	sub(/^quick\//, "", text)
	sub(/\.ini$/, "", text)
	return text
}
function vary(name, from, to,  settings, run) {
	if (index(" " $9, " " name "="))
		return
	settings = ($9 == "-" ? "" : $9 " ") name "=" to
	run = $2 "." $6 "." $7 "." $8 "." settings ($10 == "replay" ? "" : "." $10)
	gsub(/ /, "@", run)
	gsub(/\//, "-", run)
	print run, $2, $3, $4, $5, $6, $7, $8, settings, $10, machine($6) " " name " " from " " to, $9
}
