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

/*
 * Forms of functions that cuda.h has no name for, since they are of releases before or after it:
 * what programs that were compiled with those call, and cuGetProcAddress finds.
 */
#undef cuGraphAddKernelNode
#undef cuGraphExecKernelNodeSetParams
#undef cuStreamBeginCapture
CUresult cuGraphAddKernelNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t n,
	const CUDA_KERNEL_NODE_PARAMS_v1 *params);
CUresult cuGraphExecKernelNodeSetParams(
	CUgraphExec exec, CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS_v1 *params);
CUresult cuStreamBeginCapture(CUstream stream);
CUresult cuCtxCreate_v3(
	CUcontext *context, const void *affinity, int n, unsigned int flags, CUdevice device);
CUresult cuCtxCreate_v4(
	CUcontext *context, const void *params, unsigned int flags, CUdevice device);
CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext *context, void **green);
CUresult cuMemAdvise_v2(CUdeviceptr p, size_t bytes, CUmem_advise advice, CUmemLocation at);
CUresult cuMemPrefetchAsync_v2(
	CUdeviceptr p, size_t bytes, CUmemLocation at, unsigned int flags, CUstream stream);

#endif
