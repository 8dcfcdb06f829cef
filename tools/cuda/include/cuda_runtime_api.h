/* The runtime's functions, as C has them. What C++ adds stands in cuda_runtime.h. */
#ifndef __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__

#include "driver_types.h"

#define CUDART_VERSION 11080

#if defined(__cplusplus)
#define WT_OR(value) = value
extern "C" {
#else
#define WT_OR(value)
#endif

/* Device */
cudaError_t cudaDeviceReset(void);
/* What says __device__ is there for kernels, too: by warptrace/launch.h, or the machine says what is wrong. */
__host__ __device__ cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaThreadExit(void);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaGetDeviceFlags(unsigned int *flags);
cudaError_t cudaSetValidDevices(int *devices, int n);
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted);
/* With the properties of CUDA 12, as its programs have it. */
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device);
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device);
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id);
cudaError_t cudaDeviceGetPCIBusId(char *id, int size, int device);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags);
cudaError_t cudaDeviceGetP2PAttribute(
	int *value, enum cudaDeviceP2PAttr attr, int from, int to);
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(
	size_t *texels, const struct cudaChannelFormatDesc *desc, int device);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

/* Errors */
__host__ __device__ cudaError_t cudaGetLastError(void);
__host__ __device__ cudaError_t cudaPeekAtLastError(void);
__host__ __device__ const char *cudaGetErrorName(cudaError_t error);
__host__ __device__ const char *cudaGetErrorString(cudaError_t error);

/* Memory */
__host__ __device__ cudaError_t cudaMalloc(void **p, size_t bytes);
cudaError_t cudaMallocHost(void **p, size_t bytes);
cudaError_t cudaMallocManaged(
	void **p, size_t bytes, unsigned int flags WT_OR(cudaMemAttachGlobal));
cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t stream);
cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent extent);
cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned int flags);
cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned int flags);
cudaError_t cudaHostUnregister(void *p);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags);
cudaError_t cudaHostGetFlags(unsigned int *flags, void *host);
__host__ __device__ cudaError_t cudaFree(void *p);
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaFreeAsync(void *p, cudaStream_t stream);
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *p);
cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind);
__host__ __device__ cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes,
	enum cudaMemcpyKind kind, cudaStream_t stream WT_OR(0));
cudaError_t cudaMemcpyPeer(void *dst, int to, const void *src, int from, size_t bytes);
cudaError_t cudaMemcpyPeerAsync(
	void *dst, int to, const void *src, int from, size_t bytes, cudaStream_t stream WT_OR(0));
cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
	size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
	size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream WT_OR(0));
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream WT_OR(0));
cudaError_t cudaMemset(void *p, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t stream WT_OR(0));
cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height,
	cudaStream_t stream WT_OR(0));
cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent);
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent extent,
	cudaStream_t stream WT_OR(0));
cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p);
cudaError_t cudaMemcpy3DPeerAsync(
	const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream WT_OR(0));
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes,
	size_t offset WT_OR(0), enum cudaMemcpyKind kind WT_OR(cudaMemcpyHostToDevice));
cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes,
	size_t offset WT_OR(0), enum cudaMemcpyKind kind WT_OR(cudaMemcpyDeviceToHost));
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes,
	size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream WT_OR(0));
cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes, size_t offset,
	enum cudaMemcpyKind kind, cudaStream_t stream WT_OR(0));
cudaError_t cudaGetSymbolAddress(void **p, const void *symbol);
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol);
cudaError_t cudaMemAdvise(const void *p, size_t bytes, enum cudaMemoryAdvise advice, int device);
cudaError_t cudaMemPrefetchAsync(
	const void *p, size_t bytes, int device, cudaStream_t stream WT_OR(0));
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t bytes WT_OR(0),
	unsigned int flags WT_OR(cudaMemAttachSingle));
cudaError_t cudaMemRangeGetAttribute(void *data, size_t bytes, enum cudaMemRangeAttribute attr,
	const void *p, size_t n);
cudaError_t cudaMemRangeGetAttributes(void **data, size_t *bytes,
	enum cudaMemRangeAttribute *attrs, size_t nattrs, const void *p, size_t n);

