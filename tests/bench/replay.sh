#!/bin/bash
# Speed and memory of trace-replay, reading included, best of BENCH_RUNS (3) runs on one core: warp
# instructions and transactions per second on the ccws machine with all of its memory, for every
# workload, and the geometric mean.
# usage: tests/bench/replay.sh BUILD; BENCH='a b' takes those workloads.
set -eu -o pipefail
# What is computed, sorted and matched is the same under every locale.
export LC_ALL=C
build=$1
bin=$build/bin
dir=$build/bench
trace=$dir/replay.wt
trap 'rm -f "$trace" "$dir/replay"' EXIT

# took OPTION...: seconds and MB, the least time and the most memory.
took() {
	rm -f "$dir/replay"
	for ((i = 0; i < ${BENCH_RUNS:-3}; i++)); do
		"$dir/bench_run" "$dir/replay" "$bin/trace-replay" -q -o /dev/null "$@"
	done
	awk 'NR == 1 || $1 < t { t = $1 } $2 > m { m = $2 } END { print t, m }' "$dir/replay"
}

# count NAME: that column of the last row of a table.
count() {
	awk -F '\t' -v name="$1" '
		/^#/ { next }
		!at { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
		{ last = $at }
		END { print last }'
}

printf '%-14s %12s %12s %12s %12s %10s\n' trace-replay warp_insts warp_M/s transactions trans_M/s \
	replay_MB
case ${BENCH:-} in
'' | all) workloads=$("$bin/trace-gen" --list --format=tsv | awk -F '\t' '!/^#/ && n++ { print $1 }') ;;
*) workloads=$BENCH ;;
esac
for w in $workloads; do
	"$bin/trace-gen" -q "$w" -o "$trace"
	table=$("$bin/trace-replay" -q --stats=divergence --format=tsv "$trace")
	echo "$w $(count warp_insts <<<"$table") $(count transactions <<<"$table") $(took "$trace")"
done | awk '{
	printf "%-14s %12d %12.2f %12d %12.2f %10.0f\n", $1, $2, $2 / $4 / 1e6, $3, $3 / $4 / 1e6, $5
	fflush()
	sum += log($2 / $4 / 1e6); n++
	if ($5 > most) most = $5
} END { printf "%-14s %12s %12.2f %12s %12s %10.0f\n", "mean, most", "-", exp(sum / n), "-", "-", most }'
