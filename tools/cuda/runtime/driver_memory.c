/*
 * The driver's memory: allocations, pools, what an address is, copies, also of blocks, sets, and
 * words that streams write or wait for.
 */
#include "driver.h"
#include <string.h>

/* ---- memory ---- */

static void *host(CUdeviceptr p)
{
	return (void *)(uintptr_t)p;
}

static CUresult given(CUdeviceptr *p, void *at, cudaError_t e)
{
	*p = (CUdeviceptr)(uintptr_t)at;
	return of(e);
}

CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t bytes)
{
	void *at = NULL;

	if (!p || !bytes)
		return CUDA_ERROR_INVALID_VALUE;
	const cudaError_t e = cudaMalloc(&at, bytes);
	return given(p, at, e);
}

CUresult cuMemAllocManaged(CUdeviceptr *p, size_t bytes, unsigned int flags)
{
	void *at = NULL;

	if (!p || !bytes)
		return CUDA_ERROR_INVALID_VALUE;
	const cudaError_t e = cudaMallocManaged(&at, bytes, flags);
	return given(p, at, e);
}

CUresult cuMemAllocPitch_v2(
	CUdeviceptr *p, size_t *pitch, size_t width, size_t height, unsigned int element)
{
	void *at = NULL;

	(void)element;
	if (!p || !pitch)
		return CUDA_ERROR_INVALID_VALUE;
	const cudaError_t e = cudaMallocPitch(&at, pitch, width, height);
	return given(p, at, e);
}

CUresult cuMemAllocHost_v2(void **p, size_t bytes)
{
	return of(cudaMallocHost(p, bytes));
}

CUresult cuMemHostAlloc(void **p, size_t bytes, unsigned int flags)
{
	return of(cudaHostAlloc(p, bytes, flags));
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *p, void *memory, unsigned int flags)
{
	void *at = NULL;

	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	const cudaError_t e = cudaHostGetDevicePointer(&at, memory, flags);

	return given(p, at, e);
}

CUresult cuMemFreeHost(void *p)
{
	return of(cudaFreeHost(p));
}

CUresult cuMemFree_v2(CUdeviceptr p)
{
	return of(cudaFree(host(p)));
}

CUresult cuMemGetInfo_v2(size_t *left, size_t *total)
{
	return of(cudaMemGetInfo(left, total));
}

CUresult cuMemAllocAsync(CUdeviceptr *p, size_t bytes, CUstream stream)
{
	void *at = NULL;

	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	const cudaError_t e = cudaMallocAsync(&at, bytes, stream);
	return given(p, at, e);
}

CUresult cuMemFreeAsync(CUdeviceptr p, CUstream stream)
{
	return of(cudaFreeAsync(host(p), stream));
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device)
{
	return of(cudaDeviceGetDefaultMemPool(pool, device));
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device)
{
	return of(cudaDeviceGetMemPool(pool, device));
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool)
{
	return of(cudaDeviceSetMemPool(device, pool));
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props)
{
	return of(cudaMemPoolCreate(pool, props));
}

CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
	return of(cudaMemPoolDestroy(pool));
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
	return of(cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)attr, value));
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
	return of(cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)attr, value));
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *d, size_t n)
{
	return of(cudaMemPoolSetAccess(pool, d, n));
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool, CUmemLocation *place)
{
	return of(cudaMemPoolGetAccess(flags, pool, place));
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
	return of(cudaMemPoolTrimTo(pool, keep));
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *p, size_t bytes, CUmemoryPool pool, CUstream stream)
{
	void *at = NULL;

	if (!p)
		return CUDA_ERROR_INVALID_VALUE;
	const cudaError_t e = cudaMallocFromPoolAsync(&at, bytes, pool, stream);
	return given(p, at, e);
}

CUresult cuMemHostRegister_v2(void *p, size_t bytes, unsigned int flags)
{
	return of(cudaHostRegister(p, bytes, flags));
}

