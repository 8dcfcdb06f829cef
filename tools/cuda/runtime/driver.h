/* What the files of the driver's entry points share. */
#ifndef CUDA_DRIVER_H
#define CUDA_DRIVER_H

#include "rt.h"

/* The driver's numbers are the runtime's; what it has no number for is an invalid value to it. */
static inline CUresult of(cudaError_t e)
{
	switch ((int)e) {
	case cudaErrorInvalidSymbol:
	case cudaErrorInvalidDeviceFunction:
		return CUDA_ERROR_NOT_FOUND;
	case CUDA_SUCCESS:
#define CU_ERROR(number, name) case number:
#include "warptrace/driver_errors.def"
#undef CU_ERROR
		return (CUresult)e;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

/* driver_memory.c: a copy of a block in the runtime's words. */
CUresult driver_block_of(struct cudaMemcpy3DParms *to, const CUDA_MEMCPY3D *c);

#endif
