/*
 * One kernel waits for another that it launched, which is refused when it is launched; the others run.
 * What it says is the error of the one and what the other two wrote.
 */
#include <cstdio>

__global__ void child(int *p)
{
	*p = 1;
}
__global__ void waits(int *p)
{
	*p = 7;
	child<<<1, 1>>>(p);
	cudaDeviceSynchronize();
}
__global__ void launches(int *p)
{
	child<<<1, 1>>>(p);
}

int main()
{
	int *p;

	cudaMallocManaged(&p, sizeof(*p));
	*p = 0;
	launches<<<1, 1>>>(p);
	if (cudaDeviceSynchronize())
		return 1;
	waits<<<1, 1>>>(p);
	const cudaError_t e = cudaGetLastError();
	printf("%s, %d\n", cudaGetErrorString(e), *p);
	return e == cudaSuccess;
}
