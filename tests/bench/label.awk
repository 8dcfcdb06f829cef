# Gives each instruction of PTX the number of its own line (.loc), which ptxas and the recorder both
# keep, in place of those of the source. Loops may not be unrolled, and the target is sm_75.
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
