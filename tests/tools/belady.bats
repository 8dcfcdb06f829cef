#!/usr/bin/env bats
# trace-belady.
load helper

fixed="policy sets ways line accesses hits misses cold miss_ratio mpki"

# scan [ROUNDS]: one thread reads 16 lines round and round, as scan.wt.
scan() {
	ptx '	mov.u32 %r6, 0;
ROUND:
	mov.u32 %r7, 0;
NEXT:
	mul.wide.u32 %rd2, %r7, 128;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.u32 %r8, [%rd3];
	add.u32 %r7, %r7, 1;
	setp.lt.u32 %p1, %r7, 16;
	@%p1 bra NEXT;
	add.u32 %r6, %r6, 1;
	setp.lt.u32 %p2, %r6, %r1;
	@%p2 bra ROUND;' >scan.ptx
	trace-gen --ptx scan.ptx --entry k --grid 1 --block 1 --arg x=buf:2048 --arg "u32:${1:-50}" \
		-o scan-threads.wt
	trace-coalesce --sms 1 scan-threads.wt -o scan.wt
}

# bfs on two SMs, as bfs.wt: several launches, loads and stores.
bfs() {
	trace-gen bfs --set nodes=2000,degree=6 -o bfs-threads.wt
	trace-coalesce --sms 2 bfs-threads.wt -o bfs.wt
}

# cell TABLE POLICY COLUMN: of the first row of that policy.
cell() {
	paste <(column "$1" policy) <(column "$1" "$3") | awk -v p="$2" '$1 == p { print $2; exit }'
}

# rows TABLE: without provenance and heading.
rows() {
	grep -v '^#' "$1" | tail -n +2
}

@test "the columns that others rely on come first, in their order" {
	scan
	trace-belady --format=tsv scan.wt >t
	grep -v '^#' t | head -n 1 | cut -f 1-10 | tr '\t' ' ' >got
	[ "$(cat got)" = "$fixed" ]
	sed -n 3p t | grep -q '^# trace-belady [0-9.]* --format=tsv scan.wt$'
}

@test "a cyclic scan: LRU hits nothing, optimal replacement what it can" {
	scan 50
	trace-belady --cache 1K:128:full --policy lru,fifo,opt,opt-bypass --format=tsv scan.wt >t
	[ "$(column t accesses | sort -u)" = 800 ]
	[ "$(column t cold | sort -u)" = 16 ]
	[ "$(column t hits | tr '\n' ' ')" = "0 0 368 392 " ]
	[ "$(column t misses | tr '\n' ' ')" = "800 800 432 408 " ]
	[ "$(column t lost | tr '\n' ' ')" = "784 784 416 392 " ]
	[ "$(cell t opt-bypass won_back)" = 0.5 ]
	[ "$(cell t lru won_back)" = 0 ]
	# 8 thread instructions a trip, and what is around the loops.
	insts=$(trace-info --format=tsv scan-threads.wt | column - thread_insts)
	[ "$(cell t lru mpki)" = "$(awk -v i="$insts" 'BEGIN { printf "%.6g", 800000 / i }')" ]
}

@test "the table for people, golden" {
	scan 50
	trace-belady --no-provenance --cache 1K:128:full,2K:128:4,unbounded \
		--policy lru,fifo,opt,opt-bypass scan.wt >human
	golden belady.human human
}

@test "a curve has each associativity, as that cache alone has it" {
	bfs
	trace-belady --cache 4K:128:8 --policy lru,opt,opt-bypass,fifo,random --curve --ways 20 \
		--format=tsv bfs.wt >curve
	[ "$(rows curve | wc -l)" -eq 100 ]
	for p in lru opt opt-bypass fifo random; do
		for ways in 1 2 7 20; do
			trace-belady --cache $((512 * ways)):128:$ways --policy $p --format=tsv bfs.wt >one
			rows one | cut -f 1-14 >>alone
			rows curve | cut -f 1-14 |
				awk -F '\t' -v p=$p -v w=$ways '$1 == p && $3 == w' >>part
		done
	done
	diff alone part
	# Without --ways: 64, or as many as the cache has.
	[ "$(trace-belady --cache 4K:128:8 --policy opt --curve --format=tsv bfs.wt >t; rows t | wc -l)" = 64 ]
	[ "$(trace-belady --cache 16K:128:full --policy opt --curve --format=tsv bfs.wt >t; rows t | wc -l)" = 128 ]
}

