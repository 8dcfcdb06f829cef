#!/usr/bin/env bats
# trace-coalesce.
load helper

# 64 threads in two CTAs: thread t stores to word STRIDE * t.
strided() {
	ptx "	mul.lo.u32 %r6, %r2, $1;
	mul.wide.u32 %rd2, %r6, 4;
	add.s64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r2;" >k.ptx
	trace-gen --ptx k.ptx --entry k --grid 2 --block 32 --arg x=buf:8192 --arg u32:64 -o k.wt
	[ -s k.wt ]
}

# summary NAME OPTION...: one column of the only row of k.wt's table.
summary() {
	local name=$1
	shift
	trace-coalesce --summary --format=tsv "$@" k.wt | column - "$name"
}

@test "a stride under every rule" {
	strided 1
	[ "$(summary transactions --rule cc1.0)" = 4 ]
	[ "$(summary transactions --rule cc1.2)" = 4 ]
	[ "$(summary transactions --rule cc2)" = 2 ]
	[ "$(summary transactions --rule sector32)" = 8 ]
	[ "$(summary coalescing_rate)" = 1 ]
	[ "$(summary coalescing_rate_thread)" = 32 ]
	strided 2
	[ "$(summary transactions --rule cc1.0)" = 64 ]
	[ "$(summary transactions --rule cc1.2)" = 4 ]
	[ "$(summary transactions --rule cc2)" = 4 ]
	[ "$(summary transactions --line 64)" = 8 ]
	[ "$(summary tx_2)" = 2 ]
	[ "$(summary tx_1)" = 0 ]
	strided 32
	[ "$(summary transactions)" = 64 ]
	[ "$(summary tx_32)" = 2 ]
	[ "$(summary transactions_per_inst)" = 32 ]
}

@test "transactions of a warp by stride and rule" {
	while read -r stride cc10 cc12 cc2 sector32; do
		strided "$stride"
		for rule in cc1.0=$cc10 cc1.2=$cc12 cc2=$cc2 sector32=$sector32; do
			[ "$(summary transactions_per_inst --rule "${rule%=*}")" = "${rule#*=}" ]
			[ "$(trace-coalesce --by pc --rule "${rule%=*}" --format=tsv k.wt |
				column - transactions)" = $((2 * ${rule#*=})) ]
		done
	done <<-END
		1 2 2 1 4
		2 32 2 2 8
		3 32 4 3 12
		4 32 4 4 16
		8 32 8 8 32
		16 32 16 16 32
		32 32 32 32 32
	END
	trace-coalesce --rule sector32 k.wt | trace-info --format=tsv | column - accesses >lines
	[ "$(cat lines)" = 64 ]
}

@test "warp sizes and widths" {
	strided 1
	for n in 1 2 4 8 16 32; do
		[ "$(summary mem_insts --warp-size $n)" = $((64 / n)) ]
		[ "$(summary transactions --warp-size $n)" = $((64 / n)) ]
		[ "$(summary thread_mem_insts --warp-size $n)" = 64 ]
	done
	[ "$(summary mem_insts --warp-size 64)" = 2 ] # a CTA has no more than 32 threads
	[ "$(summary mem_insts --warp-size 20)" = 4 ]
	[ "$(summary transactions --width half)" = 4 ]
	[ "$(summary transactions --width 8)" = 8 ]
	[ "$(summary transactions --width whole)" = 2 ]
	[ "$(summary transactions --rule cc1.2 --width whole)" = 2 ]
}

@test "coalescing never gets worse with the warp size" {
	trace-gen kmeans --set points=512 -o k.wt
	last=0
	for n in 1 2 4 8 16 32 64; do
		t=$(trace-coalesce --summary --format=tsv --warp-size $n k.wt | column - transactions | tail -n 1)
		[ "$last" -eq 0 ] || [ "$t" -le "$last" ]
		last=$t
	done
	[ "$last" -gt 0 ]
}

