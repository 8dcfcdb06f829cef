# From the tables of trace-replay --compare, a workload's after another's: thread IPC under each
# scheduler; the fastest static limit is called best-swl, and its limit stands in the last column.
BEGIN {
	FS = OFS = "\t"
	print "workload", "scheduler", "ipc_thread", "limit"
}
/^# trace-gen / {
	split($0, word, " ")
	workload = word[4]
}
/^#/ { next }
$1 == "kernel" {
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}
{
	scheduler = $column["scheduler"]
	limit = sub(/^swl:limit=/, "", scheduler) ? scheduler : "-"
	print workload, limit == "-" ? scheduler : "best-swl", $column["ipc_thread"], limit
}
