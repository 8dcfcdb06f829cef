#!/usr/bin/env bats
# Whole CUDA programs: trace-nvcc compiles them with clang alone, trace-gen --run records them.
load helper

# compiled NAME [OPTION...]: tests/programs/NAME.cu as the program NAME.
compiled() {
	command -v clang >/dev/null || skip "there is no clang here"
	local name=$1
	shift
	trace-nvcc "$@" "$root/tests/programs/$name.cu" -o "$name"
}

@test "a program is compiled without NVIDIA's software, run and recorded" {
	compiled saxpy
	[ "$(./saxpy)" = PASSED ]
	trace-gen --run ./saxpy -o s.wt >said
	[ "$(cat said)" = PASSED ]
	sound s.wt
	trace-info --format=tsv s.wt >info
	[ "$(column info kernel | head -n 1)" = _Z5saxpyifPKfPf ]
	[ "$(column info threads | head -n 1)" = 1024 ]
}

@test "a program's arguments are its own, and a record is the same bytes twice" {
	compiled saxpy
	trace-gen --run -o a.wt ./saxpy 5000
	trace-gen --run -o b.wt -- ./saxpy 5000
	trace-gen --no-provenance --run -o c.wt -- ./saxpy 5000
	trace-gen --no-provenance --run -o d.wt -- ./saxpy 5000
	cmp c.wt d.wt
	trace-info --format=tsv a.wt >info
	[ "$(column info ctas | head -n 1)" = 20 ]
}

@test "a program's exit status is trace-gen's" {
	command -v clang >/dev/null || skip "there is no clang here"
	cat >seven.cu <<-END
		__global__ void k(int *p) { *p = 1; }
		int main() { int *p; cudaMalloc(&p, 4); k<<<1, 1>>>(p); return 7; }
	END
	trace-nvcc seven.cu -o seven
	run trace-gen --run ./seven -o s.wt
	[ "$status" -eq 7 ]
	sound s.wt
}

@test "kernels print, allocate and assert" {
	compiled host_calls
	trace-gen --run ./host_calls -o s.wt >said
	cat >want <<-END
		thread 0 of lists: 10, 3.33, x   42|-7  |
		thread 1 of lists: 20, 6.67, x   42|-7  |
		PASSED
	END
	diff want said
	sound s.wt
	# An assert that fails is an error as the runtime has it, a sentence, and no record.
	expect 5 "threadIdx.x != n" trace-gen --run ./host_calls x -o bad.wt
	grep -qx 'cudaErrorAssert: device-side assert triggered' stdout
	grep -q 'cta 0, thread 2' stderr
	grep -q '^trace-gen: no record is written: kernel' stderr
	[ ! -e bad.wt ]
}