@test "parts add up: launches, spaces and instructions" {
	small
	trace-coalesce --summary --format=tsv small.wt >total
	trace-coalesce --by space --format=tsv small.wt >space
	trace-coalesce --by pc --format=tsv small.wt >pc
	for c in mem_insts thread_mem_insts transactions tx_1 tx_8; do
		all=$(column total $c | tail -n 1)
		[ "$(column total $c | sed '$d' | awk '{ n += $1 } END { print n }')" = "$all" ]
		[ "$(paste <(column space launch) <(column space $c) | awk '$1 == "total" { n += $2 } END { print n }')" = "$all" ]
		[ "$(column pc $c | awk '{ n += $1 } END { print n }')" = "$all" ]
	done
	column pc source_line | grep -q '^[1-9]'
	column pc file | grep -q 'bfs.cu'
}

@test "shared memory is counted and makes no transactions, parameters are neither" {
	ptx '	mov.u32 %r6, tile;
	and.b32 %r7, %r5, 31;
	shl.b32 %r7, %r7, 2;
	add.u32 %r6, %r6, %r7;
	st.shared.u32 [%r6], %r5;' >k.ptx
	run_k -o k.wt
	trace-coalesce --by space --format=tsv k.wt >t
	[ "$(column t space)" = shared ]
	[ "$(column t mem_insts)" = 2 ]
	[ "$(column t transactions)" = - ]
	[ "$(trace-coalesce --summary --format=tsv k.wt | column - mem_insts)" = 0 ]
}

@test "the columns come in their order" {
	strided 1
	[ "$(trace-coalesce --summary --format=tsv k.wt | grep -v '^#' | head -n 1 | cut -f 1-8 | tr '\t' ' ')" = \
		"launch kernel mem_insts thread_mem_insts transactions coalescing_rate coalescing_rate_thread transactions_per_inst" ]
	trace-coalesce --summary --format=json k.wt | grep -q '"transactions":2,'
	trace-coalesce --summary k.wt | grep -q 'thread_rate'
}

@test "the same bytes every time, from a file, from a pipe, by -o" {
	small
	trace-coalesce --no-provenance small.wt >a.wt
	trace-coalesce --no-provenance <small.wt >b.wt
	cmp a.wt b.wt
	bash -o pipefail -c 'cat small.wt | trace-coalesce --no-provenance - -o b.wt'
	cmp a.wt b.wt
	for o in rr gto cta; do
		trace-coalesce --no-provenance --order $o small.wt -o $o.wt
	done
	cmp a.wt rr.wt
	! cmp -s rr.wt gto.wt || false
}

@test "provenance grows by a line" {
	small
	trace-coalesce --warp-size 8 small.wt -o a.wt
	grep -aq 'trace-gen .* bfs --set nodes=64,degree=3$' a.wt
	grep -aq '^trace-coalesce [0-9.]* --warp-size 8 small.wt$' a.wt
}

@test "an access stream is not taken for a thread trace" {
	small
	trace-coalesce small.wt -o a.wt
	expect 1 "cannot read 'a.wt': this is an access stream already" trace-coalesce a.wt
}

@test "a part is the part" {
	trace-gen bfs --set nodes=900 -o s.wt
	trace-coalesce --summary --format=tsv s.wt >all
	trace-coalesce --summary --format=tsv --launch 1-2 s.wt >part
	[ "$(column part launch | tr '\n' ' ')" = "1 2 total " ]
	[ "$(column part transactions | head -n 1)" = "$(column all transactions | sed -n 2p)" ]
	a=$(trace-coalesce --summary --format=tsv --launch 0 --cta 0-1 s.wt | column - transactions)
	b=$(trace-coalesce --summary --format=tsv --launch 0 --cta 2-99 s.wt | column - transactions)
	[ $((a + b)) = "$(column all transactions | head -n 1)" ]
	trace-coalesce --launch 1 s.wt -o p.wt
	expect 2 "is in the part asked for" trace-coalesce --launch 99 s.wt -o q.wt
	[ ! -e q.wt ]
}

