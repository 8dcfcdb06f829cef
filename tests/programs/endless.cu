/*
 * Kernels that do not end, by the argument: loops without an exit that write or do nothing, one whose
 * flag nobody sets, one that counts for longer than anybody waits, functions that call themselves for ever or as deep as no stack is.
 */
#include <cstdio>
#include <cstring>

__device__ __noinline__ int for_ever(int *v, int n)
{
	v[n & 3] = n;
	return for_ever(v, n + 1) * 3 + v[n & 1];
}

__device__ __noinline__ int deep(int *v, int n)
{
	v[n & 3] = n;
	return n < 0 ? 1 : deep(v, n + 1) * 3 + deep(v, n + 2);
}

__global__ void writes(volatile int *v)
{
	for (;;)
		*v = 1;
}

__global__ void idles(int *)
{
	for (;;)
		asm volatile("" ::: "memory");
}

__global__ void waits(volatile int *v)
{
	while (!*v)
		;
}

__global__ void counts(volatile int *v)
{
	unsigned long long n = 1;

	while (!*v && n)
		n += 2;
}

__global__ void recurses(int *v)
{
	*v = for_ever(v, 1);
}

__global__ void descends(int *v)
{
	*v = deep(v, 1);
}

int main(int, char **argv)
{
	int *v;

	cudaMalloc(&v, 16);
	cudaMemset(v, 0, 16);
	if (!strcmp(argv[1], "writes"))
		writes<<<1, 32>>>(v);
	else if (!strcmp(argv[1], "idles"))
		idles<<<1, 32>>>(v);
	else if (!strcmp(argv[1], "waits"))
		waits<<<1, 32>>>(v);
	else if (!strcmp(argv[1], "counts"))
		counts<<<1, 32>>>(v);
	else if (!strcmp(argv[1], "recurses"))
		recurses<<<1, 32>>>(v);
	else
		descends<<<1, 32>>>(v);
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
