/*
 * The driver's virtual memory: a vector that grows without a copy, a ring whose end is followed by
 * its beginning, and what is wrong with addresses that are not mapped, mapped twice or not
 * accessible.
 */
#include <cuda.h>
#include <cstdio>
#include <cstdlib>

#define MUST(call, want)                                                                           \
	do {                                                                                       \
		const CUresult r_ = (call);                                                        \
		if (r_ != (want)) {                                                                \
			printf("line %d: %d\n", __LINE__, (int)r_);                                \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)
#define OK(call) MUST(call, CUDA_SUCCESS)
#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			printf("line %d: %s\n", __LINE__, #x);                                     \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

/* Words a quarter of a granule apart. */
__global__ void mark(unsigned *p, size_t step, unsigned add)
{
	atomicAdd(p + threadIdx.x * step, threadIdx.x + add); /* two of them may be one word */
}

int main(int argc, char **argv)
{
	CUmemAllocationProp prop = {};
	CUmemAccessDesc both = {
		{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUmemAccessDesc none = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_NONE};
	CUmemGenericAllocationHandle a, b, again;
	CUdeviceptr p, ring, other;
	CUDA_MEMCPY2D rows = {};
	CUcontext context;
	size_t granule = 0, left, total;
	unsigned long long access;
	unsigned words[12], one = 7;
	int supported = 0;

	OK(cuInit(0));
	OK(cuCtxCreate_v2(&context, 0, 0));
	OK(cuDeviceGetAttribute(
		&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
	CHECK(supported == 1);
	prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	prop.location = both.location;
	OK(cuMemGetAllocationGranularity(&granule, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	CHECK(granule && granule % 4096 == 0);

	/* Two pieces side by side are one to kernels and copies. */
	OK(cuMemAddressReserve(&p, 4 * granule, 0, 0, 0));
	CHECK(p % granule == 0);
	OK(cuMemCreate(&a, granule, &prop, 0));
	MUST(cuMemCreate(&b, granule + 1, &prop, 0), CUDA_ERROR_INVALID_VALUE);
	OK(cuMemGetInfo_v2(&left, &total));
	MUST(cuMemCreate(&b, total / granule * granule, &prop, 0), CUDA_ERROR_OUT_OF_MEMORY);
	OK(cuMemCreate(&b, 2 * granule, &prop, 0));
	OK(cuMemMap(p, granule, 0, a, 0));
	MUST(cuMemMap(p, granule, 0, a, 0), CUDA_ERROR_INVALID_VALUE);
	MUST(cuMemMap(p + 3 * granule, 2 * granule, 0, b, 0), CUDA_ERROR_INVALID_VALUE);
	MUST(cuMemSetAccess(p, 2 * granule, &both, 1), CUDA_ERROR_INVALID_VALUE);
	if (argc > 1) { /* mapped, and nobody may have it */
		mark<<<1, 1>>>((unsigned *)p, 0, 1);
		return cudaDeviceSynchronize() != cudaSuccess;
	}
	OK(cuMemSetAccess(p, granule, &both, 1));
	mark<<<1, 4>>>((unsigned *)p, granule / 16, 10);
	OK(cuMemMap(p + granule, 2 * granule, 0, b, 0));
	OK(cuMemGetAccess(&access, &both.location, p + granule));
	CHECK(access == CU_MEM_ACCESS_FLAGS_PROT_NONE);
	OK(cuMemSetAccess(p + granule, 2 * granule, &both, 1));
	OK(cuMemGetAccess(&access, &both.location, p + granule));
	CHECK(access == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	mark<<<1, 12>>>((unsigned *)p, granule / 16, 100);
	rows.srcMemoryType = CU_MEMORYTYPE_DEVICE;
	rows.srcDevice = p;
	rows.srcPitch = granule / 4;
	rows.dstMemoryType = CU_MEMORYTYPE_HOST;
	rows.dstHost = words;
	rows.dstPitch = rows.WidthInBytes = 4;
	rows.Height = 12;
	OK(cuMemcpy2D_v2(&rows));
	for (unsigned i = 0; i < 12; i++)
		CHECK(words[i] == (i < 4 ? 2 * i + 110 : i + 100));

	/* The same piece twice: what is written behind the end is at the beginning. */
	OK(cuMemAddressReserve(&ring, 2 * granule, 4 * granule, 0, 0));
	CHECK(ring % (4 * granule) == 0);
	OK(cuMemMap(ring, granule, 0, a, 0));
	OK(cuMemMap(ring + granule, granule, 0, a, 0));
	OK(cuMemSetAccess(ring, 2 * granule, &both, 1));
	mark<<<1, 8>>>((unsigned *)ring, granule / 16, 1000);
	OK(cuMemcpyDtoH_v2(words, p, 4));
	CHECK(words[0] == 110 + 1000 + 1004);
	OK(cuMemcpyHtoD_v2(ring + granule - 2, &one, 4)); /* over the seam */
	OK(cuMemcpyDtoH_v2(words, ring + granule - 2, 4));
	CHECK(words[0] == 7);

	/* A handle lives as long as somebody has it; memory as long as it is mapped. */
	OK(cuMemRetainAllocationHandle(&again, (void *)(ring + granule)));
	CHECK(again == a);
	OK(cuMemRelease(a));
	OK(cuMemRelease(again));
	MUST(cuMemRelease(a), CUDA_ERROR_INVALID_VALUE);
	MUST(cuMemUnmap(ring, granule + 4096), CUDA_ERROR_INVALID_VALUE);
	MUST(cuMemAddressFree(ring, 2 * granule), CUDA_ERROR_INVALID_VALUE);
	OK(cuMemUnmap(ring, 2 * granule));
	OK(cuMemAddressFree(ring, 2 * granule));
	OK(cuMemcpyDtoH_v2(words, p + granule / 4, 4));
	CHECK(words[0] == 112 + 1001 + 1005);

	/* New memory at the same addresses holds nothing of the old. */
	OK(cuMemRelease(b));
	OK(cuMemUnmap(p + granule, 2 * granule));
	OK(cuMemCreate(&b, granule, &prop, 0));
	OK(cuMemMap(p + granule, granule, 0, b, 0));
	OK(cuMemSetAccess(p, 2 * granule, &both, 1));
	OK(cuMemcpyDtoH_v2(words, p + granule, 4));
	CHECK(words[0] == 0);
	OK(cuMemSetAccess(p, granule, &none, 1));
	MUST(cuMemcpyDtoH_v2(words, p, 4), CUDA_ERROR_INVALID_VALUE);
	MUST(cuMemFree_v2(p + granule), CUDA_ERROR_INVALID_VALUE);
	OK(cuMemUnmap(p, 2 * granule));
	OK(cuMemRelease(b));
	OK(cuMemAddressFree(p, 4 * granule));
	OK(cuMemAddressReserve(&other, granule, 0, p, 0));
	CHECK(other == p);
	OK(cuMemAddressFree(other, granule));
	puts("PASSED");
}