/* Memory in the order of a stream */
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attr, void *value);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep);
cudaError_t cudaMemPoolSetAccess(
	cudaMemPool_t pool, const struct cudaMemAccessDesc *d, size_t n);
cudaError_t cudaMemPoolGetAccess(
	enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *place);
cudaError_t cudaMallocFromPoolAsync(
	void **p, size_t bytes, cudaMemPool_t pool, cudaStream_t stream);
cudaError_t cudaDeviceGetGraphMemAttribute(
	int device, enum cudaGraphMemAttributeType attr, void *value);
cudaError_t cudaDeviceSetGraphMemAttribute(
	int device, enum cudaGraphMemAttributeType attr, void *value);
cudaError_t cudaDeviceGraphMemTrim(int device);

/* Of several processes and devices: not supported */
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *p);
cudaError_t cudaIpcOpenMemHandle(void **p, cudaIpcMemHandle_t handle, unsigned int flags);
cudaError_t cudaIpcCloseMemHandle(void *p);
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event);
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle);
cudaError_t cudaImportExternalMemory(
	cudaExternalMemory_t *memory, const struct cudaExternalMemoryHandleDesc *d);
cudaError_t cudaExternalMemoryGetMappedBuffer(
	void **p, cudaExternalMemory_t memory, const struct cudaExternalMemoryBufferDesc *d);
cudaError_t cudaExternalMemoryGetMappedMipmappedArray(cudaMipmappedArray_t *mipmap,
	cudaExternalMemory_t memory, const struct cudaExternalMemoryMipmappedArrayDesc *d);
cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t memory);
cudaError_t cudaImportExternalSemaphore(
	cudaExternalSemaphore_t *semaphore, const struct cudaExternalSemaphoreHandleDesc *d);
cudaError_t cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t *semaphores,
	const struct cudaExternalSemaphoreSignalParams *p, unsigned int n,
	cudaStream_t stream WT_OR(0));
cudaError_t cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t *semaphores,
	const struct cudaExternalSemaphoreWaitParams *p, unsigned int n,
	cudaStream_t stream WT_OR(0));
cudaError_t cudaDestroyExternalSemaphore(cudaExternalSemaphore_t semaphore);

/* Arrays */
struct cudaChannelFormatDesc cudaCreateChannelDesc(
	int x, int y, int z, int w, enum cudaChannelFormatKind f);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array);
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
	size_t width, size_t height WT_OR(0), unsigned int flags WT_OR(0));
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
	struct cudaExtent extent, unsigned int flags WT_OR(0));
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmap,
	const struct cudaChannelFormatDesc *desc, struct cudaExtent extent, unsigned int levels,
	unsigned int flags WT_OR(0));
cudaError_t cudaGetMipmappedArrayLevel(
	cudaArray_t *level, cudaMipmappedArray_const_t mipmap, unsigned int n);
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap);
cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes,
	enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t bytes,
	enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch,
	size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t x,
	size_t y, size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src,
	size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream WT_OR(0));
cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t x, size_t y,
	size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream WT_OR(0));
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src,
	size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind,
	cudaStream_t stream WT_OR(0));
cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src, size_t x,
	size_t y, size_t width, size_t height, enum cudaMemcpyKind kind,
	cudaStream_t stream WT_OR(0));
cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t dx, size_t dy, cudaArray_const_t src,
	size_t sx, size_t sy, size_t bytes,
	enum cudaMemcpyKind kind WT_OR(cudaMemcpyDeviceToDevice));
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dx, size_t dy, cudaArray_const_t src,
	size_t sx, size_t sy, size_t width, size_t height,
	enum cudaMemcpyKind kind WT_OR(cudaMemcpyDeviceToDevice));
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
	unsigned int *flags, cudaArray_t array);

/* Textures and surfaces */
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *t, const struct cudaResourceDesc *r,
	const struct cudaTextureDesc *d, const struct cudaResourceViewDesc *v);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t t);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *s, const struct cudaResourceDesc *r);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t s);
/* What an object was made from. No texture has a view. */
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *r, cudaTextureObject_t t);
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *d, cudaTextureObject_t t);
cudaError_t cudaGetTextureObjectResourceViewDesc(
	struct cudaResourceViewDesc *v, cudaTextureObject_t t);
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *r, cudaSurfaceObject_t s);
cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *t, const void *p,
	const struct cudaChannelFormatDesc *desc, size_t bytes WT_OR(0xffffffffu));
cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *t, const void *p,
	const struct cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch);
cudaError_t cudaBindTextureToArray(const struct textureReference *t, cudaArray_const_t array,
	const struct cudaChannelFormatDesc *desc);
cudaError_t cudaUnbindTexture(const struct textureReference *t);
cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *t);
cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *s, cudaArray_const_t array,
	const struct cudaChannelFormatDesc *desc);

/* Streams and events */
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *user);
cudaError_t cudaStreamCreate(cudaStream_t *stream);
__host__ __device__ cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority);
__host__ __device__ cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(
	cudaStream_t stream, cudaEvent_t event, unsigned int flags WT_OR(0));
cudaError_t cudaStreamAddCallback(
	cudaStream_t stream, cudaStreamCallback_t callback, void *user, unsigned int flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags);
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id);
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device);
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, enum cudaLaunchAttributeID attr,
	const cudaLaunchAttributeValue *value);
cudaError_t cudaStreamGetAttribute(
	cudaStream_t stream, enum cudaLaunchAttributeID attr, cudaLaunchAttributeValue *value);
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);
cudaError_t cudaCtxResetPersistingL2Cache(void);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *user);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream WT_OR(0));
cudaError_t cudaEventRecordWithFlags(
	cudaEvent_t event, cudaStream_t stream WT_OR(0), unsigned int flags WT_OR(0));
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);

/* Graphs: what a stream is told while it is captured, to be done again */
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status);
cudaError_t cudaStreamGetCaptureInfo(
	cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id);
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
	unsigned long long *id WT_OR(0), cudaGraph_t *graph WT_OR(0),
	const cudaGraphNode_t **last WT_OR(0), size_t *n WT_OR(0));
cudaError_t cudaStreamUpdateCaptureDependencies(
	cudaStream_t stream, cudaGraphNode_t *nodes, size_t n, unsigned int flags WT_OR(0));
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
	cudaGraphNode_t *error_node, char *log, size_t log_bytes);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *n);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type);
cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags);
cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t n, const struct cudaKernelNodeParams *p);
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t n, const struct cudaMemcpy3DParms *p);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t n, void *dst, const void *src, size_t bytes,
	enum cudaMemcpyKind kind);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t n, const struct cudaMemsetParams *p);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t n, const struct cudaHostNodeParams *p);
cudaError_t cudaGraphAddEmptyNode(
	cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, size_t n);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t n, cudaGraph_t child);
cudaError_t cudaGraphAddDependencies(
	cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n);
cudaError_t cudaGraphInstantiateWithFlags(
	cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags);
cudaError_t cudaGraphInstantiateWithParams(
	cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *p);
cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *p, cudaHostFn_t destroy,
	unsigned int count, unsigned int flags);
cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int count WT_OR(1));
cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int count WT_OR(1));
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
	unsigned int count WT_OR(1), unsigned int flags WT_OR(0));
cudaError_t cudaGraphReleaseUserObject(
	cudaGraph_t graph, cudaUserObject_t object, unsigned int count WT_OR(1));
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphKernelNodeSetParams(
	cudaGraphNode_t node, const struct cudaKernelNodeParams *p);
cudaError_t cudaGraphExecKernelNodeSetParams(
	cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *p);
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node,
	void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind);
/* Under a name of its own: CUDA 12 has another last argument. */
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
	cudaGraphNode_t *error_node, enum cudaGraphExecUpdateResult *result)
	__asm__("__warptraceGraphExecUpdate");
cudaError_t cudaGraphRemoveDependencies(
	cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to, size_t n);
cudaError_t cudaGraphGetEdges(
	cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *n);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n);
cudaError_t cudaGraphNodeGetDependentNodes(
	cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *n);
cudaError_t cudaGraphNodeFindInClone(
	cudaGraphNode_t *node, cudaGraphNode_t origin, cudaGraph_t clone);
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node);
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int on);
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int *on);
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned int flags);
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *p);
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, enum cudaLaunchAttributeID attr,
	const cudaLaunchAttributeValue *value);
