/*
 * Exclusive prefix sum by Blelloch's work-efficient tree in shared memory, after the CUDA SDK's
 * scan of large arrays: two elements a thread, padded against bank conflicts; the blocks' sums are
 * scanned in turn and added back. Half of the threads fall idle at each level.
 */
#include "cuda.h"

#define PADDED(i) ((i) + ((i) >> 4))

extern "C" __global__ void scan_blocks(const unsigned *in, unsigned *out, unsigned *sums, int n)
{
	extern __shared__ unsigned s[]; /* PADDED(2 * threads) */
	int t = threadIdx.x, threads = blockDim.x, last = 2 * threads - 1;
	int a = 2 * threads * blockIdx.x + t, b = a + threads;
	int stride = 1;

	if (a < n)
		s[PADDED(t)] = in[a];
	else
		s[PADDED(t)] = 0;
	if (b < n)
		s[PADDED(t + threads)] = in[b];
	else
		s[PADDED(t + threads)] = 0;

	for (int d = threads; d > 0; d >>= 1) {
		__syncthreads();
		if (t < d) {
			int i = stride * (2 * t + 1) - 1, j = i + stride;
			s[PADDED(j)] += s[PADDED(i)];
		}
		stride *= 2;
	}
	if (t == 0) {
		sums[blockIdx.x] = s[PADDED(last)];
		s[PADDED(last)] = 0;
	}
	for (int d = 1; d <= threads; d *= 2) {
		stride >>= 1;
		__syncthreads();
		if (t < d) {
			int i = stride * (2 * t + 1) - 1, j = i + stride;
			unsigned left = s[PADDED(i)];
			s[PADDED(i)] = s[PADDED(j)];
			s[PADDED(j)] += left;
		}
	}
	__syncthreads();

	if (a < n)
		out[a] = s[PADDED(t)];
	if (b < n)
		out[b] = s[PADDED(t + threads)];
}

extern "C" __global__ void uniform_add(unsigned *out, const unsigned *sums, int n)
{
	__shared__ unsigned sum;
	int t = threadIdx.x, threads = blockDim.x;
	int a = 2 * threads * blockIdx.x + t, b = a + threads;

	if (t == 0)
		sum = sums[blockIdx.x];
	__syncthreads();
	if (a < n)
		out[a] += sum;
	if (b < n)
		out[b] += sum;
}
