#!/usr/bin/env bats
# Whole CUDA programs: trace-nvcc compiles them with clang alone, trace-gen --run records them.
load helper

# compiled NAME [OPTION...]: tests/programs/NAME.cu as the program NAME.
compiled() {
	[ -z "${SAN:-}" ] || skip "a sanitized library wants sanitized programs"
	command -v clang >/dev/null || skip "there is no clang here"
	local name=$1
	shift
	trace-nvcc "$@" "$root/tests/programs/$name.cu" -o "$name"
}

# passes PROGRAM RECORD: all that it says is PASSED, and what is recorded of it is sound.
passes() {
	trace-gen --run "./$1" -o "$2" >said || { cat said; false; }
	[ "$(cat said)" = PASSED ]
	sound "$2"
}

@test "a program is compiled without NVIDIA's software, run and recorded" {
	compiled saxpy
	[ "$(./saxpy)" = PASSED ]
	passes saxpy s.wt
	trace-info --format=tsv s.wt >info
	[ "$(column info kernel | head -n 1)" = _Z5saxpyifPKfPf ]
	[ "$(column info threads | head -n 1)" = 1024 ]
	[ "$(trace-info --columns workload --format=tsv s.wt | column - workload | sort -u)" = saxpy ]
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

@test "functions of kernels call themselves, directly and through tables of virtual ones" {
	compiled recursion
	trace-gen --run ./recursion -o r.wt >said
	[ "$(cat said)" = "$(printf 'no error\nPASSED')" ]
	sound r.wt
	trace-replay r.wt >/dev/null
	# Without a larger stack it is a fault with its place.
	expect 1 "overflows the thread's stack" trace-gen --run -o no.wt -- ./recursion small
	grep -q 'hardware stack error' stdout
	[ ! -e no.wt ]
}

@test "virtual functions call others, some of which call themselves and some do not" {
	compiled methods
	passes methods m.wt
	trace-replay -m v100 m.wt >/dev/null
}

@test "kernels that do not end are told from each other, with the place and what would help" {
	compiled endless
	local gen="trace-gen --max-insts 1M --run -o no.wt -- ./endless" name
	expect 1 "is in a loop, or in a function that calls itself, which no branch leaves" $gen writes
	grep -q 'endless.cu:23): st.volatile' stderr
	expect 1 "goes round for ever: each time is as the one before, and it reads nothing that others could" $gen idles
	grep -q 'endless.cu:28)' stderr
	expect 1 "goes round for ever: each time is as the one before, and what it reads, 4 bytes at" $gen waits
	grep -q 'endless.cu:34)' stderr
	expect 1 "exceeds the bound of 1048576 thread instructions for one launch (max-insts)" $gen counts
	grep -q 'endless.cu:4[23])' stderr
	expect 1 "which no branch leaves: the thread never ends" $gen recurses
	grep -q 'endless.cu:9)' stderr
	grep -qx cudaErrorLaunchTimeout stdout
	expect 1 "; cudaDeviceSetLimit(cudaLimitStackSize, BYTES) gives more" $gen descends
	grep -q "endless.cu:17): call.uni overflows the thread's stack" stderr
	grep -qx cudaErrorHardwareStackError stdout
	[ ! -e no.wt ]
}

@test "lanes of a warp wait for each other: locks, tickets, lists, flags, barriers by hand" {
	local w
	compiled locks
	passes locks l.wt
	# What went round is named, with its line, and counted apart.
	trace-info l.wt >info
	grep -q "^kernel _Z5naivePiPVi: atom.global.cas.b32 at 0x[0-9a-f]* (.*locks.cu:13) spun: [0-9]* rounds" info
	trace-info --columns kernel,spin_rounds,spin_insts,thread_insts --format=tsv l.wt >t
	[ "$(column t spin_insts | tail -n 1)" -gt 0 ]
	[ "$(column t spin_insts | tail -n 1)" -lt "$(column t thread_insts | tail -n 1)" ]
	trace-replay --stats=sync --columns kernel,spin_insts --format=tsv l.wt >r 2>said
	[ "$(column r spin_insts | tail -n 1)" = "$(column t spin_insts | tail -n 1)" ]
	grep -q "kernel '_Z5naive.*': atom.global.cas.b32 at .*locks.cu:13 waited for other threads" said
	trace-replay -q --stats=sync l.wt 2>said >r
	[ ! -s said ]
	for w in fixed:8 its mimd dwf tbc dwr; do
		trace-replay -q -w $w l.wt >rows
		[ -s rows ]
	done
}

@test "a lock that lanes of a warp take in a loop: by default it ends, below sm_70 it is named at once" {
	cat >spin.cu <<-END
		#include <cstdio>
		__global__ void safe(int *l, volatile int *n)
		{
			bool done = false;
			while (!done)
				if (atomicCAS(l, 0, 1) == 0) {
					*n = *n + 1;
					__threadfence();
					atomicExch(l, 0);
					done = true;
				}
		}
		int main()
		{
			int *m;
			cudaMallocManaged(&m, 8);
			m[0] = m[1] = 0;
			safe<<<4, 64>>>(m, m + 1);
			printf("%s ", cudaGetErrorString(cudaDeviceSynchronize()));
			printf("%d\n", m[1]);
		}
	END
	[ -z "${SAN:-}" ] || skip "a sanitized library wants sanitized programs"
	command -v clang >/dev/null || skip "there is no clang here"
	trace-nvcc spin.cu -o spin
	[ "$(timeout 20 trace-gen --run ./spin -o s.wt)" = "no error 256" ]
	sound s.wt
	trace-nvcc -arch=sm_60 spin.cu -o old
	expect 1 "kernel '_Z4safePiPVi', cta 0, thread 1, pc 0x" timeout 20 trace-gen --run ./old -o no.wt
	grep -q "(.*spin.cu:6): bra goes round for ever: .* below sm_70 it does not go on" stderr
	[ ! -e no.wt ]
}

@test "lanes of a warp leave a loop with a barrier in it one after the other" {
	local w arch
	[ -z "${SAN:-}" ] || skip "a sanitized library wants sanitized programs"
	command -v clang >/dev/null || skip "there is no clang here"
	cat >leave.cu <<-END
		#include <cstdio>
		__global__ void k(int *o)
		{
			int i = threadIdx.x;
			while (i < 64) {
				o[i] = i;
				i += 7 + (threadIdx.x & 3);
				__syncthreads();
			}
			atomicMax(o + 64, i);
		}
		int main()
		{
			int *o;
			cudaMallocManaged(&o, 512);
			k<<<1, 32>>>(o);
			printf("%s ", cudaGetErrorString(cudaDeviceSynchronize()));
			printf("%d %d\n", o[63], o[64]);
		}
	END
	for arch in sm_60 sm_75; do
		trace-nvcc -arch=$arch leave.cu -o leave
		[ "$(trace-gen --run ./leave -o l.wt)" = "no error 63 73" ]
		sound l.wt
		for w in fixed:32 fixed:8 its mimd tbc dwr null lwm dualpath; do
			trace-replay -q -w $w --stats=sync --columns barriers,forced_barriers --format=tsv \
				l.wt >rows
			[ "$(column rows barriers)" = 9 ] || [ "$(column rows barriers)" = 10 ]
		done
		trace-coalesce -q l.wt -o l.as
	done
}

@test "what a kernel polls may be set by another thread of the program" {
	[ -z "${SAN:-}" ] || skip "a sanitized library wants sanitized programs"
	command -v clang >/dev/null || skip "there is no clang here"
	cat >poll.cu <<-END
		#include <cstdio>
		#include <thread>
		__global__ void k(volatile int *p)
		{
			while (!p[0])
				;
			p[1] = p[0] + 1;
		}
		int main()
		{
			int *p;
			cudaMallocManaged(&p, 8);
			p[0] = p[1] = 0;
			std::thread setter([=] {
				std::this_thread::sleep_for(std::chrono::milliseconds(300));
				*(volatile int *)p = 41;
			});
			k<<<2, 64>>>(p);
			printf("%s ", cudaGetErrorString(cudaDeviceSynchronize()));
			printf("%d\n", p[1]);
			setter.join();
		}
	END
	trace-nvcc poll.cu -o poll
	[ "$(trace-gen --run ./poll -o p.wt)" = "no error 42" ]
	# However long it took: three rounds in vain and one of 128 threads, of up to 6 instructions.
	[ "$(trace-info --columns thread_insts --format=tsv p.wt | column - thread_insts)" -lt 4000 ]
}

@test "device code of several files is linked when the program runs" {
	[ -z "${SAN:-}" ] || skip "a sanitized library wants sanitized programs"
	command -v clang >/dev/null || skip "there is no clang here"
	for f in linked linked_other; do
		trace-nvcc -dc "$root/tests/programs/$f.cu"
	done
	trace-nvcc -dlink linked.o linked_other.o -o device.o
	trace-nvcc linked.o linked_other.o device.o -o apart
	trace-nvcc -rdc=true "$root"/tests/programs/linked{,_other}.cu -o whole
	for program in apart whole; do
		trace-gen --run "./$program" -o l.wt >said
		[ "$(cat said)" = "$(printf 'no error\nPASSED')" ]
		sound l.wt
	done
	# A file may have functions of the device alone.
	echo '__device__ int half_of(int x) { return x / 2; }' >half.cu
	cat >user.cu <<-END
		extern __device__ int half_of(int x);
		__global__ void k(int *p) { *p = half_of(*p); }
		int main()
		{
			int *p;
			cudaMallocManaged(&p, 4);
			*p = 84;
			k<<<1, 1>>>(p);
			return cudaDeviceSynchronize() != cudaSuccess || *p != 42;
		}
	END
	trace-nvcc -dc half.cu
	trace-nvcc -dc user.cu
	trace-nvcc half.o user.o -o user
	trace-gen --run ./user -o u.wt
	sound u.wt
	trace-nvcc -rdc=true user.cu half.cu -o user
	trace-gen --run ./user -o u.wt
	# Alone it lacks what the other file has.
	trace-nvcc -rdc=true "$root/tests/programs/linked.cu" -c
	sed '/halves<</d' "$root/tests/programs/linked.cu" >alone.cu
	trace-nvcc -rdc=true -I "$root/tests/programs" alone.cu -o alone
	expect 1 "call of '_Z5weighi', which has no body here" trace-gen --run ./alone -o no.wt
	[ ! -e no.wt ]
}

@test "a library that is gone before its kernels were wanted is not read" {
	compiled plugin -rdc=true
	trace-nvcc -rdc=true -DPLUGIN -shared -Xcompiler -fPIC "$root/tests/programs/plugin.cu" \
		-o plugin.so
	[ "$(./plugin)" = PASSED ]
}

@test "managed variables are one with the host's over several files, by their first values" {
	[ -z "${SAN:-}" ] || skip "a sanitized library wants sanitized programs"
	command -v clang >/dev/null || skip "there is no clang here"
	local f
	for f in managed managed_other managed_note; do
		trace-nvcc -dc "$root/tests/programs/$f.cu"
	done
	# Whatever registers itself last.
	trace-nvcc managed.o managed_other.o managed_note.o -o one
	trace-nvcc managed_note.o managed_other.o managed.o -o two
	for program in one two; do
		trace-gen --run "./$program" -o m.wt >said
		[ "$(cat said)" = "$(printf 'no error\nPASSED')" ]
		sound m.wt
	done
}

@test "a managed variable's symbol is its address, as nvcc's programs have it" {
	[ -z "${SAN:-}" ] || skip "a sanitized library wants sanitized programs"
	command -v clang >/dev/null || skip "there is no clang here"
	echo '__device__ int v[2] = {3, 4}; extern "C" __global__ void k(int *p) { *p = v[1]; }' >v.cu
	trace-nvcc -fatbin v.cu
	# What nvcc makes of a managed variable: a pointer, which is registered and gets its address.
	cat >m.cpp <<-END
		#include <cuda_runtime.h>
		#include <cstdio>
		extern "C" void **__cudaRegisterFatBinary(void *);
		extern "C" void __cudaRegisterFatBinaryEnd(void **);
		extern "C" void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t,
			int, int);
		static char image[1 << 20];
		int *v;
		int main()
		{
			struct { unsigned magic, version; void *data, *more; } w = {0x466243b1, 1, image, 0};
			int x[2] = {5, 6}, y = 0;
			void *at, *other;
			size_t bytes;
			fread(image, 1, sizeof(image), fopen("v.fatbin", "rb"));
			void **h = __cudaRegisterFatBinary(&w);
			__cudaRegisterManagedVar(h, (void **)&v, 0, "v", 0, sizeof(x), 0, 0);
			__cudaRegisterFatBinaryEnd(h);
			cudaMalloc(&other, 8);
			printf("%d ", v[1]);
			printf("%d %d ", cudaGetSymbolAddress(&at, v), at == v);
			printf("%d %zu ", cudaGetSymbolSize(&bytes, v), bytes);
			printf("%d ", cudaMemcpyToSymbol(v, x, sizeof(x), 0, cudaMemcpyHostToDevice));
			printf("%d ", cudaMemcpyFromSymbol(&y, v, 4, 4, cudaMemcpyDeviceToHost));
			printf("%d %d ", y, v[0]);
			printf("%d %d\n", cudaGetSymbolAddress(&at, v + 1), cudaGetSymbolAddress(&at, other));
		}
	END
	trace-nvcc m.cpp -o m
	[ "$(./m)" = "4 0 1 0 8 0 0 6 5 13 13" ]
}

