/* Barriers in memory and pipelines: halves of a barrier, copies that it waits for, stages. */
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/functional>
#include <cuda/std/type_traits>

namespace cg = cooperative_groups;
typedef cuda::barrier<cuda::thread_scope_block> block_barrier;

#define N 128 /* threads of a block */

/* Each round everybody writes, arrives, and reads what another warp wrote once all have. */
__global__ void rounds(int *out)
{
	__shared__ block_barrier written, read;
	__shared__ int a[N];
	const int t = (int)threadIdx.x;
	int sum = 0;

	if (t == 0) {
		init(&written, N);
		init(&read, N);
	}
	__syncthreads();
	for (int r = 0; r < 5; r++) {
		a[t] = r * N + t;
		block_barrier::arrival_token token = written.arrive();
		sum *= 3;
		written.wait(std::move(token));
		sum += a[(t + 33) % N];
		read.arrive_and_wait();
	}
	out[t] = sum;
}

/* One warp waits for seven others that it does not keep; two arrivals by one thread count twice. */
__global__ void last(int *out)
{
	__shared__ block_barrier b;
	__shared__ int n;
	if (threadIdx.x == 0) {
		n = 0;
		init(&b, 64 + 32);
	}
	__syncthreads();
	if (threadIdx.x < 96) {
		atomicAdd(&n, 1);
		if (threadIdx.x >= 32 && threadIdx.x < 64)
			(void)b.arrive(2);
		else if (threadIdx.x < 64)
			(void)b.arrive();
		else
			b.arrive_and_drop();
		return;
	}
	b.wait_parity(false);
	if (threadIdx.x == 96)
		*out = n;
}

struct count {
	int *rounds;
	__device__ void operator()() const { ++*rounds; }
};
typedef cuda::barrier<cuda::thread_scope_device, count> device_barrier;
__device__ int turns;

/* A barrier of all blocks, with something that one thread does each time. */
__global__ void everywhere(int *v, device_barrier *whole)
{
	cg::grid_group grid = cg::this_grid();
	const int i = (int)grid.thread_rank(), n = (int)grid.size();
	if (i == 0)
		init(whole, gridDim.x, count{&turns});
	grid.sync();
	for (int r = 1; r < n; r *= 2) {
		v[i] = i * r;
		__syncthreads();
		if (threadIdx.x == 0)
			whole->arrive_and_wait();
		__syncthreads();
		if (v[(i + 70) % n] != (i + 70) % n * r)
			atomicAdd(&turns, 1000);
		grid.sync();
	}
}

/* Copies of each thread, and of the block, which a barrier's phase includes. */
__global__ void copied(const int *in, int *out)
{
	__shared__ block_barrier b;
	__shared__ alignas(16) int a[4 * N];
	__shared__ alignas(int4) int whole[N];
	const int t = (int)threadIdx.x;
	auto block = cg::this_thread_block();
	if (t == 0)
		init(&b, N);
	__syncthreads();
	cuda::memcpy_async(&a[4 * t], in + 4 * t, cuda::aligned_size_t<16>(16), b);
	cuda::memcpy_async(block, whole, in + 1, sizeof whole, b);
	b.arrive_and_wait();
	const int u = (t + 40) % N;
	static_assert(cuda::std::is_same<decltype(u), const int>::value, "int");
	out[t] = cuda::std::identity()(a[4 * u]) + 2 * a[4 * u + 3] + 5 * whole[u];
}

/* A thread's own stages. */
__global__ void own(const int *in, int *out)
{
	__shared__ int a[2][N];
	cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
	const int t = (int)threadIdx.x;
	int sum = 0;
	for (int s = 0, next = 0; s < 6; s++) {
		for (; next < 6 && next < s + 2; next++) {
			pipe.producer_acquire();
			cuda::memcpy_async(&a[next % 2][t], in + next * N + t, sizeof(int), pipe);
			pipe.producer_commit();
		}
		pipe.consumer_wait();
		sum = 3 * sum + a[s % 2][t];
		pipe.consumer_release();
	}
	out[t] = sum;
}

/* Stages of the block: all threads copy and use, or the last warp copies and the others use. */
template <bool roles> __global__ void shared(const int *in, int *out)
{
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
	__shared__ int a[2][N];
	auto block = cg::this_thread_block();
	const int t = (int)threadIdx.x;
	const bool copies = !roles || t >= N - 32, uses = !roles || t < N - 32;
	auto pipe = roles ? cuda::make_pipeline(block, &state,
				    copies ? cuda::pipeline_role::producer
					   : cuda::pipeline_role::consumer)
			  : cuda::make_pipeline(block, &state);
	int sum = 0;
	for (int s = 0, next = 0; s < 6; s++) {
		for (; copies && next < 6 && next < s + (roles ? 1 : 2); next++) {
			pipe.producer_acquire();
			for (int i = roles ? t - (N - 32) : t; i < N; i += roles ? 32 : N)
				cuda::memcpy_async(&a[next % 2][i], in + next * N + i, sizeof(int), pipe);
			pipe.producer_commit();
		}
		if (uses) {
			pipe.consumer_wait();
			sum = 3 * sum + a[s % 2][(t + 50) % N];
			pipe.consumer_release();
		}
	}
	out[t] = uses ? sum : -1;
}

static int stages(const int *in, int at)
{
	int sum = 0;
	for (int s = 0; s < 6; s++)
		sum = 3 * sum + in[s * N + at];
	return sum;
}

int main()
{
	int *in, *out, bad = 0, n;
	cudaMallocManaged(&in, 1024 * sizeof(int));
	cudaMallocManaged(&out, 1024 * sizeof(int));
	for (int i = 0; i < 1024; i++)
		in[i] = i * i % 1009;

	rounds<<<1, N>>>(out);
	cudaDeviceSynchronize();
	for (int t = 0; t < N; t++) {
		int sum = 0;
		for (int r = 0; r < 5; r++)
			sum = sum * 3 + r * N + (t + 33) % N;
		bad += out[t] != sum;
	}

	last<<<1, N>>>(out);
	cudaDeviceSynchronize();
	bad += *out != 96;

	void *whole, *args[] = {&out, &whole};
	cudaMalloc(&whole, sizeof(device_barrier));
	bad += cudaLaunchCooperativeKernel((void *)everywhere, dim3(8), dim3(64), args, 0, 0) != 0;
	bad += cudaDeviceSynchronize() != 0;
	cudaMemcpyFromSymbol(&n, turns, sizeof n);
	bad += n != 9; /* 512 threads */

	copied<<<1, N>>>(in, out);
	cudaDeviceSynchronize();
	for (int t = 0; t < N; t++) {
		const int u = (t + 40) % N;
		bad += out[t] != in[4 * u] + 2 * in[4 * u + 3] + 5 * in[1 + u];
	}

	own<<<1, N>>>(in, out);
	cudaDeviceSynchronize();
	for (int t = 0; t < N; t++)
		bad += out[t] != stages(in, t);
	shared<false><<<1, N>>>(in, out);
	cudaDeviceSynchronize();
	for (int t = 0; t < N; t++)
		bad += out[t] != stages(in, (t + 50) % N);
	shared<true><<<1, N>>>(in, out);
	cudaDeviceSynchronize();
	for (int t = 0; t < N; t++)
		bad += out[t] != (t < N - 32 ? stages(in, (t + 50) % N) : -1);
	puts(bad ? "FAILED" : "PASSED");
	return bad != 0;
}
