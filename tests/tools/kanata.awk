# Holds a log to the rules of the format Kanata 0004 (docs/kanata-log-format.md of Konata), and says
# what breaks them. Instructions are numbered in the order in which they come, as they retire; each
# is named by others only between its I and its R. At the end: rows, and how many of them issued.
function bad(why) {
	print FILENAME ":" NR ": " why ": " $0
	failed = 1
	exit 1
}
function number(i) {
	if ($i !~ /^(0|[1-9][0-9]*)$/)
		bad("field " i " is no number")
}
function alive() {
	number(2)
	if (!($2 in live))
		bad("no instruction of that number")
}
BEGIN {
	FS = "\t"
	fields["C="] = fields["C"] = 2
	fields["I"] = fields["L"] = fields["S"] = fields["E"] = fields["R"] = fields["W"] = 4
}
NR == 1 {
	if ($0 != "Kanata\t0004")
		bad("the header is another")
	next
}
!($1 in fields) { bad("no such command") }
NF != fields[$1] { bad("it has " fields[$1] " fields") }
NR == 2 && $1 != "C=" { bad("no cycle to begin with") }
$1 == "C=" {
	number(2)
	if (NR != 2)
		bad("time is set twice")
	now = $2
}
$1 == "C" {
	number(2)
	if ($2 == 0)
		bad("no time passes")
	now += $2
}
$1 == "I" {
	for (i = 2; i <= 4; i++)
		number(i)
	if ($2 != rows + 0)
		bad("it is not the next number")
	rows++
	live[$2] = 1
}
$1 == "L" {
	alive()
	if ($3 != 0 && $3 != 1)
		bad("no such place of a text")
	if ($4 == "")
		bad("no text")
}
$1 == "S" {
	alive()
	number(3)
	if ($4 !~ /^[a-z0-9_]+$/)
		bad("no name of a stage")
	if ($4 == "own")
		own[$2] = 1
	if ($4 == "issue") {
		issues++
		if ($2 in issued)
			bad("it issues twice")
		issued[$2] = 1
	} else if ($2 in issued && $4 != "load") {
		bad("it has issued already")
	}
	if (($2 in since) && since[$2] == now)
		bad("the stage before it takes no time")
	since[$2] = now
}
$1 == "R" {
	alive()
	if ($4 != 0 && $4 != 1)
		bad("neither retired nor flushed")
	if ($4 == 0 && $3 != retired++ + 0)
		bad("it is not the next that retires")
	if ($4 == 0 && !($2 in issued) && !($2 in own))
		bad("it retires and has not issued")
	delete live[$2]
}
END {
	if (failed)
		exit 1
	if (NR < 2) {
		print FILENAME ": there is nothing in it"
		exit 1
	}
	print rows + 0, issues + 0, now
}