@test "misses of LRU and of optimal replacement fall with the ways, optimal never has more" {
	bfs
	trace-belady --cache 4K:128:8 --policy lru,opt --curve --format=tsv bfs.wt | awk -F '\t' '
		/^#/ || $1 == "policy" { next }
		$3 > 1 && $7 > last { bad = 1 }
		$1 == "opt" && $7 > lru[$3] { bad = 1 }
		{ last = $7; lru[$3] = $1 == "lru" ? $7 : lru[$3]; n++ }
		END { exit bad || n != 128 }'
}

@test "several caches in one pass are those caches one by one" {
	bfs
	trace-belady --cache 2K:128:4,4K:128:full,unbounded --policy lru,opt --format=tsv bfs.wt >all
	for c in 2K:128:4 4K:128:full unbounded; do
		trace-belady --cache $c --policy lru,opt --format=tsv bfs.wt >one
		rows one >>alone
	done
	rows all | diff - alone
	[ "$(rows all | wc -l)" -eq 6 ]
}

@test "splits add up to the total" {
	bfs
	trace-belady --cache 2K:128:4 --format=tsv bfs.wt >total
	for by in sm pc class; do
		trace-belady --cache 2K:128:4 --by $by --format=tsv bfs.wt >split
		[ "$(rows split | wc -l)" -gt 2 ]
		for p in lru opt; do
			for c in accesses hits misses cold written lost; do
				sum=$(paste <(column split policy) <(column split $c) |
					awk -v p=$p '$1 == p { n += $2 } END { print n }')
				[ "$sum" = "$(cell total $p $c)" ]
			done
		done
	done
}

@test "the classes that miss without bounds are cold and written, and nothing wins them back" {
	bfs
	trace-belady --cache 2K:128:4 --policy lru,opt --by class --format=tsv bfs.wt >t
	paste <(column t class) <(column t misses) <(column t cold) <(column t written) |
		awk '$1 == "cold" && $2 != $3 || $1 == "written" && $2 != $4 { bad = 1 }
		$1 !~ /^(cold|written)$/ && $3 + $4 { bad = 1 } END { exit bad || NR < 4 }'
	trace-belady --cache unbounded --policy opt --format=tsv bfs.wt >u
	[ "$(cell u opt misses)" = $(($(cell u opt cold) + $(cell u opt written))) ]
	[ "$(cell u opt lost)" = 0 ]
}

@test "instructions are named" {
	scan
	trace-belady --by pc --format=tsv scan.wt >t
	[ "$(column t kernel | sort -u)" = k ]
	[ "$(column t inst | sort -u)" = "ld.global.u32 %r8, [%rd3]" ]
}

