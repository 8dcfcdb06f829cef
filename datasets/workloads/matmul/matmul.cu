/* C = A B by 16 x 16 tiles in shared memory, after the CUDA SDK's matrixMul. */
#include "cuda.h"

#define TILE 16

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int wa,
	int wb)
{
	__shared__ float as[TILE][TILE], bs[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y;
	int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
	float sum = 0;

	for (int t = 0; t < wa; t += TILE) {
		as[ty][tx] = a[row * wa + t + tx];
		bs[ty][tx] = b[(t + ty) * wb + col];
		__syncthreads();
		for (int k = 0; k < TILE; k++)
			sum += as[ty][k] * bs[k][tx];
		__syncthreads();
	}
	c[row * wb + col] = sum;
}
