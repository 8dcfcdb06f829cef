#!/usr/bin/env bats
# Which line of a kernel: the tables by source line, what they add up to, and whom cycles without an
# issue are charged to.
load helper

# sum TABLE COLUMN: of the column, without the row of the total.
sum() {
	awk -F '\t' -v name="$2" '
		/^#/ { next }
		!heads { for (heads = 1; heads <= NF; heads++) at[$heads] = heads; next }
		$at["kernel"] != "total" && $at[name] != "-" { n += $at[name] }
		END { if (!(name in at)) exit 1; printf "%.0f\n", n }' "$1"
}

# same A B COLUMN...: tables A and B have the same sums.
same() {
	local a=$1 b=$2 c
	shift 2
	for c; do
		[ "$(sum "$a" "$c")" = "$(sum "$b" "$c")" ]
	done
}

@test "lines add up to instructions, launches to their total, in every tool" {
	small
	trace-info --format=tsv small.wt | grep -v '^#' | sed '$d' >launches
	for total in '' --total; do
		for by in pc line; do
			trace-info --by $by $total --format=tsv small.wt >info.$by
			trace-coalesce --by $by $total --format=tsv small.wt >coalesce.$by
			trace-replay --stats=$by $total --format=tsv small.wt >replay.$by
		done
		same info.pc info.line thread_insts warp_insts_32 branches divergent_branches_32
		same info.pc launches thread_insts warp_insts_32 branches divergent_branches_32
		same coalesce.pc coalesce.line mem_insts thread_mem_insts transactions tx_1 tx_2
		same replay.pc replay.line warp_insts thread_insts l1d_accesses l1d_misses stall_cycles cycles_memory
		[ "$(sum info.pc thread_insts)" -gt 1000 ]
		[ "$(sum coalesce.pc transactions)" -gt 100 ]
		[ "$(sum replay.pc l1d_accesses)" -gt 100 ]
	done
	# A row for each line of each kernel, whatever the launches.
	[ "$(column info.line launch | sort -u)" = total ]
	paste <(column info.line kernel) <(column info.line file) <(column info.line source_line) | sort | uniq -d | { ! grep .; }
	[ "$(column info.line kernel | sort -u | wc -l)" = 2 ]
	# An efficiency is that of all lanes of the line.
	trace-info --format=tsv small.wt | column - simd_efficiency_32 | tail -n 1 >whole
	awk -F '\t' '!/^#/ && $4 != "source_line" { w += $6; l += $9 * $6 } END { printf "%.3f\n", l / w }' info.line >mean
	[ "$(awk '{ printf "%.3f", $1 }' whole)" = "$(cat mean)" ]
}

@test "every cycle without an issue is charged to an instruction, under every policy" {
	small
	for run in "ccws gto fixed:32" "ccws ccws fixed:8" "tbc lrr tbc" "dwr lrr dwr" "k20c gto fixed:32"; do
		set -- $run
		trace-replay -m $1 -s $2 -w $3 --stats=stalls --format=tsv small.wt | grep -v '^#' | sed '$d' >all
		trace-replay -m $1 -s $2 -w $3 --stats=pc --format=tsv small.wt >pc
		for class in stall_lsu stall_mshr stall_merge stall_line stall_queue stall_unit withheld memory sync idle; do
			[ "$(sum pc cycles_$class)" = "$(sum all cycles_$class)" ]
		done
		[ "$(sum pc cycles_memory)" -gt 0 ]
	done
}

@test "a warp that waits for its load is charged at the instruction that wants it" {
	ptx '	ld.global.u32 %r6, [%rd1];
	add.s32 %r7, %r5, 1;
	add.s32 %r8, %r6, 1;
	st.global.u32 [%rd1+4], %r8;' >k.ptx
	trace-gen --ptx k.ptx --entry k --grid 1 --block 32 --arg x=buf:256 --arg u32:64 -o k.wt
	trace-replay --stats=pc --sort cycles_memory --top 1 --format=tsv k.wt >t.tsv
	column t.tsv inst | grep -q '%r8.*%r6'
	[ "$(column t.tsv cycles_memory)" -gt 100 ]
	# At a barrier, at the barrier.
	ptx '	setp.lt.u32 %p1, %r5, 32;
	@%p1 bra W;
	ld.global.u32 %r6, [%rd1];
	add.s32 %r7, %r6, 1;
	st.global.u32 [%rd1+4], %r7;
W:	bar.sync 0;' >k.ptx
	trace-gen --ptx k.ptx --entry k --grid 1 --block 64 --arg x=buf:256 --arg u32:64 -o k.wt
	trace-replay -s oldest --stats=pc --sort stall_cycles --top 1 --format=tsv k.wt >t.tsv
	column t.tsv inst | grep -q bar.sync
}