@test "advice of 100,000 pieces of memory makes no call slower" {
	compiled saxpy # for what it skips
	cat >advice.cpp <<-END
		#include <cuda_runtime.h>
		#include <cstdio>
		enum { N = 100000 };
		static void *v[N];
		static cudaArray_t a[N];
		static int location(void *p, size_t n)
		{
			int at = 9;
			cudaMemRangeGetAttribute(&at, 4, cudaMemRangeAttributeLastPrefetchLocation, p, n);
			return at;
		}
		int main()
		{
			const cudaChannelFormatDesc d = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
			char *p, *q;
			cudaMallocManaged((void **)&p, N * 64);
			for (int i = 0; i < N; i++)
				cudaMemPrefetchAsync(p + i * 64, 64, i % 2 - 1, 0);
			printf("%d %d %d ", location(p, 64), location(p + 64, 32), location(p, 128));
			cudaMemPrefetchAsync(p, N * 64, 0, 0);
			printf("%d ", location(p, 64));
			cudaMemPrefetchAsync(p, 64, -1, 0);
			printf("%d %d ", location(p, 64), location(p + 64, 64));
			for (int i = 0; i < N; i++)
				cudaMalloc(&v[i], 4);
			for (int i = 0; i < N; i++)
				cudaFree(v[i]);
			for (int i = 0; i < N / 2; i++)
				cudaMallocArray(&a[i], &d, 4, 4, 0);
			for (int i = 0; i < N / 2; i++)
				cudaFreeArray(a[i]);
			printf("%d\n", cudaFreeArray(a[0]));
			cudaMallocManaged((void **)&q, N * 64);
			fprintf(stderr, "%d\n", cudaFree(p) || location(q, 64) != cudaInvalidDeviceId);
		}
	END
	trace-nvcc advice.cpp -o advice
	[ "$(ulimit -t 15 && ./advice 2>freed)" = "-1 0 -2 0 -1 0 400" ]
	[ "$(cat freed)" = 0 ]
}

@test "variables and kernels of one file alone: the host sees them, other files do not" {
	compiled statics
	[ "$(./statics)" = "1088888 1077777" ]
	# Whether a CUDA toolkit is installed changes nothing.
	compiled statics -Xcompiler --cuda-path=/nowhere
	[ "$(./statics)" = "1088888 1077777" ]
	cp "$root/tests/programs/statics.cu" .
	trace-nvcc -dc -D LINKED statics.cu -o main.o
	trace-nvcc -dc -D OTHER=7 statics.cu -o other.o
	trace-nvcc main.o other.o -o linked
	[ "$(./linked)" = "1088888 1077777" ]
	trace-nvcc other.o main.o -o linked
	trace-gen --run ./linked -o s.wt >said
	[ "$(cat said)" = "1088888 1077777" ]
	sound s.wt
}

@test "structs that functions return, with padding and members that nobody set" {
	compiled returned
	[ "$(./returned)" = PASSED ]
}

@test "programs of the driver's calls run: PTX in texts, linked ones, arguments in buffers" {
	[ -z "${SAN:-}" ] || skip "a sanitized library wants sanitized programs"
	command -v clang >/dev/null || skip "there is no clang here"
	trace-nvcc "$root/tests/programs/driver.cpp" -o driver -lcuda
	trace-gen --run ./driver -o d.wt >said 2>warned
	[ "$(cat said)" = "$(printf "module1.ptx:4: '{' stands where a parameter should stand\nPASSED")" ]
	grep -q "warptrace: module1.ptx:4: '{' stands" warned
	sound d.wt
	trace-info --format=tsv d.wt >info
	[ "$(column info kernel | sed -n 1,2p | sort -u)" = add ]
}

@test "trace-nvcc gives a loop one branch a trip, as the kernels here have" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	command -v clang >/dev/null || skip "there is no clang here"
	cat >loop.cu <<-END
		__global__ void loop(int *p, const int *q, int n)
		{
			int sum = 0;
			for (int i = threadIdx.x; i < n;) {
				if (q[i] > 7)
					sum += q[i + 1];
				i = q[sum];
				if (sum > 100)
					continue;
				p[i] = sum;
			}
			p[threadIdx.x] = sum;
		}
	END
	trace-nvcc -ptx loop.cu -o loop.ptx
	[ "$(grep -c '@.*bra' loop.ptx)" -eq 4 ]
	! grep -q bra.uni loop.ptx || false
}

@test "functions of our headers have no lines, also where those lie beside the program" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	command -v clang >/dev/null || skip "there is no clang here"
	mkdir home
	ln -s "$WARPTRACE_BUILD"/cuda/{include,lib64,bin} home
	trace-nvcc -ptx "$root/tests/programs/tiles.cu" -o far.ptx
	WARPTRACE_CUDA=$PWD/home trace-nvcc -ptx "$root/tests/programs/tiles.cu" -o near.ptx
	cmp far.ptx near.ptx
}

@test "a loop that is not unrolled where the program asks for it is no warning" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	command -v clang >/dev/null || skip "there is no clang here"
	cat >asked.cu <<-END
		__global__ void k(int *p, int n)
		{
		#pragma unroll
			for (int i = 0; i < n; i++) {
				if (p[i] > 3)
					__syncthreads();
				p[i] *= i;
			}
		}
	END
	trace-nvcc -c asked.cu -o asked.o 2>said
	[ -s asked.o ]
	[ ! -s said ]
}

@test "where clang's back end fails on short pointers the device's side has long ones" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	command -v clang >/dev/null || skip "there is no clang here"
	# clang 14: "Copy one register into another with a different width", of a large copy from shared
	# memory. Another clang may have no need of the second try.
	cat >big <<-END
		struct key {
			int v[64];
		};
		__global__ void k(key *to, const key *from)
		{
			__shared__ key keys[32];
			keys[threadIdx.x] = from[threadIdx.x];
			__syncthreads();
			__builtin_memmove(&to[threadIdx.x], &keys[31 - threadIdx.x], 128);
		}
		int main()
		{
			key *to, *from;
			cudaMallocManaged(&to, 32 * sizeof(*to));
			cudaMallocManaged(&from, 32 * sizeof(*from));
			for (int i = 0; i < 32; i++)
				from[i].v[31] = i;
			k<<<1, 32>>>(to, from);
			if (cudaDeviceSynchronize())
				return 1;
			for (int i = 0; i < 32; i++)
				if (to[i].v[31] != 31 - i)
					return 2;
			return 0;
		}
	END
	trace-nvcc --x cu big -o big_copy
	trace-gen --run ./big_copy -o b.wt
	sound b.wt
	# What is wrong in the program itself is said once.
	echo '__global__ void k() { nothing; }' >wrong.cu
	run trace-nvcc -c wrong.cu
	[ "$status" -eq 1 ]
	[ "$(grep -c 'error: use of undeclared' <<<"$output")" -eq 1 ]
}

@test "a hundred times the launches take no more memory, through the runtime and by a script" {
	compiled relaunch
	bare
	${CC:-gcc} "$root/tests/bench/bench_run.c" -o bench_run
	trace-nvcc -ptx "$root/tests/programs/relaunch.cu" -o relaunch.ptx
	local n
	for n in 100 10000; do
		./bench_run runtime trace-gen -o r.wt --run ./relaunch moves $n 1 >said
		grep -q ^PASSED said
		[ "$(trace-info --format=tsv --no-header r.wt | grep -c '	moves	')" = $n ]
		cat >script <<-END
			buffer x=buf:1024:iota
			buffer y=buf:1024
			let i 0
			while i < $n
			launch moves 1 256 @x @y
			let i i+1
			end
		END
		./bench_run bare trace-gen -q --ptx relaunch.ptx --script script -o b.wt
	done
	# The index of a record waits in a file, and goes through a block of 1 MiB in the end. A leak of
	# 4 KB a launch would be 39 MB.
	for n in runtime bare; do
		awk '{ kb[NR] = 1024 * $2 } END {
			printf "%d KB, %d KB\n", kb[1], kb[2]
			exit !(kb[1] > 1000 && kb[2] - kb[1] < 1500) }' $n
	done
}

@test "a program's exit status is trace-gen's" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
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

@test "a kernel after cudaDeviceReset is told what that leaves, once, if it left anything" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	command -v clang >/dev/null || skip "there is no clang here"
	cat >reset.cu <<-END
		#include <cstdio>
		__device__ int counter = 5;
		__global__ void count() { counter++; }
		int main(int argc, char **)
		{
			int n = 0;
			cudaDeviceReset();
			for (int i = 0; i < 3; i++) {
				count<<<1, 1>>>();
				if (argc > 1)
					cudaDeviceReset();
			}
			cudaMemcpyFromSymbol(&n, counter, sizeof(n));
			cudaDeviceReset();
			printf("%d\n", n);
		}
	END
	trace-nvcc reset.cu -o reset
	[ "$(./reset 2>said)" = 8 ]
	[ ! -s said ]
	[ "$(./reset each 2>said)" = 8 ]
	[ "$(cat said)" = "warptrace: a kernel runs after cudaDeviceReset, which leaves memory, streams and the values of variables as they are here" ]
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

@test "an assertion in a template's kernel keeps file, line, CTA, thread and text, however long the names" {
	[ -z "${SAN:-}" ] || skip "a sanitized library wants sanitized programs"
	command -v clang >/dev/null || skip "there is no clang here"
	local deep=$(printf 'a_folder_whose_name_is_of_40_characters_/%.0s' 1 2 3 4)
	mkdir -p "$deep"
	cat >"$deep/asserts.cu" <<-'END'
		#include <cassert>
		template <class A, class B> struct a_pair_of_two_types_with_a_name_of_some_length { A a; B b; };
		template <class T> __global__ void kernel_with_a_name_of_some_length(T t, int *p)
		{
			assert(p[blockIdx.x * blockDim.x + threadIdx.x] == 0 && "what the host has given is zero when the kernel begins, and stays so for every thread of it until all have come to the barrier, the end");
		}
		int main()
		{
			typedef a_pair_of_two_types_with_a_name_of_some_length<int, float> one;
			typedef a_pair_of_two_types_with_a_name_of_some_length<one, double> two;
			int *p;
			cudaMallocManaged(&p, 256);
			p[39] = 1;
			kernel_with_a_name_of_some_length<<<2, 32>>>(a_pair_of_two_types_with_a_name_of_some_length<two, two>(), p);
			return cudaDeviceSynchronize() != cudaErrorAssert;
		}
	END
	trace-nvcc "$deep/asserts.cu" -o asserts
	expect 1 ', cta 1, thread 7, pc 0x' trace-gen --run -o a.wt -- ./asserts
	# The place twice, by the record and by the assertion; what is said of it by both processes.
	[ "$(grep -c '/asserts.cu:5).* fails: \.\.\..*/asserts.cu:5: void kernel_with_a_name_of_some_length' stderr)" = 2 ]
	[ "$(grep -c "threadIdx.x] == 0 && \"what the host .* barrier, the end\"'\$" stderr)" = 2 ]
	[ "$(grep -c "kernel '_Z33kernel_with_a_name_of_some_length" stderr)" = 2 ]
}

@test "constant, managed, mapped and registered memory, lists, flags that are read back" {
	compiled memory_kinds
	passes memory_kinds m.wt
	trace-info --format=tsv m.wt >info
	[ "$(column info kernel | grep -c halve)" -eq 7 ]
}

@test "streams, events, graphs, templates, dynamic shared memory, atomics and shuffles" {
	compiled streams
	passes streams s.wt
}

