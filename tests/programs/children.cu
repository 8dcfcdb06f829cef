/*
 * Kernels that launch kernels: templates, themselves, one that stands behind them; parameters of all
 * sizes, streams, shared memory, memory that one allocates and its child fills.
 */
#include <cstdio>

/* A launch in text: child<<<1, 1>>>(0); and a quote: ' " { */
static const char *const said = "child<<<1, 1>>>(0); { \" ";
static const char brace = '{', quote = '\''; /* kernel<<<1, 1>>>() { */

struct pair {
	char c;
	double d;
};

__global__ void later(int *v, int by);
__device__ int launches;

template <int N, class T> __global__ void child(char a, T *v, pair p, short s)
{
	extern __shared__ int shared[];
	shared[threadIdx.x] = a + s;
	__syncthreads();
	v[threadIdx.x + blockIdx.x * blockDim.x] =
		(T)(N + shared[blockDim.x - 1 - threadIdx.x] + p.c + p.d);
	if (threadIdx.x == 0)
		atomicAdd(&launches, 1);
}

__device__ void from_a_function(int *v)
{
	cudaStream_t stream;
	cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
	later<<<1, 8, 0, stream>>>(v, 5);
	cudaStreamDestroy(stream);
}

template <int N> __global__ void parent(int *v, float *f, int depth)
{
#if __CUDA_ARCH__ < 100000
	if (threadIdx.x == 0 && blockIdx.x == 0) {
#else
	if (threadIdx.x == 0) {
#endif
		pair p = {1, 0.5};
		child<N + 1, int><<<dim3(2), dim3(16), 16 * sizeof(int)>>>(2, v, p, 3);
		child<(N > 2), float>
			<<<1, 4, 4 * sizeof(int)>>>(1, f, p, (short)(depth ? 2 : 1));
		if (depth > 0)
			parent<N><<<1, 32>>>(v + 32, f + 4, depth - 1);
		else
			from_a_function(v + 32);
	}
}

__global__ void later(int *v, int by)
{
	v[threadIdx.x] = by + threadIdx.x;
	if (threadIdx.x == 0)
		atomicAdd(&launches, 100);
}

__global__ void fill(int *mine, int n, int *sum)
{
	for (int i = 0; i < n; i++)
		mine[i] = i;
	for (int i = 0; i < n; i++)
		atomicAdd(sum, mine[i]);
	cudaFree(mine);
}
__global__ void gives(int *sum)
{
	int *mine;
	if (cudaMalloc(&mine, 10 * sizeof(int)) == cudaSuccess)
		fill<<<1, 1>>>(mine, 10, sum);
	if (cudaGetLastError() != cudaSuccess)
		*sum = -1000;
}

int main()
{
	int *v, *sum, bad = said[0] != 'c' || brace != 123 || quote != 39, n;
	float *f;
	cudaMallocManaged(&v, 256 * sizeof(int));
	cudaMallocManaged(&f, 64 * sizeof(float));
	cudaMallocManaged(&sum, sizeof(int));
	*sum = 0;
	parent<3><<<2, 32>>>(v, f, 2);
	gives<<<1, 4>>>(sum);
	bad += cudaDeviceSynchronize() != cudaSuccess;
	for (int i = 0; i < 96; i++)
		bad += v[i] != 4 + 5 + 1; /* 10.5 */
	for (int i = 0; i < 8; i++)
		bad += v[96 + i] != 5 + i;
	for (int i = 0; i < 12; i++)
		bad += f[i] != 1 + (i < 8 ? 3 : 2) + 1.5f;
	bad += *sum != 4 * 45;
	cudaMemcpyFromSymbol(&n, launches, sizeof n);
	bad += n != 3 * 3 + 100;
	puts(bad ? "FAILED" : "PASSED");
	return bad != 0;
}
