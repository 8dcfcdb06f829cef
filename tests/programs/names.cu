/* Headers by the names that programs ask for, and the functions and classes that they bring. */
#include <cuda_awbarrier.h>
#include <cuda_awbarrier_helpers.h>
#include <cuda_awbarrier_primitives.h>
#include <cuda_bf16.hpp>
#include <cuda_fp16.hpp>
#include <device_double_functions.h>
#include <nvfunctional>
#include <sm_20_intrinsics.h>
#include <sm_32_atomic_functions.h>
#include <sm_35_atomic_functions.h>
#include <sm_61_intrinsics.h>
#include <surface_indirect_functions.h>
#include <vector_functions.hpp>
#include <cstdio>

enum { N = 128 };

/* What one of each kind gives: a function's address, small and large functors, a copy, none. */
static __host__ __device__ int twice(int x)
{
	return 2 * x;
}
struct large {
	int add[9];
	__host__ __device__ int operator()(int x) const { return x + add[8]; }
};
static __host__ __device__ int of_functions(int x)
{
	nvstd::function<int(int)> f = twice, g, h(nullptr);
	const large l = {{0, 0, 0, 0, 0, 0, 0, 0, 1000}};
	int calls = 0, sum = 0;
	const nvstd::function<void(int)> add = [&sum](int y) { return sum += y; };

	add(f(x));
	if (f == nullptr || g || h != nullptr)
		return -1;
	f = l;
	g = f;
	h = [&calls, x](int y) { return ++calls * 100000 + x - y; };
	f = nullptr;
	sum += g(x);
	swap(g, h);
	sum += g(1);
	h = g;
	sum += h(1);
	g = (int (*)(int))nullptr;
	return f || g ? -2 : sum;
}
__global__ void functions(int *out)
{
	out[threadIdx.x] = of_functions((int)threadIdx.x);
}

/* Each thread writes before a barrier, and after it reads what one of another warp wrote. */
__global__ void primitives(int *out)
{
	__shared__ __mbarrier_t b;
	__shared__ int a[N];
	const int t = (int)threadIdx.x;
	int sum = 0;

	if (t == 0)
		__mbarrier_init(&b, N);
	__syncthreads();
	for (int r = 1; r <= 3; r++) {
		a[t] = r * t;
		__mbarrier_token_t token = __mbarrier_arrive(&b);
		while (!__mbarrier_test_wait(&b, token))
			;
		sum += a[(t + 33) % N];
		token = __mbarrier_arrive(&b);
		while (!__mbarrier_try_wait(&b, token, 1000))
			;
	}
	/* Half of them go; the others are all that it waits for. */
	if (t >= N / 2) {
		__mbarrier_arrive_and_drop(&b);
	} else {
		__mbarrier_arrive(&b);
		while (!__mbarrier_test_wait_parity(&b, false))
			;
		__mbarrier_arrive(&b);
		while (!__mbarrier_try_wait_parity(&b, true, 1000))
			;
	}
	__syncthreads();
	if (t == 0)
		__mbarrier_inval(&b);
	out[t] = sum + (__mbarrier_maximum_count() == 1048575);
}
/* Eight bytes are all that it has, and what is behind them is the program's. */
static_assert(sizeof(__mbarrier_t) == 8 && sizeof(nvcuda::experimental::awbarrier) == 8, "");
__global__ void beside(int *out)
{
	extern __shared__ unsigned long long all[];
	__mbarrier_t *const b = (__mbarrier_t *)all;
	int *const a = (int *)(all + 1);
	const int t = (int)threadIdx.x;
	int sum = 0;

	a[t] = 0;
	if (t == 0)
		__mbarrier_init(b, N);
	__syncthreads();
	for (int r = 1; r <= 3; r++) {
		a[t] += r * t;
		for (int again = 0; again < 2; again++) {
			const __mbarrier_token_t token = __mbarrier_arrive(b);
			while (!__mbarrier_test_wait(b, token))
				;
			if (!again)
				sum = a[(t + 33) % N];
		}
	}
	out[t] = sum + 1;
}
__global__ void classes(int *out)
{
	__shared__ nvcuda::experimental::awbarrier b;
	__shared__ int a[N];
	const int t = (int)threadIdx.x;
	int sum = 0;

	if (t == 0)
		init(&b, N);
	__syncthreads();
	for (int r = 1; r <= 3; r++) {
		a[t] = r * t;
		const auto token = b.arrive();
		while (!b.timed_wait(token, 10))
			;
		sum += a[(t + 33) % N];
		b.arrive_and_wait();
	}
	out[t] = sum + (b.max() == 1048575);
}

__global__ void products(int *out)
{
	out[0] = __dp4a(0x01020304, (int)0xff010203, 7); /* -1 + 2 + 6 + 12 + 7 */
	out[1] = (int)__dp4a(0x01020304u, 0xff010203u, 7u); /* 255 + 2 + 6 + 12 + 7 */
	out[2] = __dp2a_lo(0x0002ffff, 0x0102fd05, 1); /* -1 * 5 + 2 * -3 + 1 */
	out[3] = __dp2a_hi(make_short2(-1, 2), make_char4(5, -3, 2, 1), 1); /* -2 + 2 + 1 */
}

int main()
{
	int *out, bad = 0;

	cudaMallocManaged(&out, N * sizeof(*out));
	functions<<<1, N>>>(out);
	bad += cudaDeviceSynchronize() != cudaSuccess;
	for (int i = 0; i < N; i++) {
		const int want = 2 * i + i + 1000 + 100000 + i - 1 + 200000 + i - 1;
		bad += out[i] != want || of_functions(i) != want;
	}
	for (auto kernel : {primitives, classes, beside}) {
		kernel<<<1, N, 8 + N * sizeof(int)>>>(out);
		bad += cudaDeviceSynchronize() != cudaSuccess;
		for (int i = 0; i < N; i++)
			bad += out[i] != 6 * ((i + 33) % N) + 1;
	}
	products<<<1, 1>>>(out);
	bad += cudaDeviceSynchronize() != cudaSuccess;
	bad += out[0] != 26 || out[1] != 282 || out[2] != -10 || out[3] != 1;
	printf("%s\n", bad ? "FAILED" : "PASSED");
	return bad != 0;
}
