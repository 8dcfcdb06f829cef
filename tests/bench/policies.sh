#!/bin/bash
# What policies cost: trace-replay's time per warp instruction, reading included, over that of the
# plain policy on the same machine. Schedulers over gto on the ccws machine, warp policies over
# fixed:32 on the machine of their paper; each workload, the geometric mean and the most. The runs
# of a row take turns, BENCH_RUNS (3) times, and the best counts: a load that comes and goes is on
# all of them.
# usage: tests/bench/policies.sh BUILD; BENCH='a b' takes those workloads, BENCH=all every one.
set -eu -o pipefail
build=$1
bin=$build/bin
dir=$build/bench
trace=$dir/policies.wt
trap 'rm -f "$trace" "$dir"/policy.*' EXIT

# warp_insts OPTION...: those of a run.
warp_insts() {
	"$bin/trace-replay" -q --format=tsv "$@" "$trace" | awk -F '\t' '
		/^#/ { next }
		!at { for (i = 1; i <= NF; i++) if ($i == "warp_insts") at = i; next }
		{ last = $at }
		END { print last }'
}

# costs MACHINE OPTION POLICY...: ns a warp instruction of the first, and of the others over that.
costs() {
	local machine=$1 option=$2 policy run
	shift 2
	rm -f "$dir"/policy.*
	for ((run = 0; run < ${BENCH_RUNS:-3}; run++)); do
		for policy in "$@"; do
			"$dir/bench_run" "$dir/policy.$policy" "$bin/trace-replay" -q -o /dev/null \
				-m "$machine" "$option" "$policy" "$trace"
		done
	done
	for policy in "$@"; do
		echo "$(sort -g "$dir/policy.$policy" | head -n 1 | cut -f 1)" \
			"$(warp_insts -m "$machine" "$option" "$policy")"
	done | awk '{ t = 1e9 * $1 / $2 } NR == 1 { first = t; printf "%.0f", t; next }
		{ printf " %.3f", t / first }'
}

# table COLUMN...: sets out rows of a name, times and ratios, their geometric mean and the most.
table() {
	printf '%-14s' "$1"
	printf ' %12s' "${@:2}"
	echo
	awk '
		{
			printf "%-14s", $1
			for (i = 2; i <= NF; i++) {
				printf " %12s", $i
				sum[i] += log($i)
				if ($i > most[i]) most[i] = $i
			}
			printf "\n"
			fflush()
		}
		END {
			printf "%-14s", "mean"
			for (i = 2; i <= NF; i++) printf " %12.3f", exp(sum[i] / NR)
			printf "\n%-14s", "most"
			for (i = 2; i <= NF; i++) printf " %12s", most[i]
			printf "\n"
		}'
}

# workloads DEFAULT...
workloads() {
	case ${BENCH:-} in
	'') echo "$@" ;;
	all) "$bin/trace-gen" --list --format=tsv | awk -F '\t' '!/^#/ && n++ { print $1 }' ;;
	*) echo "$BENCH" ;;
	esac
}

for w in $(workloads bfs kmeans memcached gc spmv-scalar); do
	"$bin/trace-gen" -q "$w" -o "$trace"
	echo "$w $(costs ccws -s gto ccws daws)"
done | table trace-replay gto_ns ccws daws
echo
for w in $(workloads bfs memcached mummer nvrt nqueens matmul); do
	"$bin/trace-gen" -q "$w" -o "$trace"
	echo "$w $(costs tbc -w fixed:32 dwf dwf:wb=1 tbc) $(costs dwr -w fixed:32 dwr)"
done | table trace-replay tbc/fixed_ns dwf dwf:wb=1 tbc dwr/fixed_ns dwr
