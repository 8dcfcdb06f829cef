/*
 * Managed variables in device code of several files: one file's are used by the other ones' host and
 * device code, have their first values before any launch, and keep what the host wrote by then.
 */
#include "managed.h"
#include <cstdio>

__managed__ int count = 7;
__managed__ double table[WORDS] = {0.5, 1.5};
static __managed__ int *own;

__global__ void scale(double by)
{
	table[threadIdx.x] *= by;
	note(own[threadIdx.x]);
}

int main()
{
	bool good = count == 7 && other_sees(7) && table[0] == 0.5 && table[1] == 1.5;

	cudaMallocManaged(&own, WORDS * sizeof(int));
	for (int i = 0; i < WORDS; i++)
		own[i] = i;
	table[2] = 2.5;
	table[3] = 3.5;
	count = 100;
	scale<<<1, WORDS>>>(2);
	cudaDeviceSynchronize();
	good = good && count == 100 + WORDS * (WORDS - 1) / 2 && other_sees(count);
	for (int i = 0; i < WORDS; i++)
		good = good && table[i] == (i < 4 ? 2 * i + 1 : 0);
	count = 1;
	other_adds(5);
	good = good && count == 1 + WORDS * 5 && table[WORDS - 1] == WORDS;
	int read;
	good = good && !cudaMemcpyFromSymbol(&read, count, sizeof(read)) && read == count;
	puts(cudaGetErrorString(cudaDeviceSynchronize()));
	puts(good ? "PASSED" : "FAILED");
	return !good;
}
