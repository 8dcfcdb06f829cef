/*
 * Memory: allocation, copies and sets. A device address is a host address, so what a copy needs to
 * know of its two ends is only whether they lie in what was allocated, as the real runtime does;
 * what is written on the device stands in the next launch's record.
 *
 * Pinned and managed memory is not the device's, whose bound does not count it; both kinds together
 * have a bound of their own, the host's memory. Managed memory may so be more than the device's.
 */
#include "map.h"
#include "rt.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t of_host; /* bytes that are pinned or managed */

cudaError_t rt_allocate(void **p, size_t bytes, const char *kind)
{
	const bool beside = !strcmp(kind, "host") || !strcmp(kind, "managed");
	struct tr_err err = {0};
	char name[48];
	uint64_t at;

	if (!p)
		return cudaErrorInvalidValue;
	*p = NULL;
	if (!bytes)
		return cudaSuccess;
	if (beside && bytes > rt.host_memory - of_host)
		return cudaErrorMemoryAllocation;
	snprintf(name, sizeof(name), "%s%llu", kind, (unsigned long long)rt.nallocs);
	at = beside ? ptx_alloc_beside(rt.machine, name, bytes, &err)
		    : ptx_alloc(rt.machine, name, bytes, &err);
	if (!at)
		return cudaErrorMemoryAllocation;
	rt.nallocs++;
	of_host += beside ? bytes : 0;
	if (strcmp(kind, "malloc") != 0)
		ptx_host_writes(rt.machine, at);
	rt_watch_touches();
	*p = (void *)(uintptr_t)at;
	return cudaSuccess;
}

/* Was it allocated as this? Then its name is that and a number. */
static bool is_of(const void *p, const char *kind)
{
	const char *name = ptx_allocation_name(rt.machine, (uintptr_t)p);
	const size_t n = strlen(kind);

	return name && !strncmp(name, kind, n) && name[n] &&
	       name[n + strspn(name + n, "0123456789")] == 0;
}

/*
 * What was advised of the memory from `at` on. Nothing here depends on it but what a program reads
 * back.
 */
struct advice {
	struct advice *next; /* of the same allocation, */
	struct advice *same; /* and that begins at the same address */
	uint64_t at, end;
	uint64_t when;    /* counted: the latest one holds */
	int what, device; /* what: an advice, or 0 of a prefetch */
};
static struct rt_map advices, advised_at; /* by the allocation's address, and by `at` */
static uint64_t nadvices;

/* What the host's memory was made with, by its address; 0 where there is none. */
static struct rt_map host_flags;

