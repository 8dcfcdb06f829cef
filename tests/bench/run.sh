#!/bin/bash
# What recording through the CUDA runtime (trace-gen --run, of a program that trace-nvcc has compiled)
# costs over recording the same launches of the same PTX without a host program (trace-gen --script), of
# as many CTAs at a time (--resident):
# processor seconds, the runs of a row in turn, best of BENCH_RUNS (3), and their ratio; it may be
# 1.10. What the program takes to fill its arrays is not of the recording: it is shown as own_s, and
# taken off run_s for the ratio. Then peak memory at 1000 launches and at 10 times as many, and what
# each of those in between has added.
# usage: tests/bench/run.sh BUILD, after `make bench-programs`
set -eu -o pipefail
# What is computed, sorted and matched is the same under every locale.
export LC_ALL=C
build=$(cd "$1" && pwd)
bin=$build/bin
dir=$build/bench/run-sh
command -v clang >/dev/null || { echo "run.sh: skipped, there is no clang here"; exit 0; }
mkdir -p "$dir"
trap 'rm -rf "$dir"' EXIT
"$bin/trace-nvcc" tests/programs/relaunch.cu -o "$dir/relaunch"
"$bin/trace-nvcc" -ptx tests/programs/relaunch.cu -o "$dir/relaunch.ptx"

# script KERNEL LAUNCHES CTAS: what the program does.
script() {
	cat <<-END
		buffer x=buf:$(($3 * 1024)):iota
		buffer y=buf:$(($3 * 1024))
		let i 0
		while i < $2
		launch $1 $3 256 @x @y
		let i i+1
		end
	END
}

# runtime KERNEL LAUNCHES CTAS, bare KERNEL LAUNCHES CTAS: records them, and notes what it took.
runtime() {
	"$build/bench/bench_run" "$dir/runtime" "$bin/trace-gen" -q --resident ccws -o "$dir/runtime.wt" \
		--run "$dir/relaunch" "$@" >"$dir/said"
	grep -q ^PASSED "$dir/said"
	cut -d ' ' -f 2 "$dir/said" >>"$dir/own"
}
bare() {
	script "$@" >"$dir/script"
	"$build/bench/bench_run" "$dir/bare" "$bin/trace-gen" -q --resident ccws --ptx "$dir/relaunch.ptx" \
		--script "$dir/script" -o "$dir/bare.wt"
}

# insts FILE: thread instructions of a record.
insts() {
	"$bin/trace-info" --format=tsv --columns=thread_insts "$1" | tail -n 1
}

# least FILE, most FILE: seconds; MB.
least() {
	sort -g "$1" | awk '{ print $1; exit }'
}
most() {
	awk '$2 > m { m = $2 } END { print m }' "$1"
}

printf '%-14s %10s %10s %12s %10s %10s %10s %10s\n' recording launches ctas thread_insts script_s run_s \
	own_s ratio
for row in 'counts 1 256' 'counts 100 4' 'moves 1 4096' 'moves 200 64' 'moves 5000 1'; do
	set -- $row
	rm -f "$dir/runtime" "$dir/bare" "$dir/own"
	for ((i = 0; i < ${BENCH_RUNS:-3}; i++)); do
		bare "$@"
		runtime "$@"
	done
	n=$(insts "$dir/runtime.wt")
	[ "$n" = "$(insts "$dir/bare.wt")" ] || { echo "run.sh: $row: other launches" >&2; exit 1; }
	echo "$row $n $(least "$dir/bare") $(least "$dir/runtime") $(least "$dir/own")" | awk '{
		printf "%-14s %10d %10d %12d %10.3f %10.3f %10.3f %10.3f\n", $1, $2, $3, $4, $5, $6, $7,
			($6 - $7) / $5 }'
done

printf '\n%-14s %12s %12s %12s\n' memory n_MB 10n_MB B/launch
for way in bare runtime; do
	for n in 1000 10000; do
		rm -f "$dir/$way"
		$way moves "$n" 1
		most "$dir/$way"
	done | paste -sd ' ' | awk -v way="${way/bare/script}" '{
		printf "%-14s %12.1f %12.1f %12.0f\n", way, $1, $2, ($2 - $1) * 1048576 / 9000 }'
done