CUresult cuMemHostUnregister(void *p)
{
	return of(cudaHostUnregister(p));
}

CUresult cuMemHostGetFlags(unsigned int *flags, void *p)
{
	return of(cudaHostGetFlags(flags, p));
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr p)
{
	const cudaError_t entered = rt_enter();
	uint64_t at = 0, n = 0;
	const bool there = !entered && ptx_allocation(rt.machine, p, &at, &n);

	rt_leave(entered);
	if (base)
		*base = at;
	if (bytes)
		*bytes = n;
	return entered ? of(entered) : there ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuMemPrefetchAsync(CUdeviceptr p, size_t bytes, CUdevice device, CUstream stream)
{
	return of(cudaMemPrefetchAsync(host(p), bytes, device, stream));
}

CUresult cuMemAdvise(CUdeviceptr p, size_t bytes, CUmem_advise advice, CUdevice device)
{
	return of(cudaMemAdvise(host(p), bytes, (enum cudaMemoryAdvise)advice, device));
}

/* Of CUDA 12.2 on, which names places: the device, or any of the host. */
static CUdevice number_of(CUmemLocation at)
{
	return at.type == cudaMemLocationTypeDevice ? at.id : CU_DEVICE_CPU;
}

CUresult cuMemPrefetchAsync_v2(
	CUdeviceptr p, size_t bytes, CUmemLocation at, unsigned int flags, CUstream stream)
{
	return flags ? CUDA_ERROR_INVALID_VALUE
		     : cuMemPrefetchAsync(p, bytes, number_of(at), stream);
}

CUresult cuMemAdvise_v2(CUdeviceptr p, size_t bytes, CUmem_advise advice, CUmemLocation at)
{
	return cuMemAdvise(p, bytes, advice, number_of(at));
}

CUresult cuMemRangeGetAttribute(
	void *data, size_t bytes, CUmem_range_attribute attr, CUdeviceptr p, size_t n)
{
	return of(cudaMemRangeGetAttribute(
		data, bytes, (enum cudaMemRangeAttribute)attr, host(p), n));
}

CUresult cuMemRangeGetAttributes(void **data, size_t *bytes, CUmem_range_attribute *attrs,
	size_t nattrs, CUdeviceptr p, size_t n)
{
	CUresult e = data && bytes && attrs ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;

	for (size_t i = 0; i < nattrs && !e; i++)
		e = cuMemRangeGetAttribute(data[i], bytes[i], attrs[i], p, n);
	return e;
}

CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr p, size_t bytes, unsigned int flags)
{
	return of(cudaStreamAttachMemAsync(stream, host(p), bytes, flags));
}

/* What an address is: the few attributes that programs ask for. */
CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attr, CUdeviceptr p)
{
	struct cudaPointerAttributes a;
	const cudaError_t entered = rt_enter();

	if (!entered)
		rt_pointer(&a, host(p));
	rt_leave(entered);
	if (entered || !value || !a.type)
		return entered ? of(entered) : CUDA_ERROR_INVALID_VALUE;
	switch (attr) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		return cuCtxGetCurrent(value);
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(unsigned *)value =
			a.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		*(CUdeviceptr *)value = p;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		*(unsigned *)value = a.type == cudaMemoryTypeManaged;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		*(int *)value = 0;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
		return cuMemGetAddressRange_v2(value, NULL, p);
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
		return cuMemGetAddressRange_v2(NULL, value, p);
	case CU_POINTER_ATTRIBUTE_MAPPED:
		*(int *)value = 1;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
		*(CUmemoryPool *)value = NULL;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_NOT_SUPPORTED;
	}
}

