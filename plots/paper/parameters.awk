# The machines' files become a table: machine, parameter, value, and whether a paper says it or
# we chose it (`# not in the paper`, or of today's machines `# nobody published`). A machine has what
# its base has and it has not.
BEGIN {
	FS = OFS = "\t"
	print "machine", "parameter", "value", "source"
}
FNR == 1 {
	machine = FILENAME
	sub(/.*\//, "", machine)
	# Only the folder that it lies in: a checkout may lie in a folder of that name, too.
	if (FILENAME ~ /(^|\/)quick\/[^\/]*$/)
		machine = "quick/" machine
	else
		sub(/\.ini$/, "", machine)
	machines[++n] = machine
	section = ""
}
/^#/ || /^$/ { next }
/^\[/ {
	section = substr($0, 2, index($0, "]") - 2)
	next
}
{
	text = $0
	comment = ""
	if (match(text, /#/)) {
		comment = substr(text, RSTART)
		text = substr(text, 1, RSTART - 1)
	}
	split(text, side, "=")
	gsub(/ /, "", side[1])
	gsub(/ /, "", side[2])
	if (section == "") {
		base[machine] = side[2]
		next
	}
	key = section "." side[1]
	if (!(key in known)) {
		known[key]
		keys[++nkeys] = key
	}
	value[machine, key] = side[2]
	source[machine, key] = comment ~ /not in the paper|nobody published/ ? "ours" : "paper"
}
END {
	for (i = 1; i <= n; i++)
		for (j = 1; j <= nkeys; j++) {
			for (m = machines[i]; !((m, keys[j]) in value) && m in base; )
				m = base[m]
			if ((m, keys[j]) in value)
				print machines[i], keys[j], value[m, keys[j]], source[m, keys[j]]
		}
}
