#!/bin/bash
# What policies cost: trace-replay's time per instruction, reading included, over that of the plain
# policy on the same machine. Schedulers over gto on the ccws machine, warp policies over fixed:32 on
# the machine of their paper; each workload, the geometric mean and the most. An instruction is a
# warp's; for crown, lwm and vws it is a thread's, since their warps are of other sizes: fixed:8 and
# fixed:4 beside them show what small warps cost without any regrouping. The runs of a row take
# turns, BENCH_RUNS (3) times, and the best counts: a load that comes and goes is on all of them.
# usage: tests/bench/policies.sh BUILD; BENCH='a b' takes those workloads, BENCH=all every one.
set -eu -o pipefail
# What is computed, sorted and matched is the same under every locale.
export LC_ALL=C
build=$1
bin=$build/bin
dir=$build/bench
trace=$dir/policies.wt
trap 'rm -f "$trace" "$dir"/policy.*' EXIT

# count NAME OPTION...: that column of the last row, the sum, of a run's table.
count() {
	"$bin/trace-replay" -q --format=tsv "${@:2}" "$trace" | awk -F '\t' -v name="$1" '
		/^#/ { next }
		!at { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
		{ last = $at }
		END { print last }'
}

# costs MACHINE INSTS OPTION POLICY...: ns an instruction of the first, and of the others over that;
# INSTS: warp_insts or thread_insts.
costs() {
	local machine=$1 insts=$2 option=$3 policy run
	shift 3
	rm -f "$dir"/policy.*
	for ((run = 0; run < ${BENCH_RUNS:-3}; run++)); do
		for policy in "$@"; do
			"$dir/bench_run" "$dir/policy.$policy" "$bin/trace-replay" -q -o /dev/null \
				-m "$machine" "$option" "$policy" "$trace"
		done
	done
	for policy in "$@"; do
		echo "$(sort -g "$dir/policy.$policy" | head -n 1 | cut -f 1)" \
			"$(count "$insts" -m "$machine" "$option" "$policy")"
	done | awk '{ t = 1e9 * $1 / $2 } NR == 1 { first = t; printf "%.3g", t; next }
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
	echo "$w $(costs ccws warp_insts -s gto ccws daws)"
done | table trace-replay gto_ns ccws daws
echo
for w in $(workloads bfs memcached mummer nvrt nqueens matmul); do
	"$bin/trace-gen" -q "$w" -o "$trace"
	echo "$w $(costs tbc warp_insts -w fixed:32 dwf dwf:wb=1 tbc)" \
		"$(costs dwr warp_insts -w fixed:32 dwr)"
done | table trace-replay tbc/fixed_ns dwf dwf:wb=1 tbc dwr/fixed_ns dwr
echo
for w in $(workloads bfs kmeans raytracing matmul); do
	"$bin/trace-gen" -q "$w" -o "$trace"
	echo "$w $(costs crown thread_insts -w fixed:32 fixed:8 crown lwm)" \
		"$(costs vws thread_insts -w fixed:32 fixed:4 ivws evws)"
done | table trace-replay crown/fixed_ns fixed:8 crown lwm vws/fixed_ns fixed:4 ivws evws