@test "a part of the launches is recorded, and the others are executed" {
	compiled memory_kinds
	trace-gen --run --launches 1-3 -o a.wt ./memory_kinds | grep -qx PASSED
	trace-info --format=tsv a.wt >info
	[ "$(column info kernel | grep -vc total)" -eq 3 ]
	trace-gen --run --kernel _Z4walkv -o b.wt ./memory_kinds | grep -qx PASSED
	trace-info --format=tsv b.wt >info
	[ "$(column info kernel | sort -u)" = _Z4walkv ]
	expect 0 "none of its 10 launches is one to record; --kernel wants a name as trace-info shows it" \
		trace-gen --run --kernel none -o c.wt ./memory_kinds
	expect 2 "is no number and no range" trace-gen --run --launches x -o c.wt ./memory_kinds
}

@test "what a program does wrong gives the errors of the real runtime" {
	compiled errors
	cat >want <<-END
		malloc: cudaErrorMemoryAllocation
		free: cudaErrorInvalidValue
		copy: cudaErrorInvalidValue
		direction: cudaErrorInvalidValue
		set: cudaErrorInvalidValue
		symbol: cudaErrorInvalidSymbol
		threads: cudaErrorInvalidConfiguration
		grid: cudaErrorInvalidConfiguration
		bounds: cudaErrorLaunchOutOfResources
		shared: cudaErrorInvalidValue
		kernel: cudaErrorInvalidDeviceFunction
		device: cudaErrorInvalidDevice
		then: cudaSuccess
		last: cudaSuccess
	END
	trace-gen --run ./errors -o e.wt >said
	diff want said
	sound e.wt
	# A fault of a kernel: the error stays, a sentence says where, and there is no record.
	expect 1 "thread 100, pc" trace-gen --run -o e2.wt -- ./errors bounds
	grep -q "0 bytes past the end of 'malloc0'" stderr
	grep -qx 'sync: cudaErrorIllegalAddress' stdout
	grep -qx 'after: cudaErrorIllegalAddress' stdout
	[ ! -e e2.wt ]
	expect 1 "of 400 bytes, which was freed" trace-gen --run -o e2.wt -- ./errors freed
	grep -qx 'sync: cudaErrorIllegalAddress' stdout
	expect 1 "which is no multiple of 4" trace-gen --run -o e2.wt -- ./errors misaligned
	grep -qx 'sync: cudaErrorMisalignedAddress' stdout
	# The device's memory has the bound that is asked for.
	expect 1 "no record is written" trace-gen --run --device-memory 256 -o e2.wt -- ./errors bounds
}

@test "results without a place, sizes beyond all memory and another kind's free give errors" {
	compiled errors
	cat >want <<-END
		either of the two: cudaSuccess
		pitch: cudaErrorMemoryAllocation
		rows: cudaErrorMemoryAllocation
		planes: cudaErrorMemoryAllocation
		array: cudaErrorMemoryAllocation
		pitches: cudaErrorInvalidValue
		planes of no rows: cudaErrorInvalidValue
		beyond a row: cudaErrorInvalidValue
		all of it: cudaSuccess
		copied planes of no rows: cudaErrorInvalidValue
		up to the pitch: cudaSuccess
		beyond the pitch: cudaErrorInvalidPitchValue
		an array and memory: cudaErrorInvalidValue
		neither: cudaErrorInvalidValue
		least priority: 0
		stream that is gone: cudaErrorInvalidResourceHandle
		greatest priority: -1
		from another device: cudaErrorInvalidDevice
		to another device: cudaErrorInvalidDevice
		within the device: cudaSuccess
		advice for another device: cudaErrorInvalidDevice
		advice for no device: cudaSuccess
		prefetch to another device: cudaErrorInvalidDevice
		prefetch to the host: cudaSuccess
		no rows: cudaErrorInvalidValue
		channels of 64 bits: cudaErrorInvalidChannelDescriptor
		flags of the device's: cudaErrorInvalidValue
		flags 0: 0
		flags 4: 4
		flags 2: 2
		free of the host's: cudaErrorInvalidValue
		free of what is registered: cudaErrorInvalidValue
		free of an array: cudaErrorInvalidValue
		host's free of the device's: cudaErrorInvalidValue
		unregister of the device's: cudaErrorHostMemoryNotRegistered
		each its own: cudaSuccess
		each its own: cudaSuccess
		each its own: cudaSuccess
		more shared memory than there is: cudaErrorInvalidValue
	END
	./errors arguments >said
	diff want said
}

@test "occupancy, a kernel's attributes and launches agree on what it may have" {
	compiled limits
	passes limits l.wt
}

@test "several host threads may use the runtime at once" {
	compiled errors
	trace-gen --run -o t.wt -- ./errors threads >said
	[ "$(cat said)" = PASSED ]
	sound t.wt
	trace-info --format=tsv t.wt >info
	[ "$(column info kernel | grep -c fill)" -eq 160 ]
}

@test "what is refused, and a fault within a header's function, name the kernel and the program's line" {
	[ -z "${SAN:-}" ] || skip "a sanitized library wants sanitized programs"
	command -v clang >/dev/null || skip "there is no clang here"
	cat >lines.cu <<-END
		__device__ __forceinline__ int of_one(const int *q)
		{
			return __ldg(q);
		}
		__global__ void adds(int *p) { atomicAdd(p + 3000000, 1); }
		__global__ void reads(int *p)
		{
			*p = of_one(p + 3000000);
		}
		__device__ void gather(float *p)
		{
			asm("tld4.r.2d.v4.f32.f32 {%0,%0,%0,%0}, [%1, {%0,%0}];" : "+f"(*p) : "l"(p));
		}
		__global__ void gathers(float *p)
		{
			p++;
			gather(p);
		}
		int main(int n, char **v)
		{
			int *p;
			cudaMalloc(&p, 4096);
			if (n == 1)
				adds<<<1, 1>>>(p);
			else if (n == 2)
				reads<<<1, 1>>>(p);
			else
				gathers<<<1, 1>>>((float *)p);
			return cudaDeviceSynchronize() != cudaSuccess;
		}
	END
	trace-nvcc lines.cu -o lines
	expect 1 "lines.cu:5): atom.global.add.u32" trace-gen -o no.wt --run ./lines
	expect 1 "lines.cu:3): ld.global" trace-gen -o no.wt --run ./lines 1
	expect 1 "no record is written: kernel '_Z7gathersPf': module0.ptx:" trace-gen -o no.wt --run ./lines 1 2
	grep -q "^warptrace: kernel '_Z7gathersPf': module0.ptx:[0-9]* (.*lines.cu:12): unsupported opcode 'tld4.*'; four fetches by tex" stderr
	[ ! -e no.wt ]
	# nvcc says where functions were inlined, one in the other.
	cat >inlined.ptx <<-END
		.version 7.4
		.target sm_80
		.address_size 64
		.visible .entry k(.param .u64 p)
		{
			.reg .b64 %rd<3>;
			.reg .b32 %r<3>;
			.loc 1 40 2
			ld.param.u64 %rd1, [p];
			.loc 1 41 7, function_name \$L__info_string1, inlined_at 1 40 2
			mov.u32 %r1, 1;
			.loc 2 100 5, function_name \$L__info_string0, inlined_at 1 41 7
			ld.global.u32 %r1, [%rd1];
			.loc 2 100 5, function_name \$L__info_string0, inlined_at 1 50 9
			ld.global.u32 %r1, [%rd1];
			.loc 2 101 5, function_name \$L__info_string0, inlined_at 2 100 5
			ld.global.u32 %r1, [%rd1+4000000];
			ret;
		}
		.file 1 "nested.cu"
		.file 2 "/usr/local/cuda/bin/../targets/x86_64-linux/include/sm_32_intrinsics.hpp"
	END
	expect 1 "(nested.cu:50): ld.global.u32 reads 4 bytes" \
		trace-gen --ptx inlined.ptx --entry k --grid 1 --block 1 --arg p=buf:64 -o no.wt
	sed 's/+4000000//' inlined.ptx >fine.ptx
	trace-gen --ptx fine.ptx --entry k --grid 1 --block 1 --arg p=buf:64 -o k.wt
	trace-info --by pc --format=tsv k.wt >pcs
	[ "$(paste <(column pcs inst) <(column pcs source_line) | grep ld.global | cut -f 2 | paste -sd ' ')" = "41 50 50" ]
	! grep -q sm_32 pcs || false
}

@test "a program that forks is recorded, and its children leave the record alone" {
	compiled forks
	local how
	for how in exits again; do
		trace-gen --run -o f.wt -- ./forks $how >said 2>warned
		[ "$(cat said)" = PASSED ]
		grep -q "process [0-9]* was forked by one that is recorded: it runs on without a record" warned
		trace-info --check f.wt
		[ "$(trace-info --format=tsv f.wt | grep -c add)" -eq 100 ]
	done
	grep -q "process [0-9]*: another one of the program is recorded, this one is not" warned
	# A child has the runtime as it was between two calls of the other threads.
	timeout 100 trace-gen --run -o t.wt -- ./forks threads >said 2>warned
	[ "$(cat said)" = PASSED ]
	trace-info --check t.wt
	[ "$(trace-info --format=tsv t.wt | grep -c add)" -eq 2100 ]
}

@test "a program that forks before it calls the runtime leaves the record to a child that does" {
	compiled forks
	local how count
	for how in first:3 late:3 daemon:100; do
		count=${how#*:} how=${how%:*}
		trace-gen --run -o f.wt -- ./forks $how >said 2>warned
		[ $how = first ] || [ "$(cat said)" = PASSED ]
		trace-info --check f.wt
		[ "$(trace-info --format=tsv f.wt | grep -c add)" -eq "$count" ]
		case $how in
		late) grep -q "process [0-9]*: another one of the program is recorded, this one is not" warned ;;
		*) [ ! -s warned ] ;;
		esac
	done
	# One that calls nothing has an empty record, whatever it asks of the version.
	cat >idle.cu <<-END
		#include <cstdio>
		__global__ void k() {}
		int main() { int v; cudaRuntimeGetVersion(&v); fflush(NULL); return 0; }
	END
	trace-nvcc idle.cu -o idle
	expect 0 "the program launched no kernel" trace-gen --run -o idle.wt -- ./idle
	trace-info --check idle.wt
}

@test "a program ends with the trace-gen that records it" {
	local gen program state
	for state in TERM KILL; do
		mkfifo wait
		# Reads of the fifo, which nobody writes, last until somebody ends them.
		trace-gen --run -o no.wt -- bash -c 'echo $$ >pid; exec 9<>wait; read -r <&9' 3>&- &
		gen=$!
		for _ in $(seq 300); do [ ! -s pid ] || break; sleep 0.1; done
		program=$(cat pid)
		kill -$state $gen
		wait $gen || true
		for _ in $(seq 100); do
			state=$(sed 's/.*) //; s/ .*//' /proc/$program/stat 2>/dev/null) || true
			case $state in '' | Z | X) break ;; esac
			sleep 0.1
		done
		[[ -z $state || $state = [ZX] ]]
		[ ! -e no.wt ]
		rm wait pid
	done
}

@test "a program may end while its threads still launch" {
	compiled errors
	for _ in 1 2 3 4 5 6; do
		trace-gen --run -o t.wt -- ./errors leaves >said
		[ "$(cat said)" = PASSED ]
		trace-info --check t.wt
	done
	[ "$(trace-info --format=tsv t.wt | grep -c fill)" -ge 1 ]
}

@test "a program of nvcc runs as it is, however its PTX is packed" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	nvcc=$(type -aP nvcc | grep -v warptrace | head -n 1)
	[ -n "$nvcc" ] || skip "there is no nvcc here"
	"$nvcc" --version | grep -q 'release 1[123]' || skip "another release"
	for mode in '' --no-compress; do
		"$nvcc" -cudart shared $mode -gencode arch=compute_75,code=compute_75 \
			"$root/tests/programs/memory_kinds.cu" -o m
		trace-gen --run ./m -o m.wt | grep -qx PASSED
		sound m.wt
	done
	"$nvcc" -cudart shared -rdc=true -gencode arch=compute_75,code=compute_75 \
		"$root"/tests/programs/managed{,_other,_note}.cu -o m
	trace-gen --run ./m -o m.wt | grep -qx PASSED
	for program in pools captures; do
		"$nvcc" -cudart shared -default-stream per-thread \
			-gencode arch=compute_75,code=compute_75 \
			"$root/tests/programs/$program.cu" -o m
		trace-gen --run ./m -o m.wt 2>/dev/null | grep -qx PASSED
	done
	"$nvcc" -gencode arch=compute_75,code=compute_75 "$root/tests/programs/saxpy.cu" -o static
	expect 1 "link it again with \`nvcc -cudart shared" trace-gen --run ./static -o s.wt
	[ ! -e s.wt ]
	"$nvcc" -cudart shared -gencode arch=compute_75,code=sm_75 "$root/tests/programs/saxpy.cu" -o sass
	expect 3 "-gencode arch=compute_75,code=compute_75" trace-gen --run ./sass -o s.wt
}