static void *pointer(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

static void forget_advice(uint64_t base)
{
	struct advice *a = rt_map_get(&advices, pointer(base)), *next;

	rt_map_drop(&advices, pointer(base));
	for (; a; a = next) {
		next = a->next;
		rt_map_drop(&advised_at, pointer(a->at));
		free(a);
	}
}

/* Each kind of memory has a free of its own: another's is an error. */
static cudaError_t release(void *p, const char *kind, const char * or)
{
	struct tr_err err = {0};
	uint64_t base, bytes;
	cudaError_t e;

	if (!p)
		return cudaSuccess;
	if (!is_of(p, kind) && !is_of(p, or))
		return cudaErrorInvalidValue;
	if (rt_pool_release(p, &e))
		return e;
	if (!ptx_allocation(rt.machine, (uintptr_t)p, &base, &bytes) || base != (uintptr_t)p)
		return cudaErrorInvalidValue;
	forget_advice(base);
	rt_map_drop(&host_flags, p);
	rt_watch_touches();
	of_host -= is_of(p, "host") || is_of(p, "managed") ? bytes : 0;
	return ptx_free(rt.machine, (uintptr_t)p, &err) < 0 ? cudaErrorInvalidValue : cudaSuccess;
}

static bool on_device(const void *p)
{
	return ptx_host(rt.machine, (uintptr_t)p, 1) != NULL;
}

/* The host's pointer to one end of a copy; NULL where that is of the device and not all allocated.
 */
static char *end_of(const void *p, size_t bytes, bool device)
{
	if (device || ptx_is_device(rt.machine, (uintptr_t)p))
		return ptx_host(rt.machine, (uintptr_t)p, bytes);
	return (char *)(uintptr_t)p;
}

size_t rt_times(size_t a, size_t b)
{
	size_t n;

	return __builtin_mul_overflow(a, b, &n) ? SIZE_MAX : n;
}

size_t rt_rows(size_t bytes, size_t unit)
{
	return bytes > SIZE_MAX - unit ? SIZE_MAX : (bytes + unit - 1) / unit * unit;
}

/* Bytes from the first to the last that a strided access of height rows touches. */
static size_t extent(size_t pitch, size_t width, size_t height)
{
	const size_t before = height ? rt_times(pitch, height - 1) : 0;

	return !height ? 0 : before > SIZE_MAX - width ? SIZE_MAX : before + width;
}

/* Rows of device memory were written: what lies between them was not. */
static cudaError_t written(const void *p, size_t pitch, size_t width, size_t height)
{
	struct tr_err err = {0};

	if (width == pitch) {
		width *= height;
		height = 1;
	}
	return ptx_written_rows(rt.machine, (uintptr_t)p, pitch, width, height, &err) < 0
		       ? rt_error_of(&err)
		       : cudaSuccess;
}

cudaError_t rt_copy(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
	size_t height, enum cudaMemcpyKind kind)
{
	const bool to = on_device(dst), from = on_device(src);

	if (!width || !height)
		return cudaSuccess;
	if (!dst || !src)
		return cudaErrorInvalidValue;
	if (height > 1 && (width > dpitch || width > spitch))
		return cudaErrorInvalidPitchValue;
	if ((unsigned)kind > cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	if (((kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice) && !to) ||
		((kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice) && !from))
		return cudaErrorInvalidValue;
	const size_t dall = extent(dpitch, width, height), sall = extent(spitch, width, height);
	char *d = dall < SIZE_MAX ? end_of(dst, dall, to) : NULL;
	const char *s = sall < SIZE_MAX ? end_of(src, sall, from) : NULL;
	if (!d || !s)
		return cudaErrorInvalidValue;
	if (width == dpitch && width == spitch) {
		width *= height;
		height = 1;
	}
	for (size_t y = 0; y < height; y++)
		memmove(d + y * dpitch, s + y * spitch, width);
	return to ? written(dst, dpitch, width, height) : cudaSuccess;
}

static bool fill_row(void *p, uint32_t value, size_t n, size_t element)
{
	const uint64_t address = (uintptr_t)p;
	char *at = n > SIZE_MAX / element ? NULL : ptx_host(rt.machine, address, n * element);

	for (size_t i = 0; i < n && at && !(address % element); i++)
		memcpy(at + i * element, &value, element); /* little-endian: the low bytes */
	return at && !(address % element);
}

cudaError_t rt_fill(void *p, uint32_t value, size_t n, size_t element)
{
	return fill_row(p, value, n, element) ? written(p, n * element, n * element, 1)
					      : cudaErrorInvalidValue;
}

cudaError_t rt_fill_rows(const struct cudaMemsetParams *p)
{
	if (!p->width || !p->height)
		return cudaSuccess;
	if (p->height > 1 && rt_times(p->width, p->elementSize) > p->pitch)
		return cudaErrorInvalidPitchValue;
	for (size_t y = 0; y < p->height; y++)
		if (!fill_row((char *)p->dst + y * p->pitch, p->value, p->width, p->elementSize))
			return cudaErrorInvalidValue;
	return written(p->dst, p->pitch, p->width * p->elementSize, p->height);
}

cudaError_t rt_set(void *p, size_t pitch, int value, size_t width, size_t height)
{
	char *d;

	if (!width || !height)
		return cudaSuccess;
	if (height > 1 && width > pitch)
		return cudaErrorInvalidPitchValue;
	d = end_of(p, extent(pitch, width, height), true);
	if (!d)
		return cudaErrorInvalidValue;
	for (size_t y = 0; y < height; y++)
		memset(d + y * pitch, value, width);
	return written(p, pitch, width, height);
}

/* In a stream: captured, or done. */
static cudaError_t copy_in(cudaStream_t stream, void *dst, size_t dpitch, const void *src,
	size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind)
{
	struct rt_graph *g;

	if (!rt_stream_known(stream))
		return cudaErrorInvalidResourceHandle;
	g = rt_capturing(stream);
	if (!g)
		rt_turn(stream);
	return g ? rt_capture_copy(g, dst, dpitch, src, spitch, width, height, kind)
		 : rt_copy(dst, dpitch, src, spitch, width, height, kind);
}

static cudaError_t set_in(
	cudaStream_t stream, void *p, size_t pitch, int value, size_t width, size_t height)
{
	struct rt_graph *g;

	if (!rt_stream_known(stream))
		return cudaErrorInvalidResourceHandle;
	g = rt_capturing(stream);
	if (!g)
		rt_turn(stream);
	return g ? rt_capture_set(g, p, pitch, value, width, height)
		 : rt_set(p, pitch, value, width, height);
}

/* ---- allocation ---- */

cudaError_t cudaMalloc(void **p, size_t bytes)
{
	RT_ENTER();
	return rt_leave(rt_allocate(p, bytes, "malloc"));
}

cudaError_t cudaMallocManaged(void **p, size_t bytes, unsigned int flags)
{
	RT_ENTER();
	if (!bytes || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
		return rt_leave(cudaErrorInvalidValue);
	return rt_leave(rt_allocate(p, bytes, "managed"));
}

cudaError_t cudaMallocHost(void **p, size_t bytes)
{
	RT_ENTER();
	return rt_leave(rt_allocate(p, bytes, "host"));
}

cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned int flags)
{
	RT_ENTER();
	cudaError_t e = flags > 7 ? cudaErrorInvalidValue : rt_allocate(p, bytes, "host");
	if (!e && *p && flags && !rt_map_put(&host_flags, *p, (void *)(uintptr_t)flags)) {
		release(*p, "host", "host");
		e = cudaErrorMemoryAllocation;
	}
	return rt_leave(e);
}

cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height)
{
	RT_ENTER();
	RT_WANT(p && pitch);
	*pitch = rt_rows(width, 512);
	return rt_leave(rt_allocate(p, rt_times(*pitch, height), "malloc"));
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent e)
{
	RT_ENTER();
	RT_WANT(p);
	p->pitch = rt_rows(e.width, 512);
	p->xsize = e.width;
	p->ysize = e.height;
	return rt_leave(
		rt_allocate(&p->ptr, rt_times(rt_times(p->pitch, e.height), e.depth), "malloc"));
}

cudaError_t cudaFree(void *p)
{
	RT_ENTER();
	return rt_leave(release(p, "malloc", "managed"));
}

cudaError_t cudaFreeHost(void *p)
{
	RT_ENTER();
	return rt_leave(release(p, "host", "host"));
}

cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned int flags)
{
	struct tr_err err = {0};
	char name[48];
	RT_ENTER();
	if (!p || !bytes)
		return rt_leave(cudaErrorInvalidValue);
	snprintf(name, sizeof(name), "registered%llu", (unsigned long long)rt.nallocs++);
	if (ptx_adopt(rt.machine, name, p, bytes, &err) < 0)
		return rt_leave(err.code == TR_EMEM ? cudaErrorMemoryAllocation
						    : cudaErrorHostMemoryAlreadyRegistered);
	if (!flags || rt_map_put(&host_flags, p, (void *)(uintptr_t)flags))
		return rt_leave(cudaSuccess);
	ptx_free(rt.machine, (uintptr_t)p, &err);
	return rt_leave(cudaErrorMemoryAllocation);
}

