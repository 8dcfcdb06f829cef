/*
 * Gaussian elimination without pivoting after Rodinia's gaussian, two kernels a column t: the
 * multipliers of the rows below t, then these rows less their multiple of row t. The second has a
 * thread for each element, with rows along x: lanes that are neighbours read a column, a row
 * apart. Threads beyond what is left of the matrix leave at once.
 */
#include "cuda.h"

extern "C" __global__ void fan1(float *m, const float *a, int n, int t)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;

	if (x >= n - 1 - t)
		return;
	m[n * (x + t + 1) + t] = a[n * (x + t + 1) + t] / a[n * t + t];
}

extern "C" __global__ void fan2(const float *m, float *a, float *b, int n, int t)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x >= n - 1 - t)
		return;
	asm volatile("" : "+r"(y)); /* or the compiler joins the two branches around it */
	if (y >= n - t)
		return;
	a[n * (x + 1 + t) + y + t] -= m[n * (x + 1 + t) + t] * a[n * t + y + t];
	if (y == 0)
		b[x + 1 + t] -= m[n * (x + 1 + t) + y + t] * b[t];
}
