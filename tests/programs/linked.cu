/*
 * Device code in two files: a function, a kernel and variables of the other one, a function of the
 * same name in both, and one template's instance in both. Checked by the sum on the host.
 */
#include "linked.h"
#include <cstdio>

__device__ int total;
__device__ int scale[4] = {1, 2, 3, 4};

static __device__ __noinline__ int half(int v)
{
	return v / 2;
}

__global__ void add(int n)
{
	const int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		atomicAdd(&total, weigh(i) + half(twice(i)));
}

int main()
{
	int sum, want = 0;

	add<<<2, 64>>>(100);
	halves<<<1, 32>>>();
	cudaMemcpyFromSymbol(&sum, total, sizeof(sum));
	for (int i = 0; i < 100; i++)
		want += (i % 4 + 1) * i + i;
	want += 2 * 200;
	puts(cudaGetErrorString(cudaDeviceSynchronize()));
	puts(sum == want ? "PASSED" : "FAILED");
	return sum != want;
}
