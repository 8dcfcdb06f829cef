# From `trace-info --by pc --format=tsv` of bfs: per level, the nodes of the frontier and the threads
# launched. A node leaves the frontier by the one store of the source line `line`; every thread
# executes the kernel's first instruction.
BEGIN { FS = OFS = "\t" }
/^#/ { next }
!column["pc"] {
	for (i = 1; i <= NF; i++)
		column[$i] = i
	print "level", "frontier", "launched"
	next
}
$column["kernel"] != "bfs_visit" { next }
$column["pc"] == "0x0" {
	launched = $column["thread_insts"]
}
$column["source_line"] == line && $column["class"] == "store" {
	print level++, $column["thread_insts"], launched
}
