#!/bin/bash
# Thread instructions of every workload, by our PTX and by nvcc's of the same source: as nvcc makes it
# with loops left as they are written (but where a source asks for their unrolling), as ours are, and
# as it makes it by default. Needs nvcc 12 or 13; kernels that threads launch are nvcc's own calls.
# usage: tests/bench/nvcc.sh BUILD; BENCH_KERNELS='a b' those workloads alone
set -eu
build=$1
dir=$build/bench/nvcc
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "nvcc.sh: skipped, there is no nvcc here"; exit 0; }
mkdir -p "$dir/rolled" "$dir/default"
printf '#include <cuda_runtime.h>\n#define for _Pragma("unroll 1") for\n' >"$dir/rolled.h"
dir=$(cd "$dir" && pwd)

# ptx WORKLOAD KIND: where nvcc's PTX of that kind is.
ptx() {
	local rolled=()
	[ "$2" = default ] || grep -q '#pragma unroll' "datasets/workloads/$1/$1.cu" ||
		rolled=(-include "$dir/rolled.h")
	(cd "datasets/workloads/$1" && "$nvcc" -ptx -rdc=true -arch=sm_75 -I.. "${rolled[@]}" \
		"$1.cu" -o "$dir/$2/$1.ptx")
	echo "$dir/$2/$1.ptx"
}

# insts WORKLOAD FILE.ptx
insts() {
	"$build/bench/bench_insts" "$1" "$2" 2>/dev/null
}

printf '%-14s %12s %12s %12s %12s %12s\n' workload ours nvcc_rolled nvcc ours/rolled ours/nvcc
for cu in datasets/workloads/*/*.cu; do
	w=$(basename "$cu" .cu)
	[ -z "${BENCH_KERNELS:-}" ] || grep -qw -- "$w" <<<"$BENCH_KERNELS" || continue
	ours=$(insts "$w" "${cu%.cu}.ptx")
	rolled=$(insts "$w" "$(ptx "$w" rolled)")
	default=$(insts "$w" "$(ptx "$w" default)")
	printf '%-14s %12d %12d %12d %12s %12s\n' "$w" "$ours" "$rolled" "$default" \
		"$(awk -v a="$ours" -v b="$rolled" 'BEGIN { printf "%.3f", a / b }')" \
		"$(awk -v a="$ours" -v b="$default" 'BEGIN { printf "%.3f", a / b }')"
done
