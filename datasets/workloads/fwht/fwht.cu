/*
 * Fast Walsh-Hadamard transform after the CUDA SDK's fastWalshTransform: passes of radix 4 over
 * global memory, four elements a thread, until a piece fits in shared memory; a block transforms
 * each piece there. A third kernel multiplies two transforms.
 */
#include "cuda.h"

WL_INLINE void butterfly(float *out, const float *in, int i, int stride)
{
	float a = in[i], b = in[i + stride], c = in[i + 2 * stride], d = in[i + 3 * stride];
	float ac = a + c, bd = b + d;

	out[i] = ac + bd;
	out[i + stride] = ac - bd;
	ac = a - c;
	bd = b - d;
	out[i + 2 * stride] = ac + bd;
	out[i + 3 * stride] = ac - bd;
}

/* Pieces of 2^log2n elements, each for a block of a quarter as many threads. */
extern "C" __global__ void fwht_shared(float *out, const float *in, int log2n)
{
	extern __shared__ float s[];
	int n = 1 << log2n, t = threadIdx.x, base = blockIdx.x << log2n;

	for (int i = t; i < n; i += blockDim.x)
		s[i] = in[base + i];
	for (int stride = n >> 2; stride > 0; stride >>= 2) {
		int low = t & (stride - 1);
		__syncthreads();
		butterfly(s, s, ((t - low) << 2) + low, stride);
	}
	if (log2n & 1) {
		__syncthreads();
		for (int i = t; i < n / 2; i += blockDim.x) {
			float a = s[2 * i], b = s[2 * i + 1];
			s[2 * i] = a + b;
			s[2 * i + 1] = a - b;
		}
	}
	__syncthreads();
	for (int i = t; i < n; i += blockDim.x)
		out[base + i] = s[i];
}

/* One pass over pieces of 4 * stride elements, by a quarter as many threads as elements in all. */
extern "C" __global__ void fwht_global(float *out, const float *in, int stride)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x, low = t & (stride - 1);

	butterfly(out, in, ((t - low) << 2) + low, stride);
}

extern "C" __global__ void modulate(float *a, const float *b, int n)
{
	int threads = blockDim.x * gridDim.x;
	float scale = 1.0f / (float)n;

	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
		a[i] *= b[i] * scale;
}
