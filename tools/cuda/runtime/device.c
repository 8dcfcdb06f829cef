/*
 * The device as programs ask for it: one, whose SMs are those of the resident set, of compute
 * capability 8.0, or 9.0 for programs that were compiled for that alone, in what it has, not in how
 * fast it is.
 */
#include "rt.h"
#include <stdio.h>
#include <string.h>

enum { MAJOR = 8, NEWER = 9, MINOR = 0, CLOCK_KHZ = 1000000, MEMORY_KHZ = 1000000, BUS_BITS = 256 };
enum { L2_BYTES = 4 << 20, CONST_BYTES = 64 << 10 };

static size_t limits[] = {[cudaLimitStackSize] = 1024,
	[cudaLimitPrintfFifoSize] = 1 << 20,
	[cudaLimitMallocHeapSize] = 8 << 20,
	[cudaLimitDevRuntimeSyncDepth] = 2,
	[cudaLimitDevRuntimePendingLaunchCount] = 2048,
	[cudaLimitMaxL2FetchGranularity] = 64,
	[cudaLimitPersistingL2CacheSize] = 0};
enum { NLIMITS = sizeof(limits) / sizeof(*limits) };
static unsigned device_flags;
static enum cudaFuncCache cache_config;
static enum cudaSharedMemConfig bank_config;

/* The highest architecture that code of the program was compiled for. */
static uint32_t compiled_for(void)
{
	uint32_t highest = 0;

	for (const struct CUmod_st *m = rt.modules; m; m = m->next)
		for (const void *const *image = m->images; image && *image; image++) {
			const uint32_t arch = rt_fatbin_arch(*image);
			highest = arch > highest ? arch : highest;
		}
	return highest;
}

int rt_capability(void)
{
	return compiled_for() >= NEWER * 10 ? NEWER * 10 : MAJOR * 10 + MINOR;
}

