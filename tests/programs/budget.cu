/*
 * What counts as the device's memory, of which there are 64 MiB here, and what does not: pinned,
 * registered and managed memory. `budget N`: N MiB are the most that the host gives of these.
 */
#include <cuda.h>
#include <cstdio>
#include <cstdlib>

#define MIB ((size_t)1 << 20)
#define CHECK(x)                                                                                   \
	do {                                                                                       \
		if (!(x)) {                                                                        \
			printf("FAILED: line %d\n", __LINE__);                                     \
			return 1;                                                                  \
		}                                                                                  \
	} while (0)

static size_t left()
{
	size_t free, total;

	return cudaMemGetInfo(&free, &total) ? 0 : free;
}

__global__ void add(char *a, char *b)
{
	*a += *b;
}

/* Pinned and managed memory together, and its return. */
static int bounded(size_t most)
{
	char *pinned, *managed, *more;

	CHECK(!cudaMallocHost(&pinned, most - MIB));
	CHECK(cudaMallocManaged(&managed, 2 * MIB) == cudaErrorMemoryAllocation);
	CHECK(cudaMallocHost(&managed, 2 * MIB) == cudaErrorMemoryAllocation);
	CHECK(!cudaMallocManaged(&managed, MIB));
	CHECK(cudaHostAlloc(&more, 1, 0) == cudaErrorMemoryAllocation);
	CHECK(!cudaFreeHost(pinned) && !cudaMallocManaged(&more, most - MIB));
	CHECK(!cudaFree(more) && !cudaFree(managed));
	CHECK(cudaMallocHost(&pinned, most + 1) == cudaErrorMemoryAllocation);
	CHECK(!cudaMallocHost(&pinned, most) && !cudaFreeHost(pinned));
	return 0;
}

static int virtually(size_t all)
{
	CUmemAllocationProp prop = {};
	CUmemGenericAllocationHandle handle;
	CUdeviceptr at;
	void *p;

	prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	CHECK(cuMemCreate(&handle, all + 2 * MIB, &prop, 0) == CUDA_ERROR_OUT_OF_MEMORY);
	CHECK(!cuMemCreate(&handle, all / 2, &prop, 0) && left() == all / 2);
	CHECK(!cuMemAddressReserve(&at, all, 0, 0, 0));
	CUmemAccessDesc access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CHECK(!cuMemMap(at, all / 2, 0, handle, 0) && !cuMemMap(at + all / 2, all / 2, 0, handle, 0));
	CHECK(!cuMemSetAccess(at, all, &access, 1) && left() == all / 2);
	CHECK(cudaMalloc(&p, all / 2 + 1) == cudaErrorMemoryAllocation);
	CHECK(!cuMemUnmap(at, all) && !cuMemRelease(handle) && left() == all);
	return 0;
}

int main(int argc, char **argv)
{
	size_t all = left(), total, pitch;
	char *pinned, *managed, *own = (char *)aligned_alloc(4096, 16 * MIB), *p;
	const cudaChannelFormatDesc bytes = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
	cudaArray_t array;

	if (argc > 1 && bounded(atol(argv[1]) * MIB))
		return 1;
	CHECK(!cudaMemGetInfo(&all, &total) && all == 64 * MIB && total == all);
	CHECK(!cudaMallocHost(&pinned, 100 * MIB) && !cudaMallocManaged(&managed, total * 3 / 2, 1));
	CHECK(!cudaHostRegister(own, 16 * MIB, 0) && left() == all);
	pinned[100 * MIB - 1] = 3;
	managed[total * 3 / 2 - 1] = 4;
	add<<<1, 1>>>(managed + total * 3 / 2 - 1, pinned + 100 * MIB - 1);
	CHECK(!cudaDeviceSynchronize() && managed[total * 3 / 2 - 1] == 7);
	all = left(); /* without what the kernel's module has */

	CHECK(!cudaMalloc(&p, 10 * MIB) && left() == all - 10 * MIB && !cudaFree(p));
	CHECK(!cudaMallocAsync(&p, 10 * MIB, 0) && left() == all - 10 * MIB && !cudaFreeAsync(p, 0));
	CHECK(!cudaMallocPitch(&p, &pitch, 1000, 1024) && left() == all - pitch * 1024);
	CHECK(!cudaFree(p) && !cudaMallocArray(&array, &bytes, 1024, 1024));
	CHECK(left() == all - MIB && !cudaFreeArray(array));
	CHECK(cudaMalloc(&p, total + 1) == cudaErrorMemoryAllocation);
	CHECK(!cudaFreeHost(pinned) && !cudaFree(managed) && !cudaHostUnregister(own));
	CHECK(left() == all && !virtually(all));
	free(own);
	printf("PASSED\n");
}
