/*
 * Microbenchmarks that machines of today are calibrated and checked by (MODEL.md, Machines of
 * today). The first three are measured on an H100, with the same names.
 */
#include "cuda.h"

extern "C" __global__ void empty(void)
{
}

/* Chains of 128 dependent multiply-adds, in a loop of so many. */
extern "C" __global__ void ffma(float *out, float x, int iters)
{
	float a = x;

	for (int i = 0; i < iters; i++) {
#pragma unroll
		for (int k = 0; k < 128; k++)
			a = __builtin_fmaf(a, x, x);
	}
	if (a == 1.5f)
		*out = a;
}

extern "C" __global__ void vectoradd(const float *a, const float *b, float *c, unsigned n)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		c[i] = a[i] + b[i];
}

/*
 * Each load waits for the one before it, whose value, a zero, is added to its address: the latency
 * of a load is the time of a step less that of one addition. Addresses repeat after mask.
 */
extern "C" __global__ void chase(const char *a, ull stride, ull mask, int n, ull *out)
{
	ull at = 0;

	for (ull i = 0; i < (ull)n; i += 16) {
#pragma unroll
		for (int k = 0; k < 16; k++)
			at = *(const ull *)(a + ((i + k) * stride & mask) + at);
	}
	*out = at;
}

extern "C" __global__ void chase_shared(int n, ull *out)
{
	__shared__ unsigned zero[32];
	unsigned at = 0;

	zero[threadIdx.x] = 0;
	__syncthreads();
	for (int i = 0; i < n; i += 16) {
#pragma unroll
		for (int k = 0; k < 16; k++)
			at = *(volatile unsigned *)((char *)zero + at);
	}
	*out = at;
}