@test "--total is of tables by instruction and line" {
	small
	expect 2 "--total is of" trace-info --total small.wt
	expect 2 "--total is of" trace-coalesce --summary --total small.wt
	expect 2 "--total is of" trace-replay --total small.wt
	expect 2 "--total is of" trace-replay --stats=stalls --total small.wt
	trace-coalesce small.wt -o a.wt
	expect 2 "split it by line" trace-info --by line a.wt
}

@test "the file is named where there is more than one" {
	printf '.file 1 "a.cu"\n.file 2 "b.cuh"\n' >files
	ptx '	.loc 1 3 1
	st.global.u32 [%rd1], %r5;' | sed '3r files' >k.ptx
	run_k -o one.wt
	trace-info --by line --format=tsv one.wt | column - file | grep -qx a.cu
	trace-info -q --by line one.wt | head -n 1 | { ! grep -q file; }
	ptx '	.loc 1 3 1
	add.s32 %r6, %r5, 1;
	.loc 2 7 1
	add.s32 %r7, %r6, 1;
	st.global.u32 [%rd1], %r7;' | sed '3r files' >k.ptx
	run_k -o k.wt
	trace-info -q --by line k.wt >t
	head -n 1 t | grep -q file
	grep -q 'b.cuh  *7 ' t
	trace-replay --stats=pc k.wt | head -n 1 | grep -q file
	trace-coalesce -q --by pc k.wt | grep -q 'st.global'
}

@test "instructions are shown as they were written, with their immediates" {
	ptx '	add.s32 %r6, %r2, -1;
	setp.lt.u32 %p1, %r6, 7;
	selp.b32 %r7, 12, %r6, %p1;
	shl.b32 %r8, %r7, 2;
	mov.f32 %f1, 0f3F800000;
	cvt.u64.u32 %rd2, %r5;
	add.s64 %rd3, %rd1, 16;
	ld.global.v2.u32 {%r9, %r10}, [%rd3+8];
	st.global.u32 [%rd1], %r10;
	@%p1 st.global.u32 [%rd1+4], 5;
	atom.global.add.u32 %r11, [%rd1], 1;
	bar.sync 0;' | sed 's/\.reg \.b32 %r<16>;/&\n\t.reg .f32 %f<4>;/' >k.ptx
	run_k -o k.wt
	trace-info --by pc --total --columns inst --format=tsv --no-header k.wt >insts
	for inst in 'ld.param.u64 %rd1, [buf]' 'mov.u32 %r3, %ctaid.x' 'add.s32 %r6, %r2, -1' \
		'setp.lt.u32 %p1, %r6, 7' 'selp.b32 %r7, 12, %r6, %p1' 'mov.f32 %f1, 0f3F800000' \
		'ld.global.v2.u32 {%r9, %r10}, [%rd3+8]' 'st.global.u32 [%rd1], %r10' \
		'@%p1 st.global.u32 [%rd1+4], 5' 'atom.global.add.u32 %r11, [%rd1], 1' 'bar.sync 0'; do
		grep -qxF -- "$inst" insts || { echo "not there: $inst"; cat insts; false; }
	done
	# An access stream has them as well, and a seek finds them.
	trace-coalesce k.wt | trace-locality --by pc --format=tsv | column - inst >there
	grep -qxF 'st.global.u32 [%rd1], %r10' there
	small
	trace-info --launch 3 --by pc --columns inst --format=tsv --no-header small.wt >part
	trace-info --by pc --columns launch,inst --format=tsv --no-header small.wt | sed -n 's/^3\t//p' | cmp - part
}
