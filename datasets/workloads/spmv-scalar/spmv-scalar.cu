/*
 * y = A x in CSR, one row a thread, after SHOC's spmv_csr_scalar (thesis, figure 5.1). The vector
 * is read through the texture cache.
 */
#include "cuda.h"

extern "C" __global__ void spmv_scalar(const float *val, const int *col, const int *row,
	const float *x, float *y, int rows)
{
	int r = blockIdx.x * blockDim.x + threadIdx.x;

	if (r < rows) {
		float sum = 0;
		int end = row[r + 1];
		for (int j = row[r]; j < end; j++)
			sum += val[j] * __ldg(&x[col[j]]);
		y[r] = sum;
	}
}
