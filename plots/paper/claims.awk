# From sets.tsv, the tables of the runs, and claims.tsv at the end: the scoreboard. A row for every
# claim: id, the paper's value, ours, ours over the paper's, verdict. Ours are computed here from
# the runs and from nothing else; a claim without its runs is `not measured`.
#
#   met           not on the other side of 1 and within max(|paper - 1| / 4, 0.05) of its ratio, a
#                 change in percent taken as the ratio that it makes; an order that holds, a bound
#                 kept, a count that is the same
#   direction     the same side of 1, or of the count that means no effect, but another size:
#                 `direction (far)` if it is more than three times as far from there as the paper's,
#                 `direction (weak)` if less than a quarter
#   opposite      the other side, or none; an order that does not hold, a bound broken
#   partial       the set lacks members, so the value is of those that there are, and its verdict
#                 stands in brackets; with -v complete=1 these are judged like others
#   not measured  no runs, or not all
#
# Where the paper says that there is no effect, a ratio of exactly 1, either side of 1 is met within
# 0.05, and the verdict says so: `met (no effect)`. So it does where the paper bounds a change in
# percent: it says that there is hardly any. Where a value has several parts, all have to be met, or
# all on their side.
#
# With -v needs=1 there is a row instead for each run that a claim needs: id, family, workload, run.
BEGIN {
	FS = OFS = "\t"
	IPC = "ipc_thread"
	# Every limit up to 8, where the thesis found its best, and some of the others.
	LIMITS = "1 2 3 4 5 6 7 8 12 16 24 32"
}
function lost() {
	missing = 1
	return 1
}
# column of one run; how is "scheduler warp settings", settings last, since they have blanks.
function value(family, w, how, column,  v) {
	asked[family OFS w OFS how]
	v = run[family, w, how, column]
	return v == "" || v == "-" ? lost() : v + 0
}
# Replacement as the scheduler of a run that trace-belady saw.
function under(scheduler, replacement) {
	return s(scheduler) " " replacement
}
# Harmonic mean of a over b, workload by workload.
function hmean(set, fa, a, fb, b,  n, w, i, sum, x) {
	n = split(set, w, ",")
	if (!n)
		return lost()
	for (i = 1; i <= n; i++) {
		x = value(fa, w[i], a, IPC) / divisor(value(fb, w[i], b, IPC))
		sum += 1 / divisor(x)
	}
	return n / divisor(sum)
}
function divisor(x) {
	return x == 0 ? lost() : x
}
# Arithmetic mean of a's column over b's, workload by workload; below, of the column itself.
function mean_ratio(set, family, a, b, column,  n, w, i, sum) {
	n = split(set, w, ",")
	if (!n)
		return lost()
	for (i = 1; i <= n; i++)
		sum += value(family, w[i], a, column) / divisor(value(family, w[i], b, column))
	return sum / n
}
function mean(set, family, how, column,  n, w, i, sum) {
	n = split(set, w, ",")
	if (!n)
		return lost()
	for (i = 1; i <= n; i++)
		sum += value(family, w[i], how, column)
	return sum / n
}
# As a change in percent.
function change(ratio) {
	return 100 * (ratio - 1)
}
function s(name) {
	return name " - -"
}
function p(warp, settings) {
	return "- " warp " " (settings == "" ? "-" : settings)
}
# The scheduler, of those that a family ran with this prefix, with the highest harmonic mean over
# base; and on one workload. Equal ones: the first of the numbers.
function best_of(family, set, prefix, list,  n, x, i, ipc, most, which) {
	n = split(list, x, " ")
	for (i = 1; i <= n; i++) {
		ipc = hmean(set, family, s(prefix x[i]), family, s("gto"))
		if (i == 1 || ipc > most) {
			most = ipc
			which = x[i]
		}
	}
	return which
}
# Of several warps under the same settings, the highest IPC on a workload.
function top(family, w, list, settings,  n, x, i, v, most) {
	n = split(list, x, " ")
	for (i = 1; i <= n; i++) {
		v = value(family, w, p(x[i], settings), IPC)
		if (v > most)
			most = v
	}
	return most
}
# Harmonic mean of the best of one list over the best of another.
function top_ratio(set, fa, a, fb, b, settings,  n, w, i, sum) {
	n = split(set, w, ",")
	for (i = 1; i <= n; i++)
		sum += top(fb, w[i], b, settings) / divisor(top(fa, w[i], a, settings))
	return n / divisor(sum)
}
# says(id, ours): what there is for a claim; nothing, if one of its runs is not there.
function says(id, x,  i) {
	if (!missing)
		ours[id] = x
	missing = 0
	for (i in common)
		asked[i]
	for (i in asked)
		if (needs)
			print id, i
	split("", asked)
}
# What was asked for so far, all claims need until it is forgotten.
function share(  i) {
	for (i in asked)
		common[i]
}
function forget() {
	split("", common)
	split("", asked)
}
function lacks(id) {
	if (!complete)
		partial[id]
}
# What a machine, or `-` and a policy, has for a parameter.
function parameter(machine, name) {
	return (machine, name) in parameters ? parameters[machine, name] : lost()
}

