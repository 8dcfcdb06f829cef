#!/usr/bin/env bats
# trace-gen with kernels of the user's own.
load helper

# x[i] = n + x[i]
add='	setp.ge.u32 %p1, %r2, %r1;
	@%p1 bra DONE;
	mul.wide.u32 %rd2, %r2, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.u32 %r6, [%rd3];
	add.u32 %r6, %r6, %r1;
	st.global.u32 [%rd3], %r6;
DONE:'

words() {
	od -An -v -tu4 -w4 "$1" | tr -d ' '
}

@test "a kernel runs, is recorded, and its buffer comes back" {
	ptx "$add" >k.ptx
	trace-gen --ptx k.ptx --entry k --grid 2 --block 32 --arg x=buf:256:iota --arg u32:50 \
		--dump x=out -o k.wt
	sound k.wt
	words out >got
	for i in $(seq 0 63); do
		echo $((i < 50 ? i + 50 : i))
	done >want
	diff want got
}

@test "buffers live on between launches" {
	ptx "$add" >k.ptx
	trace-gen --ptx k.ptx --entry k --grid 1 --block 64 --arg x=buf:256 --arg u32:64 \
		--entry k --grid 2,1 --block 16,2 --arg @x --arg u32:5 --dump x=out -o k.wt
	[ "$(words out | sort -n | uniq -c | awk '{ printf "%sx%s ", $1, $2 }')" = "59x64 5x69 " ]
	[ "$(trace-info --format=tsv k.wt | column - launch | tr '\n' ' ')" = "0 1 total " ]
	[ "$(trace-info --format=tsv k.wt | column - block | tr '\n' ' ')" = "64 16x2 - " ]
}

@test "a file becomes a buffer" {
	ptx "$add" >k.ptx
	printf '\1\0\0\0\2\0\0\0' >in
	trace-gen --ptx k.ptx --entry k --grid 1 --block 32 --arg x=file:in --arg u32:2 \
		--dump x=out -o k.wt
	[ "$(words out | tr '\n' ' ')" = "3 4 " ]
}

@test "rand follows the seed" {
	ptx "$add" >k.ptx
	for seed in 1 1 2; do
		trace-gen --ptx k.ptx --entry k --grid 2 --block 32 --arg x=buf:1K:rand \
			--arg u32:64 --seed "$seed" --dump "x=out$((++n))" -o k.wt
	done
	cmp out1 out2
	! cmp -s out2 out3
}

@test "what does not fit the entry is refused with 2" {
	ptx "$add" >k.ptx
	local k="trace-gen --ptx k.ptx --grid 1 --block 32"
	expect 2 "no entry 'j' in 'k.ptx', which has k" $k --entry j
	expect 2 "--ptx wants --entry: 'k.ptx' has k" $k
	expect 2 "entry 'k' takes 2 arguments, 1 given" $k --entry k --arg buf:256
	expect 2 "argument 2 of entry 'k' has 4 bytes, 'u64:1' has 8" $k --entry k --arg buf:256 --arg u64:1
	expect 2 "there is no buffer 'y'" $k --entry k --arg @y --arg u32:1
	expect 2 "there is a buffer 'x' already" $k --entry k --arg x=buf:4 --arg x=buf:4
	expect 2 "there is no buffer 'y'" $k --entry k --arg x=buf:4 --arg u32:1 --dump y=f
	expect 2 "u32:x: 'x' is no number" $k --entry k --arg u32:x
	expect 2 "u32:4294967296" $k --entry k --arg u32:4294967296
	expect 2 "is no argument" $k --entry k --arg v32:1
	expect 2 "is no argument" $k --entry k --arg 7
	expect 2 "zero, iota or rand" $k --entry k --arg buf:4:ones
	expect 2 "is no size" $k --entry k --arg buf:lots
	expect 2 "is no shape" trace-gen --ptx k.ptx --entry k --grid 1,,1 --block 1
	expect 2 "--grid: 0 is outside" trace-gen --ptx k.ptx --entry k --grid 0 --block 1
	expect 2 "wants a --block" trace-gen --ptx k.ptx --entry k --grid 1
	expect 1 "cannot open 'none.ptx'" trace-gen --ptx none.ptx --entry k --grid 1 --block 1
	expect 1 "cannot open 'none'" $k --entry k --arg file:none
}

@test "an unsupported opcode is named with file and line" {
	ptx '	tld4.r.2d.v4.f32.f32 {%r6,%r7,%r8,%r9}, [t, {%r2,%r2}];' >k.ptx
	expect 1 "trace-gen: k.ptx:17: unsupported opcode 'tld4.r.2d.v4.f32.f32'" run_k -o k.wt
	[ ! -e k.wt ]
}

@test "an undeclared register is named with file and line" {
	ptx '	add.u32 %r6, %r99, 1;' >k.ptx
	expect 1 "k.ptx:17: " run_k -o k.wt
	grep -q "'%r99'" stderr
}

@test "an access out of bounds names the place and the buffer" {
	ptx '	st.global.u32 [%rd1+256], %r2;' >k.ptx
	expect 1 "'k'" run_k -o k.wt
	grep -q "st.global.u32" stderr
	grep -q "'x'" stderr
	[ ! -e k.wt ]
}

@test "a misaligned access is found" {
	ptx '	st.global.u32 [%rd1+2], %r2;' >k.ptx
	expect 1 "no multiple of 4" run_k -o k.wt
}

@test "a barrier that part of a warp does not reach is found" {
	ptx '	setp.lt.u32 %p1, %r5, 7;
	@%p1 bra SKIP;
	bar.sync 0;
SKIP:
	st.global.u32 [%rd1], %r2;' >k.ptx
	expect 1 "barrier" run_k -o k.wt
}

@test "threads that returned early do not hold up a barrier" {
	ptx '	setp.ge.u32 %p1, %r5, %r1;
	@%p1 bra DONE;
	st.shared.u32 [tile], %r5;
	bar.sync 0;
	st.global.u32 [%rd1], %r5;
DONE:' >k.ptx
	trace-gen --ptx k.ptx --entry k --grid 1 --block 64 --arg buf:256 --arg u32:40 -o k.wt
	sound k.wt
}

@test "a barrier that never fills is found" {
	ptx '	setp.lt.u32 %p1, %r5, 32;
	@%p1 bra SKIP;
	bar.sync 1, 64;
SKIP:
	bar.sync 0, 64;' >k.ptx
	expect 1 "barrier" trace-gen --ptx k.ptx --entry k --grid 1 --block 64 --arg buf:256 \
		--arg u32:1 -o k.wt
}

@test "a runaway loop ends by --max-insts" {
	ptx 'AGAIN:
	bra AGAIN;' >k.ptx
	expect 1 "'k'" run_k --max-insts 100000 -o k.wt
}

@test "a CTA that fits no SM says why" {
	ptx "$add" >k.ptx
	expect 2 "shared memory" trace-gen --ptx k.ptx --entry k --grid 1 --block 32 --shared 1M \
		--arg buf:256 --arg u32:1 -o k.wt
}
