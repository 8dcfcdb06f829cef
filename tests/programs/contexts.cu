/*
 * The driver's current context of a program that uses the runtime: the primary one of a thread that
 * has used the device by the runtime's calls, and has no other.
 */
#include <cuda.h>
#include <cstdio>
#include <pthread.h>

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			printf("FAILED: line %d\n", __LINE__);                                     \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)

__global__ void nothing() {}

static bool is(CUcontext want)
{
	CUcontext now = (CUcontext)&now;
	CUdevice device = -1;
	const CUresult e = cuCtxGetDevice(&device);

	return !cuCtxGetCurrent(&now) && now == want &&
	       (want ? !e && device == 0 : e == CUDA_ERROR_INVALID_CONTEXT);
}

static bool none_then(bool set)
{
	return set && !cuCtxSetCurrent(NULL) && is(NULL);
}

/* Questions about devices make no context. */
static bool asks()
{
	cudaDeviceProp p;
	CUmemoryPool pool;
	cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed, other = mode;
	size_t bytes;
	int n;

	return !cuInit(0) && !cudaGetDeviceCount(&n) && n == 1 && !cuDeviceGetCount(&n) &&
	       !cudaGetDeviceProperties(&p, 0) && !cuDeviceTotalMem(&bytes, 0) &&
	       bytes == p.totalGlobalMem && !cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0) &&
	       !cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0) && n == 32 &&
	       !cuDeviceGetDefaultMemPool(&pool, 0) && !cudaGetDevice(&n) &&
	       !cudaThreadExchangeStreamCaptureMode(&mode) &&
	       mode == cudaStreamCaptureModeGlobal &&
	       !cudaThreadExchangeStreamCaptureMode(&mode) && mode == other &&
	       cuDeviceTotalMem(&bytes, 1) == CUDA_ERROR_INVALID_DEVICE;
}

static CUcontext primary;

static void *other(void *)
{
	void *p;
	const bool before = is(NULL), ok = !cudaMalloc(&p, 4) && is(primary) && !cudaFree(p);

	return before && ok ? &primary : NULL;
}

int main()
{
	CUcontext own, popped;
	pthread_t thread;
	void *p, *fine;

	CHECK(asks() && is(NULL));
	CHECK(!cuDevicePrimaryCtxRetain(&primary, 0) && is(NULL));
	CHECK(!cudaFree(0) && none_then(is(primary)));
	CHECK(!cudaSetDevice(0) && none_then(is(primary)));
	CHECK(!cudaMalloc(&p, 4) && none_then(is(primary)));
	CHECK(!cudaDeviceSynchronize() && none_then(is(primary)));
	nothing<<<1, 1>>>();
	CHECK(is(primary));

	CHECK(!cuCtxCreate(&own, 0, 0) && is(own));
	nothing<<<1, 1>>>();
	CHECK(!cudaFree(p) && is(own));
	CHECK(!cuCtxPopCurrent(&popped) && popped == own && is(primary));
	CHECK(!cuCtxPopCurrent(&popped) && popped == primary && is(NULL));
	CHECK(!cuCtxPushCurrent(own) && !cuCtxDestroy(own) && is(NULL));

	CHECK(!pthread_create(&thread, NULL, other, NULL) && !pthread_join(thread, &fine) && fine);
	CHECK(is(NULL));
	printf("PASSED\n");
}
