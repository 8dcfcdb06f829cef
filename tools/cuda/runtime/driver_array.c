/*
 * The driver's arrays, textures and surfaces: the runtime's, with formats and flags in the driver's
 * words. Copies of blocks from and to arrays are in driver_memory.c.
 *
 * Left out: views of resources.
 */
#include "driver.h"
#include <string.h>

/* ---- formats ---- */

static const struct {
	CUarray_format format;
	int bits;
	enum cudaChannelFormatKind kind;
} formats[] = {{CU_AD_FORMAT_UNSIGNED_INT8, 8, cudaChannelFormatKindUnsigned},
	{CU_AD_FORMAT_UNSIGNED_INT16, 16, cudaChannelFormatKindUnsigned},
	{CU_AD_FORMAT_UNSIGNED_INT32, 32, cudaChannelFormatKindUnsigned},
	{CU_AD_FORMAT_SIGNED_INT8, 8, cudaChannelFormatKindSigned},
	{CU_AD_FORMAT_SIGNED_INT16, 16, cudaChannelFormatKindSigned},
	{CU_AD_FORMAT_SIGNED_INT32, 32, cudaChannelFormatKindSigned},
	{CU_AD_FORMAT_HALF, 16, cudaChannelFormatKindFloat},
	{CU_AD_FORMAT_FLOAT, 32, cudaChannelFormatKindFloat}};
#define NFORMATS (sizeof(formats) / sizeof(*formats))

/* Of a format that there is not it has no bits, which the runtime refuses. */
static struct cudaChannelFormatDesc channels_of(CUarray_format format, unsigned n)
{
	struct cudaChannelFormatDesc d = {0};

	for (unsigned i = 0; i < NFORMATS; i++)
		if (formats[i].format == format) {
			const int bits = formats[i].bits;
			d = (struct cudaChannelFormatDesc){bits, n > 1 ? bits : 0, n > 2 ? bits : 0,
				n > 3 ? bits : 0, formats[i].kind};
		}
	return n && n <= 4 ? d : (struct cudaChannelFormatDesc){0};
}

static CUarray_format format_of(const struct cudaChannelFormatDesc *d, unsigned *n)
{
	unsigned i = 0;

	while (i + 1 < NFORMATS && (formats[i].bits != d->x || formats[i].kind != d->f))
		i++;
	*n = (unsigned)(!!d->x + !!d->y + !!d->z + !!d->w);
	return formats[i].format;
}

/* ---- arrays ---- */

_Static_assert(CUDA_ARRAY3D_LAYERED == cudaArrayLayered &&
		       CUDA_ARRAY3D_SURFACE_LDST == cudaArraySurfaceLoadStore &&
		       CUDA_ARRAY3D_CUBEMAP == cudaArrayCubemap,
	"the driver's flags are the runtime's");

static CUresult create(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	const struct cudaChannelFormatDesc c = channels_of(d->Format, d->NumChannels);

	if (!c.x)
		return CUDA_ERROR_INVALID_VALUE;
	return of(cudaMalloc3DArray(
		array, &c, (struct cudaExtent){d->Width, d->Height, d->Depth}, d->Flags));
}

CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *d)
{
	if (!array || !d)
		return CUDA_ERROR_INVALID_VALUE;
	return create(array,
		&(CUDA_ARRAY3D_DESCRIPTOR){d->Width, d->Height, 0, d->Format, d->NumChannels, 0});
}

CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	return array && d ? create(array, d) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray array)
{
	struct cudaChannelFormatDesc c;
	struct cudaExtent e;
	unsigned flags, n;

	if (!d)
		return CUDA_ERROR_INVALID_VALUE;
	const cudaError_t r = cudaArrayGetInfo(&c, &e, &flags, array);
	if (!r) {
		const CUarray_format format = format_of(&c, &n);
		*d = (CUDA_ARRAY3D_DESCRIPTOR){e.width, e.height, e.depth, format, n, flags};
	}
	return of(r);
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *d, CUarray array)
{
	CUDA_ARRAY3D_DESCRIPTOR of_3;
	const CUresult e = d ? cuArray3DGetDescriptor_v2(&of_3, array) : CUDA_ERROR_INVALID_VALUE;

	if (!e)
		*d = (CUDA_ARRAY_DESCRIPTOR){
			of_3.Width, of_3.Height, of_3.Format, of_3.NumChannels};
	return e;
}

