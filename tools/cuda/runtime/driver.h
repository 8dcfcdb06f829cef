/* What the files of the driver's entry points share. */
#ifndef CUDA_DRIVER_H
#define CUDA_DRIVER_H

#include "rt.h"

/* The runtime's errors that the driver has another number for. */
static inline CUresult of(cudaError_t e)
{
	switch (e) {
	case cudaErrorInvalidConfiguration:
		return CUDA_ERROR_INVALID_VALUE;
	case cudaErrorInvalidSymbol:
	case cudaErrorInvalidDeviceFunction:
		return CUDA_ERROR_NOT_FOUND;
	default:
		return (CUresult)e;
	}
}

/* driver_memory.c: a copy of a block in the runtime's words. */
CUresult driver_block_of(struct cudaMemcpy3DParms *to, const CUDA_MEMCPY3D *c);

#endif
