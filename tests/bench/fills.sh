#!/bin/bash
# Speed of trace-replay on today's machines, reading included: warp instructions per second of
# processor time, the best of BENCH_RUNS (1) runs, for every workload whose input fills the machine,
# and the geometric mean. An input fills a machine if most of its warp instructions are of launches
# that have at least as many CTAs as the machine has SMs, so that each has work.
# usage: tests/bench/fills.sh BUILD, after `make bench-programs`; BENCH='a b' takes those workloads.
set -eu -o pipefail
# What is computed, sorted and matched is the same under every locale.
export LC_ALL=C
build=$1
bin=$build/bin
dir=$build/bench
trace=$dir/fills.wt
trap 'rm -f "$trace" "$dir/fills"' EXIT

# fills SMS: do they? By the launches of the trace.
fills() {
	"$bin/trace-info" -q --format=tsv --no-header --columns=launch,ctas,warp_insts_32 "$trace" |
		awk -F '\t' -v sms="$1" '/^#/ || $1 == "total" { next }
			{ all += $3 }
			$2 >= sms { full += $3 }
			END { exit !(2 * full > all) }'
}

# speed MACHINE: M warp instructions a second.
speed() {
	local insts
	insts=$("$bin/trace-info" -q --format=tsv --no-header --columns=warp_insts_32 "$trace" | tail -n 1)
	rm -f "$dir/fills"
	for ((i = 0; i < ${BENCH_RUNS:-1}; i++)); do
		"$dir/bench_run" "$dir/fills" "$bin/trace-replay" -q -o /dev/null -m "$1" "$trace"
	done
	sort -g "$dir/fills" | awk -v n="$insts" 'NR == 1 { printf "%.3f", n / $1 / 1e6 }'
}

case ${BENCH:-} in
'' | all) workloads=$("$bin/trace-gen" --list --format=tsv | awk -F '\t' '!/^#/ && n++ { print $1 }') ;;
*) workloads=$BENCH ;;
esac
printf '%-14s %10s %10s\n' warp_M/s v100 h100
for w in $workloads; do
	"$bin/trace-gen" -q "$w" -o "$trace"
	row=
	for m in v100:80 h100:114; do # and their SMs
		row+=" $(fills "${m#*:}" && speed "${m%:*}" || echo -)"
	done
	echo "$w$row"
done | awk '
	{
		printf "%-14s %10s %10s\n", $1, $2, $3
		fflush()
		for (i = 2; i <= 3; i++)
			if ($i != "-") {
				sum[i] += log($i)
				n[i]++
			}
	}
	END {
		printf "%-14s", "mean"
		for (i = 2; i <= 3; i++) printf " %10s", n[i] ? sprintf("%.3f", exp(sum[i] / n[i])) : "-"
		printf "\n"
	}'