CUresult cuArrayDestroy(CUarray array)
{
	return array ? of(cudaFreeArray(array)) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuMipmappedArrayCreate(
	CUmipmappedArray *mipmap, const CUDA_ARRAY3D_DESCRIPTOR *d, unsigned int levels)
{
	if (!mipmap || !d)
		return CUDA_ERROR_INVALID_VALUE;
	const struct cudaChannelFormatDesc c = channels_of(d->Format, d->NumChannels);
	if (!c.x)
		return CUDA_ERROR_INVALID_VALUE;
	return of(cudaMallocMipmappedArray(
		mipmap, &c, (struct cudaExtent){d->Width, d->Height, d->Depth}, levels, d->Flags));
}

CUresult cuMipmappedArrayGetLevel(CUarray *level, CUmipmappedArray mipmap, unsigned int n)
{
	return of(cudaGetMipmappedArrayLevel(level, mipmap, n));
}

CUresult cuMipmappedArrayDestroy(CUmipmappedArray mipmap)
{
	return mipmap ? of(cudaFreeMipmappedArray(mipmap)) : CUDA_ERROR_INVALID_HANDLE;
}

/* ---- copies of bytes: these arrays have one row ---- */

static void *memory(CUdeviceptr p)
{
	return (void *)(uintptr_t)p;
}

CUresult cuMemcpyHtoAAsync_v2(
	CUarray dst, size_t at, const void *src, size_t bytes, CUstream stream)
{
	return of(cudaMemcpyToArrayAsync(dst, at, 0, src, bytes, cudaMemcpyHostToDevice, stream));
}

CUresult cuMemcpyAtoHAsync_v2(void *dst, CUarray src, size_t at, size_t bytes, CUstream stream)
{
	return of(cudaMemcpyFromArrayAsync(dst, src, at, 0, bytes, cudaMemcpyDeviceToHost, stream));
}

CUresult cuMemcpyHtoA_v2(CUarray dst, size_t at, const void *src, size_t bytes)
{
	return cuMemcpyHtoAAsync_v2(dst, at, src, bytes, NULL);
}

CUresult cuMemcpyAtoH_v2(void *dst, CUarray src, size_t at, size_t bytes)
{
	return cuMemcpyAtoHAsync_v2(dst, src, at, bytes, NULL);
}

CUresult cuMemcpyDtoA_v2(CUarray dst, size_t at, CUdeviceptr src, size_t bytes)
{
	return of(cudaMemcpyToArray(dst, at, 0, memory(src), bytes, cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyAtoD_v2(CUdeviceptr dst, CUarray src, size_t at, size_t bytes)
{
	return of(cudaMemcpyFromArray(memory(dst), src, at, 0, bytes, cudaMemcpyDeviceToDevice));
}

CUresult cuMemcpyAtoA_v2(CUarray dst, size_t at, CUarray src, size_t from, size_t bytes)
{
	return of(
		cudaMemcpyArrayToArray(dst, at, 0, src, from, 0, bytes, cudaMemcpyDeviceToDevice));
}

/* ---- textures and surfaces ---- */

_Static_assert((int)CU_TR_ADDRESS_MODE_BORDER == (int)cudaAddressModeBorder &&
		       (int)CU_TR_FILTER_MODE_LINEAR == (int)cudaFilterModeLinear &&
		       (int)CU_RESOURCE_TYPE_PITCH2D == (int)cudaResourceTypePitch2D,
	"the driver's numbers are the runtime's");

/* The resource in the runtime's words; *texels: what its texels are. */
static CUresult resource_of(struct cudaResourceDesc *to, const CUDA_RESOURCE_DESC *r,
	struct cudaChannelFormatDesc *texels)
{
	CUarray first;
	cudaError_t e;

	*to = (struct cudaResourceDesc){.resType = (enum cudaResourceType)r->resType};
	switch (r->resType) {
	case CU_RESOURCE_TYPE_ARRAY:
		to->res.array.array = r->res.array.hArray;
		return of(cudaGetChannelDesc(texels, r->res.array.hArray));
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		to->res.mipmap.mipmap = r->res.mipmap.hMipmappedArray;
		e = cudaGetMipmappedArrayLevel(&first, r->res.mipmap.hMipmappedArray, 0);
		return of(e ? e : cudaGetChannelDesc(texels, first));
	case CU_RESOURCE_TYPE_LINEAR:
		*texels = channels_of(r->res.linear.format, r->res.linear.numChannels);
		to->res.linear.devPtr = memory(r->res.linear.devPtr);
		to->res.linear.desc = *texels;
		to->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
		return CUDA_SUCCESS;
	case CU_RESOURCE_TYPE_PITCH2D:
		*texels = channels_of(r->res.pitch2D.format, r->res.pitch2D.numChannels);
		to->res.pitch2D.devPtr = memory(r->res.pitch2D.devPtr);
		to->res.pitch2D.desc = *texels;
		to->res.pitch2D.width = r->res.pitch2D.width;
		to->res.pitch2D.height = r->res.pitch2D.height;
		to->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuTexObjectCreate(CUtexObject *t, const CUDA_RESOURCE_DESC *r, const CUDA_TEXTURE_DESC *d,
	const CUDA_RESOURCE_VIEW_DESC *v)
{
	struct cudaChannelFormatDesc texels;
	struct cudaResourceDesc resource;
	CUresult e = t && r && d ? resource_of(&resource, r, &texels) : CUDA_ERROR_INVALID_VALUE;

	if (e)
		return e;
	if (v)
		return of(rt_unsupported("a view of a resource"));
	/* Integers are read as numbers up to 1 unless a flag says otherwise; floats are floats. */
	const bool as_is = d->flags & CU_TRSF_READ_AS_INTEGER ||
			   texels.f == cudaChannelFormatKindFloat || texels.x == 32;
	const struct cudaTextureDesc as = {
		.addressMode = {(enum cudaTextureAddressMode)d->addressMode[0],
			(enum cudaTextureAddressMode)d->addressMode[1],
			(enum cudaTextureAddressMode)d->addressMode[2]},
		.filterMode = (enum cudaTextureFilterMode)d->filterMode,
		.readMode = as_is ? cudaReadModeElementType : cudaReadModeNormalizedFloat,
		.sRGB = (d->flags & CU_TRSF_SRGB) != 0,
		.borderColor = {d->borderColor[0], d->borderColor[1], d->borderColor[2],
			d->borderColor[3]},
		.normalizedCoords = (d->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
		.maxAnisotropy = d->maxAnisotropy,
		.mipmapFilterMode = (enum cudaTextureFilterMode)d->mipmapFilterMode,
		.mipmapLevelBias = d->mipmapLevelBias,
		.minMipmapLevelClamp = d->minMipmapLevelClamp,
		.maxMipmapLevelClamp = d->maxMipmapLevelClamp,
		.disableTrilinearOptimization =
			(d->flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0,
		.seamlessCubemap = (d->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0};
	e = of(cudaCreateTextureObject(t, &resource, &as, NULL));
	if (!e)
		rt_texture_set_flags(*t, d->flags);
	return e;
}

CUresult cuTexObjectDestroy(CUtexObject t)
{
	return of(cudaDestroyTextureObject(t));
}

CUresult cuSurfObjectCreate(CUsurfObject *s, const CUDA_RESOURCE_DESC *r)
{
	struct cudaChannelFormatDesc texels;
	struct cudaResourceDesc resource;
	const CUresult e = s && r ? resource_of(&resource, r, &texels) : CUDA_ERROR_INVALID_VALUE;

	return e ? e : of(cudaCreateSurfaceObject(s, &resource));
}

CUresult cuSurfObjectDestroy(CUsurfObject s)
{
	return of(cudaDestroySurfaceObject(s));
}

/* The runtime's words of a resource in the driver's. */
static CUresult described(CUDA_RESOURCE_DESC *to, const struct cudaResourceDesc *r, cudaError_t e)
{
	CUDA_RESOURCE_DESC d = {.resType = (CUresourcetype)r->resType};

	if (e || !to)
		return of(e ? e : cudaErrorInvalidValue);
	if (r->resType == cudaResourceTypeArray) {
		d.res.array.hArray = r->res.array.array;
	} else if (r->resType == cudaResourceTypeMipmappedArray) {
		d.res.mipmap.hMipmappedArray = r->res.mipmap.mipmap;
	} else if (r->resType == cudaResourceTypeLinear) {
		d.res.linear.devPtr = (uintptr_t)r->res.linear.devPtr;
		d.res.linear.format = format_of(&r->res.linear.desc, &d.res.linear.numChannels);
		d.res.linear.sizeInBytes = r->res.linear.sizeInBytes;
	} else {
		d.res.pitch2D.devPtr = (uintptr_t)r->res.pitch2D.devPtr;
		d.res.pitch2D.format = format_of(&r->res.pitch2D.desc, &d.res.pitch2D.numChannels);
		d.res.pitch2D.width = r->res.pitch2D.width;
		d.res.pitch2D.height = r->res.pitch2D.height;
		d.res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
	}
	*to = d;
	return CUDA_SUCCESS;
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *r, CUtexObject t)
{
	struct cudaResourceDesc is = {0};
	const cudaError_t e = cudaGetTextureObjectResourceDesc(&is, t);

	return described(r, &is, e);
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *r, CUsurfObject s)
{
	struct cudaResourceDesc is = {0};
	const cudaError_t e = cudaGetSurfaceObjectResourceDesc(&is, s);

	return described(r, &is, e);
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *d, CUtexObject t)
{
	struct cudaTextureDesc is;
	const cudaError_t e = d ? cudaGetTextureObjectTextureDesc(&is, t) : cudaErrorInvalidValue;

	if (e)
		return of(e);
	unsigned flags =
		(is.readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0u) |
		(is.normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
		(is.sRGB ? CU_TRSF_SRGB : 0u) |
		(is.disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0u) |
		(is.seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0u);
	rt_texture_flags(t, &flags);
	*d = (CUDA_TEXTURE_DESC){
		.addressMode = {(CUaddress_mode)is.addressMode[0],
			(CUaddress_mode)is.addressMode[1], (CUaddress_mode)is.addressMode[2]},
		.filterMode = (CUfilter_mode)is.filterMode,
		.flags = flags,
		.maxAnisotropy = is.maxAnisotropy,
		.mipmapFilterMode = (CUfilter_mode)is.mipmapFilterMode,
		.mipmapLevelBias = is.mipmapLevelBias,
		.minMipmapLevelClamp = is.minMipmapLevelClamp,
		.maxMipmapLevelClamp = is.maxMipmapLevelClamp,
		.borderColor = {is.borderColor[0], is.borderColor[1], is.borderColor[2],
			is.borderColor[3]}};
	return CUDA_SUCCESS;
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *v, CUtexObject t)
{
	(void)v;
	return of(cudaGetTextureObjectResourceViewDesc(NULL, t));
}