@test "a machine has room, or it has not" {
	strided 1
	for m in ccws tbc dwr k20c; do
		trace-coalesce --machine $m k.wt -o a.wt
	done
	trace-coalesce --sms 1 k.wt -o a.wt
	expect 2 "unknown machine 'vax'" trace-coalesce --machine vax k.wt -o b.wt
	[ ! -e b.wt ]
	# Where another machine has room for it, its name is said, and where none has, no name.
	ptx '' >k.ptx
	run_k --entry k --grid 1 --block 64 --arg buf:256 --arg u32:64 --shared 50000 --resident v100 -o wide.wt
	expect 2 "needs 50000 bytes of shared memory, where an SM has 16384; -m v100 has room for it" \
		trace-coalesce wide.wt -o b.wt
	[ ! -e b.wt ]
	trace-coalesce -m v100 wide.wt -o b.wt
	cat >small.ini <<-END
		base = ccws
		sm.threads_per_sm = 32
	END
	expect 2 "needs 64 threads, where an SM has 32; -m v100" trace-coalesce -m small.ini wide.wt -o c.wt
}

@test "a CTA of many registers names a machine that has room for it" {
	# 256 threads of 66 registers are more than the 16384 of ccws.
	{
		ptx '' | sed '/^\tret;/,$d'
		printf '\t.reg .b32 %%w<66>;\n'
		printf '\tmov.u32 %%w%d, %%tid.x;\n' $(seq 0 65)
		printf '\tst.global.u32 [%%rd1], %%w%d;\n' $(seq 0 65)
		printf '\tret;\n}\n'
	} >k.ptx
	run_k --entry k --grid 1 --block 256 --arg buf:256 --arg u32:64 --resident v100 -o wide.wt
	expect 2 "registers, where an SM has 16384; -m v100 has room for it" trace-coalesce wide.wt -o b.wt
	expect 2 "-m v100 has room for it" trace-replay wide.wt
	trace-coalesce -m v100 wide.wt -o b.wt
	trace-info --check b.wt
}

@test "a barrier that a wide warp cannot reach is opened, with a remark" {
	ptx '	setp.ge.u32 %p1, %r5, 32;
	@%p1 bra HIGH;
	bar.sync 0;
	bra.uni DONE;
HIGH:
	bar.sync 0;
DONE:' >k.ptx
	trace-gen --ptx k.ptx --entry k --grid 1 --block 64 --arg x=buf:256 --arg u32:64 -o k.wt
	trace-coalesce k.wt -o a.wt 2>stderr
	[ ! -s stderr ]
	expect 0 "1 barriers were opened by force: in warps of 64 threads" \
		trace-coalesce --warp-size 64 k.wt -o a.wt
	trace-coalesce -q --warp-size 64 k.wt -o a.wt 2>stderr
	[ ! -s stderr ]
}

@test "a barrier at the end of a kernel waits for all, also where lanes go on to the exit" {
	ptx '	setp.ge.u32 %p1, %r5, 64;
	@%p1 bra LAST;
	setp.ge.u32 %p1, %r5, 32;
	@%p1 bra SECOND;
	bar.sync 0;
	bra.uni DONE;
SECOND:
	bar.sync 0;
	st.global.u32 [%rd1+1024], %r5;
	bra.uni DONE;
LAST:
	mov.u32 %r6, 0;
MORE:
	add.u32 %r6, %r6, 1;
	setp.lt.u32 %p1, %r6, 50;
	@%p1 bra MORE;
	st.global.u32 [%rd1+2048], %r5;
	bar.sync 0;
DONE:' >k.ptx
	for barrier in 0 "1, 96"; do
		sed "s/bar.sync 0/bar.sync $barrier/" k.ptx >b.ptx
		trace-gen -q --ptx b.ptx --entry k --grid 1 --block 96 --arg x=buf:4096 --arg u32:1 -o k.wt
		trace-coalesce k.wt -o k.as
		# The store in front of the last warp's barrier comes before the one behind the second's.
		trace-info --dump k.as | sed -n 's/^access .* \(warp=[0-9]*\) .* write .*/\1/p' >order
		[ "$(paste -s -d ' ' order)" = "warp=2 warp=1" ]
	done
}

