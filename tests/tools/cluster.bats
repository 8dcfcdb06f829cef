#!/usr/bin/env bats
# Clusters of CTAs and their shared memory, from the kernel to the replay.
load helper

# launch ENTRY GRID BLOCK [WORD...]: of tests/kernels/cluster.ptx, with a buffer that is dumped.
launch() {
	local entry=$1 grid=$2 block=$3
	shift 3
	trace-gen --ptx "$root/tests/kernels/cluster.ptx" --entry "$entry" --grid "$grid" \
		--block "$block" --arg out=buf:4096 --dump out=out.bin -o "$entry.wt" "$@"
	sound "$entry.wt"
	od -An -v -tu4 -w4 out.bin | tr -d ' ' >words
}

@test "a ring: each CTA reads the next one's shared memory" {
	launch ring 8 64
	for cta in 0 1 2 3 4 5 6 7; do
		from=$((cta / 4 * 4 + (cta + 1) % 4))
		for thread in 0 31 63; do
			[ "$(sed -n "$((cta * 64 + thread + 1))p" words)" = $((from * 1000 + thread)) ]
		done
	done
	trace-info --format=tsv ring.wt >info
	[ "$(column info cluster | head -n 1)" = 4 ]
	[ "$(column info sync_reads | head -n 1)" = 0 ]
}

@test "bins in the first CTA's memory, by generic addresses, in clusters of two dimensions" {
	launch bins 4,4 40 --cluster 2,2
	for word in $(seq 32); do
		[ "$(sed -n "${word}p" words)" = 20 ]
	done
	[ "$(sed -n 33p words)" = 0 ]
	trace-info --format=tsv bins.wt >info
	[ "$(column info cluster | head -n 1)" = 2x2 ]
	launch bins 4 40 --cluster 1
	[ "$(sed -n 1p words)" = 5 ]
	launch bins 4 40
	[ "$(sed -n 1p words)" = 5 ]
}

@test "CTAs of a part that are no whole clusters are refused, whichever stands first" {
	launch bins 4,4 40 --cluster 2,2
	for part in 0-1 2-5 4-5 6-9; do
		expect 1 "only a part is here" trace-replay -m h100 --cta=$part bins.wt
	done
	trace-replay -q -m h100 --cta=8-15 --format=tsv -o r.tsv bins.wt
	[ "$(column r.tsv thread_insts | tail -n 1)" -gt 0 ]
}

@test "special registers, mapa, getctarank and isspacep say where a CTA is" {
	launch place 4,4 1 --cluster 2,2
	# CTA 7 is (3,1): of cluster (1,0), in it (1,1), rank 3 of 4; rank 1 is another's memory
	sed -n '57,64p' words | paste -sd ' ' | grep -qx '1 0 1 1 3 4 1 11'
	# CTA 1 is (1,0), rank 1: its own
	sed -n '9,16p' words | paste -sd ' ' | grep -qx '0 0 1 0 1 4 1 111'
	launch place 4,4 1
	sed -n '57,64p' words | paste -sd ' ' | grep -qx '3 1 0 0 0 1 0 110'
}

@test "a sum of floats in another CTA's shared memory keeps subnormals, as in the own" {
	launch tiny 4 1
	[ "$(paste -sd ' ' <(head -n 5 words))" = "2 2 2 2 0" ]
}

@test "CTAs arrive at another one's mbarrier" {
	launch signal 16 1 --cluster 8
	[ "$(paste -sd ' ' <(head -n 3 words))" = "7 7 0" ]
}

@test "--memcheck finds nothing wrong with shared memory of the cluster that was written" {
	launch ring 8 64 --memcheck 2>said
	[ ! -s said ]
	launch bins 4 40 --cluster 4 --memcheck 2>said
	[ ! -s said ]
}

@test "what is wrong with a cluster is said" {
	wrong() {
		expect 1 "$2" trace-gen --ptx "$root/tests/kernels/cluster.ptx" --entry wrong --grid 2 \
			--block 32 --cluster 2 --arg "u32:$1" -o wrong.wt
		[ ! -e wrong.wt ]
	}
	wrong 1 "the shared memory of CTA 2 of a cluster of 2"
	wrong 2 "the shared memory of another CTA, which is .shared::cluster"
	wrong 3 "beyond the 4 bytes of CTA 1's shared memory"
	wrong 4 "the shared memory of the cluster's CTA 0, which has exited"
	wrong 5 "barrier.cluster.arrive arrives again before it has waited"
	wrong 6 "barrier.cluster.wait waits without having arrived"
}