cudaError_t cudaHostUnregister(void *p)
{
	struct tr_err err = {0};
	RT_ENTER();
	if (!is_of(p, "registered") || ptx_free(rt.machine, (uintptr_t)p, &err) < 0)
		return rt_leave(cudaErrorHostMemoryNotRegistered);
	forget_advice((uintptr_t)p);
	rt_map_drop(&host_flags, p);
	return rt_leave(cudaSuccess);
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
	RT_ENTER();
	RT_WANT(device);
	if (flags || !on_device(host))
		return rt_leave(cudaErrorInvalidValue);
	*device = host;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host)
{
	uint64_t base, bytes;
	RT_ENTER();
	RT_WANT(flags && (is_of(host, "host") || is_of(host, "registered")));
	RT_WANT(ptx_allocation(rt.machine, (uintptr_t)host, &base, &bytes));
	*flags = (unsigned)(uintptr_t)rt_map_get(&host_flags, (void *)(uintptr_t)base);
	return rt_leave(cudaSuccess);
}

cudaError_t cudaMemGetInfo(size_t *left, size_t *total)
{
	RT_ENTER();
	RT_WANT(left && total);
	const uint64_t all = ptx_memory_limit(rt.machine), used = ptx_memory_used(rt.machine);
	*total = all;
	*left = used < all ? all - used : 0;
	return rt_leave(cudaSuccess);
}

