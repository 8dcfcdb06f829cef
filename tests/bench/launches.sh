#!/bin/bash
# Workloads in two forms: how fast each is recorded, in thread instructions, best of BENCH_RUNS (3)
# runs; launches by threads may cost two thirds of the rate at most. Then the peak memory of a
# replay that holds families of launches: it is that of the largest family, so ten times as many of
# them take no more.
# usage: tests/bench/launches.sh BUILD; BENCH_DYN='a b' those workloads alone
set -eu
# What is computed, sorted and matched is the same under every locale.
export LC_ALL=C
build=$1
dir=$build/bench
bin=$build/bin

# insts FILE: thread instructions of a record.
insts() {
	"$bin/trace-info" --format=tsv --columns=thread_insts "$1" | tail -n 1
}

# rate WORKLOAD FORM: thread instructions, and the least seconds.
rate() {
	local trace=$dir/launches.wt
	rm -f "$dir/launches"
	for ((i = 0; i < ${BENCH_RUNS:-3}; i++)); do
		"$dir/bench_run" "$dir/launches" "$bin/trace-gen" -q "$1" --set "form=$2" -o "$trace"
	done
	echo "$(insts "$trace") $(sort -n "$dir/launches" | awk '{ print $1; exit }')"
	rm -f "$trace"
}

printf '%-14s %12s %12s %12s %12s %10s\n' workload flat_insts dyn_insts flat_M/s dyn_M/s dyn/flat
for w in ${BENCH_DYN-amr bfs-dyn bht clr join pre regx sssp-dyn}; do
	echo "$w $(rate "$w" flat) $(rate "$w" dyn)" | awk '{
		flat = $2 / $3; dyn = $4 / $5
		printf "%-14s %12d %12d %12.0f %12.0f %10.2f\n",
			$1, $2, $4, flat / 1e6, dyn / 1e6, dyn / flat }'
done

# family NAME BODIES: bodies of bht, 256 at a time. With nodes that are soon far, a body launches
# about as much whatever the size of the tree.
family() {
	local trace=$dir/launches.wt
	rm -f "$dir/launches"
	"$bin/trace-gen" -q bht --set "form=dyn,theta=200,at-once=256,bodies=$2" -o "$trace"
	"$dir/bench_run" "$dir/launches" \
		"$bin/trace-replay" -v -m k20c --launch=dtbl-ideal "$trace" 2>"$dir/said" >/dev/null
	echo "$1 $(insts "$trace") $(sed -n 's/.* took \(.*\) bytes at most/\1/p' "$dir/said" |
		tr -d ' ') $(awk '{ print $2 }' "$dir/launches")" |
		awk '{ printf "%-14s %12d %12s %12.0f\n", $1, $2, $3, $4 }'
	rm -f "$trace"
}

echo
printf '%-14s %12s %12s %12s\n' replay thread_insts family_B replay_MB
family bht 2048
family bht-x10 20480
