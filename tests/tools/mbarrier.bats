#!/usr/bin/env bats
# Barriers in shared memory: what is recorded of them, and who waits for whom in a replay.
load helper

# record ENTRY OUT ARGUMENT...: of tests/kernels/mbarrier.ptx, with a buffer whose words are left.
record() {
	local entry=$1 out=$2
	shift 2
	trace-gen --ptx "$root/tests/kernels/mbarrier.ptx" --entry "$entry" --arg out=buf:65536 \
		--dump out=out.bin -o "$out" "$@"
	sound "$out"
	od -An -v -tu4 -w4 out.bin | tr -d ' ' >words
}

# cycles OPTION... FILE: of its only launch.
cycles() {
	trace-replay --set launch.latency=0 --format=tsv -o cycles.tsv "$@" && column cycles.tsv cycles
}

@test "one thread asks a barrier at each step: arrivals, bytes, phases" {
	record answers a.wt --grid 1 --block 1
	# parity 1 right after the init, 0 not; 16 of 32 bytes; all; of the phase after it parity 1
	# not; bytes that came before they were expected
	[ "$(head -n 6 words | paste -sd ' ')" = "1 0 0 1 0 1" ]
}

@test "a wait is in the record once, whatever turns warps had and however many CTAs are resident" {
	for n in 1 10 1000 20000; do
		record pair "$n.wt" --grid 1 --block 64 --arg u32:$n --arg u32:0
		trace-info --by pc --format=tsv -o pc.tsv "$n.wt"
		grep -E "thread_insts|mbarrier.try_wait" pc.tsv >wait.tsv
		[ "$(column wait.tsv thread_insts)" = 32 ]
		[ "$(column wait.tsv warp_insts_32)" = 1 ]
	done
	for ctas in 1 2 8; do
		sed "s/^ctas_per_sm.*/ctas_per_sm = $ctas/" "$root/datasets/machines/ccws.ini" >m.ini
		trace-gen --ptx "$root/tests/kernels/mbarrier.ptx" --entry pair --grid 70 --block 64 \
			--arg buf:65536 --arg u32:300 --arg u32:0 --resident m.ini \
			--no-provenance -o "r$ctas.wt"
	done
	cmp r1.wt r8.wt
	cmp r2.wt r8.wt
}

@test "a pair takes twice the chain under every scheduler and every policy that takes it" {
	record pair two.wt --grid 1 --block 64 --arg u32:2000 --arg u32:0
	record pair one.wt --grid 1 --block 64 --arg u32:2000 --arg u32:1
	twice() {
		local one two
		one=$(cycles "$@" one.wt)
		two=$(cycles "$@" two.wt)
		[ "$one" -gt 8000 ] && awk -v a="$one" -v b="$two" -v what="$*" 'BEGIN {
			if (b > 1.96 * a && b < 2.04 * a) exit 0
			print what ": " b ", once " a
			exit 1
		}'
	}
	for machine in ccws h100; do
		for scheduler in null lrr gto oldest 2lvl 2lvl-gto 2lvl-lrr swl:limit=1 \
			swl:limit=1,rule=release ccws daws; do
			twice -m $machine -s $scheduler
		done
		for policy in fixed:32 mimd mimd:together=cta dwf dwf:wb=1 dwr tbc tbc:capri=16 \
			dualpath crown its its:switch=stall null; do
			twice -m $machine -w $policy
		done
	done
	twice -m ccws -w lwm
	twice -m ccws -w vws
}

@test "a wait that cannot end stops the replay, with the barrier and what is missing" {
	record pair two.wt --grid 1 --block 64 --arg u32:20 --arg u32:0
	for policy in fixed:64 lwm; do
		expect 1 "whose phase 0 lacks 1 arrivals and 0 bytes" \
			trace-replay -m h100 -w $policy two.wt
		grep -q "barrier at 0x0 of shared memory of CTA 0" stderr
	done
}

@test "a wait that cannot end stops the recording" {
	expect 1 "2 arrivals and 64 bytes are missing" timeout 20 trace-gen --ptx \
		"$root/tests/kernels/mbarrier.ptx" --entry never --grid 1 --block 64 --arg buf:64 \
		-o never.wt
	grep -q "waits for the end of phase 0 of the barrier at 0x0" stderr
	[ ! -e never.wt ]
}

