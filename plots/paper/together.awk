# From parameters.tsv, together.tsv and a plan with its changes (vary.awk), with -v dir=runs and
# -v what=runs: the runs in which all parameters of a group are halved, or all doubled, for each run
# of trace-replay. Once these are there, with -v what=plan: the plan, in which a change whose group
# left the run's table as it was, in all its counts, has that run's own table instead of one of its
# own. A group of one is none, nor is one whose runs are there already.
BEGIN { FS = OFS = "\t" }
/^#/ || /^$/ { next }
FILENAME ~ /parameters\.tsv$/ {
	parameter[$1, $2] = $3
	next
}
FILENAME ~ /together\.tsv$/ {
	group[++beliefs] = $1
	of[beliefs] = $2
	condition[beliefs] = $3
	next
}
{
	row[++rows] = $0
	id = $2 FS $6 FS $7 FS $8 FS $12 FS $10
}
$11 == "-" {
	key[id] = $1
	plain[id] = $0
	next
}
$10 == "replay" {
	split($11, word, " ")
	name = belongs(id, $6, word[2])
	if (name != "") {
		name = id FS name FS (bytes(word[4]) > bytes(word[3]) ? "double" : "half")
		if (!(name in size))
			order[++groups] = name
		in_group[rows] = name
		base[name] = id
		if (!((name, $1) in counted)) {
			counted[name, $1]
			size[name]++
			settings[name] = settings[name] " " word[2] "=" word[4]
			absent[name] += !have($1)
		}
	}
}
END {
	if (what == "runs") {
		for (i = 1; i <= groups; i++)
			if (size[order[i]] > 1 && absent[order[i]])
				joint(order[i])
		exit
	}
	for (i = 1; i <= groups; i++)
		same[order[i]] = size[order[i]] > 1 && \
			table(key[base[order[i]]]) == table(joint_key(order[i]))
	for (i = 1; i <= rows; i++) {
		if (i in in_group && same[in_group[i]])
			sub(/^[^\t]*/, literal(key[base[in_group[i]]]), row[i])
		print row[i]
	}
}
function bytes(text,  unit) {
	unit = substr(text, length(text))
	return (text + 0) * (unit == "K" ? 1024 : unit == "M" ? 1048576 : 1)
}
# The first group that has the parameter under a condition that holds of the run.
function belongs(id, machine, name,  i, part) {
	for (i = 1; i <= beliefs; i++) {
		if (of[i] != name)
			continue
		if (condition[i] == "-")
			return group[i]
		if (split(condition[i], part, "=") == 2) {
			if (parameter[machine, part[1]] == part[2])
				return group[i]
		} else if (total(key[id], condition[i]) == "0") {
			return group[i]
		}
	}
	return ""
}
function joint_key(name,  part, n) {
	n = split(name, part, FS)
	return key[base[name]] "." part[n - 1] "-" part[n]
}
function joint(name,  field, n, i, text) {
	n = split(plain[base[name]], field, FS)
	field[1] = joint_key(name)
	field[9] = (field[9] == "-" ? "" : field[9] " ") substr(settings[name], 2)
	field[11] = "together"
	for (i = 1; i <= n; i++)
		text = text (i > 1 ? OFS : "") field[i]
	print text
}
function have(key,  line, status) {
	status = (getline line <(dir "/" key ".tsv")) >= 0
	close(dir "/" key ".tsv")
	return status
}
# A run's table without its remarks and its settings; another one for each that is not there.
function table(key,  file, line, text, cells, i, n, settings) {
	file = dir "/" key ".tsv"
	while ((getline line <file) > 0) {
		if (line ~ /^#/)
			continue
		n = split(line, cells, FS)
		for (i = 1; i <= n; i++) {
			if (cells[i] == "settings")
				settings = i
			text = text (i == settings ? "" : cells[i]) (i < n ? FS : "\n")
		}
	}
	close(file)
	return text == "" ? "none " ++none : text
}
# A column of the last row.
function total(key, column,  line, n, i, names, values) {
	if (!(key in read)) {
		read[key]
		n = split(table(key), line, "\n")
		split(line[1], names, FS)
		split(line[n - 1], values, FS)
		for (i in names)
			cell[key, names[i]] = values[i]
	}
	return cell[key, column]
}
function literal(text) {
	gsub(/[\\&]/, "\\\\&", text)
	return text
}