@test "a launch whose clusters cannot be is refused" {
	local ptx=$root/tests/kernels/cluster.ptx
	refused() {
		expect 2 "$1" trace-gen --ptx "$ptx" --block 32 --arg out=buf:4096 -o no.wt "${@:2}"
		[ ! -e no.wt ]
	}
	refused "a grid of 6,1,1 CTAs has no clusters of 4,1,1" --entry ring --grid 6
	refused "clusters of 2,1,1 CTAs, where its .reqnctapercluster is 4,1,1" \
		--entry ring --grid 8 --cluster 2
	refused "its launch has to say how many CTAs a cluster has" --entry signal --grid 8
	refused "clusters of 16 CTAs, where its .maxclusterrank is 8" \
		--entry signal --grid 16 --cluster 16
	refused "no clusters of 32,1,1: up to 16 CTAs" --entry bins --grid 32 --cluster 32
	printf 'base = h100\n[sm]\nsms = 1\nctas_per_sm = 2\n' >few.ini
	refused "clusters of 4 CTAs, where 2 CTAs are resident at once" \
		--entry ring --grid 8 --resident few.ini
}

@test "a script's launches have clusters, and caches and localities take the record" {
	printf '%s\n' 'buffer out=buf:4096' 'launch bins 4 40 cluster=2 @out' 'dump out out.bin' >s
	trace-gen --ptx "$root/tests/kernels/cluster.ptx" --script s -o s.wt
	sound s.wt
	[ "$(od -An -tu4 -N4 out.bin | tr -d ' ')" = 10 ]
	trace-coalesce s.wt | trace-locality >/dev/null
}

# replay RECORD ARG...: on an h100, as t.tsv.
replay() {
	trace-replay -m h100 --stats=cluster,stalls,sync --format=tsv "$@" >t.tsv
}

@test "a replay places clusters, and reads other SMs' shared memory" {
	launch ring 8 64
	replay ring.wt
	[ "$(column t.tsv dsm_accesses)" = 16 ]     # two warps of each CTA
	[ "$(column t.tsv dsm_bytes)" = 2048 ]      # 128 of each
	[ "$(column t.tsv cluster_barriers)" = 4 ]  # two of each cluster
	[ "$(column t.tsv barriers)" = 0 ]
	launch bins 16 40 --cluster 4
	replay bins.wt
	[ "$(column t.tsv dsm_accesses)" = 24 ]     # of three CTAs of four, two warps each
	launch bins 16 40 --cluster 1
	replay bins.wt
	tail -n 1 t.tsv >one
	[ "$(column t.tsv dsm_accesses)" = 0 ]
	launch bins 16 40
	replay bins.wt
	tail -n 1 t.tsv | cmp - one
}

@test "a chase of pointers in the other CTA's shared memory takes 180 cycles a load on an h100" {
	local cycles=()
	for rounds in 100 200; do
		trace-gen --ptx "$root/tests/kernels/cluster.ptx" --entry chase --grid 2 --block 1 \
			--arg "u32:$rounds" -o c.wt
		replay c.wt
		cycles+=("$(column t.tsv cycles)")
	done
	[ $((cycles[1] - cycles[0])) = 18000 ]
}

@test "a machine without GPCs refuses clusters, one with small ones those that fit none" {
	launch ring 8 64
	expect 2 "launch 0 has clusters of 4 CTAs, which the machine does not know: it has no GPCs (sm.gpcs)" \
		trace-replay --format=tsv ring.wt
	expect 2 "a cluster of launch 0 fits no GPC: 4 CTAs, of which an SM holds 1; the largest GPC has 2 SMs" \
		trace-replay -m h100 --set sm.sms=6 --set sm.gpcs=3 --set sm.ctas_per_sm=1 ring.wt
	expect 2 "sm.gpcs: 4 GPCs of at least sm.tpc, 2 SMs, where there are 6" \
		trace-replay -m h100 --set sm.sms=6 --set sm.gpcs=4 ring.wt
	expect 1 "launch 0: of some of its clusters, 4 CTAs each, only a part is here" \
		trace-replay -m h100 --cta 2-5 ring.wt
	replay --cta 4-7 ring.wt
	[ "$(column t.tsv dsm_accesses)" = 8 ]
}

