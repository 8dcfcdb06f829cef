/*
 * What headers such as Thrust's and CUB's ask of the runtime's: every error's name, on the host's
 * side the names of launches from kernels, in functions of the device that nobody calls, for
 * which device the PTX is, and addresses within a space.
 */
#include <cstdio>
#include <cstring>

#if !defined(__CUDA_ARCH__) || defined(__CUDACC_RDC__)
#define LAUNCHES 1
#else
#define LAUNCHES 0
#endif

template <class K> __device__ cudaError_t launch_from_device(K k, int *p)
{
#if LAUNCHES
	void *parameters = cudaGetParameterBuffer(64, sizeof(p));
	memcpy(parameters, &p, sizeof(p));
	cudaError_t e = cudaLaunchDevice((void *)k, parameters, dim3(1), dim3(32), 0, 0);
	return e ? e : __cudaDeviceSynchronizeDeprecationAvoidance();
#else
	return cudaErrorNotSupported;
#endif
}

__global__ void fill(int *p)
{
	p[threadIdx.x] = threadIdx.x;
}

template <class K> __host__ __device__ __forceinline__ cudaError_t launch(K k, int *p)
{
#ifdef __CUDA_ARCH__
	return launch_from_device(k, p);
#else
	k<<<1, 32>>>(p);
	return cudaPeekAtLastError();
#endif
}

__global__ void asks(int *p, int *answer)
{
	*answer = launch((void (*)(int *))nullptr, p);
#ifdef __CUDA_ARCH__
	p[0] = __CUDA_ARCH__ / 10;
#endif
}

/* What a kernel says of an error is what the host says. */
__global__ void says(char *to, cudaError_t e)
{
	for (const char *from : {cudaGetErrorName(e), ": ", cudaGetErrorString(e)})
		while (*from)
			*to++ = *from++;
	*to = 0;
	assert(e != cudaSuccess);
}

/* A shared word by its address in shared memory, and by the generic one made of that again. */
__global__ void spaces(int *p)
{
	__shared__ int word;
	int by_assembly;

	word = 42;
	const size_t at = __cvta_generic_to_shared(&word);
	asm volatile("ld.shared.u32 %0, [%1];" : "=r"(by_assembly) : "r"((unsigned)at) : "memory");
	p[0] = by_assembly;
	p[1] = *(volatile int *)__cvta_shared_to_generic(at);
	*(volatile int *)__cvta_global_to_generic(__cvta_generic_to_global(p + 2)) = 43;
}

static const struct {
	cudaError_t e;
	const char *name;
} errors[] = {
#define NAMED(e) {e, #e}
	NAMED(cudaErrorTextureNotBound),
	NAMED(cudaErrorPriorLaunchFailure),
	NAMED(cudaErrorLaunchFileScopedSurf),
	NAMED(cudaErrorIncompatibleDriverContext),
	NAMED(cudaErrorAlreadyMapped),
	NAMED(cudaErrorECCUncorrectable),
	NAMED(cudaErrorSharedObjectInitFailed),
	NAMED(cudaErrorTooManyPeers),
	NAMED(cudaErrorSystemDriverMismatch),
	NAMED(cudaErrorCapturedEvent),
	NAMED(cudaErrorTimeout),
};

int main()
{
	int *p, *answer, bad = 0;

	for (const auto &e : errors)
		bad += strcmp(cudaGetErrorName(e.e), e.name) != 0;
	cudaMallocManaged(&p, 32 * sizeof(*p));
	cudaMallocManaged(&answer, sizeof(*answer));
	bad += launch(fill, p) != cudaSuccess;
	asks<<<1, 1>>>(p, answer);
	bad += cudaDeviceSynchronize() != cudaSuccess || *answer != cudaErrorNotSupported;
	for (int i = 1; i < 32; i++)
		bad += p[i] != i;
	cudaFuncAttributes a;
	bad += cudaFuncGetAttributes(&a, fill) != cudaSuccess || a.ptxVersion != p[0];
	spaces<<<1, 1>>>(p);
	bad += cudaDeviceSynchronize() != cudaSuccess || p[0] != 42 || p[1] != 42 || p[2] != 43;
	char *text, want[200];
	cudaMallocManaged(&text, sizeof(want));
	for (const auto &e : errors) {
		says<<<1, 1>>>(text, e.e);
		snprintf(want, sizeof(want), "%s: %s", e.name, cudaGetErrorString(e.e));
		bad += cudaDeviceSynchronize() != cudaSuccess || strcmp(text, want);
	}
	/* CUDA 13's places instead of numbers. */
	const cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
	const cudaMemLocation host = {cudaMemLocationTypeHost, 0};
	bad += cudaMemPrefetchAsync(p, 32, device, 0, 0) != cudaSuccess;
	bad += cudaMemAdvise(p, 32, cudaMemAdviseSetPreferredLocation, host) != cudaSuccess;
	bad += cudaMemPrefetchAsync(p, 32, device, 1, 0) != cudaErrorInvalidValue;
	printf("%s\n", bad ? "FAILED" : "PASSED");
	return bad != 0;
}