@test "wrong uses of trace-gen --run are told" {
	expect 2 "--run wants a PROGRAM" trace-gen --run -o a.wt
	expect 2 "--run wants -o FILE" trace-gen --run true
	expect 2 "--run: a program makes its own input" trace-gen --seed 3 --run true -o a.wt
	expect 1 "there is no such program" trace-gen --run ./none -o a.wt
	: >kernel.cu
	expect 1 "it is a source: trace-nvcc makes a program of it" trace-gen --run kernel.cu -o a.wt
	: >plain
	expect 1 "it may not be executed" trace-gen --run ./plain -o a.wt
	chmod +x plain
	expect 1 "a program here is ./NAME" trace-gen --run plain -o a.wt
	expect 1 "did not use the CUDA runtime" trace-gen --run true -o a.wt
	expect 2 "want --run" trace-gen bfs --launches 2
	[ ! -e a.wt ]
}

@test "cooperative groups and half precision" {
	compiled groups
	passes groups g.wt
}

@test "clusters: a histogram in the shared memory of several CTAs, launches with attributes" {
	local arch
	for arch in 60 90; do
		compiled clusters -arch="sm_$arch" -lcuda
		passes clusters c.wt
	done
	trace-info --format=tsv c.wt >info
	[ "$(column info cluster | head -n 7 | paste -sd " ")" = "1 2 4 8 1 4 2x4" ]
	trace-nvcc -ptx "$root/tests/programs/clusters.cu" -o c.ptx
	[ "$(grep -c '^\.reqnctapercluster 4, 1, 1$' c.ptx)" = 1 ]
	[ "$(grep -c '^\.reqnctapercluster 2, 4$' c.ptx)" = 1 ]
	grep -qx '\.target sm_90' c.ptx
	# A program for several has the code of the one that the machine knows best, and its number.
	cat >arch.cu <<-END
		#include <cstdio>
		__global__ void k(int *p)
		{
		#if defined(__CUDA_ARCH__)
			*p = __CUDA_ARCH__;
		#endif
		}
		int main()
		{
			cudaDeviceProp d;
			int *p;
			cudaMallocManaged(&p, sizeof(int));
			k<<<1, 1>>>(p);
			cudaDeviceSynchronize();
			cudaGetDeviceProperties(&d, 0);
			printf("%d %d.%d\n", *p, d.major, d.minor);
		}
	END
	trace-nvcc -arch=sm_90a arch.cu -o arch
	[ "$(./arch)" = "900 9.0" ]
	trace-nvcc -gencode arch=compute_75,code=sm_75 -gencode arch=compute_90,code=sm_90 arch.cu -o arch
	[ "$(./arch)" = "750 8.0" ]
}

@test "the device's math functions agree with the host's" {
	compiled math
	./math >said || { cat said; false; }
	[ "$(cat said)" = PASSED ]
}

@test "the device's functions of Bessel are as good as CUDA's table of errors, and beside their zeros" {
	compiled bessel
	passes bessel b.wt
}

@test "graphs node by node, with dependencies, graphs within, new arguments and updates" {
	compiled graphs
	passes graphs g.wt
	trace-info --format=tsv g.wt >info
	[ "$(column info kernel | grep -c affine)" = 8 ]
}

@test "nodes of graphs that a value decides about: if, while, one of several" {
	compiled conditions
	passes conditions c.wt
	# The odd steps of 1, 5, 9 and so on up to 29 are kernels of the if node in the while node.
	trace-info --format=tsv c.wt >info
	[ "$(column info kernel | grep -c '^_Z2upP5state$')" = "$(awk 'BEGIN {
		for (n = 1; n < 30; n += 4)
			for (i = n; i != 1; i = i % 2 ? 3 * i + 1 : i / 2)
				odd += i % 2
		print odd
	}')" ]
	expect 1 "a while node of a graph never ends" trace-gen --run -o no.wt -- ./conditions x
	grep -q "^warptrace: a while node's body runs no kernel, and its condition stays 1" stderr
	[ ! -e no.wt ]
}

@test "graphs by the driver's calls, and the names of its errors" {
	[ -z "${SAN:-}" ] || skip "a sanitized library wants sanitized programs"
	command -v clang >/dev/null || skip "there is no clang here"
	trace-nvcc "$root/tests/programs/driver_graphs.cpp" -o driver_graphs -lcuda
	passes driver_graphs d.wt
}

@test "host functions that wait for other threads, and what comes behind them in a stream" {
	compiled callbacks -lcuda
	passes callbacks c.wt
}

@test "a device's properties are its attributes, to those that only CUDA 12 has" {
	[ -z "${SAN:-}" ] || skip "a sanitized library wants sanitized programs"
	command -v clang >/dev/null || skip "there is no clang here"
	cat >p.cu <<-END
		#include <cstdio>
		#include <cstring>
		static int of(cudaDeviceAttr a)
		{
			int v = -1;
			cudaDeviceGetAttribute(&v, a, 0);
			return v;
		}
		/* That of CUDA 11 ends before the fields that are asked for here. */
		#undef cudaGetDeviceProperties
		extern "C" cudaError_t cudaGetDeviceProperties(void *p, int device);
		int main()
		{
			cudaDeviceProp p;
			if (cudaGetDeviceProperties_v2(&p, 0))
				return 1;
			printf("%d %d %d\n", p.clusterLaunch == of(cudaDevAttrClusterLaunch),
				p.memoryPoolsSupported == of(cudaDevAttrMemoryPoolsSupported),
				p.hostRegisterSupported == of(cudaDevAttrHostRegisterSupported));
			printf("%d %d %d\n", p.clusterLaunch, p.memoryPoolsSupported, p.hostRegisterSupported);
			printf("%d %d\n", p.maxTexture2D[1] == of(cudaDevAttrMaxTexture2DHeight),
				p.maxTextureCubemap == of(cudaDevAttrMaxTextureCubemapWidth));
			for (int a = cudaDevAttrTexturePitchAlignment; a <= cudaDevAttrMaxTexture2DMipmappedHeight; a++)
				if (!of((cudaDeviceAttr)a) && (a < 66 || a > 68)) /* surfaces of cube maps */
					printf("attribute %d is 0\n", a);
			memset(&p, 0xff, sizeof(p));
			if (cudaGetDeviceProperties(&p, 0))
				return 2;
			printf("%s %d %d\n", p.name, p.clusterLaunch, p.hostRegisterSupported);
		}
	END
	trace-nvcc p.cu -o p
	./p >said
	diff said - <<-END
		1 1 1
		1 1 1
		1 1
		warptrace -1 -1
	END
}

@test "pools, memory of graphs, and what is not supported, said once" {
	compiled pools
	passes pools p.wt 2>warned
	[ "$(cat warned)" = "warptrace: cudaIpcGetMemHandle is not supported" ]
}

@test "captures of several streams, graphs launched into them, events, 100,000 nodes" {
	compiled captures
	passes captures c.wt
}

@test "the driver's copies of blocks, sets of rows and functions by name" {
	[ -z "${SAN:-}" ] || skip "a sanitized library wants sanitized programs"
	command -v clang >/dev/null || skip "there is no clang here"
	trace-nvcc "$root/tests/programs/blocks.cpp" -o blocks -lcuda
	./blocks >said || { cat said; false; }
	[ "$(cat said)" = PASSED ]
}

@test "the driver's arrays, textures, occupancy, peers, words of streams and graphs that change" {
	[ -z "${SAN:-}" ] || skip "a sanitized library wants sanitized programs"
	command -v clang >/dev/null || skip "there is no clang here"
	trace-nvcc "$root/tests/programs/driver_names.cpp" -o driver_names -lcuda
	passes driver_names d.wt 2>warned
	[ "$(grep -c 'is not supported$' warned)" = 5 ]
	[ "$(grep -c . warned)" = 5 ]
	trace-info --format=tsv d.wt >info
	[ "$(column info kernel | grep -cx fetch)" = 3 ]
}

@test "a program of CUDA 12 asks for the driver's functions in its own forms, with a status" {
	[ -z "${SAN:-}" ] || skip "a sanitized library wants sanitized programs"
	cat >asks.c <<-'END'
		#include <stdio.h>
		int cudaGetDriverEntryPoint(const char *name, void **f, unsigned long long flags, int *status);
		int cudaPeekAtLastError(void);
		int cuGraphExecUpdate_v2(void *exec, void *graph, void *result);
		int main(void)
		{
			void *f = 0, *none = &f;
			int found = 7, not = 7;
			int e = cudaGetDriverEntryPoint("cuGraphExecUpdate", &f, 0, &found);
			int e2 = cudaGetDriverEntryPoint("cuNone", &none, 0, &not);
			printf("%d %d %d\n", e, found, f == (void *)cuGraphExecUpdate_v2);
			printf("%d %d %d %d\n", e2, not, !none, cudaPeekAtLastError());
		}
	END
	lib=$(trace-nvcc --cuda-home)/lib64
	gcc asks.c -o asks "$lib/libcudart.so.12" -Wl,-rpath,"$lib"
	[ "$(./asks)" = "$(printf '0 0 1\n0 1 1 0')" ]
}

@test "names of the runtime's headers: textures' descriptions, graphs with parameters, what is not supported" {
	compiled declared
	passes declared d.wt 2>warned
	[ "$(grep -c 'warptrace: cuda.* is not supported$' warned)" = 12 ]
}

@test "device memory that was freed: the host's access is said and ends in the signal, a kernel's is named" {
	compiled freed
	local status
	for how in "read reads 4 bytes at 0x200000000008 of device memory, 8" \
		"write writes 1 byte at 0x200000000009 of device memory, 9" \
		"call runs code at 0x200000000000 of device memory, 0" \
		"restored reads 4 bytes at 0x200000000008 of device memory, 8"; do
		status=0
		./freed "${how%% *}" 2>said || status=$?
		[ "$status" = 139 ]
		grep -qx "warptrace: the host ${how#* } bytes into 'malloc0' of 1024 bytes, which was freed" said
	done
	status=0
	./freed past 2>said || status=$?
	[ "$status" = 139 ]
	grep -qx "warptrace: the host reads 8 bytes at 0x200000001000 of device memory, 3072 bytes past the end of 'malloc0'" said
	local n=0 bytes
	for bytes in w2 w4 w8 r2 r4 r4 w4 r8 w16 r4 r8; do
		[ "$(uname -m)" = x86_64 ] || break
		status=0
		./freed as $n 2>said || status=$?
		[ "$status" = 139 ]
		[[ $bytes = w* ]] && how=writes || how=reads
		grep -q "the host $how ${bytes#?} bytes at 0x200000000000 of device memory, 0" said
		n=$((n + 1))
	done
	# A handler of the program's own is asked afterwards.
	[ "$(./freed ignored 2>said)" = ignored ]
	[ ! -s said ]
	[ "$(./freed caught 2>said)" = caught ]
	grep -q "8 bytes into 'malloc0' of 1024 bytes, which was freed" said
	# Under trace-gen it is the same, and there is no record.
	expect 139 "ended by signal 11" trace-gen --run -o no.wt -- ./freed read
	grep -q "warptrace: the host reads 4 bytes" stderr
	expect 1 "writes 4 bytes at 0x200000000000, 0 bytes into 'malloc0' of 1024 bytes, which was freed" \
		trace-gen --run -o no.wt -- ./freed kernel
	grep -qx "an illegal memory access was encountered" stdout
	[ ! -e no.wt ]
	[ "$(./freed copy)" = "invalid argument" ]
}

@test "a program that allocates and frees around each launch takes no more memory with their number" {
	compiled freed
	./freed rounds 3000 >said || { cat said; false; }
	grep -q "after 3000 rounds, no error" said
	# Page tables for 1 MiB in three rounds are some 700 KiB; a page a round would be 12000.
	[ "$(cut -d ' ' -f 1 said)" -lt 2000 ]
	# There are addresses for 512 rounds of 8 GiB. Those of freed ones are taken again, and are empty.
	[ "$(./freed large 1300)" = "0, no error" ]
}

