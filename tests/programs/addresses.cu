/*
 * The runtime's functions that kernels may call as well: each is one function, whose address has a
 * type, and calls of it by either side do what they do there.
 */
#include <cstdio>
#include <cstring>
#include <memory>

template <class F> static bool takes(F f)
{
	return f != nullptr;
}
#define ADDRESS(f) takes<decltype(&f)>(&f)

__global__ void child(int *p)
{
	*p = 3;
}
__global__ void calls(int *p)
{
	int *q;
	cudaStream_t s;

	p[0] = cudaMalloc(&q, sizeof(*q)) != cudaSuccess;
	*q = 5;
	p[0] += cudaMemcpyAsync(p + 1, q, sizeof(*q), cudaMemcpyDeviceToDevice) != cudaSuccess;
	p[0] += cudaFree(q) != cudaSuccess;
	p[0] += cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) != cudaSuccess;
	child<<<1, 1, 0, s>>>(p + 2);
	p[0] += cudaStreamDestroy(s) != cudaSuccess;
	p[0] += cudaGetLastError() != cudaSuccess || cudaPeekAtLastError() != cudaSuccess;
	p[3] = cudaGetErrorName(cudaErrorInvalidValue)[9];
	p[4] = cudaGetErrorString(cudaErrorInvalidValue)[0];
}

int main()
{
	int bad = 0, *p;

	bad += !ADDRESS(cudaFree) || !ADDRESS(cudaMemcpyAsync) || !ADDRESS(cudaDeviceSynchronize);
	bad += !ADDRESS(cudaStreamDestroy) || !ADDRESS(cudaStreamCreateWithFlags);
	bad += !ADDRESS(cudaGetLastError) || !ADDRESS(cudaPeekAtLastError);
	bad += !ADDRESS(cudaGetErrorString) || !ADDRESS(cudaGetErrorName);
	cudaError_t (*allocates)(void **, size_t) = cudaMalloc;
	bad += allocates((void **)&p, 64) != cudaSuccess;
	{
		std::unique_ptr<int, decltype(&cudaFree)> owned(p, &cudaFree);
	}
	bad += cudaFree(p) != cudaErrorInvalidValue; /* it is gone */
	bad += cudaGetLastError() != cudaErrorInvalidValue || cudaPeekAtLastError() != cudaSuccess;
	cudaMallocManaged(&p, 64);
	calls<<<1, 1>>>(p);
	bad += cudaDeviceSynchronize() != cudaSuccess;
	bad += p[0] || p[1] != 5 || p[2] != 3 || p[3] != 'I' || p[4] != 'i';
	bad += strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") != 0;
	printf("%s\n", bad ? "FAILED" : "PASSED");
	return bad != 0;
}
