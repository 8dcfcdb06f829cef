# From runs.tsv the family `mechanisms`: every way to handle divergence on one machine, a row each.
# IPC and L1D misses are means over those of PDOM, workload by workload (harmonic for IPC; workloads
# without misses under PDOM have no part in theirs), SIMD efficiency is a mean. What threads did is
# the mean of its shares in percent; with -v cycles=1 there is that alone, over PDOM's threads in all
# cycles. Nothing, if a run is not there.
BEGIN {
	FS = OFS = "\t"
	n = split("PDOM=fixed:32 LCP=fixed:32,lcp=1 dual-path=dualpath DWF=dwf DWF-WB=dwf:wb=1 TBC=tbc " \
		"CAPRI=tbc:capri=32 LWM=lwm CROWN=crown DWR=dwr I-VWS=vws E-VWS=vws:reform=1", word, " ")
	for (m = 1; m <= n; m++) {
		at = index(word[m], "=")
		name[m] = substr(word[m], 1, at - 1)
		warp[m] = substr(word[m], at + 1)
	}
	classes = split("ready pipeline memory inactive meet barrier", class, " ")
}
FNR == 1 {
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}
$1 == "mechanisms" {
	workloads[$2]
	for (i in column)
		value[$2, $column["warp"], i] = $column[i]
}
function of(w, m, what) {
	if (!((w, warp[m], what) in value))
		missing = 1
	return value[w, warp[m], what] + 0
}
# 0 tells of nothing to divide by.
function over(a, b) {
	return b ? a / b : 0
}
END {
	for (m = 1; m <= n; m++) {
		count = simd = misses = missed = slower = 0
		split("", share)
		for (w in workloads) {
			count++
			slower += over(of(w, 1, "ipc_thread"), of(w, m, "ipc_thread"))
			simd += of(w, m, "simd_efficiency")
			if (of(w, 1, "l1d_misses")) {
				misses += of(w, m, "l1d_misses") / of(w, 1, "l1d_misses")
				missed++
			}
			whole = of(w, cycles ? 1 : m, "thread_cycles")
			for (i = 1; i <= classes; i++)
				share[i] += over(of(w, m, "threads_" class[i]), whole)
		}
		if (missing || !count)
			exit
		line[m] = name[m]
		if (!cycles)
			line[m] = line[m] OFS warp[m] OFS sprintf("%.3f", over(count, slower)) OFS \
				sprintf("%.3f", simd / count) OFS sprintf("%.3f", over(misses, missed))
		for (i = 1; i <= classes; i++)
			line[m] = line[m] OFS \
				(cycles ? sprintf("%.4f", share[i] / count) : sprintf("%.1f", 100 * share[i] / count))
	}
	head = "mechanism" (cycles ? "" : OFS "warp" OFS "ipc" OFS "simd_efficiency" OFS "l1d_misses")
	if (cycles)
		print head, "ready", "in the pipeline", "memory", "another path runs", \
			"waiting where paths meet", "at a barrier"
	else
		print head, "ready", "pipeline", "memory", "inactive", "meet", "barrier"
	for (m = 1; m <= n; m++)
		print line[m]
}
