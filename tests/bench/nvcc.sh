#!/bin/bash
# Thread instructions of every workload, by our PTX and by nvcc's of the same source: as nvcc makes it
# with loops left as they are written (but where a source asks for their unrolling), as ours are, and
# as it makes it by default. Then the same of all three as ptxas assembles them: parameters become
# operands, a product and a difference one instruction, truth values of 16 bits predicates. Needs nvcc
# 12 or 13, and readelf; kernels that threads launch are nvcc's own calls.
# usage: tests/bench/nvcc.sh BUILD; BENCH_KERNELS='a b' those workloads alone
set -eu
# What is computed, sorted and matched is the same under every locale.
export LC_ALL=C
shopt -s inherit_errexit
build=$1
dir=$build/bench/nvcc
here=$(dirname "$0")
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "nvcc.sh: skipped, there is no nvcc here"; exit 0; }
command -v readelf >/dev/null || { echo "nvcc.sh: skipped, there is no readelf here"; exit 0; }
ptxas=$(command -v ptxas || echo /usr/local/cuda/bin/ptxas)
mkdir -p "$dir/rolled" "$dir/default"
printf '#include <cuda_runtime.h>\n#define for _Pragma("unroll 1") for\n' >"$dir/rolled.h"
dir=$(cd "$dir" && pwd)

# ptx WORKLOAD KIND: where nvcc's PTX of that kind is.
ptx() {
	local keep=()
	[ "$2" = default ] || grep -q '#pragma unroll' "datasets/workloads/$1/$1.cu" ||
		keep=(-include "$dir/rolled.h")
	(cd "datasets/workloads/$1" && "$nvcc" -ptx -rdc=true -arch=sm_75 -I.. "${keep[@]}" \
		"$1.cu" -o "$dir/$2/$1.ptx")
	echo "$dir/$2/$1.ptx"
}

# insts WORKLOAD FILE.ptx: thread instructions of PTX, and as assembled.
insts() {
	local at=$dir/$1
	awk -f "$here/label.awk" "$2" >"$at.ptx"
	"$build/bench/bench_insts" -o "$at.wt" "$1" "$at.ptx" 2>/dev/null
	"$ptxas" -c -arch=sm_75 -lineinfo "$at.ptx" -o "$at.cubin"
	readelf --debug-dump=decodedline "$at.cubin" 2>/dev/null >"$at.lines"
	"$build/bin/trace-info" --by=line --total --format=tsv "$at.wt" |
		awk -f "$here/assembled.awk" - "$at.lines"
	rm "$at".{ptx,wt,cubin,lines}
}

printf '%-14s' workload
printf ' %12s' ours nvcc_rolled nvcc ours/rolled ours/nvcc as/rolled as/nvcc
echo
for cu in datasets/workloads/*/*.cu; do
	w=$(basename "$cu" .cu)
	[ -z "${BENCH_KERNELS:-}" ] || grep -qw -- "$w" <<<"$BENCH_KERNELS" || continue
	ours=$(insts "$w" "${cu%.cu}.ptx")
	rolled=$(insts "$w" "$(ptx "$w" rolled)")
	default=$(insts "$w" "$(ptx "$w" default)")
	printf '%s\n' "$w" "$ours" "$rolled" "$default" | paste -s -d ' ' |
		awk '{ printf "%-14s %12d %12d %12d %12.3f %12.3f %12.3f %12.3f\n",
			$1, $2, $4, $6, $2 / $4, $2 / $6, $3 / $5, $3 / $7 }'
done
