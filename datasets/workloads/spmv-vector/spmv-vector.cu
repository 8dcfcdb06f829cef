/*
 * y = A x in CSR, one row a warp, after SHOC's spmv_csr_vector (thesis, figure 5.2). The lanes of a
 * warp stride over the row and add up their sums in shared memory with no barrier: right only
 * where 32 threads run in lockstep. The vector is read through the texture cache.
 */
#include "cuda.h"

#define BLOCK_MAX 1024

extern "C" __global__ void spmv_vector(const float *val, const int *col, const int *row,
	const float *x, float *y, int rows)
{
	__shared__ volatile float partial[BLOCK_MAX];
	int t = threadIdx.x, lane = t & (warpSize - 1);
	int warps = blockDim.x / warpSize;
	int r = blockIdx.x * warps + t / warpSize;

	if (r < rows) {
		float sum = 0;
		int end = row[r + 1];
		for (int j = row[r] + lane; j < end; j += warpSize)
			sum += val[j] * __ldg(&x[col[j]]);
		partial[t] = sum;

		if (lane < 16)
			partial[t] = partial[t] + partial[t + 16];
		if (lane < 8)
			partial[t] = partial[t] + partial[t + 8];
		if (lane < 4)
			partial[t] = partial[t] + partial[t + 4];
		if (lane < 2)
			partial[t] = partial[t] + partial[t + 2];
		if (lane < 1)
			partial[t] = partial[t] + partial[t + 1];

		asm volatile("" : "+r"(lane)); /* or the compiler joins the two branches around it */
		if (lane == 0)
			y[r] = partial[t];
	}
}
