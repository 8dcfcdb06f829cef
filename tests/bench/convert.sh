#!/bin/bash
# Speed and memory of trace-convert, best of BENCH_RUNS (3) runs: Accel-Sim's text in and out, in
# MB of text per second, both readings included where there are two; and din and ccws likewise.
# usage: tests/bench/convert.sh BUILD
set -eu
# What is computed, sorted and matched is the same under every locale.
export LC_ALL=C
build=$1
dir=$build/bench
bin=$build/bin
trap 'rm -rf "$dir"/convert*' EXIT

# measure OPTION...: least seconds and most MB. Nothing is in the way of what it writes.
measure() {
	rm -f "$dir/convert.times"
	for ((i = 0; i < ${BENCH_RUNS:-3}; i++)); do
		rm -rf "$dir/convert.out"
		"$dir/bench_run" "$dir/convert.times" "$bin/trace-convert" -q -o "$dir/convert.out" "$@"
	done
	awk 'NR == 1 || $1 < t { t = $1 } $2 > m { m = $2 } END { print t, m }' "$dir/convert.times"
}

# line NAME FORMAT STREAM
line() {
	local out in text
	out=$(measure --to "$2" "$3")
	mv "$dir/convert.out" "$dir/convert.text"
	text=$(find "$dir/convert.text" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }')
	in=$(measure --from "$2" "$dir/convert.text")
	rm -rf "$dir/convert.text"
	echo "$1 $2 $text $in $out" | awk '{ n = $3 / 1e6
		printf "%-14s %12s %12.0f %12.0f %12.0f %10.0f %10.0f\n",
			$1, $2, n, n / $4, n / $6, $5, $7 }'
}

printf '%-14s %12s %12s %12s %12s %10s %10s\n' \
	trace-convert format text_MB in_MB/s out_MB/s in_MB out_MB
for w in matmul bfs; do
	"$bin/trace-gen" -q "$w" -o "$dir/convert.wt"
	line "$w" accel-sim "$dir/convert.wt"
done
"$bin/trace-coalesce" -q --sms 1 -o "$dir/convert.as" "$dir/convert.wt"
for format in din ccws; do
	line bfs "$format" "$dir/convert.as"
done
