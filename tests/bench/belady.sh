#!/bin/bash
# Speed and memory of trace-belady, reading included, best of BENCH_RUNS (3) runs: one geometry and
# all associativities up to 64 at its sets, under optimal replacement alone and beside LRU; and that
# memory does not grow with the length of a stream, on one kernel at 1x and at 20x.
# usage: tests/bench/belady.sh BUILD
set -eu
# What is computed, sorted and matched is the same under every locale.
export LC_ALL=C
build=$1
dir=$build/bench
bin=$build/bin

# measure NAME STREAM OPTION...: least seconds and most MB.
measure() {
	rm -f "$dir/belady"
	for ((i = 0; i < ${BENCH_RUNS:-3}; i++)); do
		"$dir/bench_run" "$dir/belady" "$bin/trace-belady" -q -o /dev/null "$@"
	done
	awk 'NR == 1 || $1 < t { t = $1 } $2 > m { m = $2 } END { print t, m }' "$dir/belady"
}

line() {
	local name=$1 stream=$2 n
	n=$("$bin/trace-belady" --policy opt --write allocate --format=tsv "$stream" |
		awk -F '\t' '/^#/ { next } { n = $5 + $18 + $19 } END { print n }')
	echo "$name $n $(measure --policy opt "$stream") $(measure --policy lru,opt "$stream")" \
		"$(measure --policy opt --curve "$stream") $(measure --policy lru,opt --curve "$stream")" |
		awk '{ n = $2 / 1e6; printf "%-14s %12d %12.0f %12.0f %12.0f %12.0f %10.0f\n",
			$1, $2, n / $3, n / $5, n / $7, n / $9, $4 }'
}

# 32 threads read 512 lines round and round.
cat >"$dir/scan.ptx" <<'END'
.version 6.4
.target sm_50
.address_size 64

.visible .entry scan(.param .u64 buf, .param .u32 rounds)
{
	.reg .pred %p<4>;
	.reg .b32 %r<16>;
	.reg .b64 %rd<16>;
	ld.param.u64 %rd1, [buf];
	ld.param.u32 %r1, [rounds];
	mov.u32 %r2, %tid.x;
ROUND:
	mov.u32 %r3, %r2;
NEXT:
	mul.wide.u32 %rd2, %r3, 128;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.u32 %r4, [%rd3];
	add.u32 %r3, %r3, 32;
	setp.lt.u32 %p1, %r3, 512;
	@%p1 bra NEXT;
	sub.u32 %r1, %r1, 1;
	setp.ne.u32 %p2, %r1, 0;
	@%p2 bra ROUND;
	ret;
}
END

printf '%-14s %12s %12s %12s %12s %12s %10s\n' \
	trace-belady accesses opt_M/s lru+opt_M/s curve_M/s curves_M/s opt_MB
for w in bfs spmv-scalar; do
	"$bin/trace-gen" -q "$w" | "$bin/trace-coalesce" -q -o "$dir/$w.wt"
	line "$w" "$dir/$w.wt"
	rm -f "$dir/$w.wt"
done
for times in 1 20; do
	"$bin/trace-gen" -q --ptx "$dir/scan.ptx" --entry scan --grid 1 --block 32 \
		--arg buf:65536 --arg "u32:$((times * 1000))" |
		"$bin/trace-coalesce" -q --sms 1 -o "$dir/scan.wt"
	line "scan-${times}x" "$dir/scan.wt"
	rm -f "$dir/scan.wt"
done