@test "--memcheck goes on after wrong accesses and lists them, by instruction and kind" {
	compiled wrong
	local status=0
	trace-gen --memcheck=found.tsv -o w.wt --run ./wrong >said 2>sum || status=$?
	[ "$status" = 3 ]
	[ "$(cat said)" = "0 31 no error" ]
	[ "$(cat sum)" = "trace-gen: --memcheck has 3 findings in 68 accesses: 1 out of bounds, 1 misaligned, 1 uninitialised" ]
	[ "$(column found.tsv finding | tr '\n' ,)" = "uninitialised,out of bounds,misaligned," ]
	[ "$(column found.tsv count | tr '\n' ,)" = 64,2,2, ]
	[ "$(column found.tsv thread | tr '\n' ,)" = 32,5,7, ]
	[ "$(column found.tsv source_line | tr '\n' ,)" = 12,14,16, ]
	[ "$(column found.tsv source | sort -u)" = "$root/tests/programs/wrong.cu" ]
	[ "$(column found.tsv kernel | sort -u)" = _Z5wrongPii ]
	[ "$(column found.tsv address | sed -n 1p)" = 0x80 ]
	[ "$(column found.tsv bytes | sort -u)" = 4 ]
	[ "$(column found.tsv cta | sort -u)" = 0 ]
	column found.tsv access >access
	grep -qx "ld.shared.u32 reads 4 bytes at 0x80 of shared memory, which nothing has written" access
	grep -q "^st.global.u32 writes 4 bytes at 0x.*, 20 bytes past the end of 'malloc0'$" access
	# On stderr without a file, for people, or as they ask.
	expect 3 "20 bytes past the end of 'malloc0'" trace-gen --memcheck -o w.wt --run ./wrong
	grep -q '^finding  *kernel' stderr
	expect 3 '"finding":"misaligned"' trace-gen --memcheck --format=json -o w.wt --run ./wrong
	sound w.wt
	# A file that cannot be is told before the program runs.
	expect 1 "none/f.tsv" trace-gen --memcheck=none/f.tsv -o no.wt --run ./wrong
	[ ! -s stdout ]
	[ ! -e no.wt ]
	# Names of files hold what they like.
	mkdir $'a\tb'
	cp "$root/tests/programs/wrong.cu" $'a\tb'
	trace-nvcc $'a\tb/wrong.cu' -o tab
	expect 3 "3 findings in 68 accesses" trace-gen --memcheck=tab.tsv -o w.wt --run ./tab
	[ "$(column tab.tsv source_line | tr '\n' ,)" = 12,14,16, ]
	[ "$(column tab.tsv thread | tr '\n' ,)" = 32,5,7, ]
	# Without it the first one ends the device's work, and there is no record.
	expect 1 "past the end of 'malloc0'; trace-gen --run --oob warn goes on after it, --memcheck lists all like it" \
		trace-gen -o no.wt --run ./wrong
	[ ! -e no.wt ]
	# --oob warn goes on until the next one, which is another kind.
	expect 1 "which is no multiple of 4" trace-gen --oob warn -o no.wt --run ./wrong
	[ ! -e no.wt ]
	# And by a kernel alone, and nothing where nothing is wrong.
	trace-nvcc -ptx "$root/tests/programs/wrong.cu" -o wrong.ptx
	local k="trace-gen --ptx wrong.ptx --entry _Z5wrongPii --grid 1 --block 64 --memcheck -o k.wt"
	expect 3 "20 bytes past the end of 'v'" $k --arg v=buf:256 --arg s32:64
	sound k.wt
	compiled saxpy
	trace-gen --memcheck -o s.wt --run ./saxpy 2>found
	[ ! -s found ]
	trace-gen bfs --set nodes=300,degree=4 --memcheck=b.tsv -o b.wt 2>found
	[ ! -s found ]
	[ "$(grep -vc '^#' b.tsv)" = 1 ]
	expect 2 "a device has more than 0 bytes" trace-gen --device-memory 0 -o no.wt --run ./saxpy
}

@test "--memcheck finds races of shared memory and uninitialised global memory, and nothing where all is right" {
	compiled races
	local how
	trace-gen --memcheck -o r.wt --run ./races right 2>found || { cat found; false; }
	[ ! -s found ]
	# Barriers that are counters and flags in shared memory.
	compiled barriers
	trace-gen --memcheck -o r.wt --run ./barriers >said 2>found || { cat found; false; }
	[ ! -s found ]
	# What comes too early reads nothing yet, and what comes then writes after it.
	for how in "raw uninitialised,race (write after read),race (read after write)," \
		"war race (read after write),race (write after read)," \
		"waw race (write after write)," "warp race (read after write)," \
		"part uninitialised,race (write after read)," "unwritten uninitialised,"; do
		expect 3 "--memcheck has " trace-gen --memcheck=f.tsv -o r.wt --run ./races "${how%% *}"
		[ "$(column f.tsv finding | tr '\n' ,)" = "${how#* }" ]
		sound r.wt
	done
	# Each lane's neighbour, and where that wrote.
	trace-gen --memcheck=f.tsv -o r.wt --run ./races warp 2>/dev/null || true
	[ "$(column f.tsv count)" = 32 ]
	grep -q "of shared memory, which thread 1 has written at pc 0x.* (line 91), and no barrier is between" f.tsv
	for how in unwritten:32 copied:4 set:4; do
		trace-gen --memcheck=f.tsv -o r.wt --run ./races "${how%:*}" 2>/dev/null || true
		[ "$(column f.tsv count)" = 32 ]
		[ "$(column f.tsv thread)" = "${how#*:}" ]
	done
}

@test "pinned, registered and managed memory is not the device's, and has a bound of its own" {
	compiled budget -lcuda
	trace-gen --run --device-memory 64M -o b.wt ./budget >said || { cat said; false; }
	[ "$(cat said)" = PASSED ]
	sound b.wt
	trace-gen --run --device-memory 64M --max-memory 400M -o b.wt -- ./budget 400 >said || { cat said; false; }
	[ "$(cat said)" = PASSED ]
}

@test "the driver's current context of threads that use the runtime" {
	compiled contexts -lcuda
	passes contexts c.wt
}

@test "the driver's virtual memory: what grows in place, a ring of addresses, what is wrong" {
	compiled virtual -lcuda
	passes virtual v.wt
	expect 1 "where nothing is allocated" trace-gen --run -o no.wt -- ./virtual x
	[ ! -e no.wt ]
}

@test "parts of a warp by label, predicate and what runs, and matrices of a warp" {
	local program
	for program in parts matrices; do
		compiled $program
		passes "$program" "$program.wt"
	done
}

@test "loads and stores keep their cache operators, of every type, and a replay obeys them" {
	local op
	compiled cached
	passes cached c.wt
	trace-info --dump c.wt >dump
	for op in ld.global.{ca,cg,cs,lu,cv,nc} st.global.{wb,cg,cs,wt}; do
		# of each of the 34 types
		[ "$(grep -c "'$op\." dump)" = 34 ] || { echo "$op"; false; }
	done
	# One line, 64 times: the L1 has it from the first time on, and never sees what goes past it.
	trace-gen --run -o again.wt -- ./cached again >said
	[ "$(cat said)" = PASSED ]
	trace-replay --machine v100 --stats=launch --columns=launch,l1d_accesses,l1d_misses --format=tsv again.wt >l1
	[ "$(column l1 l1d_accesses | tr '\n' ' ')" = "64 0 0 64 " ] || { cat l1; false; }
	[ "$(column l1 l1d_misses | tr '\n' ' ')" = "1 0 0 1 " ] || { cat l1; false; }
	trace-replay --machine v100 --stats=memory --format=tsv again.wt >l2
	# Of four sectors: once, or each time.
	[ "$(column l2 l2_reads | tr '\n' ' ')" = "4 256 256 516 " ] || { cat l2; false; }
}

@test "bfloat16, pairs of halves and complex numbers" {
	compiled numbers
	./numbers >said || { cat said; false; }
	[ "$(cat said)" = "$(printf 'no error\n0 bad\nPASSED')" ]
}

@test "8-bit floats, and all roundings and forms of halves and bfloat16" {
	compiled small_floats
	./small_floats >said || { cat said; false; }
	[ "$(cat said)" = "$(printf 'no error\n0 bad\nPASSED')" ]
}

@test "files of the host's compiler have the types of halves, C their bits, without a warning" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	command -v clang >/dev/null || skip "there is no clang here"
	cat >halves.cpp <<-END
		#include <cuda_fp16.h>
		#include <cuda_bf16.h>
		#include <cuda_fp8.h>
		#include <mma.h>
		#include <cuda/std/functional>
		#include <stdio.h>
		int main()
		{
			__half h = __hfma(__float2half(1.5f), __half(2), __half(0.25));
			const __half2 two = __hmul2(__halves2half2(h, -h), __float2half2_rn(2));
			__nv_bfloat16 b = __hadd(__float2bfloat16(1.5f), __nv_bfloat16(3));
			h += __half(1);
			b *= b;
			printf("%g %g %g %g %d", __half2float(h), __low2float(two), __high2float(two),
				__bfloat162float(b), h > __half(4));
			printf(" %g %d\n", (float)__nv_fp8_e4m3(0.3f), cuda::std::identity()(__half2int_rn(h)));
		}
	END
	cat >halves.c <<-END
		#include <cuda_fp16.h>
		#include <cuda_bf16.h>
		#include <cuda_fp8.h>
		#include <mma.h>
		#include <fatbinary_section.h>
		int main(void)
		{
			const __half2_raw two = {0x3c00, 1};
			const __nv_bfloat162_raw b = {0x3f80, 2};
			const __fatBinC_Wrapper_t w = {FATBINC_MAGIC, FATBINC_VERSION, 0, 0};
			const __nv_fp8_storage_t f = 4;
			struct __half_raw h;
			h.x = (unsigned short)(two.x + two.y + b.y + f);
			return h.x != 0x3c07 || w.magic != 0x466243b1 || sizeof(w) != 24;
		}
	END
	local compiler home
	home=$(trace-nvcc --cuda-home)
	for compiler in trace-nvcc "g++ -std=c++11 -Wall -Wextra -Werror -I$home/include" \
		"clang++ -std=c++20 -Wall -Wextra -Werror -I$home/include"; do
		$compiler -c halves.cpp -o halves.o
		g++ halves.o -o halves
		[ "$(./halves)" = "4.25 6.5 -6.5 20.25 1 0.3125 4" ]
		rm halves halves.o
	done
	for compiler in trace-nvcc "gcc -std=c11 -Wall -Wextra -Werror -I$home/include" \
		"clang -std=c11 -Wall -Wextra -Werror -I$home/include"; do
		$compiler -c halves.c -o bits.o
		gcc bits.o -o bits
		./bits
		rm bits bits.o
	done
}

@test "with -ftz=true what is written as instructions flushes small floats, bfloat16 does not" {
	[ -z "${SAN:-}" ] || skip "a sanitized library wants sanitized programs"
	command -v clang >/dev/null || skip "there is no clang here"
	cat >small.cu <<-END
		#include <cstdio>
		#include <cuda_bf16.h>
		__global__ void k(float *out, float small, __nv_bfloat16 b)
		{
			out[0] = __fadd_rn(small, small) * 1e38f;
			out[1] = __logf(small);
			out[2] = (float)(int)(__hadd(b, b) != b) + 2 * __hgt(b, __hneg(b));
			out[3] = (float)__bfloat16_as_ushort(__hmul(b, __nv_bfloat16(3.0f)));
		}
		int main()
		{
			float *p;
			cudaMallocManaged(&p, 16);
			k<<<1, 1>>>(p, 1e-40f, __ushort_as_bfloat16(1));
			cudaDeviceSynchronize();
			printf("%.3f %g %g %g\n", p[0], p[1], p[2], p[3]);
		}
	END
	trace-nvcc small.cu -o small
	[ "$(./small)" = "0.020 -92.1034 3 3" ]
	for option in -ftz=true -use_fast_math; do
		trace-nvcc $option small.cu -o small
		[ "$(./small)" = "0.000 -inf 3 3" ]
	done
}

