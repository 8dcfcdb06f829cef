/*
 * Launches by kernels, which launches.awk writes where a program has <<<>>> in device code, and the
 * part of the runtime that kernels call then. CUDA C Programming Guide, "CUDA Dynamic Parallelism".
 */
#ifndef WT_LAUNCH_H
#define WT_LAUNCH_H

extern "C" {
__device__ void *cudaGetParameterBufferV2(void *f, dim3 grid, dim3 block, unsigned int shared);
__device__ cudaError_t cudaLaunchDeviceV2(void *buffer, cudaStream_t stream);
}

/* A kernel as a type: clang takes its name there in device code, too. */
template <class Function, Function f> struct wt_kernel {
	static constexpr Function at = f;
};

template <class T> struct wt_same {
	typedef T type;
};

/* Parameters lie in their order, each at its alignment. */
WT_DEVICE void wt_put(char *, size_t) {}
template <class T, class... Rest>
WT_DEVICE void wt_put(char *buffer, size_t at, const T &value, const Rest &...rest)
{
	at = (at + alignof(T) - 1) / alignof(T) * alignof(T);
	__builtin_memcpy(__builtin_assume_aligned(buffer + at, alignof(T)), &value, sizeof(T));
	wt_put(buffer, at + sizeof(T), rest...);
}

template <class Function> struct wt_launch_of;
template <class... Parameter> struct wt_launch_of<void (*)(Parameter...)> {
	void *f;
	dim3 grid, block;
	unsigned int shared;
	cudaStream_t stream;
	__device__ __forceinline__ __attribute__((nodebug)) void operator()(
		typename wt_same<Parameter>::type... value) const
	{
		char *buffer = (char *)cudaGetParameterBufferV2(f, grid, block, shared);
		wt_put(buffer, 0, value...);
		cudaLaunchDeviceV2(buffer, stream);
	}
};
template <class Function, Function f>
WT_DEVICE wt_launch_of<Function> wt_launch(
	wt_kernel<Function, f>, dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0)
{
	return wt_launch_of<Function>{
		(void *)wt_kernel<Function, f>::at, grid, block, (unsigned int)shared, stream};
}

/* The first release's calls, as Thrust and CUB make them: a block of bytes, with their number before it. */
WT_DEVICE void *cudaGetParameterBuffer(size_t, size_t bytes)
{
	size_t *b = (size_t *)malloc(bytes + 64);
	if (b)
		*b = bytes;
	return b ? (char *)b + 64 : 0;
}
WT_DEVICE cudaError_t cudaLaunchDevice(void *f, void *parameters, dim3 grid, dim3 block,
	unsigned int shared, cudaStream_t stream)
{
	char *const b = (char *)parameters - 64;
	void *const buffer = cudaGetParameterBufferV2(f, grid, block, shared);
	memcpy(buffer, parameters, *(size_t *)b);
	free(b);
	return cudaLaunchDeviceV2(buffer, stream);
}
/* A kernel that calls it is refused by the machine, which names it. */
__device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void)
	__asm__("cudaDeviceSynchronize");

/*
 * What the host calls by the same name: one function for both sides, whose address has one type. Here
 * is the device's body; the host's is in the library.
 */
#if defined(__CUDA_ARCH__)
#define WT_BOTH_SIDES extern "C" __host__ __device__ __forceinline__ WT_NODEBUG

WT_BOTH_SIDES cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
WT_BOTH_SIDES cudaError_t cudaGetLastError() { return cudaSuccess; }
WT_BOTH_SIDES cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
WT_BOTH_SIDES cudaError_t cudaMalloc(void **p, size_t bytes)
{
	*p = malloc(bytes);
	return *p || !bytes ? cudaSuccess : cudaErrorMemoryAllocation;
}
WT_BOTH_SIDES cudaError_t cudaFree(void *p)
{
	free(p);
	return cudaSuccess;
}
/* At once, which is one of the orders that the guide leaves open. */
WT_BOTH_SIDES cudaError_t cudaMemcpyAsync(
	void *dst, const void *src, size_t bytes, cudaMemcpyKind, cudaStream_t)
{
	memcpy(dst, src, bytes);
	return cudaSuccess;
}
WT_BOTH_SIDES const char *cudaGetErrorString(cudaError_t error)
{
	switch ((int)error) {
	case cudaSuccess:
		return "no error";
#define WT_ERROR(name, number, text)                                                               \
	case number:                                                                               \
		return text;
#include "errors.def"
#undef WT_ERROR
	}
	return "unrecognized error code";
}
WT_BOTH_SIDES const char *cudaGetErrorName(cudaError_t error)
{
	switch ((int)error) {
	case cudaSuccess:
		return "cudaSuccess";
#define WT_ERROR(name, number, text)                                                               \
	case number:                                                                               \
		return "cudaError" #name;
#include "errors.def"
#undef WT_ERROR
	}
	return "unrecognized error code";
}
#undef WT_BOTH_SIDES
#endif

#endif
