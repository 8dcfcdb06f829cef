#!/bin/bash
# Speed of trace-replay beside Accel-Sim's, reading included, best of BENCH_RUNS (3) runs on one core:
# warp instructions per second on the machine that plots/validate has for Accel-Sim's rows, for each of
# the records that it was given, and the geometric mean.
# usage: tests/bench/accel.sh BUILD; ACCEL=FILE has Accel-Sim's own rates: a table whose header names
# columns workload, cycles and cycles_per_second, the last two as it printed them at its end
# (gpu_tot_sim_cycle, and gpgpu_simulation_rate in cycle/sec). times is its time over ours for the
# same record, where there is a row of it.
set -eu -o pipefail
# What is computed, sorted and matched is the same under every locale.
export LC_ALL=C
build=$(cd "$1" && pwd)
dir=$build/bench
if [ -n "${ACCEL:-}" ]; then
	ACCEL=$(realpath "$ACCEL")
	[ -r "$ACCEL" ] || { echo "accel.sh: cannot read '$ACCEL'" >&2; exit 1; }
fi
cd "$(dirname "$0")/../../plots/validate"
rates=$(mktemp)
trap 'rm -f "$rates" "$dir/accel"' EXIT

if [ -n "${ACCEL:-}" ]; then
	awk -F '\t' -v OFS='\t' '
		{ sub(/^# */, "") }
		!w {
			for (i = 1; i <= NF; i++) {
				if ($i == "workload") w = i
				if ($i == "cycles") c = i
				if ($i == "cycles_per_second") r = i
			}
			next
		}
		w && c && r && $r > 0 { print $w, $c / $r }' "$ACCEL" >"$rates"
	[ -s "$rates" ] || echo "'$ACCEL' has no rates of Accel-Sim: no columns workload, cycles, cycles_per_second"
fi

printf '%-14s %12s %12s %12s %12s %10s\n' as-accel-sim warp_insts seconds warp_M/s accel_s times
for record in records/*.wt; do
	w=$(basename "$record" .wt)
	rm -f "$dir/accel"
	for ((i = 0; i < ${BENCH_RUNS:-3}; i++)); do
		"$dir/bench_run" "$dir/accel" "$build/bin/trace-replay" -q -m accel-sim.ini -o /dev/null "$record"
	done
	n=$("$build/bin/trace-replay" -q -m accel-sim.ini --format=tsv --no-header --columns=warp_insts "$record" |
		tail -n 1)
	echo "$w $n $(sort -g "$dir/accel" | head -n 1 | cut -f 1)" \
		"$(awk -F '\t' -v w="$w" '$1 == w { print $2 }' "$rates")"
done | awk '{
	printf "%-14s %12d %12.3f %12.2f %12s %10s\n", $1, $2, $3, $2 / $3 / 1e6,
		(NF > 3 ? sprintf("%.1f", $4) : "-"), (NF > 3 ? sprintf("%.1f", $4 / $3) : "-")
	sum += log($2 / $3 / 1e6); n++
	if (NF > 3) { times += log($4 / $3); m++ }
} END { printf "%-14s %12s %12s %12.2f %12s %10s\n", "mean", "-", "-", exp(sum / n), "-",
	(m ? sprintf("%.1f", exp(times / m)) : "-") }'
