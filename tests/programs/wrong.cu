/* What --memcheck finds: shared memory that nothing wrote, a write past an end, a crooked address. */
#include <cstdio>

__global__ void wrong(int *v, int n)
{
	__shared__ int s[64];
	const int i = threadIdx.x;

	if (i < 32)
		s[i] = i;
	__syncthreads();
	v[i] = s[i];
	if (i == 5)
		v[n + i] = 1;
	if (i == 7)
		*(int *)((char *)v + 2) = 3;
}

int main()
{
	int *v, h[64];

	cudaMalloc(&v, sizeof(h));
	for (int k = 0; k < 2; k++)
		wrong<<<1, 64>>>(v, 64);
	cudaMemcpy(h, v, sizeof(h), cudaMemcpyDeviceToHost);
	printf("%d %d %s\n", h[0], h[31], cudaGetErrorString(cudaGetLastError()));
	return 0;
}
