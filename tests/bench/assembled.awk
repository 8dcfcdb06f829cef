# Thread instructions of a kernel as ptxas leaves it: each instruction of the machine's, of 16 bytes,
# was executed as often as the line of PTX that it was made of, also where ptxas moved it out of a
# loop. Reads trace-info's --by=line --total --format=tsv of a labelled kernel (label.awk), then
# readelf's --debug-dump=decodedline of its cubin.
function number(hex,  i, n) {
	for (i = 3; i <= length(hex); i++)
		n = 16 * n + index("123456789abcdef", substr(hex, i, 1))
	return n + 0
}

FNR == 1 { file++ }
file == 1 {
	if ($3 == "kernel.ptx")
		executed[$4] = $5
	next
}
$1 != "kernel.ptx" { next }
line != "" {
	# Behind a function's end lies what fills its last 128 bytes, so its last line counts as one.
	sum += executed[line] * ($2 == "-" ? 1 : (number($3) - address) / 16)
}
{
	line = $2 == "-" ? "" : $2
	address = number($3)
}
END {
	if (!sum)
		exit 1
	printf "%.0f\n", sum
}