@test "a program may have macros of one letter, and our headers none of their names" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	command -v clang >/dev/null || skip "there is no clang here"
	# T is a name in NVIDIA's headers, too.
	local letter defined=()
	for letter in {A..S} {U..Z}; do defined+=("-D$letter=77"); done
	for header in cuda_fp16 cuda_bf16 cuda_fp8 cuComplex curand_kernel cooperative_groups \
		cooperative_groups/reduce cooperative_groups/scan cooperative_groups/memcpy_async \
		cuda_pipeline cuda_awbarrier mma cuda helper_cuda helper_timer; do
		echo "#include <$header.h>"
	done >letters.cu
	printf '#include <%s>\n' cuda/{barrier,pipeline,std/functional,std/type_traits} nvfunctional \
		>>letters.cu
	trace-nvcc -c "${defined[@]}" letters.cu -o letters.o
	[ -s letters.o ]
}

@test "random numbers in kernels: XORWOW, Philox and MRG32k3a" {
	compiled random
	passes random r.wt
}

@test "random numbers that the host asks for, in the order of streams" {
	compiled random_host -lcurand
	passes random_host r.wt 2>warned
	[ "$(cat warned)" = "warptrace: cuRAND's generator MTGP32 is not there; MT19937 is" ]
	# From C too, by the name of the static library, and without a runtime where none is wanted.
	cat >m.c <<-END
		#include <curand.h>
		#include <stdio.h>
		int main(void)
		{
			curandGenerator_t g;
			unsigned x = 0;
			const curandStatus_t device = curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT);
			if (!device)
				curandDestroyGenerator(g);
			if (curandCreateGeneratorHost(&g, CURAND_RNG_PSEUDO_MT19937) ||
				curandGenerate(g, &x, 1))
				return 1;
			printf("%u %d\n", x, device);
			return curandDestroyGenerator(g);
		}
	END
	trace-nvcc m.c -o m -lcurand_static -lculibos
	[ "$(./m)" = "3499211612 0" ]
	local home
	home=$(trace-nvcc --cuda-home)
	gcc -std=c11 -I "$home/include" m.c -o n -L "$home/lib64" -lcurand
	[ "$(LD_LIBRARY_PATH=$home/lib64 ./n)" = "3499211612 203" ]
	# A file of C++ alone may have the headers of kernels before those of C++.
	cat >p.cpp <<-END
		#include <curand.h>
		#include <curand_kernel.h>
		#include <memory>
		int main()
		{
			curandStatePhilox4_32_10_t s;
			curand_init(0, 0, 2, &s);
			return *std::make_shared<unsigned>(curand(&s)) != 0xbc57ac4c;
		}
	END
	trace-nvcc p.cpp -o p
	./p
}

@test "NVTX does nothing, and NVML says what the runtime shows and no more" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	command -v clang >/dev/null || skip "there is no clang here"
	home=$(trace-nvcc --cuda-home)
	cat >both.cu <<-'END'
		#include <cuda.h>
		#include <nvml.h>
		#include <nvToolsExt.h>
		#include <nvToolsExtCuda.h>
		#include <nvtx3/nvToolsExt.h>
		#include <nvtx3/nvToolsExtCudaRt.h>
		#include <cstdio>
		#include <cstring>
		__global__ void k(int *p) { *p = 1; }
		#define CHECK(what) do { if (!(what)) printf("%d: %s\n", __LINE__, #what); } while (0)
		int main()
		{
			nvmlDevice_t device = 0, same = 0;
			cudaDeviceProp shown;
			nvmlMemory_t memory;
			nvmlPciInfo_t pci;
			nvmlUtilization_t rates;
			unsigned n = 77, value;
			size_t left, all;
			int *p, major, minor;
			nvmlEnableState_t may;
			CUcontext now;
			char name[64], id[32];
			nvtxEventAttributes_t event = {};
			event.version = NVTX_VERSION;
			event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
			event.messageType = NVTX_MESSAGE_TYPE_ASCII;
			event.message.ascii = "a range";
			CHECK(nvtxRangePush("a range") == NVTX_NO_PUSH_POP_TRACKING && nvtxRangePushEx(&event) < 0);
			nvtxNameCudaDeviceA(0, "the device");
			nvtxMark("a mark");
			CHECK(nvmlDeviceGetCount(&n) == NVML_ERROR_UNINITIALIZED && n == 77);
			CHECK(nvmlShutdown() == NVML_ERROR_UNINITIALIZED);
			CHECK(nvmlDeviceGetTemperature(device, (nvmlTemperatureSensors_t)9, &value) == NVML_ERROR_UNINITIALIZED);
			CHECK(nvmlDeviceGetAPIRestriction(device, (nvmlRestrictedAPI_t)9, &may) == NVML_ERROR_UNINITIALIZED);
			CHECK(!nvmlInit() && !nvmlDeviceGetCount(&n) && n == 1);
			CHECK(nvmlDeviceGetHandleByIndex(1, &device) == NVML_ERROR_INVALID_ARGUMENT);
			CHECK(!nvmlDeviceGetHandleByIndex(0, &device));
			CHECK(nvmlDeviceGetTemperature(device, (nvmlTemperatureSensors_t)9, &value) == NVML_ERROR_INVALID_ARGUMENT);
			CHECK(nvmlDeviceGetAPIRestriction(device, (nvmlRestrictedAPI_t)9, &may) == NVML_ERROR_INVALID_ARGUMENT);
			CHECK(!nvmlDeviceGetMemoryInfo(device, &memory) && !cuCtxGetCurrent(&now) && !now);
			cudaGetDeviceProperties(&shown, 0);
			cudaDeviceGetPCIBusId(id, sizeof(id), 0);
			CHECK(!nvmlDeviceGetHandleByPciBusId(id, &same) && same == device);
			CHECK(!nvmlDeviceGetPciInfo(device, &pci) && !nvmlDeviceGetHandleByPciBusId(pci.busId, &same));
			CHECK(nvmlDeviceGetHandleByPciBusId("0000:77:00.0", &same) == NVML_ERROR_NOT_FOUND);
			CHECK(nvmlDeviceGetHandleByPciBusId("nowhere", &same) == NVML_ERROR_INVALID_ARGUMENT);
			CHECK(!nvmlDeviceGetName(device, name, sizeof(name)) && !strcmp(name, shown.name));
			CHECK(nvmlDeviceGetName(device, name, 3) == NVML_ERROR_INSUFFICIENT_SIZE);
			CHECK(!nvmlDeviceGetCudaComputeCapability(device, &major, &minor));
			CHECK(major == shown.major && minor == shown.minor);
			CHECK(!nvmlDeviceGetClockInfo(device, NVML_CLOCK_SM, &value) && value == shown.clockRate / 1000);
			CHECK(!nvmlDeviceGetMaxClockInfo(device, NVML_CLOCK_MEM, &value));
			CHECK(value == shown.memoryClockRate / 1000);
			cudaMalloc(&p, 1 << 20);
			cudaMemGetInfo(&left, &all);
			CHECK(!nvmlDeviceGetMemoryInfo(device, &memory) && memory.total == all && memory.free == left);
			CHECK(memory.used >= 1 << 20 && memory.used == all - left);
			CHECK(nvmlDeviceGetPowerUsage(device, &value) == NVML_ERROR_NOT_SUPPORTED);
			CHECK(nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, &value) == NVML_ERROR_NOT_SUPPORTED);
			CHECK(nvmlDeviceGetUtilizationRates(device, &rates) == NVML_ERROR_NOT_SUPPORTED);
			CHECK(nvmlDeviceSetApplicationsClocks(device, 1, 1) == NVML_ERROR_NOT_SUPPORTED);
			CHECK(nvmlDeviceGetSerial(device, name, sizeof(name)) == NVML_ERROR_NOT_SUPPORTED);
			CHECK(!nvmlSystemGetDriverVersion(name, sizeof(name)) && name[0]);
			k<<<1, 1>>>(p);
			cudaDeviceSynchronize();
			CHECK(nvtxRangePop() == NVTX_NO_PUSH_POP_TRACKING);
			CHECK(!nvmlShutdown() && nvmlDeviceGetCount(&n) == NVML_ERROR_UNINITIALIZED);
			puts(nvmlErrorString(NVML_ERROR_NOT_SUPPORTED));
		}
	END
	trace-nvcc both.cu -o both -lnvToolsExt -lnvidia-ml
	trace-gen --run -o b.wt -- ./both >said
	[ "$(cat said)" = "not supported by this device" ]
	sound b.wt
	# The headers are C too, and NVML says where there is no runtime.
	for header in nvToolsExt nvtx3/nvToolsExt nvml; do
		printf '#include <%s.h>\n' $header >c.c
		gcc -std=c99 -pedantic -Wall -Wextra -Werror -I "$home/include" -c c.c
		gcc -std=c++11 -x c++ -pedantic -Wall -Wextra -Werror -I "$home/include" -c c.c
	done
	printf '#include <nvml.h>\nint main(void) { return nvmlInit(); }\n' >c.c
	gcc -I "$home/include" c.c -L "$home/lib64" -lnvidia-ml -lnvToolsExt -o alone
	local status=0
	LD_LIBRARY_PATH=$home/lib64 ./alone || status=$?
	[ "$status" = 9 ]
}

@test "an option for the host's compiler alone that the linker needs too" {
	[ -z "${SAN:-}" ] || skip "a sanitized library wants sanitized programs"
	command -v clang >/dev/null || skip "there is no clang here"
	echo 'int main() {}' >m.cu
	trace-nvcc --dryrun -Xcompiler -fopenmp m.cu -o m 2>said
	[ "$(grep -c -e -fopenmp said)" -ge 2 ]
	tail -n 1 said | grep -q -e "'-fopenmp'"
}

@test "options for the host's compiler are parted as nvcc parts them, and those of the linker reach it" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	command -v clang >/dev/null || skip "there is no clang here"
	echo 'int main() { return sizeof(NAME) != 4; }' >m.cpp
	local options
	for options in '-Wl\,-rpath\,/tmp/a' '"-Wl,-rpath,/tmp/a" -O1' "-Wextra,'-Wl,-rpath,/tmp/a'"; do
		trace-nvcc m.cpp -D 'NAME="a b"' -Xcompiler "$options" -o m
		./m
		LC_ALL=C readelf -d m | grep -q 'runpath: \[/tmp/a:'
	done
	printf 'int one = 1;\n#ifndef A\n#error\n#endif\nint main() { return A != one + B; }\n' >m.cpp
	trace-nvcc m.cpp -Xcompiler '-g,-DA=3 "-DB=1 + 1"' -o m
	./m
}