@test "all warp policies and schedulers take clusters" {
	launch bins 16 40 --cluster 4
	insts=$(trace-info --format=tsv bins.wt | sed '/^#/d' >i.tsv && column i.tsv thread_insts | head -n 1)
	trace-replay --warp=help --format=tsv >warps
	trace-replay --scheduler=help --format=tsv >schedulers
	[ "$(grep -c '^tbc' warps)" -gt 0 ]
	[ "$(grep -c '^swl' schedulers)" -gt 0 ]
	for warp in $(awk '!/^#/ && $1 != "name" { print $1 }' warps); do
		replay --set sm.schedulers=1 --warp "$warp" bins.wt
		[ "$(column t.tsv thread_insts)" = "$insts" ]
		[ "$(column t.tsv cluster_barriers)" = 8 ] # what opens as all leave at once is none
	done
	for scheduler in $(awk '!/^#/ && $1 != "name" { print $1 }' schedulers); do
		replay --scheduler "$scheduler" bins.wt
		[ "$(column t.tsv thread_insts)" = "$insts" ]
	done
}

@test "events say where accesses of other SMs go" {
	launch ring 8 64
	trace-replay -m h100 --events e.tsv -q ring.wt >/dev/null
	[ "$(grep -cw dsm e.tsv)" = 16 ]
}

@test "clusters come back from Accel-Sim's format as they went, and replay alike" {
	for entry in ring signal; do
		case $entry in
		ring) launch ring 8 64 ;;
		signal) launch signal 16 1 --cluster 8 ;;
		esac
		trace-convert --to accel-sim -o "$entry.d" "$entry.wt"
		trace-convert -q "$entry.d" -o back.wt
		sound back.wt
		trace-info --format=tsv "$entry.wt" >want
		trace-info --format=tsv back.wt >got
		[ "$(column got cluster | head -n 1)" = "$(column want cluster | head -n 1)" ]
		replay "$entry.wt"
		cp t.tsv want
		[ "$(column want cluster_barriers | head -n 1)" -gt 0 ]
		replay back.wt
		for figure in dsm_accesses dsm_bytes cluster_barriers barriers; do
			[ "$(column t.tsv $figure)" = "$(column want $figure)" ]
		done
	done
	grep -qx -e '-cluster dim = (4,1,1)' ring.d/kernel-1.traceg
	grep -A 3 '^thread block = 5,0,0' ring.d/kernel-1.traceg | paste -sd ' ' |
		grep -qx 'thread block = 5,0,0 cluster id = 1,0,0 cluster cta = 1,0,0 cluster rank = 1'
	sed -i 's/^-cluster dim = .*/-cluster dim = (3,1,1)/' ring.d/kernel-1.traceg
	expect 1 "the clusters do not divide the grid, or have more than 16 CTAs" trace-convert ring.d -o no.wt
	[ ! -e no.wt ]
}

@test "a histogram over the shared memory of clusters: right at every size, and replayed" {
	local n=6000 size accesses
	awk -v n=$n 'BEGIN { for (i = 0; i < n; i++) bin[int(i * 40503 % 4294967296 / 64) % 1024]++
		for (i = 0; i < 1024; i++) print bin[i] + 0 }' >want
	for size in 1 2 4 8 16; do
		trace-gen --ptx "$root/tests/kernels/cluster.ptx" --entry histogram --grid 32 --block 64 \
			--cluster $size --arg "in=buf:$((4 * n)):iota" --arg out=buf:4096 --arg "u32:$n" \
			--dump out=out.bin -o h.wt
		od -An -v -tu4 -w4 out.bin | tr -d ' ' | diff want -
		replay h.wt
		# Lanes of a warp want bins of several CTAs: the more, the more there are.
		[ $size -eq 1 ] || [ "$(column t.tsv dsm_accesses)" -gt "$accesses" ]
		accesses=$(column t.tsv dsm_accesses)
		[ $size -gt 1 ] || [ "$accesses" = 0 ]
		[ "$(column t.tsv cluster_barriers)" = $((2 * 32 / size)) ]
	done
}