void rt_properties(struct cudaDeviceProp *p)
{
	const struct ptx_resident *r = &rt.resident;

	memset(p, 0, sizeof(*p));
	snprintf(p->name, sizeof(p->name), "warptrace");
	memcpy(p->uuid.bytes, "warptrace-device", sizeof(p->uuid.bytes));
	p->totalGlobalMem = ptx_memory_limit(rt.machine);
	p->sharedMemPerBlock = RT_SHARED_MAX;
	p->regsPerBlock = (int)r->registers_per_sm;
	p->warpSize = 32;
	p->memPitch = INT32_MAX;
	p->maxThreadsPerBlock = (int)RT_THREADS_MAX;
	p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
	p->maxThreadsDim[2] = 64;
	p->maxGridSize[0] = INT32_MAX;
	p->maxGridSize[1] = p->maxGridSize[2] = 65535;
	p->clockRate = CLOCK_KHZ;
	p->totalConstMem = CONST_BYTES;
	p->major = rt_capability() / 10;
	p->minor = rt_capability() % 10;
	p->textureAlignment = 512;
	p->texturePitchAlignment = 32;
	p->deviceOverlap = 1;
	p->multiProcessorCount = (int)r->sms;
	p->canMapHostMemory = 1;
	p->maxTexture1D = p->maxTexture1DMipmap = 131072;
	p->maxTexture1DLinear = 1 << 28;
	p->maxTexture2D[0] = 131072;
	p->maxTexture2D[1] = 65536;
	p->maxTexture2DLinear[0] = 131072;
	p->maxTexture2DLinear[1] = 65000;
	p->maxTexture2DLinear[2] = 2097120;
	p->maxTexture3D[0] = p->maxTexture3D[1] = p->maxTexture3D[2] = 16384;
	p->maxTexture1DLayered[0] = p->maxTexture2DLayered[0] = p->maxTexture2DLayered[1] = 32768;
	p->maxTexture1DLayered[1] = p->maxTexture2DLayered[2] = 2048;
	p->maxTexture2DMipmap[0] = p->maxTexture2DMipmap[1] = 32768;
	p->maxTextureCubemap = p->maxTextureCubemapLayered[0] = 32768;
	p->maxTextureCubemapLayered[1] = 2046;
	p->maxSurface1D = p->maxSurface2D[0] = 131072;
	p->maxSurface2D[1] = 65536;
	p->maxSurface3D[0] = p->maxSurface3D[1] = p->maxSurface3D[2] = 16384;
	p->maxSurface1DLayered[0] = p->maxSurface2DLayered[0] = p->maxSurface2DLayered[1] = 32768;
	p->maxSurface1DLayered[1] = p->maxSurface2DLayered[2] = 2048;
	p->surfaceAlignment = 512;
	p->concurrentKernels = 1;
	p->asyncEngineCount = 1;
	p->unifiedAddressing = 1;
	p->memoryClockRate = MEMORY_KHZ;
	p->memoryBusWidth = BUS_BITS;
	p->l2CacheSize = L2_BYTES;
	p->maxThreadsPerMultiProcessor = (int)r->threads_per_sm;
	p->streamPrioritiesSupported = 1;
	p->globalL1CacheSupported = p->localL1CacheSupported = 1;
	p->sharedMemPerMultiprocessor = r->shared_per_sm;
	p->regsPerMultiprocessor = (int)r->registers_per_sm;
	p->managedMemory = 1;
	p->singleToDoublePrecisionPerfRatio = 2;
	p->concurrentManagedAccess = 1;
	p->computePreemptionSupported = 1;
	p->canUseHostPointerForRegisteredMem = 1;
	p->cooperativeLaunch = 1;
	p->sharedMemPerBlockOptin = r->shared_per_sm - r->shared_reserved;
	p->reservedSharedMemPerBlock = r->shared_reserved;
	p->directManagedMemAccessFromHost = 1;
	p->maxBlocksPerMultiProcessor = (int)r->ctas_per_sm;
	p->hostRegisterSupported = 1;
	p->memoryPoolsSupported = 1;
	p->clusterLaunch = 1;
}