/* Of memory that is none of the device's all are 0. */
CUresult cuPointerGetAttributes(
	unsigned int n, CUpointer_attribute *attr, void **values, CUdeviceptr p)
{
	for (unsigned i = 0; i < n; i++) {
		if (!attr || !values || !values[i])
			return CUDA_ERROR_INVALID_VALUE;
		const CUresult e = cuPointerGetAttribute(values[i], attr[i], p);
		const bool small = attr[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE ||
				   attr[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED ||
				   attr[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL ||
				   attr[i] == CU_POINTER_ATTRIBUTE_MAPPED;
		if (e == CUDA_ERROR_INVALID_VALUE)
			memset(values[i], 0, small ? sizeof(int) : sizeof(void *));
		else if (e)
			return e;
	}
	return CUDA_SUCCESS;
}

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
	return of(cudaMemcpy(host(dst), host(src), bytes, cudaMemcpyDefault));
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr dst, const void *src, size_t bytes)
{
	return of(cudaMemcpy(host(dst), src, bytes, cudaMemcpyHostToDevice));
}

CUresult cuMemcpyDtoH_v2(void *dst, CUdeviceptr src, size_t bytes)
{
	return of(cudaMemcpy(dst, host(src), bytes, cudaMemcpyDeviceToHost));
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
	return of(cudaMemcpy(host(dst), host(src), bytes, cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
	return of(cudaMemcpyAsync(host(dst), host(src), bytes, cudaMemcpyDefault, stream));
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream)
{
	return of(cudaMemcpyAsync(host(dst), src, bytes, cudaMemcpyHostToDevice, stream));
}

CUresult cuMemcpyDtoHAsync_v2(void *dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
	return of(cudaMemcpyAsync(dst, host(src), bytes, cudaMemcpyDeviceToHost, stream));
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
	return of(cudaMemcpyAsync(host(dst), host(src), bytes, cudaMemcpyDeviceToDevice, stream));
}

/*
 * Both ends of a copy between contexts have to name theirs; the memory is the same in all, as they
 * are of one device.
 */
static CUresult ends_known(CUcontext to, CUcontext from)
{
	unsigned version;
	CUresult e = to && from ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;

	if (!e)
		e = cuCtxGetApiVersion(to, &version);
	return e ? e : cuCtxGetApiVersion(from, &version);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from,
	size_t bytes, CUstream stream)
{
	const CUresult e = ends_known(to, from);

	return e ? e : cuMemcpyDtoDAsync_v2(dst, src, bytes, stream);
}

CUresult cuMemcpyPeer(CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from, size_t bytes)
{
	return cuMemcpyPeerAsync(dst, to, src, from, bytes, NULL);
}

CUresult cuMemsetD8_v2(CUdeviceptr p, unsigned char value, size_t n)
{
	return of(cudaMemset(host(p), value, n));
}

/* At once, behind what the legacy stream waits for. */
static CUresult fill(
	CUdeviceptr p, size_t pitch, uint32_t value, size_t width, size_t height, unsigned element)
{
	const struct cudaMemsetParams rows = {host(p), pitch, value, element, width, height};
	const cudaError_t entered = rt_enter();

	if (!entered)
		rt_turn(NULL);
	return of(rt_leave(entered ? entered : rt_fill_rows(&rows)));
}

CUresult cuMemsetD16_v2(CUdeviceptr p, unsigned short value, size_t n)
{
	return fill(p, 0, value, n, 1, 2);
}

CUresult cuMemsetD32_v2(CUdeviceptr p, unsigned int value, size_t n)
{
	return fill(p, 0, value, n, 1, 4);
}

/* ---- blocks ---- */

/* One end of a copy, with its rows; an array has its own. */
static void end_of(struct cudaPitchedPtr *p, cudaArray_t *array, CUmemorytype type, void *memory,
	CUdeviceptr device, CUarray a, size_t pitch, size_t height)
{
	*array = type == CU_MEMORYTYPE_ARRAY ? (cudaArray_t)a : NULL;
	*p = (struct cudaPitchedPtr){type == CU_MEMORYTYPE_ARRAY  ? NULL
				     : type == CU_MEMORYTYPE_HOST ? memory
								  : host(device),
		pitch, pitch, height};
}

CUresult driver_block_of(struct cudaMemcpy3DParms *to, const CUDA_MEMCPY3D *c)
{
	struct cudaMemcpy3DParms p = {.srcPos = {c->srcXInBytes, c->srcY, c->srcZ},
		.dstPos = {c->dstXInBytes, c->dstY, c->dstZ},
		.extent = {c->WidthInBytes, c->Height, c->Depth},
		.kind = cudaMemcpyDefault};
	struct cudaChannelFormatDesc d = {0};

	if (c->srcLOD || c->dstLOD)
		return of(rt_unsupported("a copy of a mipmap's level"));
	end_of(&p.srcPtr, &p.srcArray, c->srcMemoryType, (void *)(uintptr_t)c->srcHost,
		c->srcDevice, c->srcArray, c->srcPitch ? c->srcPitch : c->WidthInBytes,
		c->srcHeight ? c->srcHeight : c->Height);
	end_of(&p.dstPtr, &p.dstArray, c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray,
		c->dstPitch ? c->dstPitch : c->WidthInBytes,
		c->dstHeight ? c->dstHeight : c->Height);
	/* What the runtime counts in an array's elements is bytes here. */
	if (p.srcArray || p.dstArray) {
		const cudaError_t e = cudaGetChannelDesc(&d, p.srcArray ? p.srcArray : p.dstArray);
		const size_t bytes = (size_t)(d.x + d.y + d.z + d.w) / 8;
		if (e || p.extent.width % bytes)
			return e ? of(e) : CUDA_ERROR_INVALID_VALUE;
		p.extent.width /= bytes;
		p.srcPos.x /= p.srcArray ? bytes : 1;
		p.dstPos.x /= p.dstArray ? bytes : 1;
	}
	*to = p;
	return CUDA_SUCCESS;
}

static CUresult copy_block(const CUDA_MEMCPY3D *c, CUstream stream)
{
	struct cudaMemcpy3DParms p;
	const CUresult e = driver_block_of(&p, c);

	return e ? e : of(cudaMemcpy3DAsync(&p, stream));
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *c)
{
	return c ? copy_block(c, NULL) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *c, CUstream stream)
{
	return c ? copy_block(c, stream) : CUDA_ERROR_INVALID_VALUE;
}

_Static_assert(sizeof(CUDA_MEMCPY3D_PEER) == sizeof(CUDA_MEMCPY3D) &&
		       offsetof(CUDA_MEMCPY3D_PEER, Depth) == offsetof(CUDA_MEMCPY3D, Depth),
	"where one has contexts the other has nothing");

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *c, CUstream stream)
{
	CUDA_MEMCPY3D block;

	if (!c)
		return CUDA_ERROR_INVALID_VALUE;
	const CUresult e = ends_known(c->dstContext, c->srcContext);
	memcpy(&block, c, sizeof(block));
	return e ? e : copy_block(&block, stream);
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *c)
{
	return cuMemcpy3DPeerAsync(c, NULL);
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *c, CUstream stream)
{
	if (!c)
		return CUDA_ERROR_INVALID_VALUE;
	const CUDA_MEMCPY3D block = {.srcXInBytes = c->srcXInBytes,
		.srcY = c->srcY,
		.srcMemoryType = c->srcMemoryType,
		.srcHost = c->srcHost,
		.srcDevice = c->srcDevice,
		.srcArray = c->srcArray,
		.srcPitch = c->srcPitch,
		.dstXInBytes = c->dstXInBytes,
		.dstY = c->dstY,
		.dstMemoryType = c->dstMemoryType,
		.dstHost = c->dstHost,
		.dstDevice = c->dstDevice,
		.dstArray = c->dstArray,
		.dstPitch = c->dstPitch,
		.WidthInBytes = c->WidthInBytes,
		.Height = c->Height,
		.Depth = 1};
	return copy_block(&block, stream);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *c)
{
	return cuMemcpy2DAsync_v2(c, NULL);
}

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *c)
{
	return cuMemcpy2DAsync_v2(c, NULL);
}

static CUresult fill_in(CUstream stream, const struct cudaMemsetParams *p)
{
	const cudaError_t entered = rt_enter();
	struct rt_graph *g = entered ? NULL : rt_capturing(stream);
	CUresult e = of(entered);

	if (!e && !g && rt_stream_known(stream))
		rt_turn(stream);
	if (!e && !rt_stream_known(stream))
		e = CUDA_ERROR_INVALID_HANDLE;
	else if (!e)
		e = of(g ? rt_capture_fill(g, p) : rt_fill_rows(p));
	rt_leave(entered);
	return e;
}

#define SET_ROWS(bits, type)                                                                       \
	CUresult cuMemsetD2D##bits##_v2(                                                           \
		CUdeviceptr p, size_t pitch, type value, size_t width, size_t height)              \
	{                                                                                          \
		return fill(p, pitch, value, width, height, (bits) / 8);                           \
	}                                                                                          \
	CUresult cuMemsetD2D##bits##Async(CUdeviceptr p, size_t pitch, type value, size_t width,   \
		size_t height, CUstream stream)                                                    \
	{                                                                                          \
		return fill_in(stream, &(struct cudaMemsetParams){                                 \
					       host(p), pitch, value, (bits) / 8, width, height}); \
	}                                                                                          \
	CUresult cuMemsetD##bits##Async(CUdeviceptr p, type value, size_t n, CUstream stream)      \
	{                                                                                          \
		return fill_in(                                                                    \
			stream, &(struct cudaMemsetParams){host(p), 0, value, (bits) / 8, n, 1});  \
	}
