#!/bin/bash
# Peak memory of recording and of checking, at 1x and at 20x of the work. What a kernel's buffers
# take stands beside it: hotspot keeps its buffers, nvrt (persistent threads) has 20 times the rays.
# usage: tests/bench/memory.sh BUILD
set -eu
# What is computed, sorted and matched is the same under every locale.
export LC_ALL=C
build=$1
dir=$build/bench
bin=$build/bin

# line NAME WORKLOAD [OPTION]...
line() {
	local name=$1 trace=$dir/memory.wt insts buffers
	shift
	rm -f "$dir/memory"
	"$dir/bench_run" "$dir/memory" "$bin/trace-gen" -q "$@" -o "$trace"
	"$dir/bench_run" "$dir/memory" "$bin/trace-info" --check "$trace"
	insts=$("$bin/trace-info" --format=tsv "$trace" | awk -F '\t' '{ last = $7 } END { print last }')
	buffers=$("$bin/trace-info" --dump --launch 0 --cta 0 "$trace" |
		awk '$1 == "alloc" { sub("bytes=", "", $NF); n += $NF } END { print n / 1e6 }')
	echo "$name $insts $buffers $(awk '{ printf "%s ", $2 }' "$dir/memory")" |
		awk '{ printf "%-14s %12d %12.1f %12.0f %12.0f\n", $1, $2, $3, $4, $5 }'
	rm -f "$trace"
}

printf '%-14s %12s %12s %12s %12s\n' workload thread_insts buffers_MB record_MB check_MB
line hotspot hotspot
line hotspot-x20 hotspot --set steps=80
line nvrt nvrt
line nvrt-x20 nvrt --set columns=176,rows=160