static int attribute(enum cudaDeviceAttr attr, const struct cudaDeviceProp *p, int *value)
{
	const struct {
		enum cudaDeviceAttr attr;
		int value;
	} table[] = {{cudaDevAttrMaxThreadsPerBlock, p->maxThreadsPerBlock},
		{cudaDevAttrMaxBlockDimX, p->maxThreadsDim[0]},
		{cudaDevAttrMaxBlockDimY, p->maxThreadsDim[1]},
		{cudaDevAttrMaxBlockDimZ, p->maxThreadsDim[2]},
		{cudaDevAttrMaxGridDimX, p->maxGridSize[0]},
		{cudaDevAttrMaxGridDimY, p->maxGridSize[1]},
		{cudaDevAttrMaxGridDimZ, p->maxGridSize[2]},
		{cudaDevAttrMaxSharedMemoryPerBlock, (int)p->sharedMemPerBlock},
		{cudaDevAttrTotalConstantMemory, (int)p->totalConstMem},
		{cudaDevAttrWarpSize, p->warpSize}, {cudaDevAttrMaxPitch, (int)p->memPitch},
		{cudaDevAttrMaxRegistersPerBlock, p->regsPerBlock},
		{cudaDevAttrClockRate, p->clockRate},
		{cudaDevAttrTextureAlignment, (int)p->textureAlignment}, {cudaDevAttrGpuOverlap, 1},
		{cudaDevAttrMultiProcessorCount, p->multiProcessorCount},
		{cudaDevAttrCanMapHostMemory, 1}, {cudaDevAttrConcurrentKernels, 1},
		{cudaDevAttrMemoryClockRate, p->memoryClockRate},
		{cudaDevAttrGlobalMemoryBusWidth, p->memoryBusWidth},
		{cudaDevAttrL2CacheSize, p->l2CacheSize},
		{cudaDevAttrMaxThreadsPerMultiProcessor, p->maxThreadsPerMultiProcessor},
		{cudaDevAttrAsyncEngineCount, 1}, {cudaDevAttrUnifiedAddressing, 1},
		{cudaDevAttrComputeCapabilityMajor, p->major},
		{cudaDevAttrComputeCapabilityMinor, p->minor},
		{cudaDevAttrStreamPrioritiesSupported, 1}, {cudaDevAttrGlobalL1CacheSupported, 1},
		{cudaDevAttrLocalL1CacheSupported, 1},
		{cudaDevAttrMaxSharedMemoryPerMultiprocessor, (int)p->sharedMemPerMultiprocessor},
		{cudaDevAttrMaxRegistersPerMultiprocessor, p->regsPerMultiprocessor},
		{cudaDevAttrManagedMemory, 1}, {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
		{cudaDevAttrConcurrentManagedAccess, 1}, {cudaDevAttrComputePreemptionSupported, 1},
		{cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
		{cudaDevAttrCooperativeLaunch, 1},
		{cudaDevAttrMaxSharedMemoryPerBlockOptin, (int)p->sharedMemPerBlockOptin},
		{cudaDevAttrHostRegisterSupported, p->hostRegisterSupported},
		{cudaDevAttrDirectManagedMemAccessFromHost, 1},
		{cudaDevAttrMaxBlocksPerMultiprocessor, p->maxBlocksPerMultiProcessor},
		{cudaDevAttrMemoryPoolsSupported, p->memoryPoolsSupported},
		{cudaDevAttrMaxPersistingL2CacheSize, p->persistingL2CacheMaxSize},
		{cudaDevAttrMaxAccessPolicyWindowSize, p->accessPolicyMaxWindowSize},
		{(enum cudaDeviceAttr)CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1},
		{cudaDevAttrClusterLaunch, p->clusterLaunch},
		{cudaDevAttrReservedSharedMemoryPerBlock, (int)p->reservedSharedMemPerBlock},
		{cudaDevAttrMaxTexture1DWidth, p->maxTexture1D},
		{cudaDevAttrMaxTexture2DWidth, p->maxTexture2D[0]},
		{cudaDevAttrMaxTexture2DHeight, p->maxTexture2D[1]},
		{cudaDevAttrMaxTexture3DWidth, p->maxTexture3D[0]},
		{cudaDevAttrMaxTexture3DHeight, p->maxTexture3D[1]},
		{cudaDevAttrMaxTexture3DDepth, p->maxTexture3D[2]},
		{cudaDevAttrMaxTexture2DLayeredWidth, p->maxTexture2DLayered[0]},
		{cudaDevAttrMaxTexture2DLayeredHeight, p->maxTexture2DLayered[1]},
		{cudaDevAttrMaxTexture2DLayeredLayers, p->maxTexture2DLayered[2]},
		{cudaDevAttrSurfaceAlignment, (int)p->surfaceAlignment},
		{cudaDevAttrMaxTexture1DLayeredWidth, p->maxTexture1DLayered[0]},
		{cudaDevAttrMaxTexture1DLayeredLayers, p->maxTexture1DLayered[1]},
		{cudaDevAttrTexturePitchAlignment, (int)p->texturePitchAlignment},
		{cudaDevAttrMaxTextureCubemapWidth, p->maxTextureCubemap},
		{cudaDevAttrMaxTextureCubemapLayeredWidth, p->maxTextureCubemapLayered[0]},
		{cudaDevAttrMaxTextureCubemapLayeredLayers, p->maxTextureCubemapLayered[1]},
		{cudaDevAttrMaxSurface1DWidth, p->maxSurface1D},
		{cudaDevAttrMaxSurface2DWidth, p->maxSurface2D[0]},
		{cudaDevAttrMaxSurface2DHeight, p->maxSurface2D[1]},
		{cudaDevAttrMaxSurface3DWidth, p->maxSurface3D[0]},
		{cudaDevAttrMaxSurface3DHeight, p->maxSurface3D[1]},
		{cudaDevAttrMaxSurface3DDepth, p->maxSurface3D[2]},
		{cudaDevAttrMaxSurface1DLayeredWidth, p->maxSurface1DLayered[0]},
		{cudaDevAttrMaxSurface1DLayeredLayers, p->maxSurface1DLayered[1]},
		{cudaDevAttrMaxSurface2DLayeredWidth, p->maxSurface2DLayered[0]},
		{cudaDevAttrMaxSurface2DLayeredHeight, p->maxSurface2DLayered[1]},
		{cudaDevAttrMaxSurface2DLayeredLayers, p->maxSurface2DLayered[2]},
		{cudaDevAttrMaxTexture1DLinearWidth, p->maxTexture1DLinear},
		{cudaDevAttrMaxTexture2DLinearWidth, p->maxTexture2DLinear[0]},
		{cudaDevAttrMaxTexture2DLinearHeight, p->maxTexture2DLinear[1]},
		{cudaDevAttrMaxTexture2DLinearPitch, p->maxTexture2DLinear[2]},
		{cudaDevAttrMaxTexture2DMipmappedWidth, p->maxTexture2DMipmap[0]},
		{cudaDevAttrMaxTexture2DMipmappedHeight, p->maxTexture2DMipmap[1]},
		{cudaDevAttrMaxTexture1DMipmappedWidth, p->maxTexture1DMipmap}};

	*value = 0;
	for (unsigned i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (table[i].attr == attr)
			*value = table[i].value;
	return attr > 0 && attr < 200;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
	struct cudaDeviceProp p;
	RT_ASK();
	RT_WANT(value);
	if (device)
		return rt_leave(cudaErrorInvalidDevice);
	rt_properties(&p);
	return rt_leave(attribute(attr, &p, value) ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- one device ---- */

cudaError_t cudaGetDeviceCount(int *count)
{
	RT_ASK();
	RT_WANT(count);
	*count = 1;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaSetDevice(int device)
{
	RT_ENTER();
	if (device)
		return rt_leave(cudaErrorInvalidDevice);
	rt_set_device(device);
	return rt_leave(cudaSuccess);
}

cudaError_t cudaGetDevice(int *device)
{
	RT_ASK();
	RT_WANT(device);
	*device = rt_device();
	return rt_leave(cudaSuccess);
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted)
{
	(void)wanted;
	RT_ASK();
	RT_WANT(device && wanted);
	*device = 0;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaSetValidDevices(int *devices, int n)
{
	RT_ASK();
	RT_WANT(n >= 0 && (devices || !n));
	for (int i = 0; i < n; i++)
		if (devices[i])
			return rt_leave(cudaErrorInvalidDevice);
	return rt_leave(cudaSuccess);
}

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
	RT_ASK();
	device_flags = flags;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
	RT_ASK();
	RT_WANT(flags);
	*flags = device_flags;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int size, int device)
{
	RT_ASK();
	RT_WANT(id && size > 0);
	if (device || snprintf(id, (size_t)size, "0000:00:00.0") >= size)
		return rt_leave(device ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	return rt_leave(cudaSuccess);
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
	RT_ASK();
	RT_WANT(device && id);
	*device = 0;
	return rt_leave(strcmp(id, "0000:00:00.0") ? cudaErrorInvalidDevice : cudaSuccess);
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
	RT_ASK();
	RT_WANT(can);
	*can = 0;
	return rt_leave(device || peer ? cudaErrorInvalidDevice : cudaSuccess);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
	(void)peer, (void)flags;
	RT_ENTER();
	return rt_leave(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
	(void)peer;
	RT_ENTER();
	return rt_leave(cudaErrorPeerAccessNotEnabled);
}

cudaError_t cudaDeviceSynchronize(void)
{
	RT_ENTER();
	rt_turn_of_all();
	return rt_leave(rt.sticky);
}

cudaError_t cudaThreadSynchronize(void)
{
	return cudaDeviceSynchronize();
}

/* What a program still has on the device stays, which matters only to one that goes on. */
cudaError_t cudaDeviceReset(void)
{
	RT_ASK();
	rt_turn_of_all();
	rt.was_reset |= ptx_allocated(rt.machine) != 0;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaThreadExit(void)
{
	return cudaDeviceReset();
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
	RT_ENTER();
	if ((unsigned)limit >= NLIMITS)
		return rt_leave(cudaErrorUnsupportedLimit);
	struct tr_err err = {0};
	if (limit == cudaLimitStackSize && value > 4096)
		ptx_set_stack(rt.machine, value > 512 << 10 ? 512 << 10 : (uint32_t)value);
	if (limit == cudaLimitMallocHeapSize && ptx_set_heap(rt.machine, value, &err) < 0)
		return rt_leave(cudaErrorInvalidValue);
	limits[limit] = value;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
	RT_ENTER();
	RT_WANT(value);
	if ((unsigned)limit >= NLIMITS)
		return rt_leave(cudaErrorUnsupportedLimit);
	*value = limits[limit];
	return rt_leave(cudaSuccess);
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
	RT_ENTER();
	cache_config = config;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
	RT_ENTER();
	RT_WANT(config);
	*config = cache_config;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
	RT_ENTER();
	bank_config = config;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
	RT_ENTER();
	RT_WANT(config);
	*config = bank_config;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	RT_ENTER();
	if (least)
		*least = 0;
	if (greatest)
		*greatest = -1;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaDriverGetVersion(int *version)
{
	const cudaError_t entered = rt_register(); /* it asks for no device */

	if (entered)
		return rt_leave(entered);
	RT_WANT(version);
	*version = CUDART_VERSION;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
	return cudaDriverGetVersion(version);
}

cudaError_t cudaInitDevice(int device, unsigned int device_flags_, unsigned int flags)
{
	(void)flags;
	return device ? cudaSetDevice(device) : cudaSetDeviceFlags(device_flags_);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int from, int to)
{
	(void)attr, (void)from, (void)to;
	RT_ASK();
	if (value)
		*value = 0;
	return rt_leave(value ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(
	size_t *texels, const struct cudaChannelFormatDesc *desc, int device)
{
	struct cudaDeviceProp p;
	RT_ASK();
	if (!texels || !desc || device)
		return rt_leave(texels && desc ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	rt_properties(&p);
	*texels = (size_t)p.maxTexture1DLinear;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
	RT_ENTER();
	return rt_leave(cudaSuccess);
}

cudaError_t cudaProfilerStart(void)
{
	RT_ENTER();
	return rt_leave(cudaSuccess);
}

cudaError_t cudaProfilerStop(void)
{
	RT_ENTER();
	return rt_leave(cudaSuccess);
}

/* ---- errors ---- */

cudaError_t cudaGetLastError(void)
{
	return rt_last_error(true);
}

cudaError_t cudaPeekAtLastError(void)
{
	return rt_last_error(false);
}

const char *cudaGetErrorName(cudaError_t error)
{
	switch ((int)error) {
	case cudaSuccess:
		return "cudaSuccess";
#define WT_ERROR(name, number, text)                                                               \
	case number:                                                                               \
		return "cudaError" #name;
#include "warptrace/errors.def"
#undef WT_ERROR
	default:
		return "unrecognized error code";
	}
}

const char *cudaGetErrorString(cudaError_t error)
{
	switch ((int)error) {
	case cudaSuccess:
		return "no error";
#define WT_ERROR(name, number, text)                                                               \
	case number:                                                                               \
		return text;
#include "warptrace/errors.def"
#undef WT_ERROR
	default:
		return "unrecognized error code";
	}
}