@test "lanes of a generic access that stay in shared memory are none of a line" {
	ptx "	.shared .b32 s[32];
	cvta.shared.u64 %rd2, s;
	setp.lt.u32 %p1, %r2, 16;
	mul.wide.u32 %rd3, %r2, 4;
	add.s64 %rd4, %rd2, %rd3;
	add.s64 %rd3, %rd1, %rd3;
	selp.b64 %rd3, %rd4, %rd3, %p1;
	st.u32 [%rd3], %r2;
	st.u32 [%rd4], %r2;" >k.ptx
	trace-gen --ptx k.ptx --entry k --grid 1 --block 32 --arg x=buf:8192 --arg u32:64 -q -o k.wt
	for by in total line; do
		trace-coalesce --by $by --columns mem_insts,thread_mem_insts,transactions \
			--format=tsv --no-header k.wt >$by
	done
	[ "$(cat total)" = "$(printf '1\t16\t1')" ]
	cmp total line
	[ "$(trace-coalesce --by pc --columns thread_mem_insts --format=tsv --no-header k.wt | tail -n 2)" = \
		"$(printf '32\n32')" ]
}

@test "usage errors end with 2 and leave no file" {
	strided 1
	expect 2 "unknown rule 'cc9': cc1.0, cc1.2, cc2 or sector32" trace-coalesce --rule cc9 k.wt -o a.wt
	expect 2 "unknown order 'lrr': rr, gto or cta" trace-coalesce --order lrr k.wt -o a.wt
	expect 2 "unknown space 'shared'" trace-coalesce --space global,shared k.wt -o a.wt
	expect 2 "--warp-size: 65 is outside 1 to 64" trace-coalesce --warp-size 65 k.wt -o a.wt
	expect 2 "--warp-size: 0 is outside" trace-coalesce --warp-size 0 k.wt -o a.wt
	expect 2 "lines of 96 bytes: no power of two" trace-coalesce --line 96 k.wt -o a.wt
	expect 2 "--line: 16 is outside" trace-coalesce --line 16 k.wt -o a.wt
	expect 2 "--width: 33 lanes of warps of 32" trace-coalesce --width 33 k.wt -o a.wt
	expect 2 "a warp of 5 threads has no halves" trace-coalesce --warp-size 5 --width half k.wt -o a.wt
	expect 2 "unknown split 'lines': did you mean 'line'?" trace-coalesce --by lines k.wt
	expect 2 "a stream is of one FILE" trace-coalesce k.wt k.wt
	[ ! -e a.wt ]
}

@test "spaces can be chosen" {
	trace-gen kmeans --set points=512 -o k.wt
	all=$(trace-coalesce -o a.wt k.wt && stat -c %s a.wt)
	none=$(trace-coalesce --space const -o a.wt k.wt && stat -c %s a.wt)
	[ "$none" -lt "$all" ]
}

@test "a cut stream, a full disk, a closed reader, a terminal" {
	small
	head -c 2000 small.wt >cut.wt
	expect 1 "cannot read 'cut.wt': " trace-coalesce cut.wt -o a.wt
	[ ! -e a.wt ]
	expect 1 "cannot write" bash -c 'trace-coalesce small.wt >/dev/full'
	expect 1 "cannot write" bash -c 'trace-coalesce --summary small.wt >/dev/full'
	trace-gen bfs --set nodes=20000 -o s.wt
	bash -c 'trace-coalesce s.wt 2>stderr | head -c 1 >/dev/null'
	[ ! -s stderr ]
	run script -qec "trace-coalesce small.wt" /dev/null
	[ "$status" -eq 2 ]
	[[ $output == *"not for a terminal"* ]]
}
