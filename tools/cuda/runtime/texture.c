/*
 * Arrays, and textures over them and over linear memory. An array is device memory with rows one
 * after the other, a mipmap an array for each level. Left out: views of resources, references of
 * surfaces.
 */
#include "map.h"
#include "rt.h"
#include <stdlib.h>
#include <string.h>

struct cudaArray {
	struct cudaChannelFormatDesc desc;
	size_t width, height,
		depth; /* texels, 0 where it has no such dimension; depth: layers too */
	size_t pitch;
	bool layered; /* of cube maps the faces are layers, too */
	bool level;   /* of a mipmap, with which it goes */
	unsigned flags;
	char *base;
};

struct cudaMipmappedArray {
	unsigned n;
	struct cudaArray *levels[PTX_LEVELS_MAX];
};

static struct rt_map arrays, mipmaps; /* that are allocated, each by its handle */

/* What a texture's or a surface's object was made from, by its handle. */
struct object {
	struct cudaResourceDesc r;
	struct cudaTextureDesc d;
	bool surface;
	bool of_driver;
	unsigned flags; /* of one that the driver made, in its words */
};
static struct rt_map objects;

static struct cudaArray *array_of(cudaArray_const_t a)
{
	return rt_map_get(&arrays, a);
}

static unsigned texel_bytes(const struct cudaChannelFormatDesc *d)
{
	return (unsigned)(d->x + d->y + d->z + d->w) / 8;
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(
	int x, int y, int z, int w, enum cudaChannelFormatKind f)
{
	return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

/* ---- arrays ---- */

static bool desc_fits(const struct cudaChannelFormatDesc *d)
{
	const int n = !!d->x + !!d->y + !!d->z + !!d->w;

	return (d->x == 8 || d->x == 16 || d->x == 32) && (n == 1 || n == 2 || n == 4) &&
	       (!d->y || d->y == d->x) && (!d->z || d->z == d->x) && (!d->w || d->w == d->x) &&
	       d->f <= cudaChannelFormatKindFloat;
}

/* A cube map has six square faces, one with layers a number of such sixes. */
static bool cube_fits(const struct cudaExtent *e, unsigned flags)
{
	return e->width == e->height &&
	       (flags & cudaArrayLayered ? e->depth && e->depth % 6 == 0 : e->depth == 6);
}

static cudaError_t array_new(cudaArray_t *out, const struct cudaChannelFormatDesc *desc,
	struct cudaExtent e, unsigned flags)
{
	const size_t rows = rt_times(e.height ? e.height : 1, e.depth ? e.depth : 1);
	struct cudaArray *a;
	void *base;

	if (!out || !desc || !e.width ||
		(flags & ~(cudaArrayLayered | cudaArrayCubemap | cudaArraySurfaceLoadStore)) ||
		(flags & cudaArrayCubemap && !cube_fits(&e, flags)))
		return cudaErrorInvalidValue;
	if (!desc_fits(desc))
		return cudaErrorInvalidChannelDescriptor;
	a = calloc(1, sizeof(*a));
	if (!a)
		return cudaErrorMemoryAllocation;
	*a = (struct cudaArray){.desc = *desc,
		.width = e.width,
		.height = e.height,
		.depth = e.depth,
		.pitch = rt_rows(rt_times(e.width, texel_bytes(desc)), 32),
		.layered = (flags & (cudaArrayLayered | cudaArrayCubemap)) != 0,
		.flags = flags};
	cudaError_t r = rt_map_put(&arrays, a, a) ? cudaSuccess : cudaErrorMemoryAllocation;
	if (!r)
		r = rt_allocate(&base, rt_times(a->pitch, rows), "array");
	if (r) {
		rt_map_drop(&arrays, a);
		free(a);
		return r;
	}
	a->base = base;
	*out = a;
	return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
	size_t width, size_t height, unsigned int flags)
{
	RT_ENTER();
	return rt_leave(array_new(array, desc, (struct cudaExtent){width, height, 0}, flags));
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
	struct cudaExtent extent, unsigned int flags)
{
	RT_ENTER();
	return rt_leave(array_new(array, desc, extent, flags));
}

static void array_free(struct cudaArray *a)
{
	struct tr_err err = {0};

	rt_map_drop(&arrays, a);
	ptx_free(rt.machine, (uintptr_t)a->base, &err);
	free(a);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
	RT_ENTER();
	struct cudaArray *a = array ? array_of(array) : NULL;
	if (!array)
		return rt_leave(cudaSuccess);
	if (!a || a->level)
		return rt_leave(cudaErrorInvalidResourceHandle);
	array_free(a);
	return rt_leave(cudaSuccess);
}

/* ---- mipmaps ---- */

static struct cudaMipmappedArray *mipmap_of(cudaMipmappedArray_const_t m)
{
	return rt_map_get(&mipmaps, m);
}

static void mipmap_free(struct cudaMipmappedArray *m)
{
	while (m->n)
		array_free(m->levels[--m->n]);
	free(m);
}

/* How many levels there can be: each is half as large, to one texel. Layers stay as many. */
static unsigned levels_of(const struct cudaExtent *e, bool layered)
{
	size_t most = e->width > e->height ? e->width : e->height;
	unsigned n = 1;

	if (!layered && e->depth > most)
		most = e->depth;
	for (; most > 1 && n < PTX_LEVELS_MAX; most /= 2)
		n++;
	return n;
}

static size_t halved(size_t n, unsigned times)
{
	return n && !(n >> times) ? 1 : n >> times;
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *out,
	const struct cudaChannelFormatDesc *desc, struct cudaExtent e, unsigned int n,
	unsigned int flags)
{
	const bool layered = (flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
	const unsigned most = levels_of(&e, layered);
	cudaError_t r = cudaSuccess;
	RT_ENTER();
	RT_WANT(out && desc && e.width);
	struct cudaMipmappedArray *m = calloc(1, sizeof(*m));
	if (!m)
		return rt_leave(cudaErrorMemoryAllocation);
	/* As CUDA has it, a number out of its range is the nearest that is in it. */
	n = n < 1 ? 1 : n > most ? most : n;
	while (m->n < n && !r) {
		const struct cudaExtent part = {halved(e.width, m->n), halved(e.height, m->n),
			layered ? e.depth : halved(e.depth, m->n)};
		if (!(r = array_new(&m->levels[m->n], desc, part, flags)))
			m->levels[m->n++]->level = true;
	}
	if (!r && !rt_map_put(&mipmaps, m, m))
		r = cudaErrorMemoryAllocation;
	if (r) {
		mipmap_free(m);
		return rt_leave(r);
	}
	*out = m;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaGetMipmappedArrayLevel(
	cudaArray_t *level, cudaMipmappedArray_const_t mipmap, unsigned int n)
{
	RT_ENTER();
	const struct cudaMipmappedArray *m = mipmap_of(mipmap);
	RT_WANT(level && m && n < m->n);
	*level = m->levels[n];
	return rt_leave(cudaSuccess);
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmap)
{
	RT_ENTER();
	struct cudaMipmappedArray *m = mipmap_of(mipmap);
	if (!m)
		return rt_leave(mipmap ? cudaErrorInvalidResourceHandle : cudaSuccess);
	rt_map_drop(&mipmaps, m);
	mipmap_free(m);
	return rt_leave(cudaSuccess);
}

/* ---- copies ---- */

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
	RT_ENTER();
	RT_WANT(desc);
	const struct cudaArray *a = array_of(array);
	if (!a)
		return rt_leave(cudaErrorInvalidResourceHandle);
	*desc = a->desc;
	return rt_leave(cudaSuccess);
}

/* The place x bytes into row y of an array, if a block from there on lies in it. */
static char *array_part(const struct cudaArray *a, size_t x, size_t y, size_t width, size_t height)
{
	const size_t bytes = a->width * texel_bytes(&a->desc), rows = a->height ? a->height : 1;
	const size_t all = rows * (a->depth ? a->depth : 1);

	if (x > bytes || width > bytes - x || y > all || height > all - y)
		return NULL;
	return a->base + y * a->pitch + x;
}

/* In a stream: captured, or done. */
static cudaError_t copy_in(cudaStream_t stream, void *dst, size_t dpitch, const void *src,
	size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind)
{
	struct rt_graph *g = rt_capturing(stream);

	if (!rt_stream_known(stream))
		return cudaErrorInvalidResourceHandle;
	if (!g)
		rt_turn(stream);
	return g ? rt_capture_copy(g, dst, dpitch, src, spitch, width, height, kind)
		 : rt_copy(dst, dpitch, src, spitch, width, height, kind);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src,
	size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	RT_ENTER();
	const struct cudaArray *a = array_of(dst);
	char *to = a ? array_part(a, x, y, width, height) : NULL;
	return rt_leave(!a    ? cudaErrorInvalidResourceHandle
			: !to ? cudaErrorInvalidValue
			      : copy_in(stream, to, a->pitch, src, spitch, width, height, kind));
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch,
	size_t width, size_t height, enum cudaMemcpyKind kind)
{
	return cudaMemcpy2DToArrayAsync(dst, x, y, src, spitch, width, height, kind, NULL);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src, size_t x,
	size_t y, size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	RT_ENTER();
	const struct cudaArray *a = array_of(src);
	char *from = a ? array_part(a, x, y, width, height) : NULL;
	return rt_leave(
		!a      ? cudaErrorInvalidResourceHandle
		: !from ? cudaErrorInvalidValue
			: copy_in(stream, dst, dpitch, from, a->pitch, width, height, kind));
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t x,
	size_t y, size_t width, size_t height, enum cudaMemcpyKind kind)
{
	return cudaMemcpy2DFromArrayAsync(dst, dpitch, src, x, y, width, height, kind, NULL);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dx, size_t dy, cudaArray_const_t src,
	size_t sx, size_t sy, size_t width, size_t height, enum cudaMemcpyKind kind)
{
	RT_ENTER();
	const struct cudaArray *a = array_of(src);
	const char *from = a ? array_part(a, sx, sy, width, height) : NULL;
	(void)kind;
	return rt_leave(!a      ? cudaErrorInvalidResourceHandle
			: !from ? cudaErrorInvalidValue
				: cudaMemcpy2DToArray(dst, dx, dy, from, a->pitch, width, height,
					  cudaMemcpyDeviceToDevice));
}

/* Bytes that go on from row to row. */
static cudaError_t flat(struct cudaArray *a, size_t x, size_t y, char *other, size_t bytes, bool in,
	enum cudaMemcpyKind kind, cudaStream_t stream)
{
	cudaError_t e = a ? cudaSuccess : cudaErrorInvalidResourceHandle;

	for (size_t n; bytes && !e; bytes -= n, other += n, x = 0, y++) {
		const size_t row = a->width * texel_bytes(&a->desc);
		n = x < row ? row - x : 0;
		n = n < bytes ? n : bytes;
		char *part = n ? array_part(a, x, y, n, 1) : NULL;
		if (!part)
			return cudaErrorInvalidValue;
		e = in ? copy_in(stream, part, n, other, n, n, 1, kind)
		       : copy_in(stream, other, n, part, n, n, 1, kind);
	}
	return e;
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src,
	size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	RT_ENTER();
	return rt_leave(
		flat(array_of(dst), x, y, (char *)(uintptr_t)src, bytes, true, kind, stream));
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src, size_t bytes,
	enum cudaMemcpyKind kind)
{
	return cudaMemcpyToArrayAsync(dst, x, y, src, bytes, kind, NULL);
}

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t x, size_t y,
	size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	RT_ENTER();
	return rt_leave(flat(array_of(src), x, y, dst, bytes, false, kind, stream));
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t bytes,
	enum cudaMemcpyKind kind)
{
	return cudaMemcpyFromArrayAsync(dst, src, x, y, bytes, kind, NULL);
}

/* From one array to another, byte after byte of the first's rows. */
cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t dx, size_t dy, cudaArray_const_t src,
	size_t sx, size_t sy, size_t bytes, enum cudaMemcpyKind kind)
{
	cudaError_t e = cudaSuccess;
	RT_ENTER();
	struct cudaArray *to = array_of(dst);
	const struct cudaArray *a = array_of(src);
	const size_t row = a ? a->width * texel_bytes(&a->desc) : 0;
	const size_t to_row = to ? to->width * texel_bytes(&to->desc) : 0;
	(void)kind;
	if (!a || !to || sx >= row || dx >= to_row)
		return rt_leave(a && to ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
	for (size_t n; bytes && !e; bytes -= n, sx = 0, sy++) {
		n = row - sx < bytes ? row - sx : bytes;
		char *from = array_part(a, sx, sy, n, 1);
		e = from ? flat(to, dx, dy, from, n, true, cudaMemcpyDeviceToDevice, NULL)
			 : cudaErrorInvalidValue;
		dy += (dx + n) / to_row;
		dx = (dx + n) % to_row;
	}
	return rt_leave(e);
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
	unsigned int *flags, cudaArray_t array)
{
	RT_ENTER();
	const struct cudaArray *a = array_of(array);
	if (!a)
		return rt_leave(cudaErrorInvalidResourceHandle);
	if (desc)
		*desc = a->desc;
	if (extent)
		*extent = (struct cudaExtent){a->width, a->height, a->depth};
	if (flags)
		*flags = a->flags;
	return rt_leave(cudaSuccess);
}

/* One end of a 3D copy: where its first row is, and the bytes from row to row and from plane to
 * plane. An array's extent and position count texels, those of memory bytes in x. */
struct end {
	char *at;
	size_t pitch, plane;
};

/* Does a stretch of n from some place on lie within all? A dimension that is not there is of 1. */
static bool within(size_t from, size_t n, size_t all)
{
	all = all ? all : 1;
	return from <= all && n <= all - from;
}

static cudaError_t end_of(struct end *e, cudaArray_t array, const struct cudaPitchedPtr *p,
	const struct cudaPos *pos, const struct cudaExtent *of, unsigned bytes)
{
	const struct cudaArray *a = array ? array_of(array) : NULL;
	const size_t row = rt_times(of->width, bytes);

	if (array && !a)
		return cudaErrorInvalidResourceHandle;
	if (!array == !p->ptr)
		return cudaErrorInvalidValue; /* neither, or both */
	if (a) {
		e->pitch = a->pitch;
		e->plane = a->pitch * (a->height ? a->height : 1);
		e->at = a->base + pos->z * e->plane + pos->y * e->pitch + pos->x * bytes;
		return texel_bytes(&a->desc) == bytes && within(pos->x, of->width, a->width) &&
				       within(pos->y, of->height, a->height) &&
				       within(pos->z, of->depth, a->depth)
			       ? cudaSuccess
			       : cudaErrorInvalidValue;
	}
	e->pitch = p->pitch;
	e->plane = p->pitch * p->ysize;
	e->at = (char *)p->ptr + pos->z * e->plane + pos->y * e->pitch + pos->x;
	if ((of->height > 1 || of->depth > 1) && (pos->x > p->pitch || row > p->pitch - pos->x))
		return cudaErrorInvalidPitchValue;
	return of->depth < 2 || (p->ysize && within(pos->y, of->height, p->ysize))
		       ? cudaSuccess
		       : cudaErrorInvalidValue;
}

cudaError_t rt_copy_3d(const struct cudaMemcpy3DParms *p)
{
	struct end from, to;
	const struct cudaArray *a = array_of(p->srcArray ? p->srcArray : p->dstArray);
	const unsigned bytes = a ? texel_bytes(&a->desc) : 1;
	cudaError_t e;

	if (!p->extent.width || !p->extent.height || !p->extent.depth)
		return cudaSuccess;
	e = end_of(&from, p->srcArray, &p->srcPtr, &p->srcPos, &p->extent, bytes);
	if (!e)
		e = end_of(&to, p->dstArray, &p->dstPtr, &p->dstPos, &p->extent, bytes);
	for (size_t z = 0; z < p->extent.depth && !e; z++)
		e = rt_copy(to.at + z * to.plane, to.pitch, from.at + z * from.plane, from.pitch,
			p->extent.width * bytes, p->extent.height, p->kind);
	return e;
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
	RT_ENTER();
	RT_WANT(p);
	rt_turn(NULL);
	return rt_leave(rt_copy_3d(p));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
	RT_ENTER();
	RT_WANT(p);
	struct rt_graph *g = rt_capturing(stream);
	if (!rt_stream_known(stream))
		return rt_leave(cudaErrorInvalidResourceHandle);
	if (!g)
		rt_turn(stream);
	return rt_leave(g ? rt_capture_copy_3d(g, p) : rt_copy_3d(p));
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
	if (!p)
		return cudaMemcpy3DAsync(NULL, stream);
	const struct cudaMemcpy3DParms one = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
		p->dstPos, p->dstPtr, p->extent, cudaMemcpyDefault};

	return p->srcDevice || p->dstDevice ? cudaSetDevice(1) : cudaMemcpy3DAsync(&one, stream);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p)
{
	return cudaMemcpy3DPeerAsync(p, NULL);
}

/* ---- textures ---- */

static void set_format(struct ptx_texture *t, const struct cudaChannelFormatDesc *d)
{
	t->channels = (uint8_t)(!!d->x + !!d->y + !!d->z + !!d->w);
	t->channel_bits = (uint8_t)d->x;
	t->texels = d->f == cudaChannelFormatKindSigned     ? PTX_TEXELS_SIGNED
		    : d->f == cudaChannelFormatKindUnsigned ? PTX_TEXELS_UNSIGNED
							    : PTX_TEXELS_FLOAT;
}

static void set_memory(struct ptx_texture *t, const void *p, const struct cudaChannelFormatDesc *d,
	size_t width, size_t height, size_t pitch)
{
	set_format(t, d);
	t->base = (uintptr_t)p;
	t->size[0] = width;
	t->size[1] = height;
	t->size[2] = 1;
	t->pitch = pitch;
}

static void set_array(struct ptx_texture *t, const struct cudaArray *a)
{
	set_memory(t, a->base, &a->desc, a->width, a->height ? a->height : 1, a->pitch);
	t->slice = a->pitch * (a->height ? a->height : 1);
	t->layers = a->layered ? (uint32_t)a->depth : 0;
	t->size[2] = a->layered || !a->depth ? 1 : a->depth;
}

static void set_mipmap(
	struct ptx_texture *t, const struct cudaMipmappedArray *m, const struct cudaTextureDesc *d)
{
	set_array(t, m->levels[0]);
	t->nmore = m->n - 1;
	for (unsigned i = 0; i < t->nmore; i++) {
		const struct cudaArray *a = m->levels[i + 1];
		t->more[i] = (struct ptx_level){
			(uintptr_t)a->base, a->pitch, a->pitch * (a->height ? a->height : 1)};
	}
	t->blends = d->mipmapFilterMode == cudaFilterModeLinear;
	t->bias = d->mipmapLevelBias;
	t->min_level = d->minMipmapLevelClamp;
	t->max_level = d->maxMipmapLevelClamp;
}

/* CUDA reads no integers of 32 bits as numbers up to 1. */
static bool promoted(const struct ptx_texture *t)
{
	return t->channel_bits < 32;
}

static cudaError_t check(const struct ptx_texture *t)
{
	const unsigned bytes = t->channels * t->channel_bits / 8u, bits = t->channel_bits;

	if ((bits != 8 && bits != 16 && bits != 32) || t->channels == 3 || !t->size[0])
		return cudaErrorInvalidChannelDescriptor;
	if (!t->size[1])
		return cudaErrorInvalidValue;
	if (t->linear && t->texels != PTX_TEXELS_FLOAT && !t->scaled)
		return cudaErrorInvalidFilterSetting;
	return ptx_host(rt.machine, t->base, bytes) ? cudaSuccess : cudaErrorInvalidValue;
}

static const void *key(uint64_t handle)
{
	return (const void *)(uintptr_t)handle;
}

/* Binds a texture to a new handle; 0: no memory. */
static uint64_t object_new(const struct ptx_texture *t, const struct object *from)
{
	struct object *o = malloc(sizeof(*o));
	const uint64_t handle = o ? ptx_texture_bind(rt.machine, 0, t) : 0;

	if (handle && rt_map_put(&objects, key(handle), o)) {
		*o = *from;
		return handle;
	}
	if (handle)
		ptx_texture_unbind(rt.machine, handle);
	free(o);
	return 0;
}

static cudaError_t object_free(uint64_t handle)
{
	struct object *o = rt_map_get(&objects, key(handle));

	rt_map_drop(&objects, key(handle));
	free(o);
	return ptx_texture_unbind(rt.machine, handle) ? cudaSuccess : cudaErrorInvalidValue;
}

static struct object *object_of(uint64_t handle, bool surface)
{
	struct object *o = rt_map_get(&objects, key(handle));

	return o && o->surface == surface ? o : NULL;
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *r, cudaTextureObject_t t)
{
	RT_ENTER();
	const struct object *o = object_of(t, false);
	RT_WANT(r && o);
	*r = o->r;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *d, cudaTextureObject_t t)
{
	RT_ENTER();
	const struct object *o = object_of(t, false);
	RT_WANT(d && o);
	*d = o->d;
	return rt_leave(cudaSuccess);
}

void rt_texture_set_flags(cudaTextureObject_t t, unsigned flags)
{
	rt_enter();
	struct object *const o = object_of(t, false);
	if (o) {
		o->of_driver = true;
		o->flags = flags;
	}
	rt_leave(cudaSuccess);
}

bool rt_texture_flags(cudaTextureObject_t t, unsigned *flags)
{
	rt_enter();
	const struct object *const o = object_of(t, false);
	const bool is = o && o->of_driver;
	if (is)
		*flags = o->flags;
	rt_leave(cudaSuccess);
	return is;
}

/* CUDA has an error for a texture without a view, which all are. */
cudaError_t cudaGetTextureObjectResourceViewDesc(
	struct cudaResourceViewDesc *v, cudaTextureObject_t t)
{
	(void)v, (void)t;
	RT_ENTER();
	return rt_leave(cudaErrorInvalidValue);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *r, cudaSurfaceObject_t s)
{
	RT_ENTER();
	const struct object *o = object_of(s, true);
	RT_WANT(r && o);
	*r = o->r;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out, const struct cudaResourceDesc *r,
	const struct cudaTextureDesc *d, const struct cudaResourceViewDesc *v)
{
	RT_ENTER();
	RT_WANT(out && r && d);
	struct ptx_texture t = {.linear = d->filterMode == cudaFilterModeLinear,
		.normalized = d->normalizedCoords != 0};
	if (v)
		return rt_leave(cudaErrorNotSupported);
	for (unsigned i = 0; i < 3; i++)
		t.wrap[i] = (uint8_t)d->addressMode[i];
	memcpy(t.border, d->borderColor, sizeof(t.border));
	if (r->resType == cudaResourceTypeArray) {
		const struct cudaArray *a = array_of(r->res.array.array);
		if (!a)
			return rt_leave(cudaErrorInvalidValue);
		set_array(&t, a);
	} else if (r->resType == cudaResourceTypeMipmappedArray) {
		const struct cudaMipmappedArray *m = mipmap_of(r->res.mipmap.mipmap);
		if (!m)
			return rt_leave(cudaErrorInvalidValue);
		set_mipmap(&t, m, d);
	} else if (r->resType == cudaResourceTypeLinear) {
		const unsigned bytes = texel_bytes(&r->res.linear.desc);
		set_memory(&t, r->res.linear.devPtr, &r->res.linear.desc,
			bytes ? r->res.linear.sizeInBytes / bytes : 0, 1,
			r->res.linear.sizeInBytes);
		t.plain = 1;
		t.linear = 0;
	} else if (r->resType == cudaResourceTypePitch2D) {
		set_memory(&t, r->res.pitch2D.devPtr, &r->res.pitch2D.desc, r->res.pitch2D.width,
			r->res.pitch2D.height, r->res.pitch2D.pitchInBytes);
	} else {
		return rt_leave(cudaErrorNotSupported);
	}
	t.scaled = d->readMode == cudaReadModeNormalizedFloat && promoted(&t);
	const cudaError_t e = check(&t);
	if (e)
		return rt_leave(e);
	*out = object_new(&t, &(struct object){.r = *r, .d = *d});
	return rt_leave(*out ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t t)
{
	RT_ENTER();
	return rt_leave(object_free(t));
}

/* A texture's reference has settings of its own, which the program may have changed. */
static cudaError_t bind(const struct textureReference *ref, struct ptx_texture *t)
{
	uint64_t handle, bytes;
	cudaError_t e = rt_symbol(ref, &handle, &bytes);

	t->normalized = ref->normalized != 0;
	t->linear = ref->filterMode == cudaFilterModeLinear && !t->plain;
	/* Where elements are read as they are, the compiler asks for integers, and gets them. */
	t->scaled = ref->reserved[0] != 0 && promoted(t);
	for (unsigned i = 0; i < 3; i++)
		t->wrap[i] = (uint8_t)ref->addressMode[i];
	if (e)
		return cudaErrorInvalidTexture;
	if ((e = check(t)))
		return e;
	return ptx_texture_bind(rt.machine, handle, t) ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaBindTexture(size_t *offset, const struct textureReference *t, const void *p,
	const struct cudaChannelFormatDesc *desc, size_t bytes)
{
	struct ptx_texture x = {.plain = 1};
	uint64_t base, all;
	RT_ENTER();
	RT_WANT(t && desc);
	if (!ptx_allocation(rt.machine, (uintptr_t)p, &base, &all) || !texel_bytes(desc))
		return rt_leave(cudaErrorInvalidValue);
	all -= (uintptr_t)p - base;
	bytes = bytes < all ? bytes : all;
	set_memory(&x, p, desc, bytes / texel_bytes(desc), 1, bytes);
	if (offset)
		*offset = 0;
	return rt_leave(bind(t, &x));
}

cudaError_t cudaBindTexture2D(size_t *offset, const struct textureReference *t, const void *p,
	const struct cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch)
{
	struct ptx_texture x = {0};
	RT_ENTER();
	RT_WANT(t && desc);
	set_memory(&x, p, desc, width, height, pitch);
	if (offset)
		*offset = 0;
	return rt_leave(bind(t, &x));
}

cudaError_t cudaBindTextureToArray(const struct textureReference *t, cudaArray_const_t array,
	const struct cudaChannelFormatDesc *desc)
{
	struct ptx_texture x = {0};
	RT_ENTER();
	const struct cudaArray *a = array_of(array);
	(void)desc;
	if (!a)
		return rt_leave(cudaErrorInvalidResourceHandle);
	set_array(&x, a);
	return rt_leave(bind(t, &x));
}

cudaError_t cudaUnbindTexture(const struct textureReference *t)
{
	uint64_t handle, bytes;
	RT_ENTER();
	if (rt_symbol(t, &handle, &bytes))
		return rt_leave(cudaErrorInvalidTexture);
	ptx_texture_unbind(rt.machine, handle);
	return rt_leave(cudaSuccess);
}

cudaError_t cudaGetTextureAlignmentOffset(size_t *offset, const struct textureReference *t)
{
	(void)t;
	RT_ENTER();
	RT_WANT(offset);
	*offset = 0;
	return rt_leave(cudaSuccess);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *s, const struct cudaResourceDesc *r)
{
	struct ptx_texture t = {0};
	RT_ENTER();
	RT_WANT(s && r);
	const struct cudaArray *a =
		r->resType == cudaResourceTypeArray ? array_of(r->res.array.array) : NULL;
	if (!a)
		return rt_leave(cudaErrorInvalidValue);
	set_array(&t, a);
	*s = object_new(&t, &(struct object){.r = *r, .surface = true});
	return rt_leave(*s ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t s)
{
	RT_ENTER();
	return rt_leave(object_free(s));
}

cudaError_t cudaBindSurfaceToArray(const struct surfaceReference *s, cudaArray_const_t array,
	const struct cudaChannelFormatDesc *desc)
{
	(void)s, (void)array, (void)desc;
	RT_ENTER();
	return rt_leave(cudaErrorNotSupported);
}