@test "CMake takes trace-nvcc for its CUDA compiler, and the folder for the toolkit" {
	[ -z "${SAN:-}" ] || skip "a sanitized library wants sanitized programs"
	command -v clang >/dev/null || skip "there is no clang here"
	command -v cmake >/dev/null || skip "there is no CMake here"
	cat >CMakeLists.txt <<-END
		cmake_minimum_required(VERSION 3.18)
		project(both LANGUAGES CXX CUDA)
		find_package(CUDAToolkit REQUIRED)
		message(STATUS "toolkit \${CUDAToolkit_VERSION} \${CUDAToolkit_INCLUDE_DIRS}")
		add_library(device STATIC device.cu)
		add_executable(both main.cu host.cpp)
		set_target_properties(device both PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
		target_link_libraries(both device CUDA::cudart)
	END
	# The host's linker takes of a library what the host calls.
	echo '__device__ int twice(int x) { return 2 * x; } int first() { return 21; }' >device.cu
	echo '#include <cuda_runtime.h>
		int synchronize() { return cudaDeviceSynchronize(); }' >host.cpp
	cat >main.cu <<-END
		int synchronize(), first();
		__device__ int twice(int x);
		__global__ void k(int *p) { *p = twice(*p); }
		int main()
		{
			int *p;
			cudaMallocManaged(&p, 4);
			*p = first();
			k<<<1, 1>>>(p);
			return synchronize() || *p != 42;
		}
	END
	home=$(trace-nvcc --cuda-home)
	env -u CUDA_HOME -u CUDA_PATH -u CUDACXX cmake -S . -B made "-DCMAKE_CUDA_COMPILER=$home/bin/nvcc" >said 2>&1 ||
		{ cat said; false; }
	grep -qx -e "-- toolkit 11.8.89 $home/include" said
	cmake --build made >said 2>&1 || { cat said; false; }
	trace-gen --run -o b.wt -- made/both
	sound b.wt
}

# k.cu: a program.
one_kernel() {
	echo '__global__ void k(int *p) { *p = 42; }
		int main()
		{
			int *p;
			cudaMallocManaged(&p, 4);
			k<<<1, 1>>>(p);
			return cudaDeviceSynchronize() || *p != 42;
		}' >k.cu
}

@test "the static runtime is linked by its path" {
	[ -z "${SAN:-}" ] || skip "a sanitized library wants sanitized programs"
	command -v clang >/dev/null || skip "there is no clang here"
	home=$(trace-nvcc --cuda-home)
	one_kernel
	trace-nvcc -c k.cu -o k.o
	g++ k.o "$home/lib64/libcudart_static.a" -o k
	trace-gen --run -o k.wt -- ./k
	sound k.wt
}

@test "CMake's FindCUDA and CUDA::cudart_static link the static runtime" {
	[ -z "${SAN:-}" ] || skip "a sanitized library wants sanitized programs"
	command -v clang >/dev/null || skip "there is no clang here"
	command -v cmake >/dev/null || skip "there is no CMake here"
	home=$(trace-nvcc --cuda-home)
	one_kernel
	mkdir old new
	cat >old/CMakeLists.txt <<-END
		cmake_minimum_required(VERSION 3.10)
		project(k LANGUAGES CXX)
		find_package(CUDA REQUIRED)
		cuda_add_executable(k ../k.cu)
	END
	cat >new/CMakeLists.txt <<-END
		cmake_minimum_required(VERSION 3.18)
		project(k LANGUAGES CXX)
		find_package(CUDAToolkit REQUIRED)
		enable_language(CUDA)
		add_executable(k ../k.cu)
		target_link_libraries(k CUDA::cudart_static)
	END
	local how
	for how in old new; do
		env -u CUDA_HOME -u CUDA_PATH -u CUDACXX cmake -S $how -B $how.made \
			"-DCMAKE_CUDA_COMPILER=$home/bin/nvcc" "-DCUDA_TOOLKIT_ROOT_DIR=$home" \
			"-DCUDAToolkit_ROOT=$home" >said 2>&1 || { cat said; false; }
		cmake --build $how.made >said 2>&1 || { cat said; false; }
		trace-gen --run -o $how.wt -- $how.made/k
		sound $how.wt
	done
}

@test "languages and architectures that there are not are refused, and the others are what they say" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	command -v clang >/dev/null || skip "there is no clang here"
	echo '__global__ void k() {} int main() { return 0; }' >k.cpp
	echo 'int main() { return 0; }' >h.cu
	expect 2 "'foo' is no architecture" trace-nvcc -arch=foo h.cu
	expect 2 "'sm_' is no architecture" trace-nvcc -arch sm_ h.cu
	expect 2 "'arch=foo,code=bar' is no architecture" trace-nvcc -gencode arch=foo,code=bar h.cu
	local arch
	for arch in -arch=native -arch=all-major -arch=sm_90a "-gencode arch=compute_80,code=[sm_80,compute_80]" \
		-arch=compute_35 '-gencode=arch=compute_70,code="sm_70,compute_70"'; do
		trace-nvcc --dryrun $arch -c h.cu 2>/dev/null
	done
	expect 2 "'-x foo': the languages are c, c++ and cu" trace-nvcc -x foo h.cu
	expect 2 "-ptx: 'k.cpp' has no device's side" trace-nvcc -ptx k.cpp
	expect 2 "-fatbin: 'k.cpp' has no device's side" trace-nvcc -fatbin k.cpp
	[ ! -e a.out ]
	trace-nvcc -x cu -ptx k.cpp
	grep -q 'entry _Z1kv' k.ptx
	trace-nvcc k.cpp -x cu -o k
	# A .cu file of the host alone, without what a launch needs.
	printf '#ifdef __CUDACC__\n#error\n#endif\nint main() { return 0; }\n' >h.cu
	trace-nvcc -x c++ h.cu -o h
	./h
	printf '#ifdef __cplusplus\n#error\n#endif\n' >>h.cu
	trace-nvcc -x c h.cu -o h
	./h
	[ "$(trace-nvcc --list-gpu-arch | tr '\n' ' ')" = \
		"compute_60 compute_61 compute_70 compute_75 compute_80 compute_90 " ]
	[ "$(trace-nvcc --list-gpu-code | head -n 1)" = sm_60 ]
	echo '__global__ void k(int *p) { *p = __CUDA_ARCH__; }' >a.cu
	trace-nvcc -ptx a.cu
	grep -q '^.target sm_75$' a.ptx
	# They are those that stay as they are.
	echo '__global__ void k(int *p) { *p = __CUDA_ARCH__; }' >a.cu
	for arch in $(trace-nvcc --list-gpu-code); do
		trace-nvcc -arch=$arch -ptx a.cu
		grep -q "st.*\b${arch#sm_}0;\|mov.*\b${arch#sm_}0;" a.ptx
	done
}

@test "what make reads names the file itself, by the targets that are asked for" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	command -v clang >/dev/null || skip "there is no clang here"
	mkdir -p in out
	echo '#define ONE 1' >in/one.h
	# It is rewritten before clang reads it.
	printf '#include "one.h"\n__global__ void k() { __shared__ alignas(16) int s[ONE]; *s = 1; }\n' >in/k.cu
	cp in/k.cu in/p.cpp
	sed -i 2d in/p.cpp
	trace-nvcc -MMD -c in/k.cu -o out/k.o
	[ "$(cat out/k.d)" = "out/k.o: in/k.cu in/one.h" ]
	make -q -f out/k.d out/k.o
	trace-nvcc -MMD -MF k.d -MT a.o -c in/k.cu -odir out
	[ "$(cat k.d)" = "a.o: in/k.cu in/one.h" ]
	trace-nvcc -MMD -ptx in/k.cu -odir out
	[ "$(cat out/k.d)" = "out/k.ptx: in/k.cu in/one.h" ]
	printf 'int main() {}\n' >in/m.cu
	trace-nvcc -MMD in/m.cu -o out/m
	[ "$(cat out/m.d)" = "out/m: in/m.cu" ]
	# Without a compilation, of files for the host too.
	[ "$(trace-nvcc -MM -MT b.o in/k.cu)" = "b.o: in/k.cu in/one.h" ]
	[ "$(trace-nvcc -MM in/p.cpp)" = "p.o: in/p.cpp in/one.h" ]
	trace-nvcc -MM in/p.cpp -o p.d
	[ "$(cat p.d)" = "p.o: in/p.cpp in/one.h" ]
	echo 'int p = ONE;' >>in/p.cpp
	[ "$(trace-nvcc -E in/p.cpp | tail -n 1)" = "int p = 1;" ]
}

@test "options in all forms of nvcc, files of options, and products that there are not" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	command -v clang >/dev/null || skip "there is no clang here"
	mkdir in out
	echo '#define ONE 1' >in/one.h
	printf '#ifndef ONE\n#include <one.h>\n#endif\nint one = ONE + N;\n' >one.cu
	local options
	for options in -include=in/one.h -isystem=in -I=in "--system-include in" --include-path=in \
		"-Iin --keep-dir out -Werror all-warnings -l=m -L=out -odir out --forward-unknown-to-host-compiler" \
		"-I in -ldir out -O 3 -lto -time out/t --frandom-seed=1 -opt-info inline"; do
		trace-nvcc $options -D=N=1 -c one.cu -o one.o
		rm one.o
	done
	echo '-Iin --define-macro "N=1 + 1"' >options
	trace-nvcc -optf options -c one.cu -odir out
	[ -s out/one.o ]
	# A library of objects; a module's file.
	trace-nvcc -lib out/one.o -o lib.a
	[ "$(ar t lib.a)" = one.o ]
	cat >module.cu <<-END
		#include <cuda.h>
		#include <cstdio>
		extern "C" __global__ void k(int *p) { *p = 42; }
		int main()
		{
			CUmodule m;
			CUfunction f;
			int *p;
			cudaMallocManaged(&p, 4);
			void *arguments[] = {&p};
			if (cuModuleLoad(&m, "module.fatbin") || cuModuleGetFunction(&f, m, "k"))
				return 1;
			cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0);
			cuCtxSynchronize();
			printf("%d\n", *p);
		}
	END
	trace-nvcc -fatbin module.cu
	trace-nvcc module.cu -o module -lcuda
	[ "$(./module)" = 42 ]
	for options in cubin cuda gpu optix-ir ltoir; do
		expect 2 "'-$options': there is no code of a GPU here, only PTX" trace-nvcc -$options module.cu
	done
	expect 2 "trace-nvcc makes files, and does no more with them" trace-nvcc -run module.cu
	expect 0 "'-default-stream per-thread': stream 0 is the legacy stream here" \
		trace-nvcc --default-stream=per-thread -Iin -D N=1 -c one.cu
	expect 2 "option '-MF' wants a value" trace-nvcc module.cu -MF
	expect 1 "cannot read 'none'" trace-nvcc -optf none
	[ ! -e a.out ]
}

@test "headers that look at every error and at launches from kernels are taken" {
	for arch in sm_60 sm_80; do
		compiled headers -arch=$arch
		passes headers h.wt
	done
}

@test "headers by their older names: products of bytes, functions that hold any, barriers before C++'s" {
	local arch
	for arch in 61 80; do
		compiled names -arch="sm_$arch"
		passes names n.wt
	done
	# A result that is not wanted, to a compiler of the host, too.
	echo '#include <nvfunctional>
		int main()
		{
			int sum = 0;
			const nvstd::function<void(int)> add = [&sum](int x) { return sum += x; };
			add(42);
			return sum != 42;
		}' >of_nothing.cpp
	g++ -isystem "$(trace-nvcc --cuda-home)/include" of_nothing.cpp -o of_nothing
	./of_nothing
}

@test "a function of the host that kernels have too is one, and its address has a type" {
	compiled addresses
	passes addresses a.wt
	compiled addresses -rdc=true
	passes addresses a.wt
}

@test "a kernel that waits for those that it launched is refused when it is launched, alone" {
	compiled waits
	expect 0 "kernel '_Z5waitsPi': module0.ptx:" ./waits
	grep -q "waits.cu:15): call of 'cudaDeviceSynchronize': a kernel that waits for those that it launched" stderr
	[ "$(cat stdout)" = "operation not supported, 1" ]
	trace-nvcc -ptx "$root/tests/programs/waits.cu"
	trace-gen --parse-only waits.ptx --format=tsv >kernels || [ $? -eq 1 ]
	[ "$(column kernels taken | paste -sd ' ')" = "yes no yes" ]
}

@test "shuffles and votes without _sync are there up to sm_62, and a compiler's error above" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	command -v clang >/dev/null || skip "there is no clang here"
	local old name
	for old in '__shfl(p[0], 1)' '__shfl_up(1.0f, 1)' '__shfl_down(p[0], 1, 16)' '__shfl_xor(2.0, 1)' \
		'__any(p[0])' '__all(p[0])' '__ballot(p[0])'; do
		name=${old%%(*}
		cat >old.cu <<-END
			__global__ void k(int *p)
			{
				p[threadIdx.x] = $old;
			}
		END
		trace-nvcc -arch=sm_60 -c old.cu
		expect 1 "is unavailable: from sm_70 on there is ${name}_sync alone" trace-nvcc -arch=sm_70 -c old.cu
		grep -q "^old.cu:3:.*error: '$name" stderr
		! grep -q 'Stack dump' stderr || false
	done
	sed 's/= __ballot(/= __ballot_sync(~0u, /' old.cu >new.cu
	trace-nvcc -arch=sm_90 -c new.cu
}

@test "Thrust and CUB, where their headers are installed" {
	local from=${THRUST_INCLUDE:-/usr/include}
	grep -q 'THRUST_VERSION 1017' "$from/thrust/version.h" || skip "there are no Thrust and CUB 1.17 here"
	compiled thrust -I "$from"
	passes thrust t.wt
}

@test "what they do over a whole device, as the C++ library does it" {
	local from=${THRUST_INCLUDE:-/usr/include} part
	grep -q 'THRUST_VERSION 1017' "$from/thrust/version.h" || skip "there are no Thrust and CUB 1.17 here"
	# All that sorts is slow to compile.
	for part in 2 4 ${SLOW:+1 3}; do
		compiled device_wide -O0 -DPART=$part -I "$from"
		passes device_wide d.wt
	done
}

@test "CCCL 2 or 3, where CCCL names a clone of it" {
	local from=${CCCL:-/nowhere} part
	grep -q 'THRUST_VERSION [23]' "$from/thrust/thrust/version.h" || skip "CCCL names no clone of CCCL"
	local folders=(-I "$from/thrust" -I "$from/cub" -I "$from/libcudacxx/include")
	compiled thrust -O0 "${folders[@]}"
	passes thrust t.wt
	for part in 2 4 ${SLOW:+1 3}; do
		compiled device_wide -O0 -DPART=$part "${folders[@]}"
		passes device_wide d.wt
	done
}