FILENAME ~ /sets\.tsv$/ {
	if ($0 ~ /^#/)
		next
	set[$1] = $2
	next
}
FILENAME ~ /parameters\.tsv$/ {
	parameters[$1, $2] = $3
	next
}
FILENAME !~ /claims\.tsv$/ {
	if (FNR == 1) {
		for (i = 1; i <= NF; i++)
			name[i] = $i
		next
	}
	how = $5 " " $6 " " $7
	# Rows of a run: of a replacement or a class by its name, of loops their sum.
	if (name[8] == "loop") {
		if ($8 != "-")
			for (i = 9; i <= NF; i++)
				run[$1, $2, how, name[i]] += $i
		next
	}
	if (name[8] ~ /^(policy|class)$/)
		how = how " " $8
	for (i = 8; i <= NF; i++)
		run[$1, $2, how, name[i]] = $i
	next
}
/^#/ || /^$/ { next }
{
	order[++claims] = $1
	paper[$1] = $6
	kind[$1] = $7
	metric[$1] = $5
}

function thesis(  hcs, cs, gto, w, n, i, text, k, best, worst, m) {
	hcs = set["HCS4"]
	cs = hcs "," set["MCS4"]
	gto = s("gto")
	says("ccws.hcs.gto", hmean(hcs, "thesis", s("ccws"), "thesis", gto))
	says("ccws.hcs.2lvl", hmean(hcs, "thesis", s("ccws"), "thesis", gto) / \
		hmean(hcs, "thesis", s("2lvl-gto"), "thesis", gto))
	says("ccws.hcs.lrr", hmean(hcs, "thesis", s("lrr"), "thesis", gto))
	says("ccws.hcs.2lvl-lrr", hmean(hcs, "thesis", s("2lvl-lrr"), "thesis", gto) / \
		hmean(hcs, "thesis", s("lrr"), "thesis", gto))
	says("ccws.hcs.2lvl-lrr-gto", hmean(hcs, "thesis", s("2lvl-lrr"), "thesis", gto))
	says("ccws.cs.gto", hmean(cs, "thesis", s("ccws"), "thesis", gto))
	says("ccws.cs.misses", change(mean_ratio(cs, "thesis", s("ccws"), gto, "l1d_misses")))
	says("ccws.ci", hmean(set["CI4"], "thesis", s("ccws"), "thesis", gto))

	n = split(hcs, w, ",")
	for (i = 1; i <= n; i++)
		text = text (i > 1 ? "," : "") \
			best_of("swl", w[i], "swl:limit=", LIMITS)
	neutral["ccws.swl.best"] = 32
	says("ccws.swl.best", text)

	# Each benchmark's own best K against 8 for all.
	k = "1 2 4 8 16 32 64"
	for (i = 1; i <= n; i++) {
		best = best_of("k", w[i], "ccws:k=", k)
		m += 1 / divisor(hmean(w[i], "k", s("ccws:k=" best), "k", gto))
	}
	says("ccws.k8", -change(hmean(hcs, "k", s("ccws:k=8"), "thesis", gto) / (n / divisor(m))))
	says("ccws.k32.misses", \
		change(mean_ratio(hcs, "k", s("ccws:k=32"), s("ccws:k=8"), "l1d_misses")))
	says("ccws.k32.ipc", hmean(hcs, "k", s("ccws:k=32"), "thesis", gto))
	best = best_of("vta", hcs, "ccws:vta=", "1,ways=1 2,ways=2 4,ways=4 8 16 32 512")
	sub(/,.*/, "", best)
	says("ccws.vta", best)
	says("ccws.8k.sssp", \
		hmean("sssp", "size", "ccws - l1d.size=8K", "size", "gto - l1d.size=8K"))
	says("ccws.128k", hmean(hcs, "128k", "ccws - l1d.size=128K", "128k", "gto - l1d.size=128K"))
	for (i = 1; i <= n; i++) {
		m = hmean(w[i], "8m", "lrr - l1d.size=8M", "8m", s("lrr"))
		worst = i == 1 || m < worst ? m : worst
	}
	atleast["cache.8m.hcs"]
	says("cache.8m.hcs", worst)
}

# Figure 3.9, in misses per thousand thread instructions, and section 3.3's check: the largest
# difference that any workload shows.
function belady(  hcs, all, ccws, lrr, gto, level, w, n, i, x, swl, most) {
	hcs = set["HCS4"]
	ccws = mean(hcs, "thesis", s("ccws"), "l1d_mpki")
	gto = mean(hcs, "belady", under("gto", "opt"), "mpki")
	level = mean(hcs, "belady", under("2lvl-gto", "opt"), "mpki")
	if (ccws >= gto || ccws >= level)
		broken["ccws.vs.belady"]
	says("ccws.vs.belady", "CCWS=" num(ccws) ",GTO-BEL=" num(gto) ",2LVL-GTO-BEL=" num(level))

	lrr = mean(hcs, "belady", under("lrr", "opt"), "mpki")
	ccws = mean(hcs, "thesis", s("ccws"), "l1d_mpki")
	gto = mean(hcs, "thesis", s("gto"), "l1d_mpki")
	level = mean(hcs, "thesis", s("2lvl-gto"), "l1d_mpki")
	n = split(hcs, w, ",")
	for (i = 1; i <= n; i++) {
		x = best_of("swl", w[i], "swl:limit=", LIMITS)
		swl += value("swl", w[i], s("swl:limit=" x), "l1d_mpki") / n
	}
	if (lrr <= gto || lrr <= level || lrr <= swl || lrr <= ccws)
		broken["ccws.lrr.belady"]
	says("ccws.lrr.belady", "LRR-BEL=" num(lrr) ",GTO=" num(gto) ",2LVL-GTO=" num(level) \
		",Best-SWL=" num(swl) ",CCWS=" num(ccws))

	all = hcs "," set["MCS4"] "," set["CI4"]
	n = split(all, w, ",")
	for (i = 1; i <= n; i++) {
		x = value("thesis", w[i], s("gto"), "l1d_misses")
		x = 100 * abs(value("belady", w[i], under("gto", "lru"), "misses") - x) / divisor(x)
		most = x > most ? x : most
	}
	says("sagcs.lru", most)
}

# Figures 3.1 and 4.3: what kind of locality there is. A workload's share of a kind of trip is of
# its hits on lines of its own warp, in loops.
function locality(  hcs, intra, inter, n, w, i, how, all, this, last, other) {
	hcs = set["HCS4"]
	how = s("gto")
	intra = mean(hcs, "unbounded", how " intra_thread", "pki") + \
		mean(hcs, "unbounded", how " intra_warp", "pki")
	inter = mean(hcs, "unbounded", how " inter_warp", "pki") + \
		mean(hcs, "unbounded", how " inter_cta", "pki")
	if (intra <= inter)
		broken["locality.hcs"]
	says("locality.hcs", "intra=" num(intra) ",inter=" num(inter))

	how = "gto - l1d.size=8M"
	n = split(set["HCS5"], w, ",")
	for (i = 1; i <= n; i++) {
		all = value("loops", w[i], how, "this_trip") + value("loops", w[i], how, "last_trip") + \
			value("loops", w[i], how, "other")
		this += value("loops", w[i], how, "this_trip") / divisor(all) / n
		last += value("loops", w[i], how, "last_trip") / divisor(all) / n
		other += value("loops", w[i], how, "other") / divisor(all) / n
	}
	if (last <= this || last <= other)
		broken["locality.loops"]
	says("locality.loops", "last-trip=" num(last) ",this-trip=" num(this) ",other=" num(other))
}

# Harmonic mean of each workload's best limit.
function swl_over_ccws(list,  n, w, i, best, sum) {
	n = split(list, w, ",")
	for (i = 1; i <= n; i++) {
		best = best_of("swl", w[i], "swl:limit=", LIMITS)
		sum += 1 / divisor(hmean(w[i], "swl", s("swl:limit=" best), "daws", s("ccws")))
	}
	return n / divisor(sum)
}

function daws(  hcs, n, w, i, text, best, profile, gone) {
	hcs = set["HCS5"]
	profile = s("daws:profile")
	n = split(hcs, w, ",")
	for (i = 1; i <= n; i++) {
		best = best_of("swl", w[i], "swl:limit=", LIMITS)
		text = text (i > 1 ? "," : "") best
	}
	neutral["daws.limits"] = 32
	says("daws.limits", text)
	says("daws.ccws", hmean(hcs, "daws", s("daws"), "daws", s("ccws")))
	says("daws.swl", hmean(hcs, "daws", s("daws"), "daws", s("ccws")) / swl_over_ccws(hcs))
	says("daws.profiled", hmean(hcs, "daws", profile, "daws", s("ccws")))
	says("daws.profiled.swl", hmean(hcs, "daws", profile, "daws", s("ccws")) / swl_over_ccws(hcs))
	for (i = 1; i <= n; i++)
		gone += 100 * value("daws", w[i], s("ccws"), "vta_hits_descheduled") / \
			divisor(value("daws", w[i], s("ccws"), "vta_hits")) / n
	says("daws.lost", gone)
	says("daws.energy.gto", energy(hcs, "gto", 0))
	says("daws.energy.ccws", energy(hcs, "ccws", 1))
	best = best_of("swl", "bfs", "swl:limit=", LIMITS)
	says("daws.swl.bfs", hmean("bfs", "daws", s("daws"), "swl", s("swl:limit=" best)))
	best = best_of("swl", "spmv-scalar", "swl:limit=", LIMITS)
	says("daws.swl.spmv", hmean("spmv-scalar", "daws", s("daws"), "swl", s("swl:limit=" best)))
	says("daws.noflow.bfs", hmean("bfs", "daws-flow", s("daws:flow=0"), "daws-flow", s("daws")))
	says("daws.noflow.memc", hmean("memcached", "daws-flow", s("daws:flow=0"), \
		"daws-flow", s("daws")))
	# The whole cache, as if lines never met in a set.
	neutral["daws.assoc"] = 1
	says("daws.assoc", best_of("daws-assoc", hcs, "daws:assoc=", "40 50 60 70 80 90 100") / 100)
	says("daws.ci", hmean(set["CI5"], "daws", s("daws"), "daws", s("ccws")))
}

# The memory system's energy under DAWS and another, with its parts behind it: how many times more
# the other takes, or the change in percent.
function energy(hcs, other, percent,  part, name, i, x, text) {
	split("nj l1d_nj l2_nj dram_nj", part, " ")
	split("all L1D L2 DRAM", name, " ")
	for (i = 1; i <= 4; i++) {
		x = mean_ratio(hcs, "daws", s("daws"), s(other), "energy_" part[i])
		x = percent ? change(x) : 1 / divisor(x)
		text = i == 1 ? num(x) " (" : text name[i] " " num(x) (i < 4 ? "; " : ")")
	}
	return text
}

# Chapter 5: what there is of SPMV-Vector is its fastest run.
function spmv(  n, x, i, v, least, best, vector) {
	n = split("lrr gto ccws daws", x, " ")
	for (i = 1; i <= n; i++) {
		v = value("spmv", "spmv-vector", s(x[i]), "cycles")
		if (i == 1 || v < least) {
			least = v
			best = x[i]
		}
	}
	if (missing) {
		missing = 0
		forget()
		return
	}
	share()
	vector = "spmv-vector"
	says("spmv.gto", value("spmv", "spmv-scalar", s("gto"), "cycles") / divisor(least))
	says("spmv.daws", value("spmv", "spmv-scalar", s("daws"), "cycles") / divisor(least))
	says("spmv.instr", value("spmv", vector, s(best), "warp_insts") / \
		divisor(value("spmv", "spmv-scalar", s("gto"), "warp_insts")))
	says("spmv.reads", value("spmv", "spmv-scalar", s("daws"), "dram_reads") / \
		divisor(value("spmv", vector, s(best), "dram_reads")))
	atleast["spmv.reads.gto"]
	says("spmv.reads.gto", value("spmv", "spmv-scalar", s("gto"), "dram_reads") / \
		divisor(value("spmv", vector, s(best), "dram_reads")))
	says("spmv.writes", value("spmv", vector, s(best), "dram_writes") / \
		divisor(value("spmv", "spmv-scalar", s("gto"), "dram_writes")))
	forget()
}

# Its sets are those of tables 1 and 3; with -v rule=1 what its section 2.2 says of them: below 76 % of
# SIMD efficiency, but for NNC, whose blocks are half a warp. TBC has likely-convergence points, and
# PDOM has not (section 6).
function tbc(  n, w, i, divg, cohe, pdom, tbc_, small) {
	pdom = p("fixed:32")
	tbc_ = "tbc:lcp=1"
	small = "l2.size=128K l2.ways=8"
	says("tbc.lcp.mum", likely("mummer"))
	says("tbc.lcp.nvrt", likely("nvrt"))
	# In slots of issue, as figure 7 draws it: latencies are not in the figure.
	says("tbc.example", -change(slots("tbc") / divisor(slots("fixed:4"))))
	says("tbc.nvrt.wb", hmean("nvrt", "tbc", p("dwf:wb=1"), "tbc", pdom))
	divg = set["DIVG"]
	cohe = set["COHE"]
	if (rule) {
		divg = cohe = ""
		n = split(set["TBC21"], w, ",")
		for (i = 1; i <= n; i++) {
			if (w[i] != "nnc" && value("tbc", w[i], pdom, "simd_efficiency") < 0.76)
				divg = divg "," w[i]
			else
				cohe = cohe "," w[i]
		}
		divg = substr(divg, 2)
		cohe = substr(cohe, 2)
		share()
	}
	if (missing) {
		missing = 0
		forget()
		return
	}
	says("tbc.divg", hmean(divg, "tbc", p(tbc_), "tbc", pdom))
	says("tbc.all", hmean(divg "," cohe, "tbc", p(tbc_), "tbc", pdom))
	says("tbc.dwf", hmean(divg, "tbc", p(tbc_), "tbc", pdom) / \
		hmean(divg, "tbc", p("dwf"), "tbc", pdom))
	says("tbc.dwfwb", hmean(divg, "tbc", p(tbc_), "tbc", pdom) / \
		hmean(divg, "tbc", p("dwf:wb=1"), "tbc", pdom))
	says("tbc.dwf.pdom", hmean(divg, "tbc", p("dwf"), "tbc", pdom))
	says("tbc.cohe", hmean(cohe, "tbc", p(tbc_), "tbc", pdom))
	says("tbc.stalls", stalls(divg, p("dwf")) / divisor(stalls(divg, pdom)))
	says("tbc.traffic", change(mean_ratio(divg, "tbc", p(tbc_), pdom, "traffic_bytes")))
	says("tbc.l2", \
		num(hmean(divg, "tbc-l2", p(tbc_, "--priority=rrb " small), \
			"tbc-l2", p("fixed:32", small))) "," \
		num(hmean(divg, "tbc-l2", p(tbc_, "--priority=age " small), \
			"tbc-l2", p("fixed:32", small))))
	forget()
}
function slots(warp) {
	return value("tbc-example", "example-1.ptx", p(warp, "sm.warp_size=4"), "warp_insts")
}
# What likely-convergence points bring, under TBC and under PDOM.
function likely(w) {
	return num(change(hmean(w, "tbc-lcp", p("tbc:lcp=1"), "tbc-lcp", p("tbc")))) "," \
		num(change(hmean(w, "tbc-lcp", p("fixed:32,lcp=1"), "tbc-lcp", p("fixed:32"))))
}
# Cycles that the memory unit stood still in: figure 2b sums its causes.
function stalls(list, how) {
	return mean(list, "tbc", how, "unit_serial") + mean(list, "tbc", how, "unit_mshr") + \
		mean(list, "tbc", how, "unit_merge") + mean(list, "tbc", how, "unit_line") + \
		mean(list, "tbc", how, "unit_queue")
}

function dwr(  all, three, n, w, i, j, size, x, most, text, idle, holds, width, wide, v, best) {
	all = set["DWR14"]
	three = set["DWR3"]
	n = split(all, w, ",")
	for (j = 8; j <= 64; j *= 2)
		says("dwr.w" j, hmean(all, "dwr", p("dwr"), "dwr", p("fixed:" j)))
	for (j = 8; j <= 64; j *= 2) {
		most = 0
		for (i = 1; i <= n; i++) {
			x = hmean(w[i], "dwr", p("dwr"), "dwr", p("fixed:" j))
			most = x > most ? x : most
		}
		text = text (j > 8 ? "," : "") num(most)
	}
	says("dwr.max8", text)
	for (j = 8; j <= 64; j *= 2)
		idle = idle (j > 8 ? "," : "") num(change(mean(all, "dwr", p("dwr"), "idle_share") / \
			divisor(mean(all, "dwr", p("fixed:" j), "idle_share"))))
	says("dwr.idle", idle)
	says("dwr.coal64", mean(all, "dwr", p("dwr"), "coalescing_rate") / \
		divisor(mean(all, "dwr", p("fixed:64"), "coalescing_rate")))
	says("dwr.coal8", mean(all, "dwr", p("dwr"), "coalescing_rate") / \
		divisor(mean(all, "dwr", p("fixed:8"), "coalescing_rate")))

	holds = ""
	for (width = 8; width <= 32; width *= 2) {
		most = 0
		wide = width == 8 ? "-" : "sm.simd_width=" width # the machine's own is 8
		for (size = 8; size <= 64; size *= 2) {
			v = hmean(all, "dwr-simd", p("fixed:" size, wide), "dwr-simd", p("fixed:8"))
			if (v > most) {
				most = v
				best = size
			}
		}
		holds = holds (width > 8 ? "," : "") best / width "x"
		if (best < width || best > 2 * width)
			broken["dwr.best"]
	}
	says("dwr.best", holds)

	says("dwr.ilt", num(hmean(three, "dwr-ilt", p("dwr:ilt=16,ways=4"), "dwr-ilt", p("dwr"))) "," \
		num(hmean(three, "dwr-ilt", p("dwr:ilt=8,ways=4"), "dwr-ilt", p("dwr"))))
	size = "fixed:8 fixed:16 fixed:32 fixed:64"
	x = "dwr:max=16 dwr:max=32 dwr"
	says("dwr.cache", \
		num(top_ratio(three, "dwr-cache", x, "dwr-cache", size, "l1d.size=12K l1d.ways=6")) "," \
		num(top_ratio(three, "dwr-cache", x, "dwr-cache", size, "-")))
	says("dwr.storage", storage())
	says("dwr.simd", wider(three, 16) "," wider(three, 32))
}
# Section IV.E's sum: an entry of the PST for each largest warp has a valid bit, a PC of 32 bits and
# a bit for each sub-warp; one of the ILT a valid bit and a tag of 30.
function storage(  max, warps) {
	max = parameter("-", "dwr:max")
	warps = parameter("dwr", "sm.threads_per_sm") / divisor(max)
	return num(warps * (1 + 32 + max / divisor(parameter("dwr", "sm.simd_width"))) / 8) "," \
		num(parameter("-", "dwr:ilt") * (1 + 30) / 8)
}
# Figure 5b: warps of one to eight times the SIMD width.
function wider(list, width,  family) {
	family = "dwr-simd" width
	return num(top_ratio(list, family, "dwr:max=" 2 * width " dwr:max=" 4 * width " dwr:max=" \
		8 * width, family, "fixed:" width " fixed:" 2 * width " fixed:" 4 * width " fixed:" \
		8 * width, "sm.simd_width=" width))
}

# Slides of 2012. Which warps SBR has is on none of them: 8 lanes' or 32 threads, both are here, in
# this order; nor what size large warps have: 64, 128 and 256.
function crown(  all, n, w, i, j, k, sbr, large, dwf, text, x, most, least, table, gap, m, wide, \
		deep) {
	all = set["CROWN16"]
	n = split(all, w, ",")
	split("fixed:8 fixed:32", sbr, " ")
	split("lwm:64 lwm:128 lwm:256", large, " ")
	dwf = p("dwf", "sm.warp_size=8")
	text = ""
	for (i = 1; i <= 2; i++)
		text = text (i > 1 ? "," : "") num(hmean(all, "crown", p("crown"), "crown", p(sbr[i])))
	says("crown.sbr", text)
	says("crown.dwf", hmean(all, "crown", p("crown"), "crown", dwf))
	text = ""
	for (i = 1; i <= 3; i++)
		text = text (i > 1 ? "," : "") num(hmean(all, "crown", p("crown"), "crown", p(large[i])))
	says("crown.lwm", text)

	text = ""
	for (j = 1; j <= 2; j++) {
		least = 1
		for (i = 1; i <= n; i++) {
			x = value("crown", w[i], p(sbr[j]), "simd_efficiency")
			least = x < least ? x : least
		}
		text = text (j > 1 ? "," : "") num(100 * least)
	}
	says("crown.simd", text)
	says("crown.ser", crown_most(w, n, sbr, "threads_inactive_share"))
	says("crown.wait", crown_most(w, n, sbr, "threads_meet_share"))
	says("crown.ready", crown_change(w, n, "crown:ready=4"))
	says("crown.waiting", crown_change(w, n, "crown:waiting=4"))

	# Over DWF with each number of barriers: whether each halving goes in DWF's direction.
	text = ""
	for (k = 128; k >= 16; k /= 2) {
		table = k == 128 ? p("crown") : p("crown:barriers=" k)
		gap[k] = hmean(all, k == 128 ? "crown" : "crown-tables", table, "crown", dwf)
		text = text (k < 128 ? "," : "") k "=" num(gap[k])
		if (k < 128 && (gap[k] - gap[2 * k]) * (gap[128] - 1) >= 0)
			broken["crown.barriers"]
	}
	says("crown.barriers", text)

	# A size of large warps with which some workload has more inactive threads than under SBR.
	text = ""
	m = 0
	for (i = 1; i <= n; i++) {
		most = 0
		for (j = 1; j <= 3; j++) {
			x = value("crown", w[i], p(large[j]), "threads_inactive_share")
			most = x > most ? x : most
		}
		x = 0
		for (j = 1; j <= 2; j++) {
			least = value("crown", w[i], p(sbr[j]), "threads_inactive_share")
			x = least > x ? least : x
		}
		if (most > x) {
			m++
			text = text (m > 1 ? "," : "") w[i]
		}
	}
	if (!m)
		broken["crown.lwm.ser"]
	says("crown.lwm.ser", m ? "LWM>SBR:" text : "LWM<=SBR")

	# What large warps gain over warps of 32, with 8 lanes and with 16.
	text = ""
	for (j = 1; j <= 3; j += 2) {
		x = hmean(all, "crown", p(large[j]), "crown", p("fixed:32"))
		wide = hmean(all, "crown-wide", p(large[j]), "crown-wide", p("fixed:32"))
		if (wide >= x)
			broken["crown.16wide"]
		text = text (j > 1 ? "," : "") large[j] "=" num(x) "->" num(wide)
	}
	says("crown.16wide", text)

	# With 8 stages and with 16: over DWF, and over large warps of 256.
	text = ""
	for (i = 0; i < 2; i++) {
		deep = i ? "-deep" : ""
		for (j = 0; j < 2; j++) {
			table = j ? p("lwm:256") : dwf
			x = hmean(all, "crown" deep, p("crown"), "crown" deep, table)
			least = hmean(all, "crown-512" deep, p("crown"), "crown-512" deep, table)
			if (least <= x)
				broken["crown.512"]
			text = text (text == "" ? "" : ",") (j ? "LWM" : "DWF") (i ? 16 : 8) "=" num(x) \
				"->" num(least)
		}
	}
	says("crown.512", text)

	# By the thesis's formula for all, and without the register file, whose banks are not modelled.
	lacks("crown.area")
	says("crown.area", value("storage", "total", p("crown:level2=512"), "sm_percent"))
	says("crown.mm2", value("storage", "total", p("crown:level2=512"), "mm2"))
}
# The most that a share comes to under each kind of SBR, in percent.
function crown_most(w, n, sbr, column,  i, j, x, most, text) {
	for (j = 1; j <= 2; j++) {
		most = 0
		for (i = 1; i <= n; i++) {
			x = value("crown", w[i], p(sbr[j]), column)
			most = x > most ? x : most
		}
		text = text (j > 1 ? "," : "") num(100 * most)
	}
	return text
}
# The largest change of a workload's IPC with other tables, in percent.
function crown_change(w, n, warp,  i, x, most) {
	for (i = 1; i <= n; i++) {
		x = change(hmean(w[i], "crown-tables", p(warp), "crown", p("crown")))
		if (abs(x) > abs(most))
			most = x
	}
	return abs(most)
}

# Two forms of a workload do not execute the same instructions: what counts is their cycles. The
# paper does not say which mean it takes; of ratios it is the geometric one, of which 1.21 and 0.86
# over flat give 1.40 for one over the other, as printed.
function launch(mode, settings) {
	return "- - " (mode == "flat" ? "-" : "--launch=" mode) (settings == "" ? "" : " " settings)
}
function faster(set, a, b, family,  n, w, i, sum) {
	if (family == "")
		family = "dtbl"
	n = split(set, w, ",")
	for (i = 1; i <= n; i++)
		sum += log(divisor(value(family, w[i], b, "cycles")) / \
			divisor(value(family, w[i], a, "cycles")))
	return exp(sum / divisor(n))
}
# A mean over a mean, as where the paper prints both the difference and the ratio.
function over_mean(set, a, b, column) {
	return mean(set, "dtbl", a, column) / divisor(mean(set, "dtbl", b, column))
}
function points(set, column) {
	return 100 * (mean(set, "dtbl", launch("dtbl"), column) - mean(set, "dtbl", launch("flat"), column))
}
function dtbl(  all, some, flat, cdp, cdpi, own, owni, n, w, i, launches, threads) {
	all = set["DTBL16"]
	some = set["DTBL15"] # those that launch
	flat = launch("flat")
	cdp = launch("cdp")
	cdpi = launch("cdp-ideal")
	own = launch("dtbl")
	owni = launch("dtbl-ideal")
	says("dtbl.flat", faster(all, own, flat))
	says("dtbl.cdp", faster(all, own, cdp))
	says("cdp.flat", faster(all, cdp, flat))
	says("cdpi.flat", faster(all, cdpi, flat))
	says("dtbli.flat", faster(all, owni, flat))
	says("dtbl.speed.clr", faster("clr_graph500", own, flat))
	says("dtbl.speed.regx", num(faster("regx_string", own, flat)) "," \
		num(faster("regx_string", cdpi, flat)) "," num(faster("regx_string", owni, flat)))
	says("dtbl.speed.usa", faster("bfs_usa", own, flat))

	says("dtbl.activity", points(all, "simd_efficiency"))
	says("dtbl.activity.amr", points("amr", "simd_efficiency"))
	says("dtbl.activity.join", points("join_gaussian", "simd_efficiency"))
	says("dtbl.activity.clr", points("clr_graph500", "simd_efficiency"))
	says("dtbl.dram", num(over_mean(all, cdp, flat, "dram_commands")) "," \
		num(over_mean(all, own, flat, "dram_commands")))
	says("dtbl.dram.cdp", over_mean(all, own, cdp, "dram_commands"))

	says("dtbl.occ", over_mean(all, owni, cdpi, "occupancy"))
	says("cdp.occ", change(over_mean(all, cdp, cdpi, "occupancy")))
	says("dtbl.occ.latency", change(over_mean(all, own, owni, "occupancy")))
	says("dtbl.occ.bht", over_mean("bht", owni, cdpi, "occupancy"))
	says("dtbl.occ.pre", over_mean("pre", owni, cdpi, "occupancy"))
	says("dtbl.occ.regx", num(over_mean("regx_string", owni, cdpi, "occupancy")) "," \
		num(over_mean("regx_string", own, cdp, "occupancy")))
	# Kernels of two warps, one in each entry of the distributor, on all SMs: to as many digits.
	says("cdp.occ.bound", sprintf("%.3g", parameter("k20c", "launch.kde") * 2 / \
		divisor(parameter("k20c", "sm.sms") * parameter("k20c", "sm.threads_per_sm") / \
		divisor(parameter("k20c", "sm.warp_size")))))

	says("dtbl.wait", change(mean_ratio(some, "dtbl", own, cdp, "launch_wait")))
	says("dtbli.wait", change(mean_ratio(some, "dtbl", owni, cdpi, "launch_wait")))
	says("dtbl.wait.regx", change(mean_ratio("regx_string", "dtbl", own, cdp, "launch_wait")))
	says("dtbl.mem", change(mean_ratio(some, "dtbl", own, cdp, "launch_bytes")))
	says("dtbl.mem.regx", change(mean_ratio("regx_string", "dtbl", own, cdp, "launch_bytes")))
	says("dtbl.mem.clr", change(mean_ratio("clr_graph500", "dtbl", own, cdp, "launch_bytes")))
	says("dtbl.match", 100 * mean(some, "dtbl", own, "groups_share"))
	says("dtbl.agt", num(faster(all, launch("dtbl", "launch.agt=512"), own, "dtbl-agt")) "," \
		num(faster(all, launch("dtbl", "launch.agt=2048"), own, "dtbl-agt")))

	# Of all launches, whatever their input.
	n = split(some, w, ",")
	for (i = 1; i <= n; i++) {
		launches += value("dtbl", w[i], own, "device_launches")
		threads += value("dtbl", w[i], own, "device_launches") * \
			value("dtbl", w[i], own, "threads_per_launch")
	}
	says("dtbl.threads", num(threads / divisor(launches)) "," \
		num(value("dtbl", "bht", own, "threads_per_launch")) "," \
		num(value("dtbl", "pre", own, "threads_per_launch")))
	says("dtbl.storage", value("dtbl", "bht", own, "dtbl_bytes") "," \
		value("dtbl", "bht", own, "agt_bytes"))
}

# Chapter 6. Of sets with games, for which there are stand-ins, the mean without them stands behind.
function vws(  div, con, wsi, n, x, i, most, gone, bgto, text, less, all) {
	div = set["DIV5"]
	con = set["CON5"]
	wsi = set["WSI5"]
	says("vws.div", speed(div, "ivws") / speed(div, "fixed:32"))
	says("vws.div.ws4", change(hmean(div, "vws", p("ivws"), "vws-4", p("fixed:4"))))
	# By the other reading of what a cycle's accesses are, too: MODEL.md, vws.
	says("vws.con.ws4", both("CON", "vws-4", "fixed:4", "-", "vws", "fixed:32", "-") \
		" (in slices " num(speed(con, "vws:order=slice")) ")")
	says("vws.con", both("CON", "vws", "ivws", "-", "vws", "fixed:32", "-"))
	says("vws.wsi", both("WSI", "vws", "ivws", "-", "vws", "fixed:32", "-"))
	says("vws.impatient.div", speed(div, "evws-impatientmem") / speed(div, "ivws"))
	says("vws.impatient.con", both("CON", "vws", "evws-impatientmem", "-", "vws", "fixed:32", "-"))
	ordered("vws.elastic.div", "I-VWS", speed(div, "ivws"), "E-VWS", speed(div, "evws"))

	says("vws.fetch", change(fetches(div, "ivws") / \
		divisor(mean(div, "vws-4", p("fixed:4"), "fetches_per_cycle"))))
	says("vws.fetch.elastic", change(fetches(div, "evws") / divisor(fetches(div, "ivws"))))
	says("vws.groupmem.fetch", \
		change(fetches(div, "ivws-groupmem") / divisor(fetches(div, "ivws"))))
	says("vws.impatientmem.fetch", \
		change(fetches(div, "ivws-impatientmem") / divisor(fetches(div, "ivws"))))
	says("vws.fetch.con", both_fetches("CON") "," both_fetches("WSI"))
	ordered("vws.impatient.fetch", "I-VWS", fetches(div, "ivws"), "E-VWS-ImpatientMem", \
		fetches(div, "evws-impatientmem"), "E-VWS", fetches(div, "evws"))

	less = "sm.fetch_ports=2 sm.l0i_bytes=256"
	all = "sm.fetch_ports=8"
	says("vws.icache", hmean(div, "vws-fetch", p("ivws", less), "vws-fetch", p("ivws", all)))
	says("vws.icache.con", both("CON", "vws-fetch", "ivws", less, "vws-fetch", "ivws", all) "," \
		both("WSI", "vws-fetch", "ivws", less, "vws-fetch", "ivws", all))

	says("vws.gangs.one", change(speed(div, "ivws:gangs=1") / speed(div, "ivws")))
	says("vws.gangs.all", change(speed(div, "ivws:gangs=0") / speed(div, "ivws")))
	bgto = speed(div, "ivws")
	gone = speed(div, "ivws:order=lpc")
	if (bgto <= gone || speed(con, "ivws") <= speed(con, "ivws:order=lpc"))
		broken["vws.lpc"]
	says("vws.lpc", "DIV=" num(gone / divisor(bgto)) \
		",CON=" num(speed(con, "ivws:order=lpc") / speed(con, "ivws")) \
		",WSI=" num(speed(wsi, "ivws:order=lpc") / speed(wsi, "ivws")))
	ordered("vws.lgto", "bgto", speed(div, "ivws"), "lgto", speed(div, "ivws:order=lgto"))
	n = split("gto lrr lpc lgto", x, " ")
	for (i = 1; i <= n; i++) {
		gone = abs(change(fetches(div, "ivws:order=" x[i]) / \
			divisor(fetches(div, "ivws"))))
		most = gone > most ? gone : most
	}
	says("vws.sched.fetch", most)

	n = split("10 50 100", x, " ")
	for (i = 1; i <= n; i++) {
		gone = speed(div, "evws:sync=" x[i]) / speed(div, "evws")
		text = text (i > 1 ? "," : "") "Sync" x[i] "=" num(gone)
		if (gone >= 1)
			broken["vws.sync"]
	}
	says("vws.sync", text)
	ordered("vws.groupmem.con", "I-VWS", speed(con, "ivws"), \
		"I-VWS-GroupMem", speed(con, "ivws-groupmem"))

	says("vws.tbc", hmean(set["VWS5"], "vws-tbc", p("ivws"), "vws-tbc", p("tbc:lcp=1")))
	says("vws.base", hmean(set["VWS5"], "vws-tbc", p("ivws"), "vws-tbc", p("fixed:32")))
	says("vws.area.sm", area("sm_percent", "%.0f", "%.0f"))
	says("vws.area.gpu", area("gpu_percent", "%.0f", "%.1f"))
}
# Harmonic mean IPC over that of a warp of 32.
function speed(list, warp) {
	return divisor(hmean(list, "vws", p(warp), "vws", p("fixed:32")))
}
function fetches(list, warp) {
	return mean(list, "vws", p(warp), "fetches_per_cycle")
}
function both(name, fa, a, sa, fb, b, sb) {
	return num(hmean(set[name "5"], fa, p(a, sa), fb, p(b, sb))) \
		without(hmean(set[name "3"], fa, p(a, sa), fb, p(b, sb)))
}
function both_fetches(name) {
	return num(fetches(set[name "5"], "ivws") / divisor(fetches(set[name "5"], "fixed:32"))) \
		without(fetches(set[name "3"], "ivws") / divisor(fetches(set[name "3"], "fixed:32")))
}
function without(x) {
	return " (without games " num(x) ")"
}
# Of two or three, each above the next one.
function ordered(id, a, x, b, y, c, z) {
	if (x <= y || c != "" && y <= z)
		broken[id]
	says(id, a "=" num(x) "," b "=" num(y) (c == "" ? "" : "," c "=" num(z)))
}
# Table 6.2, in the digits that it prints.
function area(column, four, eight) {
	return sprintf(four, value("storage", "total", p("vws"), column)) "," \
		sprintf(eight, value("storage", "total", p("vws:size=8"), column))
}

function num(x) {
	return sprintf("%.4g", x)
}
function abs(x) {
	return x < 0 ? -x : x
}
# One part of a ratio, a change or a count: 2 met, 1 on the paper's side, 0 not. Adds to the remarks.
function grade(id, mine, want,  none, near, effect) {
	none = kind[id] != "count" ? 1 : id in neutral ? neutral[id] : 0
	if (kind[id] == "percent") {
		mine = 1 + mine / 100
		want = 1 + want / 100
	}
	near = kind[id] == "count" ? 0 : abs(want - 1) / 4 > 0.05 ? abs(want - 1) / 4 : 0.05
	if (want == none)
		return abs(mine - want) <= near ? 2 : 0
	effects++
	effect = (mine - none) / (want - none)
	if (effect < 0)
		return 0
	if (abs(mine - want) <= near)
		return 2
	if (effect == 0)
		return 0
	if (effect > 3)
		far = "far"
	if (effect < 1 / 4)
		weak = "weak"
	return 1
}
function verdict(id,  said, remark) {
	if (!(id in ours))
		return "not measured"
	effects = 1
	far = weak = ""
	said = judged(id)
	if (!effects)
		remark = "no effect"
	else if (said == "direction")
		remark = far (far != "" && weak != "" ? ", " : "") weak
	if (id in partial)
		return "partial (" said (remark == "" ? "" : ", " remark) ")"
	return said (remark == "" ? "" : " (" remark ")")
}
function judged(id,  n, mine, want, m, i, g, least) {
	if (kind[id] == "order")
		return id in broken ? "opposite" : "met"
	want = paper[id]
	if (kind[id] == "bound") {
		if (sub(/^~/, "", want)) {
			effects = 0
			return grade(id, ours[id] + 0, want + 0) == 2 ? "met" : "opposite"
		}
		sub(/^</, "", want)
		if (id in atleast)
			return ours[id] >= want + 0 ? "met" : "opposite"
		effects = metric[id] != "percent"
		return abs(ours[id]) <= want + 0 ? "met" : "opposite"
	}
	n = split(ours[id], mine, ",")
	m = split(want, want_, ",")
	least = 2
	effects = 0
	for (i = 1; i <= n; i++) {
		g = grade(id, mine[i] + 0, want_[m == 1 ? 1 : i] + 0)
		least = g < least ? g : least
	}
	return least == 2 ? "met" : least == 1 ? "direction" : "opposite"
}
function over(id,  n, m, mine, want, i, text) {
	if (!(id in ours) || kind[id] == "order" || paper[id] !~ /^[<~]?-?[0-9.]/)
		return "-"
	n = split(ours[id], mine, ",")
	m = split(paper[id], want, ",")
	for (i = 1; i <= n; i++) {
		sub(/^[<~]/, "", want[i])
		text = text (i > 1 ? "," : "") num(mine[i] / divisor(want[m == 1 ? 1 : i]))
	}
	return text
}
END {
	thesis()
	belady()
	locality()
	daws()
	spmv()
	tbc()
	dwr()
	crown()
	dtbl()
	vws()
	if (needs)
		exit
	print "id", "paper", "ours", "ratio", "verdict"
	for (i = 1; i <= claims; i++) {
		id = order[i]
		mine = id in ours ? ours[id] : "-"
		if (mine ~ /^-?[0-9.e+-]+$/ && mine != "-")
			mine = num(mine)
		print id, paper[id], mine, over(id), verdict(id)
	}
}
