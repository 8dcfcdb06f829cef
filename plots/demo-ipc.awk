# From the tables of trace-replay, a workload's after another's: thread IPC under each scheduler.
# Neighbouring static limits become one scheduler, best-swl: the fastest of them, as in figure 3.8
# of Rogers' thesis.
BEGIN {
	FS = OFS = "\t"
	print "workload", "scheduler", "ipc_thread", "limit"
}
function flush_best() {
	if (best != "")
		print best_workload, "best-swl", best, best_limit
	best = ""
}
# A table is over, and its last row is the total.
function finish() {
	if (scheduler == "")
		return
	if (scheduler !~ /^swl:/ || best != "" && workload != best_workload)
		flush_best()
	if (scheduler ~ /^swl:/) {
		if (best == "" || ipc > best) {
			best = ipc + 0
			best_limit = scheduler
			sub(/.*limit=/, "", best_limit)
			best_workload = workload
		}
	} else {
		print workload, scheduler, ipc, "-"
	}
	scheduler = ""
}
/^# trace-gen / {
	finish()
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
	ipc = $column["ipc_thread"] + 0
}
END {
	finish()
	flush_best()
}