@test "libcu++ and CUB's blocks of CCCL 2 or 3, where CCCL names a clone of it" {
	local from=${CCCL:-/nowhere}
	grep -q 'THRUST_VERSION [23]' "$from/thrust/thrust/version.h" || skip "CCCL names no clone of CCCL"
	compiled blocks_of_cub -arch=sm_80 -I "$from/thrust" -I "$from/cub" -I "$from/libcudacxx/include"
	passes blocks_of_cub b.wt
}

@test "copies that a block makes together, with and without cp.async" {
	local arch
	for arch in 60 80; do
		compiled async -arch="sm_$arch"
		passes async "a$arch.wt"
	done
	! trace-info --dump a60.wt | grep -q cp.async || false
	trace-info --dump a80.wt | grep -q cp.async
}

@test "barriers in memory and pipelines, with and without mbarrier" {
	local arch
	for arch in 60 80; do
		compiled barriers -arch="sm_$arch"
		passes barriers "b$arch.wt"
	done
	! trace-info --dump b60.wt | grep -q mbarrier || false
	trace-info --dump b80.wt >dump
	grep -q mbarrier dump
	grep -q cp.async dump
}

@test "tiles of a block that are larger than a warp" {
	compiled tiles
	passes tiles t.wt
}

@test "kernels launch kernels, from trace-nvcc too" {
	local flag
	for flag in -O2 -rdc=true; do
		compiled children $flag
		passes children c.wt
	done
	trace-info --by tree --format=tsv --no-header c.wt >tree
	[ "$(grep -c '_Z5laterPii	3	1	1	8	8$' tree)" = 1 ]
	[ "$(grep -c '_Z4fillPiiS_	1	4	' tree)" = 1 ]
	# By a pointer the kernel is not known: clang says so, with the place.
	printf '%s\n' 'typedef void (*kernel)(int *);' '__global__ void k(int *p, kernel f) {' \
		' f<<<1, 1>>>(p); }' >by_pointer.cu
	expect 1 "by_pointer.cu:3:" trace-nvcc -c by_pointer.cu
}

@test "launches with blanks in their brackets, and what looks like them in strings and operators" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	command -v clang >/dev/null || skip "there is no clang here"
	cat >blanks.cu <<-'END'
		#include <cstdio>
		template <class T> struct s { T x; };
		template <class T> int operator<< (const s<T> &a, int b) { return a.x - b; }
		__global__ void child(int *p) { ++*p; }
		__global__ void k(int *p)
		{
			__shared__ alignas (16) int q[4];
			q[threadIdx.x] = 1;
			child<< <1, q[0]>> >(p);
		}
		int main()
		{
			int *p;
			cudaMallocManaged(&p, 4);
			k << <1, 1>> > (p);
			cudaDeviceSynchronize();
			puts("a << <file>   >> > (x) __shared__ alignas (1)");
			puts(R"(cat << <eof >> >(x))");
			printf("%d\n", *p + operator<< <int>(s<int>{3}, 2));
		}
	END
	trace-nvcc blanks.cu -o blanks
	[ "$(./blanks)" = 'a << <file>   >> > (x) __shared__ alignas (1)
cat << <eof >> >(x)
2' ]
}

@test "a line of a million characters takes no longer than many lines" {
	local rewrite
	rewrite=$(trace-nvcc --cuda-home)/bin/launches.awk
	awk 'BEGIN {
		for (i = 0; i < 25000; i++)
			printf "char c%d = %c;%c; f<< <1, 2>> >(\"a, {\\\" << < \"); ", i, 39, 39
		print ""
	}' >long.h
	bash -c 'ulimit -t 4; exec awk -f "$1" <long.h >made.h' - "$rewrite"
	[ "$(wc -l <made.h)" = 1 ]
	# The same as in lines, and the strings as they were.
	sed 's/<< <1, 2>> >/<<<1, 2>>>/g' long.h | cmp - made.h
	[ "$(wc -c <made.h)" -gt 1000000 ]
}

@test "headers of a program are read as its files are, and keep names, lines and bytes" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	command -v clang >/dev/null || skip "there is no clang here"
	mkdir program
	cd program
	mkdir -p 'in $1' below
	cat >'in $1/a #1.cuh' <<-'END'
		#pragma once
		__global__ void child(int *p)
		{
			__shared__ alignas (16) int q[4];
			q[0] = *p;
			*p = q[0] + 1;
		}
		__global__ void k(int *p) { child<<<1, 1>>>(p); }
		inline void run(int *p) { k << <1, 1 >> > (p); }
	END
	cat >below/body.cu <<-'END'
		int main()
		{
			int *p;
			cudaMallocManaged(&p, 4);
			run(p);
			cudaDeviceSynchronize();
			k<< <1, 1>> >(p);
			cudaDeviceSynchronize();
			return *p != 2;
		}
	END
	printf '#include "a #1.cuh"\n#include "below/body.cu"\n' >top.cu
	cp -r . ../before
	trace-nvcc -I 'in $1' -MMD -MF ../top.d top.cu -o ../top
	diff -r ../before .
	[ "$(tr -s ' \\\n' ' ' <../top.d)" = "../top: top.cu in $\$1/a #1.cuh below/body.cu " ]
	trace-gen --run -o t.wt -- ../top
	sound t.wt
	trace-info --by line --total --format=tsv t.wt >lines
	[ "$(column lines file | grep -v '^-' | sort -u)" = "$PWD/in \$1/a #1.cuh" ]
	[ "$(column lines source_line | sort -u | tr '\n' ' ')" = "3 5 6 7 8 " ]
	# Of a fault in a header the place is the header's own.
	echo '__global__ void bad() { none << <1; }' >>'in $1/a #1.cuh'
	expect 1 'a #1.cuh:10:25: error: use of undeclared identifier' trace-nvcc -I 'in $1' -c top.cu
	[ ! -e top.o ]
}

@test "headers with blanks at the ends of their names, of the device's side alone, and with a semicolon" {
	[ -z "${SAN:-}" ] || skip "the plain build does this"
	command -v clang >/dev/null || skip "there is no clang here"
	echo '__global__ void child(int *p) { __shared__ alignas(16) int q[4]; q[0] = *p + 1; *p = q[0]; }' >' a.h '
	echo '#define START(p) child<< <1, 1>> >(p)
		__device__ void start(int *p) { child<<<1, 1>>>(p); }' >side.h
	echo '#include " a.h "
		#ifdef __CUDA_ARCH__
		#include "side.h"
		#else
		__device__ void start(int *p);
		#endif
		__global__ void k(int *p) { start(p); }
		int main()
		{
			int *p;
			cudaMallocManaged(&p, 4);
			k<<<1, 1>>>(p);
			return cudaDeviceSynchronize() || *p != 1;
		}' >top.cu
	for arch in 60 90; do
		trace-nvcc -arch=sm_$arch top.cu -o top
		trace-gen --run -o t.wt -- ./top
		sound t.wt
		[ "$(trace-info --by tree --format=tsv --no-header t.wt | grep -c child)" = 1 ]
	done
	# What only shows the commands runs no clang.
	printf '#!/bin/sh\necho >>ran\nexec clang "$@"\n' >clang-here
	chmod +x clang-here
	WARPTRACE_CLANG=./clang-here trace-nvcc --dryrun -c top.cu 2>said
	grep -q clang-here said
	[ ! -e ran ]
	WARPTRACE_CLANG=./clang-here trace-nvcc -c top.cu
	[ -s ran ]
	# clang cannot be told of such a name; what it takes as it is compiles.
	echo 'inline void run(int *p) { k<<<1, 1>>>(p); }' >'b;b.h'
	printf '__global__ void k(int *p) {}\n#include "b;b.h"\n' >semi.cu
	trace-nvcc -c semi.cu 2>said
	[ ! -s said ]
	echo 'inline void again(int *p) { k<< <1, 1>> >(p); }' >>'b;b.h'
	expect 1 "'b;b.h' is read as it is, with its launches, for the ';' in its name" trace-nvcc -c semi.cu
}

@test "textures by reference and by object" {
	compiled textures
	passes textures t.wt
	trace-info --dump t.wt | grep -q 'tex\.2d\.v4\.f32\.f32'
}

@test "mipmaps and cube maps" {
	compiled mipmaps
	passes mipmaps m.wt
	trace-info --dump m.wt >dump
	grep -q 'tex\.level\.2d\.v4\.f32\.f32' dump
	grep -q 'tex\.acube\.v4\.f32\.f32' dump
}

@test "a corpus is tried: what is taken, what is refused, what does not compile" {
	command -v clang >/dev/null || skip "there is no clang here"
	mkdir corpus
	cp "$root/tests/programs/saxpy.cu" "$root/tests/kernels/exec_hand.ptx" corpus
	echo 'int main() { return nothing; }' >corpus/bad.cu
	ptx '	tld4.r.2d.v4.f32.f32 {%r6,%r7,%r8,%r9}, [%rd1, {%r2,%r2}];' >corpus/gather.ptx
	"$root/tests/corpus" "$tools" corpus >table 2>shares
	grep -q "^corpus/saxpy.cu	_Z5saxpyifPKfPf	yes" table
	grep -q "^corpus/gather.ptx	k	no	0	.*unsupported opcode 'tld4" table
	grep -q "^corpus/bad.cu	-	uncompiled	0	.*undeclared identifier 'nothing'" table
	grep -q '1 files do not compile' shares
}

@test "a corpus: what its Makefiles say, files that others include, headers that are missing" {
	command -v clang >/dev/null || skip "there is no clang here"
	mkdir -p corpus/made corpus/parts
	echo '__global__ void k(int *p) { *p = N; }' >corpus/made/k.cu
	printf 'k: k.cu\n\tnvcc -DN=3 k.cu -o k\n' >corpus/made/Makefile
	printf '#include "parts/part.cu"\nT f() { return 0; }\n' >corpus/whole.cu
	echo 'typedef int T; __global__ void part(T *p) { *p = 1; }' >corpus/parts/part.cu
	printf '#include <cufft.h>\n__global__ void\none(int *p);\n__global__ void one(int *p) {}\n' \
		>corpus/wants.cu
	printf '__global__ void wrong(int *p) { *p = nothing; }\n' >corpus/wrong.cu
	"$root/tests/corpus" "$tools" corpus >corpus.tsv 2>shares
	grep -q "^corpus/made/k.cu	_Z1kPi	yes" corpus.tsv
	grep -q "^corpus/whole.cu	_Z4partPi	yes" corpus.tsv
	! grep -q "^corpus/parts" corpus.tsv || false
	[ "$(grep -c "^corpus/wants.cu	one	library	0	.*'cufft.h' file not found" corpus.tsv)" = 1 ]
	"$root/tests/corpus" -s corpus.tsv >sums
	grep -qx 'corpus	2	1	3	2	0	1	66.7	1	1	0 of 0' sums
	grep -qx "1	uncompiled	error: use of undeclared identifier 'nothing'" sums
}

@test "programs of a corpus are built and run, and their own word is taken" {
	[ -z "${SAN:-}" ] || skip "a sanitized library wants sanitized programs"
	command -v clang >/dev/null || skip "there is no clang here"
	local name
	for name in right wrong; do
		mkdir "$name"
		cp "$root/tests/programs/saxpy.cu" "$name/main.cu"
		printf 'main: main.cu\n\tnvcc main.cu -o main\nrun: main\n\t./main 7 100\n' >"$name/Makefile"
	done
	sed -i 's/"PASSED"/"FAILED"/' wrong/main.cu
	mkdir endless bad
	echo 'int main(int n, char **v) { while (n == 2 && *v[1] == 49) ; return 3; }' >endless/main.c
	printf 'main: main.c\n\tnvcc main.c -o main\nrun: main\n\t./main 100\n' >endless/Makefile
	cp endless/Makefile bad
	cp -r endless wants
	echo 'int puts(const char *); int main() { return puts("Failed to open a.txt") < 0; }' >wants/main.c
	"$root/tests/corpus-run" -t 1 "$tools" right wrong endless bad wants >rows
	cut -f 1,2,4 rows >short
	[ "$(cat short)" = "$(printf '%s\t%s\t%s\n' folder result args right passed '7 1' \
		wrong failed '7 1' endless slow 1 bad unbuilt '' wants file 1)" ]
}
