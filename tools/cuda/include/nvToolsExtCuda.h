/* NVTX: names of the driver's devices, contexts, streams and events, which nobody reads here. */
#ifndef WT_NVTOOLSEXTCUDA_H
#define WT_NVTOOLSEXTCUDA_H

#include "cuda.h"
#include "nvToolsExt.h"

#ifdef __cplusplus
extern "C" {
#endif

NVTX_DECLSPEC void NVTX_API nvtxNameCuDeviceA(CUdevice device, const char *text)
{
	(void)device;
	(void)text;
}

NVTX_DECLSPEC void NVTX_API nvtxNameCuDeviceW(CUdevice device, const wchar_t *text)
{
	(void)device;
	(void)text;
}

NVTX_DECLSPEC void NVTX_API nvtxNameCuContextA(CUcontext context, const char *text)
{
	(void)context;
	(void)text;
}

NVTX_DECLSPEC void NVTX_API nvtxNameCuContextW(CUcontext context, const wchar_t *text)
{
	(void)context;
	(void)text;
}

NVTX_DECLSPEC void NVTX_API nvtxNameCuStreamA(CUstream stream, const char *text)
{
	(void)stream;
	(void)text;
}

NVTX_DECLSPEC void NVTX_API nvtxNameCuStreamW(CUstream stream, const wchar_t *text)
{
	(void)stream;
	(void)text;
}

NVTX_DECLSPEC void NVTX_API nvtxNameCuEventA(CUevent event, const char *text)
{
	(void)event;
	(void)text;
}

NVTX_DECLSPEC void NVTX_API nvtxNameCuEventW(CUevent event, const wchar_t *text)
{
	(void)event;
	(void)text;
}

#ifdef __cplusplus
}
#endif

#define nvtxNameCuDevice WT_NVTX_OF(nvtxNameCuDevice)
#define nvtxNameCuContext WT_NVTX_OF(nvtxNameCuContext)
#define nvtxNameCuStream WT_NVTX_OF(nvtxNameCuStream)
#define nvtxNameCuEvent WT_NVTX_OF(nvtxNameCuEvent)

#endif