SET_ROWS(8, unsigned char)
SET_ROWS(16, unsigned short)
SET_ROWS(32, unsigned int)

/* ---- words of streams ---- */

CUresult cuStreamWriteValue32_v2(
	CUstream stream, CUdeviceptr p, cuuint32_t value, unsigned int flags)
{
	if (flags & ~(unsigned)CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER)
		return CUDA_ERROR_INVALID_VALUE;
	return fill_in(stream, &(struct cudaMemsetParams){host(p), 0, value, 4, 1, 1});
}

static bool is_awaited(cuuint32_t now, cuuint32_t value, unsigned how)
{
	return how == CU_STREAM_WAIT_VALUE_GEQ   ? (int32_t)(now - value) >= 0
	       : how == CU_STREAM_WAIT_VALUE_EQ  ? now == value
	       : how == CU_STREAM_WAIT_VALUE_AND ? (now & value) != 0
						 : ~(now | value) != 0;
}

/* All that came before is done; what is yet to come cannot be waited for. */
CUresult cuStreamWaitValue32_v2(
	CUstream stream, CUdeviceptr p, cuuint32_t value, unsigned int flags)
{
	const unsigned how = flags & ~(unsigned)CU_STREAM_WAIT_VALUE_FLUSH;
	const cudaError_t entered = rt_enter();
	const cuuint32_t *at = entered ? NULL : ptx_host(rt.machine, p, sizeof(*at));
	CUresult e = of(entered);
	bool holds = false;

	if (!e && !rt_stream_known(stream))
		e = CUDA_ERROR_INVALID_HANDLE;
	else if (!e && (!at || p % 4 || how > CU_STREAM_WAIT_VALUE_NOR))
		e = CUDA_ERROR_INVALID_VALUE;
	else if (!e && !rt_capturing(stream)) {
		rt_turn(stream);
		holds = is_awaited(*at, value, how);
	}
	rt_leave(entered);
	return e || holds ? e : of(rt_unsupported("a stream's wait for a value to come"));
}
