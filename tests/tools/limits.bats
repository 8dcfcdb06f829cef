#!/usr/bin/env bats
# Bounds on what a file may cost: --max-memory and --max-insts.
load helper

# Three CTAs of 32 threads that execute three instructions each.
three() {
	cat >three.txt <<END
stream threads
record 1 0 1
program int int exit
end
record 2 0 1
launch 0 0 3 1 1 32 1 1
end
record 3 0 3
fill 15 0
end
totals 1 1 3 96 288
END
	"${WARPTRACE_BUILD:-$root/build}/unit/test_attack" three.txt >three.wt
}

@test "--max-insts admits what a trace has and no less" {
	three
	trace-info --check --max-insts 288 three.wt
	expect 1 "more than 287 instructions" trace-info --check --max-insts 287 three.wt
	trace-replay --max-insts 288 three.wt >/dev/null
	expect 1 "more than 287 instructions" trace-replay --max-insts 287 three.wt
	expect 1 "launch 0 execute more than 95 instructions" trace-info --max-insts 95 three.wt
	trace-info --cta 1 --max-insts 96 three.wt >/dev/null
	expect 1 "more than 95 instructions" trace-info --cta 1 --max-insts 95 three.wt
	trace-info --max-insts 0 three.wt >/dev/null
	expect 2 "--max-insts" trace-info --max-insts x three.wt
}

@test "--max-insts counts instructions whose guard is false" {
	ptx 'setp.eq.u32 %p1, %r2, 77; @%p1 add.u32 %r3, %r1, 1; ret;' >k.ptx
	trace-gen --ptx k.ptx --entry k --grid 1 --block 32 --arg buf:64 --arg u32:1 -o k.wt
	insts=$(trace-info --format=tsv k.wt >t && column t thread_insts | head -1)
	expect 1 "more than $insts instructions" trace-info --max-insts "$insts" k.wt
	trace-info --max-insts $((insts + 32)) k.wt >/dev/null
}

@test "a loop whose guards are false ends by trace-gen's --max-insts" {
	ptx 'setp.eq.u32 %p1, %r2, 77; L: '"$(yes '@%p1 add.u32 %r3, %r1, 1;' | head -2000)"' @!%p1 bra L;' >k.ptx
	expect 1 "exceeds the bound of 1000000 thread instructions" timeout 20 trace-gen --ptx k.ptx \
		--entry k --grid 1 --block 1 --arg buf:64 --arg u32:1 --max-insts 1000000 -o k.wt
}

@test "--max-insts counts the accesses of an access stream" {
	small
	trace-coalesce small.wt -o a.wt
	n=$(trace-info --format=tsv a.wt >t && column t accesses | tail -1) # of all launches
	trace-locality --max-insts "$n" a.wt >/dev/null
	expect 1 "more than $((n - 1)) accesses" trace-locality --max-insts $((n - 1)) a.wt
}

@test "--max-memory leaves no trace in the stream, and a bound too small is told" {
	small
	trace-coalesce small.wt -o a.wt
	trace-coalesce --max-memory 512M small.wt -o b.wt
	cmp a.wt b.wt
	trace-coalesce --max-memory=0 small.wt -o b.wt
	cmp a.wt b.wt
	expect 2 "no size" trace-coalesce --max-memory 1Q small.wt
	[ -z "${SAN:-}" ] || skip "sanitizers have no bound on memory"
	expect 1 "--max-memory is 1 MiB" trace-coalesce --max-memory 1M small.wt -o c.wt
	[ ! -e c.wt ]
	for tool in info coalesce replay; do
		expect 1 "--max-memory is 0 MiB" "trace-$tool" --max-memory 4K small.wt
	done
	expect 1 "--max-memory is 0 MiB" trace-locality --max-memory 4K a.wt
	expect 1 "--max-memory is 0 MiB" trace-belady --max-memory 4K a.wt
	expect 1 "--max-memory is 0 MiB" trace-convert --to din --max-memory 4K a.wt
	expect 1 "--max-memory is 1 MiB" trace-gen scan --max-memory 1M -o d.wt
}
