/* NVTX: names of the runtime's devices, streams and events, which nobody reads here. */
#ifndef WT_NVTOOLSEXTCUDART_H
#define WT_NVTOOLSEXTCUDART_H

#include "cuda_runtime_api.h"
#include "nvToolsExt.h"

#ifdef __cplusplus
extern "C" {
#endif

NVTX_DECLSPEC void NVTX_API nvtxNameCudaDeviceA(int device, const char *text)
{
	(void)device;
	(void)text;
}

NVTX_DECLSPEC void NVTX_API nvtxNameCudaDeviceW(int device, const wchar_t *text)
{
	(void)device;
	(void)text;
}

NVTX_DECLSPEC void NVTX_API nvtxNameCudaStreamA(cudaStream_t stream, const char *text)
{
	(void)stream;
	(void)text;
}

NVTX_DECLSPEC void NVTX_API nvtxNameCudaStreamW(cudaStream_t stream, const wchar_t *text)
{
	(void)stream;
	(void)text;
}

NVTX_DECLSPEC void NVTX_API nvtxNameCudaEventA(cudaEvent_t event, const char *text)
{
	(void)event;
	(void)text;
}

NVTX_DECLSPEC void NVTX_API nvtxNameCudaEventW(cudaEvent_t event, const wchar_t *text)
{
	(void)event;
	(void)text;
}

#ifdef __cplusplus
}
#endif

#define nvtxNameCudaDevice WT_NVTX_OF(nvtxNameCudaDevice)
#define nvtxNameCudaStream WT_NVTX_OF(nvtxNameCudaStream)
#define nvtxNameCudaEvent WT_NVTX_OF(nvtxNameCudaEvent)

#endif
