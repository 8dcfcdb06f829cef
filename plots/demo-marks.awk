# From datasets/papers/claims.tsv: the means over GTO on the highly cache-sensitive workloads that
# the thesis prints, as marks for plots/bars.
BEGIN {
	FS = OFS = "\t"
	print "workload", "scheduler", "ipc_thread"
	scheduler["ccws.hcs.gto"] = "ccws"
	scheduler["ccws.hcs.lrr"] = "lrr"
}
$1 in scheduler { print "harmonic mean", scheduler[$1], $6 }
