/*
 * Microbenchmarks that machines of today are calibrated and checked by (MODEL.md, Machines of
 * today). The first three are measured on an H100, with the same names. kernels.ptx is clang's, by
 * the command for workloads in the Makefile, with -ffp-contract=off; results.tsv is of that text.
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

/*
 * The kernels of PolyBench/GPU whose times on an H100 are known: the same loops and the same shape
 * of threads, written anew. x is the fast dimension. A record of PTX runs in the order of the PTX,
 * so loads stand before their uses, where an assembler would put them.
 */
#define AT_X (blockIdx.x * blockDim.x + threadIdx.x)
#define AT_Y (blockIdx.y * blockDim.y + threadIdx.y)
#define LOADED(a, b, c) asm volatile("" : "+f"(a), "+f"(b), "+f"(c))

extern "C" __global__ void conv2d(const float *a, float *b, unsigned n)
{
	const unsigned j = AT_X, i = AT_Y;
	const float *p = a + (i - 1) * n + j - 1;
	float x[9];

	if (i == 0 || j == 0 || i >= n - 1 || j >= n - 1)
		return;
#pragma unroll
	for (int k = 0; k < 9; k++)
		x[k] = p[k / 3 * n + k % 3];
	asm volatile("" : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3]), "+f"(x[4]), "+f"(x[5]),
		"+f"(x[6]), "+f"(x[7]), "+f"(x[8]));
	b[i * n + j] = 0.2f * x[0] - 0.3f * x[3] + 0.4f * x[6] + 0.5f * x[1] + 0.6f * x[4] +
		       0.7f * x[7] - 0.8f * x[2] - 0.9f * x[5] + 0.1f * x[8];
}

/* A plane of the third dimension a launch. */
extern "C" __global__ void conv3d(const float *a, float *b, unsigned n, unsigned i)
{
	const unsigned k = AT_X, j = AT_Y, nn = n * n;
	const float *p = a + (i - 1) * nn + (j - 1) * n + k - 1;
	float x[11];

	if (j == 0 || k == 0 || j >= n - 1 || k >= n - 1)
		return;
	x[0] = p[0];
	x[1] = p[2 * nn];
	x[2] = p[1];
	x[3] = p[2 * nn + 1];
	x[4] = p[2];
	x[5] = p[2 * nn + 2];
	x[6] = p[n + 1];
	x[7] = p[nn + n + 1];
	x[8] = p[2 * nn + n + 1];
	x[9] = p[2 * n + 1];
	x[10] = p[nn + 2 * n + 2];
	asm volatile("" : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3]), "+f"(x[4]), "+f"(x[5]),
		"+f"(x[6]), "+f"(x[7]), "+f"(x[8]), "+f"(x[9]), "+f"(x[10]));
	b[i * nn + j * n + k] = 2.f * x[0] + 4.f * x[1] + 5.f * x[2] + 7.f * x[3] - 8.f * x[4] +
				10.f * x[5] - 3.f * x[6] + 6.f * x[7] - 9.f * x[8] + 2.f * x[9] +
				4.f * x[10];
}

extern "C" __global__ void gemm(
	const float *a, const float *b, float *c, unsigned n, float alpha, float beta)
{
	const unsigned j = AT_X, i = AT_Y;

	if (i >= n || j >= n)
		return;
	c[i * n + j] *= beta;
	for (unsigned k = 0; k < n; k++) {
		float x = a[i * n + k], y = b[k * n + j], z = c[i * n + j];

		LOADED(x, y, z);
		c[i * n + j] = z + alpha * x * y;
	}
}

extern "C" __global__ void mm(const float *a, const float *b, float *c, unsigned n)
{
	const unsigned j = AT_X, i = AT_Y;

	if (i >= n || j >= n)
		return;
	for (unsigned k = 0; k < n; k++) {
		float x = a[i * n + k], y = b[k * n + j], z = c[i * n + j];

		LOADED(x, y, z);
		c[i * n + j] = z + x * y;
	}
}

/* A row of the matrix a thread, or a column. */
extern "C" __global__ void rows(const float *a, const float *v, float *w, unsigned n)
{
	const unsigned i = AT_X;

	for (unsigned j = 0; i < n && j < n; j++) {
		float x = a[i * n + j], y = v[j], z = w[i];

		LOADED(x, y, z);
		w[i] = z + x * y;
	}
}

extern "C" __global__ void columns(const float *a, const float *v, float *w, unsigned n)
{
	const unsigned j = AT_X;

	for (unsigned i = 0; j < n && i < n; i++) {
		float x = a[i * n + j], y = v[i], z = w[j];

		LOADED(x, y, z);
		w[j] = z + x * y;
	}
}

extern "C" __global__ void gesummv(const float *a, const float *b, const float *v, float *w,
	float *tmp, unsigned n, float alpha, float beta)
{
	const unsigned i = AT_X;

	if (i >= n)
		return;
	for (unsigned j = 0; j < n; j++) {
		float x = a[i * n + j], y = v[j], z = tmp[i], p = b[i * n + j], q = w[i];

		LOADED(x, y, z);
		asm volatile("" : "+f"(p), "+f"(q));
		tmp[i] = z + x * y;
		w[i] = q + p * y;
	}
	w[i] = alpha * tmp[i] + beta * w[i];
}
