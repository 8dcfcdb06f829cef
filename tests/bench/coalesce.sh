#!/bin/bash
# Speed of trace-coalesce, reading included, with its stream and with a table only; of reading and of
# writing access streams; and what an access takes in them. Best of BENCH_RUNS (3) runs.
# usage: tests/bench/coalesce.sh BUILD
set -eu
# What is computed, sorted and matched is the same under every locale.
export LC_ALL=C
build=$1
dir=$build/bench
bin=$build/bin

# least COMMAND...: its least seconds.
least() {
	rm -f "$dir/coalesce"
	for ((i = 0; i < ${BENCH_RUNS:-3}; i++)); do
		"$dir/bench_run" "$dir/coalesce" "$@"
	done
	sort -g "$dir/coalesce" | head -n 1
}

printf '%-14s %12s %12s %12s %12s %8s %8s %10s %12s\n' trace-coalesce thread_insts stream_M/s \
	summary_M/s accesses read_M/s copy_M/s stream_MB bytes/access
for w in matmul bfs spmv-scalar kmeans; do
	trace=$dir/$w.wt stream=$dir/$w.accesses
	"$bin/trace-gen" -q "$w" -o "$trace"
	insts=$("$bin/trace-info" --format=tsv "$trace" | awk -F '\t' '{ last = $7 } END { print last }')
	made=$(least "$bin/trace-coalesce" -q "$trace" -o "$stream")
	table=$(least "$bin/trace-coalesce" -q --summary "$trace" -o /dev/null)
	accesses=$("$bin/trace-coalesce" --by space --format=tsv "$trace" | awk -F '\t' '
		/^#/ || $1 == "launch" || $1 == "total" { next }
		$3 == "global" || $3 == "local" { n += $6 } END { print n }')
	read=$(least "$dir/bench_access" "$stream")
	copied=$(least "$dir/bench_access" "$stream" "$dir/copy")
	echo "$w $insts $made $table $accesses $read $copied $(stat -c %s "$stream")" | awk '{
		printf "%-14s %12d %12.0f %12.0f %12d %8.0f %8.0f %10.0f %12.3f\n", $1, $2,
			$2 / $3 / 1e6, $2 / $5 / 1e6, $7, $7 / $8 / 1e6, $7 / $10 / 1e6, $4, $12 / $7 }'
	rm -f "$trace" "$stream" "$dir/copy"
done
