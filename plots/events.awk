# From the table of trace-replay --events, of one SM: what each warp does when, as two points of a
# line, and a blank line after them. Instructions that follow one another are one line. Reasons why
# the memory unit or an execution unit takes nothing are one, `stall`.
BEGIN {
	FS = OFS = "\t"
	print "warp", "cycle", "what"
}
/^#/ { next }
!column["at"] {
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}
$column["event"] !~ /^(wait|issue|own)$/ { next }
{
	warp = $column["slot"]
	what = $column["event"] == "wait" ? $column["what"] : "issued"
	sub(/^stall_.*/, "stall", what)
	at = $column["at"]
	if (!(warp in does) || does[warp] != what || end[warp] != at) {
		if (warp in does)
			put(warp)
		does[warp] = what
		begin[warp] = at
	}
	end[warp] = at + $column["lasts"]
	last = warp > last + 0 ? warp : last
}
END {
	for (warp = 0; warp <= last; warp++)
		if (warp in does)
			put(warp)
}
function put(warp) {
	print warp, begin[warp], does[warp]
	print warp, end[warp], does[warp]
	print ""
}
