/* CUDA 9 to 12 (where programs ask for cudaGetDeviceProperties_v2), and programs of trace-nvcc. */
#include "common.h"

static void release_properties(void *out, const struct cudaDeviceProp *p)
{
	memcpy(out, p, sizeof(*p));
}

RELEASE(sizeof(struct cudaFuncAttributes), sizeof(struct cudaPointerAttributes))