@test "a barrier that a generic address has in global memory is refused" {
	for operation in "mbarrier.init.b64 [%rd1], 1" "mbarrier.arrive.b64 %rd2, [%rd1]" \
		"mbarrier.test_wait.parity.b64 %p1, [%rd1], 1" "mbarrier.try_wait.b64 %p1, [%rd1], %rd1"; do
		ptx "	$operation;" | sed 's/6.4/8.0/; s/sm_50/sm_90/' >k.ptx
		expect 1 "is for barriers in shared memory, where 0x" trace-gen --ptx k.ptx --entry k \
			--grid 1 --block 32 --arg buf:64 --arg u32:1 -o k.wt
		[ ! -e k.wt ]
	done
}

@test "a warp that asks two barriers in turn comes to its end, and so does its replay" {
	record poll p.wt --grid 3 --block 64 --arg u32:100
	[ "$(head -n 1 words)" = 100 ]
	for policy in fixed its mimd; do
		[ "$(cycles -m h100 -w $policy p.wt)" -gt 1000 ]
	done
}

@test "cycles at barriers in shared memory are counted, and their phases" {
	record ring r.wt --grid 3 --block 96 --arg u32:100
	[ "$(sed -n 33p words)" = 14850 ] # 3 (0 + 1 + ... + 99)
	for policy in fixed its dwf mimd tbc:capri=16; do
		trace-replay -m h100 -w $policy --stats=all --format=tsv -o t.tsv r.wt
		[ "$(column t.tsv mbarrier_phases)" = $((3 * (100 + 100))) ]
		[ $policy != fixed ] || [ "$(column t.tsv cycles_mbarrier)" -gt 0 ]
		[ "$(column t.tsv cycles_mbarrier)" -le "$(column t.tsv cycles_sync)" ]
	done
}

@test "arrivals at another CTA's barrier come over the network" {
	record gather g.wt --grid 8 --block 1 --cluster 4 --arg u32:100
	[ "$(head -n 1 words)" = 2 ]
	base=$(cycles -m h100 g.wt)
	[ "$(cycles -m h100 --set dsm.latency=279 g.wt)" = $((base + 100)) ]
	[ "$(cycles -m h100 --set mbar.arrive=106 g.wt)" = $((base + 100)) ]
	[ "$(cycles -m h100 --set mbar.wait=143 g.wt)" = $((base + 100)) ]
}

@test "an arrival that waits for copies does not hold its warp" {
	trace-gen --ptx "$root/tests/kernels/mbarrier.ptx" --entry copies --grid 1 --block 64 \
		--arg in=buf:4096:iota --arg out=buf:128 --arg u32:20 --dump out=out.bin -o c.wt
	[ "$(od -An -v -tu4 -w4 out.bin | tr -d ' ' | head -n 3 | paste -sd ' ')" = "0 1 2" ]
	# twenty copies under way together take not much more than one
	twenty=$(cycles -m ccws c.wt)
	trace-gen --ptx "$root/tests/kernels/mbarrier.ptx" --entry copies --grid 1 --block 64 \
		--arg in=buf:4096:iota --arg out=buf:128 --arg u32:1 -o c1.wt
	one=$(cycles -m ccws c1.wt)
	[ "$twenty" -lt $((2 * one)) ]
}

@test "a record from before 1.7 is read, and it is said that nobody waits there" {
	old=$root/tests/fixtures/mbarrier-1.6.wt
	trace-info --check "$old"
	trace-info "$old" >said
	grep -q "before format 1.7 (0x" said
	expect 0 "before format 1.7" trace-replay -m h100 "$old"
	trace-replay -q -m h100 "$old" 2>quiet >table
	[ ! -s quiet ]
	record pair new.wt --grid 1 --block 64 --arg u32:20 --arg u32:0
	trace-info new.wt >said
	! grep -q "before format" said || false
}

@test "barriers in memory go to other tools' formats without their rows" {
	record ring r.wt --grid 1 --block 96 --arg u32:5
	trace-convert --to accel-sim -o accel r.wt
	! grep -rq operand accel || false
	trace-info --format=tsv -o info r.wt
	trace-coalesce -o s.wt r.wt
	trace-info --format=tsv -o sum s.wt
	[ "$(column sum thread_insts | tail -n 1)" = "$(column info thread_insts | tail -n 1)" ]
	trace-replay -m h100 -s lrr --format=tsv -o t.tsv r.wt
	[ "$(column t.tsv thread_insts | tail -n 1)" = "$(column info thread_insts | tail -n 1)" ]
}
