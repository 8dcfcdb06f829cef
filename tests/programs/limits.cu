/* What a kernel may have in shared memory and threads: by its attributes, occupancy and launches. */
#include <cstdint>
#include <cstdio>

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			printf("FAILED: line %d\n", __LINE__);                                     \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)

__global__ void stores(int *p)
{
	extern __shared__ int dynamic[];
	__shared__ int own[256];
	own[threadIdx.x % 256] = threadIdx.x;
	if (p)
		p[threadIdx.x] = own[0] + dynamic[0];
}

__global__ void __launch_bounds__(64) bounded(int *p)
{
	if (p)
		*p = 1;
}

/* Blocks on an SM, or -1: occupancy and the launch disagree. */
static int fit(void (*kernel)(int *), int threads, size_t shared)
{
	int n = -1;

	if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel, threads, shared))
		return -1;
	kernel<<<1, threads, shared>>>(nullptr);
	return !cudaGetLastError() == (n > 0) ? n : -1;
}

static int dynamic_of(void (*kernel)(int *))
{
	cudaFuncAttributes a;

	return cudaFuncGetAttributes(&a, (const void *)kernel) ? -1 : a.maxDynamicSharedSizeBytes;
}

int main()
{
	const auto shared = cudaFuncAttributeMaxDynamicSharedMemorySize;
	int most = (48 << 10) - 1024;

	CHECK(dynamic_of(stores) == most && dynamic_of(bounded) == 48 << 10);
	CHECK(fit(stores, 128, most) > 0 && fit(stores, 128, most + 1) == 0);
	CHECK(fit(stores, 128, SIZE_MAX) == 0);
	CHECK(fit(stores, 1024, 0) > 0 && fit(stores, 1025, 0) == 0);
	CHECK(fit(bounded, 64, 0) > 0 && fit(bounded, 65, 0) == 0);
	/* A part of a warp takes the place of a whole one. */
	CHECK(fit(stores, 129, 0) == fit(stores, 160, 0) && fit(stores, 128, 0) > fit(stores, 129, 0));
	/* A block is 64 threads deep at most, however few they are. */
	stores<<<1, dim3(1, 1, 64)>>>(nullptr);
	CHECK(!cudaGetLastError());
	stores<<<1, dim3(1, 1, 65)>>>(nullptr);
	CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
	for (int bytes : {64 << 10, 1 << 10}) {
		CHECK(!cudaFuncSetAttribute(stores, shared, bytes) && dynamic_of(stores) == bytes);
		CHECK(fit(stores, 32, bytes) > 0 && fit(stores, 32, bytes + 4) == 0);
	}
	printf("PASSED\n");
}
