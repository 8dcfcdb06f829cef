/* The other file of managed.cu. */
#include "managed.h"

__global__ void add(int n)
{
	atomicAdd(&count, n);
	table[threadIdx.x] = threadIdx.x + 1;
}

bool other_sees(int n)
{
	return count == n && table[1] != 0;
}

void other_adds(int n)
{
	add<<<1, WORDS>>>(n);
	cudaDeviceSynchronize();
}
