#!/bin/bash
# Speed and memory of trace-locality, reading included, best of BENCH_RUNS (3) runs on one core; and
# that its memory does not grow with the length of a stream of the same lines.
# usage: tests/bench/locality.sh BUILD; BENCH='a b' takes those workloads.
set -eu -o pipefail
# What is computed, sorted and matched is the same under every locale.
export LC_ALL=C
build=$1
bin=$build/bin
dir=$build/bench
stream=$dir/locality.as
trap 'rm -f "$stream" "$dir/took"' EXIT

# accesses: all of the stream, those that do not come to the L1D included.
accesses() {
	"$bin/trace-locality" --format=tsv "$stream" |
		awk -F '\t' '$1 == "total" { print $2 + $8 + $9 + $10 }'
}

# took OPTION...: seconds and MB of trace-locality, the least of both.
took() {
	rm -f "$dir/took"
	for ((i = 0; i < ${BENCH_RUNS:-3}; i++)); do
		"$dir/bench_run" "$dir/took" "$bin/trace-locality" "$@" -o /dev/null "$stream"
	done
	awk 'NR == 1 || $1 < t { t = $1 } NR == 1 || $2 < m { m = $2 } END { print t, m }' "$dir/took"
}

printf '%-14s %12s %12s %12s %12s %12s\n' trace-locality accesses classes_M/s 32K_M/s reuse_M/s \
	classes_MB
case ${BENCH:-} in
'' | all) workloads="bfs kmeans memcached gc spmv-scalar" ;;
*) workloads=$BENCH ;;
esac
for w in $workloads; do
	"$bin/trace-gen" -q "$w" | "$bin/trace-coalesce" -q -o "$stream"
	echo "$w $(accesses) $(took) $(took --cache 32K:128:8) $(took --reuse)"
done | awk '
	{
		printf "%-14s %12d %12.1f %12.1f %12.1f %12.0f\n",
			$1, $2, $2 / $3 / 1e6, $2 / $5 / 1e6, $2 / $7 / 1e6, $4
		a += log($2 / $3 / 1e6); b += log($2 / $5 / 1e6); c += log($2 / $7 / 1e6); n++
	}
	END { printf "%-14s %12s %12.1f %12.1f %12.1f\n", "geometric mean", "",
		exp(a / n), exp(b / n), exp(c / n) }'

printf '\n%-14s %12s %12s %12s\n' "same lines" accesses classes_MB reuse_MB
for times in 3 60; do
	"$bin/trace-gen" -q --ptx tests/kernels/locality.ptx --entry cycle --grid 60 --block 1 \
		--arg x=buf:512K --arg u32:4096 --arg u32:128 --arg u32:$times |
		"$bin/trace-coalesce" -q -o "$stream"
	echo "$((times / 3))x $(accesses) $(took) $(took --reuse)"
done | awk '{ printf "%-14s %12d %12.1f %12.1f\n", $1, $2, $4, $6 }'