void rt_pointer(struct cudaPointerAttributes *a, const void *p)
{
	const char *name = ptx_allocation_name(rt.machine, (uintptr_t)p);

	*a = (struct cudaPointerAttributes){.device = -2, .hostPointer = (void *)(uintptr_t)p};
	if (!name)
		return;
	a->type = !strncmp(name, "managed", 7) ? cudaMemoryTypeManaged
		  : !strncmp(name, "host", 4) || !strncmp(name, "registered", 10)
			  ? cudaMemoryTypeHost
			  : cudaMemoryTypeDevice;
	a->device = 0;
	a->devicePointer = (void *)(uintptr_t)p;
	if (a->type == cudaMemoryTypeDevice)
		a->hostPointer = NULL;
}

/* The one of that memory and that kind, which a new one takes the place of, or NULL. */
static struct advice *advice_like(const struct advice *a)
{
	struct advice *at = rt_map_get(&advised_at, pointer(a->at));

	while (at && (at->end != a->end || (at->what + 1) / 2 != (a->what + 1) / 2))
		at = at->same;
	return at;
}

static bool advice_new(const struct advice *given)
{
	uint64_t base = given->at, bytes;
	struct advice *a = malloc(sizeof(*a));

	if (!a)
		return false;
	ptx_allocation(rt.machine, given->at, &base, &bytes);
	*a = *given;
	a->next = rt_map_get(&advices, pointer(base));
	a->same = rt_map_get(&advised_at, pointer(a->at));
	if (!rt_map_put(&advised_at, pointer(a->at), a)) {
		free(a);
		return false;
	}
	return rt_map_put(&advices, pointer(base), a);
}

static cudaError_t advise(const void *p, size_t bytes, int what, int device)
{
	const bool anywhere = what == cudaMemAdviseSetReadMostly ||
			      what == cudaMemAdviseUnsetReadMostly ||
			      what == cudaMemAdviseUnsetPreferredLocation;
	const struct advice a = {
		NULL, NULL, (uintptr_t)p, (uintptr_t)p + bytes, nadvices++, what, device};
	struct advice *like;

	/* A device, the host, or one of CUDA 13's kinds of places. */
	if (!anywhere &&
		(device < cudaCpuDeviceId || device > (int)cudaMemLocationTypeHostNumaCurrent))
		return cudaErrorInvalidDevice;
	if (!ptx_host(rt.machine, (uintptr_t)p, bytes))
		return cudaErrorInvalidValue;
	like = advice_like(&a);
	if (!like)
		return advice_new(&a) ? cudaSuccess : cudaErrorMemoryAllocation;
	like->when = a.when;
	like->what = a.what;
	like->device = a.device;
	return cudaSuccess;
}

