# Thread instructions of a kernel as ptxas leaves it: each instruction of the machine's, of 16 bytes,
# was executed as often as the line of PTX that it was made of. Reads trace-info's --by=line --total
# --format=tsv of a labelled kernel (label.awk), then readelf's --debug-dump=decodedline of its cubin.
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
	# Behind a function's last instruction comes what fills its last 128 bytes.
	sum += executed[line] * ($2 == "-" ? 1 : (number($3) - address) / 16)
}
{
	line = $2 == "-" ? "" : $2
	address = number($3)
}
END { printf "%.0f\n", sum }
