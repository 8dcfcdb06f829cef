# From a scoreboard, the runs that its claims need (claims.awk -v needs=1), and a plan: the plan's
# runs that a claim needs which is measured.
BEGIN { FS = "\t" }
FILENAME == "whole" {
	if ($5 != "not measured")
		measured[$1]
	next
}
FILENAME == "needs" {
	if (!($1 in measured))
		next
	needed[$2, $3, $4]
	# A row of a run's table: a replacement or a class stands behind the run.
	sub(/ [^ ]*$/, "", $4)
	needed[$2, $3, $4]
	next
}
($3, $4, $7 " " $8 " " $9) in needed