/* From CUDA 13 on the device is a struct, which lies in registers as the number does. */
cudaError_t cudaMemAdvise(const void *p, size_t bytes, enum cudaMemoryAdvise advice, int device)
{
	RT_ENTER();
	if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
		return rt_leave(cudaErrorInvalidValue);
	return rt_leave(advise(p, bytes, (int)advice, device));
}

cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, int device, cudaStream_t stream)
{
	RT_ENTER();
	return rt_leave(rt_stream_known(stream) ? advise(p, bytes, 0, device)
						: cudaErrorInvalidResourceHandle);
}

/* The last advice about attribute attr for all of the memory. */
static int advised(enum cudaMemRangeAttribute attr, uint64_t at, uint64_t end)
{
	const int set = attr == cudaMemRangeAttributeLastPrefetchLocation ? 0 : 2 * (int)attr - 1;
	const struct advice *last = NULL;
	uint64_t base = at, bytes;

	ptx_allocation(rt.machine, at, &base, &bytes);
	for (const struct advice *a = rt_map_get(&advices, pointer(base)); a; a = a->next)
		if (a->at <= at && end <= a->end && (!last || a->when > last->when) &&
			(a->what == set || (set && a->what == set + 1)))
			last = a;
	return !last || last->what != set          ? cudaInvalidDeviceId
	       : set == cudaMemAdviseSetReadMostly ? 1
						   : last->device;
}

cudaError_t cudaMemRangeGetAttribute(
	void *data, size_t bytes, enum cudaMemRangeAttribute attr, const void *p, size_t n)
{
	int value;
	RT_ENTER();
	if (!data || bytes < sizeof(value) || bytes % sizeof(value) ||
		attr < cudaMemRangeAttributeReadMostly ||
		attr > cudaMemRangeAttributeLastPrefetchLocation ||
		!ptx_host(rt.machine, (uintptr_t)p, n))
		return rt_leave(cudaErrorInvalidValue);
	value = advised(attr, (uintptr_t)p, (uintptr_t)p + n);
	if (attr == cudaMemRangeAttributeReadMostly)
		value = value == 1;
	memcpy(data, &value, sizeof(value));
	for (size_t i = 1; i < bytes / sizeof(value); i++) /* a list of devices, of which is one */
		((int *)data)[i] = cudaInvalidDeviceId;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *bytes, enum cudaMemRangeAttribute *attrs,
	size_t nattrs, const void *p, size_t n)
{
	cudaError_t e = data && bytes && attrs ? cudaSuccess : cudaErrorInvalidValue;

	for (size_t i = 0; i < nattrs && !e; i++)
		e = cudaMemRangeGetAttribute(data[i], bytes[i], attrs[i], p, n);
	return e;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t bytes, unsigned int flags)
{
	(void)bytes, (void)flags;
	RT_ENTER();
	return rt_leave(!rt_stream_known(stream) ? cudaErrorInvalidResourceHandle
			: on_device(p)           ? cudaSuccess
						 : cudaErrorInvalidValue);
}

/* ---- copies ---- */

cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
	RT_ENTER();
	rt_turn(NULL);
	return rt_leave(rt_copy(dst, bytes, src, bytes, bytes, 1, kind));
}

cudaError_t cudaMemcpyAsync(
	void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	RT_ENTER();
	return rt_leave(copy_in(stream, dst, bytes, src, bytes, bytes, 1, kind));
}

