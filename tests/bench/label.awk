# PTX whose instructions name their own lines of the file (.loc), for ptxas and for the record, in
# place of what it says of its source, and whose loops ptxas may not unroll. For sm_75.
/^\t?\.(loc|file)[ \t]/ { next }
/^\t?\.section/ { section = 1 }
section { section = !/}/; next }
/^\.target/ { $0 = ".target sm_75" }
{
	text = $0
	sub(/[ \t]*\/\/.*/, "", text)
	sub(/^[ \t]+/, "", text)
	if (begins && text ~ /^[a-z@]/)
		printf "\t.loc\t1 %d 1\n", NR
	print
	if (/^\.address_size/)
		print ".file\t1 \"kernel.ptx\"\n.pragma \"nounroll\";"
	if (text != "")
		begins = text ~ /[;{}:]$/
}