# A warp reads a line, writes it, reads it, adds to it atomically, and reads it.
@test "global stores and atomics take the line out, or stores allocate" {
	ptx '	ld.global.u32 %r6, [%rd1];
	st.global.u32 [%rd1], %r6;
	ld.global.u32 %r7, [%rd1];
	atom.global.add.u32 %r8, [%rd1], 1;
	ld.global.u32 %r9, [%rd1];
	ld.global.u32 %r10, [%rd1];' >k.ptx
	trace-gen --ptx k.ptx --entry k --grid 1 --block 1 --arg x=buf:256 --arg u32:1 |
		trace-coalesce --sms 1 -o k.wt
	trace-belady --policy opt,lru --format=tsv k.wt >t
	for p in opt lru; do
		for want in accesses:4 hits:1 cold:1 written:2 stores:1 atomics:1; do
			[ "$(cell t $p ${want%:*})" = ${want#*:} ]
		done
	done
	trace-belady --policy opt,lru --write allocate --format=tsv k.wt >t
	for p in opt lru; do
		for want in accesses:5 hits:3 cold:1 written:1 stores:0 atomics:1; do
			[ "$(cell t $p ${want%:*})" = ${want#*:} ]
		done
	done
}

@test "caches are emptied between kernels, unless they are not" {
	ptx '	ld.global.u32 %r6, [%rd1];' >k.ptx
	trace-gen --ptx k.ptx --entry k --grid 1 --block 1 --arg x=buf:256 --arg u32:1 \
		--entry k --grid 1 --block 1 --arg @x --arg u32:1 -o threads.wt
	[ "$(trace-info --format=tsv threads.wt | column - launch | wc -l)" = 3 ]
	trace-coalesce --sms 1 threads.wt -o k.wt
	trace-belady --policy opt --format=tsv k.wt >t
	[ "$(cell t opt hits)" = 0 ]
	[ "$(cell t opt cold)" = 2 ]
	trace-belady --policy opt --flush-at-kernel off --format=tsv k.wt >t
	[ "$(cell t opt hits)" = 1 ]
	[ "$(cell t opt cold)" = 1 ]
}

@test "random replacement follows its seed" {
	bfs
	a=$(trace-belady --cache 2K:128:4 --policy random --seed 1 --format=tsv bfs.wt | column - misses)
	b=$(trace-belady --cache 2K:128:4 --policy random --seed 1 --format=tsv bfs.wt | column - misses)
	c=$(trace-belady --cache 2K:128:4 --policy random --seed 2 --format=tsv bfs.wt | column - misses)
	[ "$a" = "$b" ]
	[ "$a" != "$c" ]
}

@test "the three indexes differ, and modulo is the default" {
	bfs
	for i in modulo hash xor; do
		trace-belady --cache 4K:128:1 --index $i --policy opt --no-provenance --format=tsv bfs.wt >$i
		[ "$(cell $i opt index)" = $i ]
	done
	trace-belady --cache 4K:128:1 --policy opt --no-provenance --format=tsv bfs.wt | cmp - modulo
	[ "$(cell hash opt misses)" != "$(cell modulo opt misses)" ]
	[ "$(cell xor opt misses)" != "$(cell modulo opt misses)" ]
}

@test "a part is the part, from a file and from a pipe" {
	bfs
	trace-belady --format=tsv bfs.wt >all
	last=$(trace-info --format=tsv bfs-threads.wt | column - launch | tail -n 2 | head -n 1)
	sum=0
	for ((l = 0; l <= last; l++)); do
		trace-belady --launch $l --format=tsv bfs.wt >part 2>/dev/null || continue
		sum=$((sum + $(cell part opt misses)))
		trace-belady --launch $l --format=tsv <bfs.wt >piped
		diff <(rows part) <(rows piped)
	done
	[ "$sum" = "$(cell all opt misses)" ]
	trace-belady --cta 0-1 --format=tsv bfs.wt >part
	[ "$(cell part opt accesses)" -lt "$(cell all opt accesses)" ]
	[ "$(cell part opt mpki)" = - ]
}

@test "one pipe from the kernel to the table" {
	bash -o pipefail -c 'trace-gen spmv-scalar --set rows=512 | trace-coalesce |
		trace-belady --cache 32K:128:8 --curve --format=tsv' >t
	[ "$(rows t | wc -l)" -eq 128 ]
}

@test "JSON has an object per row" {
	scan
	trace-belady --cache 1K:128:full --curve --ways 3 --format=json scan.wt >j
	head -c 1 j | grep -q '\['
	tail -n 1 j | grep -qx ']'
	[ "$(grep -c '^{"policy":' j)" = 6 ]
	trace-belady --cache unbounded --format=json scan.wt | grep -q '"sets":null'
}

@test "the wrong kind of stream" {
	small
	expect 1 "this is a thread trace: put trace-coalesce before trace-belady" trace-belady small.wt
	echo hello >text
	expect 1 "cannot read 'text': not a warptrace stream" trace-belady text
	expect 1 "cannot open 'missing': No such file or directory" trace-belady missing
}

@test "a stream that is cut is an error, and no table" {
	scan
	size=$(stat -c %s scan.wt)
	for ((at = 0; at < size; at += size / 40 + 1)); do
		head -c "$at" scan.wt >cut.wt
		expect 1 "trace-belady: cannot read 'cut.wt': " trace-belady -o t cut.wt
		[ ! -e t ]
	done
}

@test "caches that cannot be are usage errors with the reason" {
	scan
	expect 2 "32100 bytes are no whole number of lines of 128 bytes" \
		trace-belady --cache 32100:128:8 scan.wt
	expect 2 "512 ways, but only 256 lines" trace-belady --cache 32K:128:512 scan.wt
	expect 2 "there must be a way" trace-belady --cache 32K:128:0 scan.wt
	expect 2 "a line of 0 bytes is no power of two" trace-belady --cache 32K:0:8 scan.wt
	expect 2 "no power of two of sets" trace-belady --cache 32K:128:3 scan.wt
	expect 2 "'32K' is no cache" trace-belady --cache 32K scan.wt
	expect 2 "there is no cache to follow" trace-belady --cache '' scan.wt
	expect 2 "has lines of 64 bytes, the stream of 128" trace-belady --cache 32K:64:8 scan.wt
}

@test "usage errors end with 2" {
	scan
	expect 2 "unknown policy 'opr', did you mean 'opt'?" trace-belady --policy opr scan.wt
	expect 2 "there is no policy to follow" trace-belady --policy '' scan.wt
	expect 2 "unknown index function 'mod'" trace-belady --index mod scan.wt
	expect 2 "unknown write policy 'back'" trace-belady --write back scan.wt
	expect 2 "unknown split 'line'" trace-belady --by line scan.wt
	expect 2 "--ways is for --curve" trace-belady --ways 3 scan.wt
	expect 2 "--ways: 0 is outside 1 to 32768" trace-belady --curve --ways 0 scan.wt
	expect 2 "a curve of 65536 ways is too much" trace-belady --cache 8M:128:full --curve scan.wt
	expect 2 "'-' is one of several FILEs" trace-belady - scan.wt
	run script -qec "trace-belady" /dev/null
	[ "$status" -eq 2 ]
	[[ $output == *"standard input is a terminal"* ]]
}

@test "a full disk and a closed reader" {
	scan
	expect 1 "cannot write standard output" bash -c 'trace-belady scan.wt >/dev/full'
	bash -c 'trace-belady --curve --format=tsv scan.wt 2>stderr | head -n 1 >/dev/null'
	[ ! -s stderr ]
}

@test "-o writes the same table" {
	scan
	trace-belady --format=tsv --no-provenance scan.wt >a
	trace-belady --format=tsv --no-provenance scan.wt -o b
	cmp a b
}

@test "the figure has a line for each policy" {
	scan
	trace-belady --cache 1K:128:full --policy lru,opt,opt-bypass --curve --ways 16 --format=tsv \
		scan.wt -o curve.tsv
	(cd "$root" && gnuplot -e "term='svg'; out='$BATS_TEST_TMPDIR/f.svg'; \
		data='$BATS_TEST_TMPDIR/curve.tsv'; policies='lru opt opt-bypass'" plots/miss-curve.gp)
	for name in 'LRU' 'optimal' 'optimal, with bypass'; do
		grep -q "<title>$name</title>" f.svg
	done
}