cudaError_t cudaGraphKernelNodeGetAttribute(
	cudaGraphNode_t node, enum cudaLaunchAttributeID attr, cudaLaunchAttributeValue *value);
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from);
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t n, const void *symbol, const void *src, size_t bytes,
	size_t offset, enum cudaMemcpyKind kind);
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t n, void *dst, const void *symbol, size_t bytes,
	size_t offset, enum cudaMemcpyKind kind);
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *p);
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms *p);
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *dst, const void *src,
	size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol,
	const void *src, size_t bytes, size_t offset, enum cudaMemcpyKind kind);
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
	const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind);
cudaError_t cudaGraphExecChildGraphNodeSetParams(
	cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child);
cudaError_t cudaGraphExecMemcpyNodeSetParams(
	cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemcpy3DParms *p);
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
	const void *symbol, const void *src, size_t bytes, size_t offset, enum cudaMemcpyKind kind);
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
	void *dst, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind);
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *p);
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams *p);
cudaError_t cudaGraphExecMemsetNodeSetParams(
	cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaMemsetParams *p);
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *p);
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams *p);
cudaError_t cudaGraphExecHostNodeSetParams(
	cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaHostNodeParams *p);
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph);
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t n, cudaEvent_t event);
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t n, cudaEvent_t event);
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event);
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event);
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event);
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event);
cudaError_t cudaGraphExecEventRecordNodeSetEvent(
	cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event);
cudaError_t cudaGraphExecEventWaitNodeSetEvent(
	cudaGraphExec_t exec, cudaGraphNode_t node, cudaEvent_t event);
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t n, struct cudaMemAllocNodeParams *p);
cudaError_t cudaGraphMemAllocNodeGetParams(
	cudaGraphNode_t node, struct cudaMemAllocNodeParams *p);
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t n, void *p);
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *p);
cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
	const cudaGraphNode_t *before, size_t n, struct cudaGraphNodeParams *p);
cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph,
	const cudaGraphNode_t *before, const cudaGraphEdgeData *edges, size_t n,
	struct cudaGraphNodeParams *p);
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *p);
cudaError_t cudaGraphExecNodeSetParams(
	cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *p);
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle,
	cudaGraph_t graph, unsigned int first WT_OR(0), unsigned int flags WT_OR(0));
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
	const cudaGraphNode_t *before, const cudaGraphEdgeData *edges, size_t n,
	enum cudaStreamCaptureMode mode);

/* Kernels */
cudaError_t cudaLaunchKernel(
	const void *f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream);
cudaError_t cudaLaunchCooperativeKernel(
	const void *f, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *f, void **args);
cudaError_t cudaConfigureCall(
	dim3 grid, dim3 block, size_t shared WT_OR(0), cudaStream_t stream WT_OR(0));
cudaError_t cudaSetupArgument(const void *arg, size_t bytes, size_t offset);
cudaError_t cudaLaunch(const void *f);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *f);
cudaError_t cudaFuncGetName(const char **name, const void *f);
cudaError_t cudaFuncGetParamInfo(const void *f, size_t i, size_t *offset, size_t *bytes);
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *f, const void *symbol);
cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *stub);
cudaError_t cudaFuncSetAttribute(const void *f, enum cudaFuncAttribute attr, int value);
cudaError_t cudaFuncSetCacheConfig(const void *f, enum cudaFuncCache config);
cudaError_t cudaFuncSetSharedMemConfig(const void *f, enum cudaSharedMemConfig config);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
	int *n, const void *f, int block, size_t shared);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
	int *n, const void *f, int block, size_t shared, unsigned int flags);
cudaError_t cudaOccupancyMaxActiveClusters(
	int *clusters, const void *f, const cudaLaunchConfig_t *config);
cudaError_t cudaOccupancyMaxPotentialClusterSize(
	int *ctas, const void *f, const cudaLaunchConfig_t *config);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(
	size_t *bytes, const void *f, int blocks, int block);
enum cudaGetDriverEntryPointFlags { cudaEnableDefault = 0, cudaEnableLegacyStream = 1,
	cudaEnablePerThreadDefaultStream = 2 };
cudaError_t cudaGetDriverEntryPoint(
	const char *name, void **function, unsigned long long flags);
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function,
	unsigned int version, unsigned long long flags,
	enum cudaDriverEntryPointQueryResult *status WT_OR(0));

#if defined(__cplusplus)
}
#endif

#endif
