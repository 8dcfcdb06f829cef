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
	! cmp -s out2 out3 || false
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
	expect 1 "trace-gen: kernel 'k': k.ptx:17: unsupported opcode 'tld4.r.2d.v4.f32.f32'" run_k -o k.wt
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

@test "a barrier that part of a warp reaches" {
	local some='	setp.lt.u32 %p1, %r5, 7;
	@%p1 bra SKIP;
	bar.sync 0;
'
	# Below sm_70 the warp has come with it; from there on the others come, too, or exit.
	ptx "${some}SKIP:
	st.global.u32 [%rd1], %r2;" >k.ptx
	run_k -o k.wt
	sound k.wt
	sed -i 's/sm_50/sm_70/' k.ptx
	run_k -o k.wt
	sound k.wt
	# They wait for each other.
	ptx "$some	bra DONE;
SKIP:
	bar.sync 1;
DONE:" | sed 's/sm_50/sm_70/' >k.ptx
	expect 1 "bar.sync waits at a barrier that never fills" run_k -o no.wt
	[ ! -e no.wt ]
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

@test "a runaway loop ends by --max-insts, and one that repeats itself at once" {
	ptx 'AGAIN:
	add.u32 %r5, %r5, 1;
	setp.ne.u32 %p1, %r5, %r6;
	@%p1 bra AGAIN;' >k.ptx
	expect 1 "exceeds the bound of 100000 thread instructions" run_k --max-insts 100000 -o k.wt
	ptx 'AGAIN:
	bra AGAIN;' >k.ptx
	expect 1 "'k', cta 0, thread 0, pc 0x" run_k -o k.wt
	grep -q "bra goes round for ever" stderr
}

@test "a block is what .reqntid says, and has no more threads than .maxntid" {
	ptx "$add" | sed 's/n)$/n) .reqntid 16, 2/' >k.ptx
	local k="trace-gen --ptx k.ptx --entry k --grid 1 --arg buf:256 --arg u32:1 -o k.wt"
	local other
	$k --block 16,2
	for other in 32 16 16,2,2 2,16; do
		expect 2 "threads, where its .reqntid is 16,2,1" $k --block "$other"
	done
	ptx "$add" | sed 's/n)$/n) .maxntid 16, 2/' >k.ptx
	for other in 32 16 2,16; do
		$k --block "$other"
	done
	expect 2 "a CTA of 64 threads, where its .maxntid is 32" $k --block 64
}

@test "%total_smem_size counts in what the target allocates" {
	# PTX ISA: 256 bytes from sm_30 to sm_7x, 128 from sm_80 on.
	local at sm alone more
	for at in sm_50:256:512 sm_75:256:512 sm_80:256:384; do
		IFS=: read -r sm alone more <<<"$at"
		ptx '	mov.u32 %r6, %total_smem_size;
			st.shared.u32 [tile], %r6;
			st.global.u32 [%rd1], %r6;' | sed "s/sm_50/$sm/" >k.ptx
		run_k -o k.wt --dump x=out
		[ "$(words out | head -n 1)" = "$alone" ]
		run_k -o k.wt --dump x=out --shared 13
		[ "$(words out | head -n 1)" = "$more" ]
	done
}

@test "a CTA that fits no SM says why" {
	ptx "$add" >k.ptx
	expect 2 "shared memory" trace-gen --ptx k.ptx --entry k --grid 1 --block 32 --shared 1M \
		--arg buf:256 --arg u32:1 -o k.wt
}

# Kernels that want what only a host program would give them: a structure with a pointer in it, a
# constant, an array of pointers, a launch again for as long as a flag comes back set.
host_wanted() {
	cat <<'END'
.version 6.4
.target sm_50
.address_size 64

.const .align 4 .b8 scale[16];
.const .u64 table;

// y[i] = scale[i % 4] * table[i]
.visible .entry scaled(.param .u64 y)
{
	.reg .b32 %r<8>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd1, [y];
	ld.const.u64 %rd2, [table];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd3, %r1, 4;
	add.s64 %rd1, %rd1, %rd3;
	add.s64 %rd2, %rd2, %rd3;
	ld.global.u32 %r2, [%rd2];
	and.b32 %r3, %r1, 3;
	mul.wide.u32 %rd3, %r3, 4;
	mov.u64 %rd4, scale;
	add.s64 %rd4, %rd4, %rd3;
	ld.const.u32 %r4, [%rd4];
	mul.lo.u32 %r4, %r4, %r2;
	st.global.u32 [%rd1], %r4;
	ret;
}

// struct { unsigned *v; unsigned n, add; }: adds to v[i], and sets *more while v[0] < n.
.visible .entry step(.param .align 8 .b8 s[16], .param .u64 more)
{
	.reg .pred %p;
	.reg .b32 %r<8>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd1, [s];
	ld.param.u32 %r1, [s+8];
	ld.param.u32 %r2, [s+12];
	ld.param.u64 %rd2, [more];
	mov.u32 %r3, %tid.x;
	mul.wide.u32 %rd3, %r3, 4;
	add.s64 %rd1, %rd1, %rd3;
	ld.global.u32 %r4, [%rd1];
	add.u32 %r4, %r4, %r2;
	st.global.u32 [%rd1], %r4;
	setp.ne.u32 %p, %r3, 0;
	@%p bra DONE;
	setp.lt.u32 %p, %r4, %r1;
	selp.u32 %r5, 1, 0, %p;
	st.global.u32 [%rd2], %r5;
DONE:
	ret;
}

// y[i] = rows[1][i]
.visible .entry rows(.param .u64 r, .param .u64 y)
{
	.reg .b32 %r<8>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd1, [r];
	ld.param.u64 %rd2, [y];
	ld.global.u64 %rd1, [%rd1+8];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd3, %r1, 4;
	add.s64 %rd1, %rd1, %rd3;
	add.s64 %rd2, %rd2, %rd3;
	ld.global.u32 %r2, [%rd1];
	st.global.u32 [%rd2], %r2;
	ret;
}
END
}

@test "constants are written, and one that is not is named" {
	host_wanted >h.ptx
	trace-gen --ptx h.ptx --symbol scale=u32:1,10,100,1000 --buffer t=buf:16:iota \
		--symbol table=hex:@t --entry scaled --grid 1 --block 4 --arg y=buf:16 --dump y=out \
		-o h.wt 2>said
	[ "$(words out | tr '\n' ' ')" = "0 10 200 3000 " ]
	[ ! -s said ]
	sound h.wt
	printf '\1\0\0\0\2\0\0\0' >two
	trace-gen --ptx h.ptx --symbol scale=file:two --buffer t=buf:16:iota --symbol table=hex:@t+4 \
		--entry scaled --grid 1 --block 3 --arg y=buf:16 --dump y=out -o h.wt 2>said
	[ "$(words out | tr '\n' ' ')" = "1 4 0 0 " ]
	expect 1 "thread 0" trace-gen --ptx h.ptx --entry scaled --grid 1 --block 4 --arg y=buf:16
	[ "$(grep -c "which kernel 'scaled' reads, was never written" stderr)" = 2 ]
	expect 2 "no .global and no .const variable 'none'" trace-gen --ptx h.ptx --entry scaled \
		--grid 1 --block 4 --arg y=buf:16 --symbol none=u32:1
	expect 2 "'scale' has 16 bytes, what is to be in it 20" trace-gen --ptx h.ptx --entry scaled \
		--grid 1 --block 4 --arg y=buf:16 --symbol scale=u32:1,2,3,4,5
}

@test "structures are passed by value, and buffers hold addresses of buffers" {
	host_wanted >h.ptx
	trace-gen --ptx h.ptx --buffer v=buf:16:iota --entry step --grid 1 --block 4 \
		--arg hex:@v,64000000,05000000 --arg m=buf:4 --dump v=out --dump m=more -o h.wt
	[ "$(words out | tr '\n' ' ')$(words more)" = "5 6 7 8 1" ]
	printf '\0\0\0\0' >zeros
	trace-gen --ptx h.ptx --buffer a=buf:16 --buffer b=buf:32:iota --entry rows --grid 1 \
		--block 4 --arg ref:@a,@b+16 --arg y=buf:16 --dump y=out -o h.wt
	[ "$(words out | tr '\n' ' ')" = "4 5 6 7 " ]
	local k="trace-gen --ptx h.ptx --entry rows --grid 1 --block 4 --arg a=buf:16"
	expect 2 "there is no buffer 'c' before it" $k --arg ref:@c
	expect 2 "'0' is no @NAME and no pairs" $k --arg hex:0
	expect 2 "buffer 'a' has 16 bytes" $k --arg @a+17
	expect 2 "is no NAME=buf:" $k --buffer u32:1
	expect 2 "entry 'rows' has 8 bytes, 'bytes:zeros' has 4" $k --arg bytes:zeros
}

@test "a script launches for as long as a word that it reads back says so" {
	host_wanted >h.ptx
	cat >script <<'END'
buffer v=buf:16:iota
buffer more=buf:4       # set by the kernel
let times 0
let add 2
write @more u32:1
while more[0] != 0
	launch step 1,1 4 hex:@v,0a000000,03000000 @more
	let times times + 1
	if times % add == 0
		write @v+$(4 * (1 + 2)) u32:$(1000 * times)
	end
end
dump v last
copy @v+4 @v 4
dump v copied
buffer t=buf:16
write @t u32:$times,$(-times + 10),0x10
dump t times
write @t u32:$more[ times - 4 ]
dump t indexed
END
	trace-gen --ptx h.ptx --script script -o h.wt
	[ "$(words last | tr '\n' ' ')" = "12 13 14 4000 " ]
	[ "$(words copied | tr '\n' ' ')" = "12 12 14 4000 " ]
	[ "$(words times | tr '\n' ' ')" = "4 6 16 0 " ]
	[ "$(words indexed | tr '\n' ' ')" = "0 6 16 0 " ]
	[ "$(trace-info --format=tsv h.wt | column - launch | tr '\n' ' ')" = "0 1 2 3 total " ]
	sound h.wt
	# The same launches on the command line are the same record.
	trace-gen --ptx h.ptx --script <(printf '%s\n' 'buffer v=buf:16:iota' \
		'launch rows 1 4 ref:@v,@v y=buf:16') -o a.wt
	trace-gen --ptx h.ptx --buffer v=buf:16:iota --entry rows --grid 1 --block 4 --arg ref:@v,@v \
		--arg y=buf:16 -o b.wt
	diff <(trace-info --dump a.wt) <(trace-info --dump b.wt)
}

@test "a script's faults have file and line, and no record is left" {
	host_wanted >h.ptx
	refuse() {
		local code=$1 want=$2
		shift 2
		printf '%s\n' '# a remark' "$@" >script
		expect "$code" "$want" trace-gen --ptx h.ptx --script script -o s.wt
		[ ! -e s.wt ]
	}
	refuse 1 "script:2: unknown command 'lunch', did you mean 'launch'?" 'lunch k 1 1'
	refuse 1 "script:3: this has no end" 'let x 1' 'while x'
	refuse 1 "script:2: end without while or if" 'end'
	refuse 1 "script:2: copy wants @TO" 'copy @a @b'
	refuse 1 "script:2: there is no variable 'x'" 'let y x'
	refuse 1 "script:2: division by 0" 'let y 1 / 0'
	refuse 1 "script:2: '9223372036854775808' is more than 9223372036854775807, the most" 'let y 9223372036854775808'
	refuse 1 "script:2: '99999999999999999999' is more" 'let y 1 - 99999999999999999999'
	refuse 1 "script:2: '0xffffffffffffffff' is more" 'let y 0xffffffffffffffff'
	refuse 1 "script:2: ')' is missing" 'let y (1'
	refuse 1 "script:2: '2' is left over" 'let y 1 2'
	refuse 1 "script:3: word 4 of buffer 'a', which has 4" 'buffer a=buf:16' 'let y a[4]'
	refuse 1 "have gone round 1000000 times" 'while 1' 'end'
	refuse 2 "script:2: no entry 'k'" 'launch k 1 1'
	refuse 2 "script:3: '@b': there is no buffer 'b' before it" 'buffer a=buf:4' 'copy @a @b 4'
	refuse 2 "script:3: a copy writes 8 bytes" 'buffer a=buf:8' 'copy @a+4 @a 8'
	refuse 1 "script:3: kernel 'rows', cta 0, thread 2" 'buffer v=buf:8' 'launch rows 1 4 ref:@v,@v y=buf:16'
	# Blanks in brackets part words, but not within a value.
	refuse 1 "script:2: launch wants ENTRY" "launch rows 1 1 ($(printf ' %s' {1..4000})"
	refuse 1 "script:3: launch wants ENTRY" 'let x 1' "launch rows 1 1 \$x($(printf ' %s' {1..4000})"
	refuse 1 "script:2: buffer wants" 'buffer a=buf:4 (:zero)'
	refuse 1 "script:3: write wants" 'buffer a=buf:4' 'write @a+$a[0 ]'
	expect 1 "cannot open 'none'" trace-gen --ptx h.ptx --script none
	expect 2 "--script goes with --ptx alone" trace-gen --ptx h.ptx --script script --entry k
}

@test "--oob warn reads 0 where no memory is, and counts" {
	host_wanted >h.ptx
	local k="trace-gen --ptx h.ptx --buffer v=buf:8:iota --entry rows --grid 1 --block 4"
	expect 1 "0 bytes past the end of 'v'" $k --arg ref:@v,@v --arg y=buf:16:iota -o h.wt
	[ ! -e h.wt ]
	$k --arg ref:@v,@v --arg y=buf:16:iota --oob warn --dump y=out -o h.wt 2>said
	grep -q "2 accesses out of bounds read 0 or were lost, first: kernel 'rows', cta 0, thread 2" said
	[ "$(words out | tr '\n' ' ')" = "0 1 0 0 " ]
	sound h.wt
	trace-replay -q --format=tsv h.wt >table
	[ "$(column table thread_insts | tail -n 1)" -gt 0 ]
	expect 2 "neither stop nor warn" $k --arg ref:@v,@v --arg y=buf:16 --oob no
}

@test "a CTA that no SM of the papers holds is recorded, unless --resident names one" {
	ptx "$add" >k.ptx
	local k="trace-gen --ptx k.ptx --entry k --grid 1 --block 32 --arg buf:256 --arg u32:1"
	$k --shared 200K -o k.wt
	expect 2 "--resident ccws: kernel 'k': a CTA needs 204800 bytes" $k --shared 200K --resident ccws
}

@test "addresses of 32 bits: memory, windows, functions, pointers among the arguments" {
	trace-gen --ptx "$root/tests/kernels/narrow.ptx" --entry narrow --grid 1 \
		--block 32 --buffer in=buf:128:iota --arg @in --arg out=buf:1024 --arg ref:@out,@in \
		--dump out=out.bin -o n.wt 2>said
	[ "$(cat said)" = "3 me" ]
	for t in {0..31}; do
		echo "$t $((100 + t)) 67 30 $((t % 2 ? 30 - t : 30 + t)) 7 $t 0"
	done >want
	od -A n -v -t d4 -w32 out.bin | awk '{ $1 = $1; print }' | cmp - want
	sound n.wt
	cat >wrong.ptx <<-END
		.version 7.0
		.target sm_70
		.address_size 32
		.func f() { ret; }
		.global .u32 there = f;
		.visible .entry k() { .reg .b32 %r; mov.u32 %r, 12345;
		P: .callprototype _(); call %r, P; ret; }
	END
	expect 1 "call goes to 0x3039, which is no function" trace-gen --ptx wrong.ptx --entry k \
		--grid 1 --block 32 -o wrong.wt
}

@test "addresses of 32 bits: a matrix by its generic address" {
	cat >k.ptx <<-'END'
		.version 7.0
		.target sm_80
		.address_size 32
		.visible .entry k(.param .u32 to)
		{
		.reg .b32 %r<9>;
		.shared .align 16 .b32 s[32];
		mov.u32 %r1, %tid.x;
		mov.u32 %r2, s;
		mad.lo.u32 %r3, %r1, 4, %r2;
		st.shared.u32 [%r3], %r1;
		bar.sync 0;
		cvta.shared.u32 %r4, %r2;
		and.b32 %r5, %r1, 7;
		mad.lo.u32 %r4, %r5, 16, %r4;
		ldmatrix.sync.aligned.m8n8.x1.b16 {%r6}, [%r4];
		ld.param.u32 %r7, [to];
		mad.lo.u32 %r8, %r1, 4, %r7;
		st.global.u32 [%r8], %r6;
		ret;
		}
	END
	trace-gen --ptx k.ptx --entry k --grid 1 --block 32 --arg to=buf:128 --dump to=out.bin -o k.wt
	od -A n -v -t d4 -w4 out.bin | awk '{ print $1 }' | cmp - <(seq 0 31)
}

@test "without .address_size the registers of the accesses say how long addresses are" {
	cat >k.ptx <<-'END'
		.version 1.4
		.target sm_10, map_f64_to_f32
		.entry k (.param .u32 __cudaparm_k_to)
		{
		.reg .u16 %rh<3>;
		.reg .u32 %r<6>;
		cvt.u32.u16 %r1, %tid.x;
		mul.lo.u32 %r2, %r1, 4;
		ld.param.u32 %r3, [__cudaparm_k_to];
		add.u32 %r4, %r3, %r2;
		st.global.u32 [%r4+0], %r1;
		exit;
		}
	END
	trace-gen --ptx k.ptx --entry k --grid 1 --block 8 --arg to=buf:32 --dump to=out.bin -o k.wt
	[ "$(od -A n -t d4 -w32 out.bin | awk '{ $1 = $1; print }')" = "0 1 2 3 4 5 6 7" ]
}

@test "several FILEs of --ptx are linked" {
	cat >a.ptx <<-'END'
		.version 7.0
		.target sm_80
		.address_size 64
		.extern .global .u32 base;
		.extern .func (.param .b32 r) weigh(.param .b32 v);
		.func own() { ret; }
		.visible .entry k(.param .u64 to)
		{
			.reg .b32 %r<4>;
			.reg .b64 %rd<4>;
			ld.param.u64 %rd0, [to];
			mov.u32 %r0, %tid.x;
			mul.wide.u32 %rd1, %r0, 4;
			add.u64 %rd0, %rd0, %rd1;
			ld.global.u32 %r1, [base];
			add.u32 %r1, %r1, %r0;
			call own, ();
			{ .param .b32 v; .param .b32 r; st.param.b32 [v], %r1; call (r), weigh, (v);
			ld.param.b32 %r2, [r]; }
			st.global.u32 [%rd0], %r2;
			ret;
		}
	END
	cat >b.ptx <<-'END'
		.version 7.0
		.target sm_80
		.address_size 64
		.visible .global .u32 base = 100;
		.func own() { trap; }
		.visible .func (.param .b32 r) weigh(.param .b32 v)
		{
			.reg .b32 %r<3>;
			ld.param.b32 %r0, [v];
			mul.lo.u32 %r1, %r0, 3;
			st.param.b32 [r], %r1;
			ret;
		}
	END
	for order in "a.ptx --ptx b.ptx" "b.ptx --ptx a.ptx"; do
		trace-gen --ptx $order --entry k --grid 1 --block 4 --arg to=buf:16 --dump to=out -o k.wt
		[ "$(od -A n -t d4 out | awk '{ $1 = $1; print }')" = "300 303 306 309" ]
	done
	expect 1 "a.ptx:15: variable 'base' is declared .extern and not defined" \
		trace-gen --ptx a.ptx --entry k --grid 1 --block 4 --arg to=buf:16 -o no.wt
}