cudaError_t cudaMemcpyPeer(void *dst, int to, const void *src, int from, size_t bytes)
{
	if (to || from)
		return cudaSetDevice(1); /* there is but one */
	return cudaMemcpy(dst, src, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(
	void *dst, int to, const void *src, int from, size_t bytes, cudaStream_t stream)
{
	if (to || from)
		return cudaSetDevice(1);
	return cudaMemcpyAsync(dst, src, bytes, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
	size_t height, enum cudaMemcpyKind kind)
{
	RT_ENTER();
	rt_turn(NULL);
	return rt_leave(rt_copy(dst, dpitch, src, spitch, width, height, kind));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
	size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	RT_ENTER();
	return rt_leave(copy_in(stream, dst, dpitch, src, spitch, width, height, kind));
}

cudaError_t cudaMemset(void *p, int value, size_t bytes)
{
	RT_ENTER();
	rt_turn(NULL);
	return rt_leave(rt_set(p, bytes, value, bytes, 1));
}

cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t stream)
{
	RT_ENTER();
	return rt_leave(set_in(stream, p, bytes, value, bytes, 1));
}

cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height)
{
	RT_ENTER();
	rt_turn(NULL);
	return rt_leave(rt_set(p, pitch, value, width, height));
}

cudaError_t cudaMemset2DAsync(
	void *p, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
	RT_ENTER();
	return rt_leave(set_in(stream, p, pitch, value, width, height));
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent e)
{
	return cudaMemset3DAsync(p, value, e, NULL);
}

cudaError_t cudaMemset3DAsync(
	struct cudaPitchedPtr p, int value, struct cudaExtent e, cudaStream_t stream)
{
	cudaError_t r = cudaSuccess;
	RT_ENTER();
	if (!e.width || !e.height)
		return rt_leave(cudaSuccess);
	RT_WANT(e.depth < 2 || e.height <= p.ysize);
	for (size_t z = 0; z < e.depth && !r; z++)
		r = set_in(stream, (char *)p.ptr + z * p.ysize * p.pitch, p.pitch, value, e.width,
			e.height);
	return rt_leave(r);
}

/* ---- symbols ---- */

static cudaError_t symbol_part(const void *symbol, size_t bytes, size_t offset, uint64_t *at)
{
	uint64_t size;
	const cudaError_t e = rt_symbol(symbol, at, &size);

	if (e)
		return e;
	if (bytes > size || offset > size - bytes)
		return cudaErrorInvalidValue;
	*at += offset;
	return cudaSuccess;
}

static cudaError_t to_symbol(const void *symbol, const void *src, size_t bytes, size_t offset,
	enum cudaMemcpyKind kind, cudaStream_t stream)
{
	uint64_t at;
	const cudaError_t e = symbol_part(symbol, bytes, offset, &at);

	return e ? e : copy_in(stream, (void *)(uintptr_t)at, bytes, src, bytes, bytes, 1, kind);
}

static cudaError_t from_symbol(void *dst, const void *symbol, size_t bytes, size_t offset,
	enum cudaMemcpyKind kind, cudaStream_t stream)
{
	uint64_t at;
	const cudaError_t e = symbol_part(symbol, bytes, offset, &at);

	return e ? e : copy_in(stream, dst, bytes, (void *)(uintptr_t)at, bytes, bytes, 1, kind);
}

cudaError_t cudaMemcpyToSymbol(
	const void *symbol, const void *src, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
	RT_ENTER();
	return rt_leave(to_symbol(symbol, src, bytes, offset, kind, NULL));
}

cudaError_t cudaMemcpyFromSymbol(
	void *dst, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
	RT_ENTER();
	return rt_leave(from_symbol(dst, symbol, bytes, offset, kind, NULL));
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes,
	size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	RT_ENTER();
	return rt_leave(to_symbol(symbol, src, bytes, offset, kind, stream));
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes, size_t offset,
	enum cudaMemcpyKind kind, cudaStream_t stream)
{
	RT_ENTER();
	return rt_leave(from_symbol(dst, symbol, bytes, offset, kind, stream));
}
