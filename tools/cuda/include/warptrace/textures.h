/*
 * Texture references and objects, and their fetches. A reference is a host struct that clang gives a
 * twin on the device, which there is a handle, as an object is.
 */
#ifndef WT_TEXTURES_H
#define WT_TEXTURES_H

enum {
	cudaTextureType1D = 0x01,
	cudaTextureType2D = 0x02,
	cudaTextureType3D = 0x03,
	cudaTextureType1DLayered = 0xF1,
	cudaTextureType2DLayered = 0xF2,
	cudaTextureTypeCubemap = 0x0C,
	cudaTextureTypeCubemapLayered = 0xFC
};

#if defined(__CUDA__)
#define WT_TEXTURE_TYPE __attribute__((device_builtin_texture_type))
#else
#define WT_TEXTURE_TYPE
#endif

template <class T, int dim = 1, cudaTextureReadMode mode = cudaReadModeElementType>
struct WT_TEXTURE_TYPE texture : public textureReference {
	__host__ texture(int norm = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
		cudaTextureAddressMode address = cudaAddressModeClamp)
		: texture(norm, filter, address, cudaCreateChannelDesc<T>())
	{
	}
	__host__ texture(int norm, cudaTextureFilterMode filter, cudaTextureAddressMode address,
		cudaChannelFormatDesc desc)
		: textureReference()
	{
		normalized = norm;
		filterMode = filter;
		addressMode[0] = addressMode[1] = addressMode[2] = address;
		channelDesc = desc;
		reserved[0] = mode == cudaReadModeNormalizedFloat; /* libwarptrace-cudart's own */
	}
};

#define WT_BIND template <class T, int dim, cudaTextureReadMode mode> static inline cudaError_t
#define WT_REF const texture<T, dim, mode> &t
WT_BIND cudaBindTexture(size_t *offset, WT_REF, const void *p, const cudaChannelFormatDesc &desc,
	size_t n = 0xffffffffu)
{
	return ::cudaBindTexture(offset, (const textureReference *)&t, p, &desc, n);
}
WT_BIND cudaBindTexture(size_t *offset, WT_REF, const void *p, size_t n = 0xffffffffu)
{
	return ::cudaBindTexture(offset, (const textureReference *)&t, p, &t.channelDesc, n);
}
WT_BIND cudaBindTexture2D(size_t *offset, WT_REF, const void *p, const cudaChannelFormatDesc &desc,
	size_t width, size_t height, size_t pitch)
{
	return ::cudaBindTexture2D(
		offset, (const textureReference *)&t, p, &desc, width, height, pitch);
}
WT_BIND cudaBindTexture2D(
	size_t *offset, WT_REF, const void *p, size_t width, size_t height, size_t pitch)
{
	return ::cudaBindTexture2D(
		offset, (const textureReference *)&t, p, &t.channelDesc, width, height, pitch);
}
WT_BIND cudaBindTextureToArray(WT_REF, cudaArray_const_t array, const cudaChannelFormatDesc &desc)
{
	return ::cudaBindTextureToArray((const textureReference *)&t, array, &desc);
}
WT_BIND cudaBindTextureToArray(WT_REF, cudaArray_const_t array)
{
	return ::cudaBindTextureToArray((const textureReference *)&t, array, &t.channelDesc);
}
WT_BIND cudaUnbindTexture(WT_REF)
{
	return ::cudaUnbindTexture((const textureReference *)&t);
}
WT_BIND cudaGetTextureAlignmentOffset(size_t *offset, WT_REF)
{
	return ::cudaGetTextureAlignmentOffset(offset, (const textureReference *)&t);
}
#undef WT_BIND
#undef WT_REF

#if defined(__CUDA__)

/* The instruction by its geometry and the type of what it gives; layers come before coordinates. */
#define WT_TEX(name, type, c, V)                                                                   \
	WT_DEVICE V wt_tex1di_##name(unsigned long long t, int x)                                  \
	{                                                                                          \
		V v;                                                                               \
		asm("tex.1d.v4." type ".s32 {%0, %1, %2, %3}, [%4, {%5}];"                         \
		    : "=" c(v.x), "=" c(v.y), "=" c(v.z), "=" c(v.w)                               \
		    : "l"(t), "r"(x));                                                             \
		return v;                                                                          \
	}                                                                                          \
	WT_DEVICE V wt_tex1d_##name(unsigned long long t, float x)                                 \
	{                                                                                          \
		V v;                                                                               \
		asm("tex.1d.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5}];"                         \
		    : "=" c(v.x), "=" c(v.y), "=" c(v.z), "=" c(v.w)                               \
		    : "l"(t), "f"(x));                                                             \
		return v;                                                                          \
	}                                                                                          \
	WT_DEVICE V wt_tex2d_##name(unsigned long long t, float x, float y)                        \
	{                                                                                          \
		V v;                                                                               \
		asm("tex.2d.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"                     \
		    : "=" c(v.x), "=" c(v.y), "=" c(v.z), "=" c(v.w)                               \
		    : "l"(t), "f"(x), "f"(y));                                                     \
		return v;                                                                          \
	}                                                                                          \
	WT_DEVICE V wt_tex3d_##name(unsigned long long t, float x, float y, float z)               \
	{                                                                                          \
		V v;                                                                               \
		asm("tex.3d.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"             \
		    : "=" c(v.x), "=" c(v.y), "=" c(v.z), "=" c(v.w)                               \
		    : "l"(t), "f"(x), "f"(y), "f"(z));                                             \
		return v;                                                                          \
	}                                                                                          \
	WT_DEVICE V wt_texa1d_##name(unsigned long long t, float x, int layer)                     \
	{                                                                                          \
		V v;                                                                               \
		asm("tex.a1d.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5, %6}];"                    \
		    : "=" c(v.x), "=" c(v.y), "=" c(v.z), "=" c(v.w)                               \
		    : "l"(t), "r"(layer), "f"(x));                                                 \
		return v;                                                                          \
	}                                                                                          \
	WT_DEVICE V wt_texa2d_##name(unsigned long long t, float x, float y, int layer)            \
	{                                                                                          \
		V v;                                                                               \
		asm("tex.a2d.v4." type ".f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"            \
		    : "=" c(v.x), "=" c(v.y), "=" c(v.z), "=" c(v.w)                               \
		    : "l"(t), "r"(layer), "f"(x), "f"(y));                                         \
		return v;                                                                          \
	}
WT_TEX(f, "f32", "f", float4)
WT_TEX(s, "s32", "r", int4)
WT_TEX(u, "u32", "r", uint4)
#undef WT_TEX

/* Levels of mipmaps, whose level is the last parameter, and cubes. */
#define WT_STRIP(...) __VA_ARGS__
#define WT_TEX_MORE(name, type, c, V, which, geometry, parameters, at, ...)                        \
	WT_DEVICE V wt_tex##which##_##name(unsigned long long t, WT_STRIP parameters)              \
	{                                                                                          \
		V v;                                                                               \
		asm("tex." geometry ".v4." type ".f32 {%0, %1, %2, %3}, " at ";"                   \
		    : "=" c(v.x), "=" c(v.y), "=" c(v.z), "=" c(v.w)                               \
		    : "l"(t), __VA_ARGS__);                                                        \
		return v;                                                                          \
	}
#define WT_TEX_LEVELS(name, type, c, V)                                                            \
	WT_TEX_MORE(name, type, c, V, l1d, "level.1d", (float x, float l),                         \
		"[%4, {%5}], %6", "f"(x), "f"(l))                                                  \
	WT_TEX_MORE(name, type, c, V, l2d, "level.2d", (float x, float y, float l),                \
		"[%4, {%5, %6}], %7", "f"(x), "f"(y), "f"(l))                                      \
	WT_TEX_MORE(name, type, c, V, l3d, "level.3d", (float x, float y, float z, float l),       \
		"[%4, {%5, %6, %7, %7}], %8", "f"(x), "f"(y), "f"(z), "f"(l))                      \
	WT_TEX_MORE(name, type, c, V, la1d, "level.a1d", (float x, int layer, float l),            \
		"[%4, {%5, %6}], %7", "r"(layer), "f"(x), "f"(l))                                  \
	WT_TEX_MORE(name, type, c, V, la2d, "level.a2d", (float x, float y, int layer, float l), \
		"[%4, {%5, %6, %7, %7}], %8", "r"(layer), "f"(x), "f"(y), "f"(l))                  \
	WT_TEX_MORE(name, type, c, V, cu, "cube", (float x, float y, float z),                     \
		"[%4, {%5, %6, %7, %7}]", "f"(x), "f"(y), "f"(z))                                  \
	WT_TEX_MORE(name, type, c, V, lc, "level.cube", (float x, float y, float z, float l),      \
		"[%4, {%5, %6, %7, %7}], %8", "f"(x), "f"(y), "f"(z), "f"(l))                      \
	WT_TEX_MORE(name, type, c, V, ac, "acube", (float x, float y, float z, int layer),         \
		"[%4, {%5, %6, %7, %8}]", "r"(layer), "f"(x), "f"(y), "f"(z))                      \
	WT_TEX_MORE(name, type, c, V, lac, "level.acube",                                          \
		(float x, float y, float z, int layer, float l),                                   \
		"[%4, {%5, %6, %7, %8}], %9", "r"(layer), "f"(x), "f"(y), "f"(z), "f"(l))
WT_TEX_LEVELS(f, "f32", "f", float4)
WT_TEX_LEVELS(s, "s32", "r", int4)
WT_TEX_LEVELS(u, "u32", "r", uint4)
#undef WT_TEX_LEVELS
#undef WT_TEX_MORE

/* How a T is made of what the instruction gives, and the T of normalized floats. */
template <class T> struct wt_texel;
#define WT_LEVEL(member, which, k, V)                                                              \
	template <class... Arguments>                                                                      \
	static __device__ __forceinline__ V member(unsigned long long t, Arguments... a)                   \
	{                                                                                          \
		return wt_tex##which##_##k(t, a...);                                               \
	}
#define WT_ONE(T, k, V, ...)                                                                       \
	template <> struct wt_texel<T> {                                                           \
		typedef V all;                                                                     \
		static __device__ __forceinline__ T of(V v) { return __VA_ARGS__; }                \
		static __device__ __forceinline__ V f1i(unsigned long long t, int x)               \
		{                                                                                  \
			return wt_tex1di_##k(t, x);                                                \
		}                                                                                  \
		static __device__ __forceinline__ V f1(unsigned long long t, float x)              \
		{                                                                                  \
			return wt_tex1d_##k(t, x);                                                 \
		}                                                                                  \
		static __device__ __forceinline__ V f2(unsigned long long t, float x, float y)     \
		{                                                                                  \
			return wt_tex2d_##k(t, x, y);                                              \
		}                                                                                  \
		static __device__ __forceinline__ V f3(                                            \
			unsigned long long t, float x, float y, float z)                           \
		{                                                                                  \
			return wt_tex3d_##k(t, x, y, z);                                           \
		}                                                                                  \
		static __device__ __forceinline__ V a1(unsigned long long t, float x, int layer)   \
		{                                                                                  \
			return wt_texa1d_##k(t, x, layer);                                         \
		}                                                                                  \
		static __device__ __forceinline__ V a2(                                            \
			unsigned long long t, float x, float y, int layer)                         \
		{                                                                                  \
			return wt_texa2d_##k(t, x, y, layer);                                      \
		}                                                                                  \
		WT_LEVEL(l1, l1d, k, V)                                                            \
		WT_LEVEL(l2, l2d, k, V)                                                            \
		WT_LEVEL(l3, l3d, k, V)                                                            \
		WT_LEVEL(la1, la1d, k, V)                                                          \
		WT_LEVEL(la2, la2d, k, V)                                                          \
		WT_LEVEL(cu, cu, k, V)                                                             \
		WT_LEVEL(lc, lc, k, V)                                                             \
		WT_LEVEL(ac, ac, k, V)                                                             \
		WT_LEVEL(lac, lac, k, V)                                                           \
	};
#define WT_ALL(T, E, k, V)                                                                         \
	WT_ONE(E, k, V, (E)v.x)                                                                    \
	WT_ONE(T##1, k, V, make_##T##1((E)v.x))                                                    \
	WT_ONE(T##2, k, V, make_##T##2((E)v.x, (E)v.y))                                            \
	WT_ONE(T##4, k, V, make_##T##4((E)v.x, (E)v.y, (E)v.z, (E)v.w))
WT_ALL(float, float, f, float4)
WT_ALL(int, int, s, int4)
WT_ALL(uint, unsigned int, u, uint4)
WT_ALL(short, short, s, int4)
WT_ALL(ushort, unsigned short, u, uint4)
WT_ALL(char, signed char, s, int4)
WT_ALL(uchar, unsigned char, u, uint4)
WT_ONE(char, s, int4, (char)v.x)
#undef WT_ALL
#undef WT_ONE
#undef WT_LEVEL
#undef WT_FETCH

/* What a reference's fetch gives: its T, or floats as many as T has. */
template <class T, cudaTextureReadMode mode> struct wt_read {
	typedef T type;
};
template <class T> struct wt_read<T, cudaReadModeNormalizedFloat> {
	typedef typename std::conditional<std::is_arithmetic<T>::value, float, float4>::type type;
};
template <> struct wt_read<uchar2, cudaReadModeNormalizedFloat> {
	typedef float2 type;
};
template <> struct wt_read<char2, cudaReadModeNormalizedFloat> {
	typedef float2 type;
};
template <> struct wt_read<ushort2, cudaReadModeNormalizedFloat> {
	typedef float2 type;
};
template <> struct wt_read<short2, cudaReadModeNormalizedFloat> {
	typedef float2 type;
};

/* A reference is handed over by its address, which the machine takes for the handle. */
#define WT_HANDLE ((unsigned long long)&t)
#define WT_FETCHES(name, f, dim, parameters, ...)                                                  \
	template <class T> WT_DEVICE T name(cudaTextureObject_t t, WT_STRIP parameters)            \
	{                                                                                          \
		return wt_texel<T>::of(wt_texel<T>::f(t, __VA_ARGS__));                            \
	}                                                                                          \
	template <class T> WT_DEVICE void name(T *out, cudaTextureObject_t t, WT_STRIP parameters) \
	{                                                                                          \
		*out = wt_texel<T>::of(wt_texel<T>::f(t, __VA_ARGS__));                            \
	}                                                                                          \
	template <class T, cudaTextureReadMode mode>                                               \
	WT_DEVICE typename wt_read<T, mode>::type name(                                            \
		const texture<T, dim, mode> &t, WT_STRIP parameters)                               \
	{                                                                                          \
		typedef wt_texel<typename wt_read<T, mode>::type> texel;                           \
		return texel::of(texel::f(WT_HANDLE, __VA_ARGS__));                                \
	}
WT_FETCHES(tex1Dfetch, f1i, 1, (int x), x)
WT_FETCHES(tex1D, f1, 1, (float x), x)
WT_FETCHES(tex2D, f2, 2, (float x, float y), x, y)
WT_FETCHES(tex3D, f3, 3, (float x, float y, float z), x, y, z)
WT_FETCHES(tex1DLayered, a1, 0xF1, (float x, int layer), x, layer)
WT_FETCHES(tex2DLayered, a2, 0xF2, (float x, float y, int layer), x, y, layer)
WT_FETCHES(texCubemap, cu, 0x0C, (float x, float y, float z), x, y, z)
WT_FETCHES(texCubemapLayered, ac, 0xFC, (float x, float y, float z, int layer), x, y, z, layer)
WT_FETCHES(tex1DLod, l1, 1, (float x, float level), x, level)
WT_FETCHES(tex2DLod, l2, 2, (float x, float y, float level), x, y, level)
WT_FETCHES(tex3DLod, l3, 3, (float x, float y, float z, float level), x, y, z, level)
WT_FETCHES(tex1DLayeredLod, la1, 0xF1, (float x, int layer, float level), x, layer, level)
WT_FETCHES(
	tex2DLayeredLod, la2, 0xF2, (float x, float y, int layer, float level), x, y, layer, level)
WT_FETCHES(texCubemapLod, lc, 0x0C, (float x, float y, float z, float level), x, y, z, level)
WT_FETCHES(texCubemapLayeredLod, lac, 0xFC, (float x, float y, float z, int layer, float level), x,
	y, z, layer, level)
#undef WT_FETCHES
#undef WT_STRIP
#undef WT_HANDLE

/* ---- surfaces ---- */

/*
 * A T is moved as its bytes are, in one access of its size; x counts bytes. %[v] and so on: the
 * registers of a value; [s]: the object.
 */
#define WT_SURFACE_ACCESSES(name, geometry, mode, parameters, at, ...)                             \
	WT_DEVICE void wt_suld_##name(                                                             \
		unsigned *v, size_t size, cudaSurfaceObject_t s, WT_STRIP parameters)              \
	{                                                                                          \
		unsigned short h;                                                                  \
		if (size == 16) {                                                                  \
			asm volatile("suld.b." geometry ".v4.b32." mode                            \
				     " {%[a], %[b], %[c], %[d]}, [%[s], " at "];"                  \
				     : [a] "=r"(v[0]), [b] "=r"(v[1]), [c] "=r"(v[2]),             \
				     [d] "=r"(v[3])                                                \
				     : [s] "l"(s), __VA_ARGS__                                     \
				     : "memory");                                                  \
		} else if (size == 8) {                                                            \
			asm volatile("suld.b." geometry ".v2.b32." mode                            \
				     " {%[a], %[b]}, [%[s], " at "];"                              \
				     : [a] "=r"(v[0]), [b] "=r"(v[1])                              \
				     : [s] "l"(s), __VA_ARGS__                                     \
				     : "memory");                                                  \
		} else if (size == 4) {                                                            \
			asm volatile("suld.b." geometry ".b32." mode " %[a], [%[s], " at "];"      \
				     : [a] "=r"(v[0])                                              \
				     : [s] "l"(s), __VA_ARGS__                                     \
				     : "memory");                                                  \
		} else if (size == 2) {                                                            \
			asm volatile("suld.b." geometry ".b16." mode " %[a], [%[s], " at "];"      \
				     : [a] "=h"(h)                                                 \
				     : [s] "l"(s), __VA_ARGS__                                     \
				     : "memory");                                                  \
			v[0] = h;                                                                  \
		} else {                                                                           \
			asm volatile("suld.b." geometry ".b8." mode " %[a], [%[s], " at "];"       \
				     : [a] "=h"(h)                                                 \
				     : [s] "l"(s), __VA_ARGS__                                     \
				     : "memory");                                                  \
			v[0] = h;                                                                  \
		}                                                                                  \
	}                                                                                          \
	WT_DEVICE void wt_sust_##name(                                                             \
		const unsigned *v, size_t size, cudaSurfaceObject_t s, WT_STRIP parameters)        \
	{                                                                                          \
		if (size == 16)                                                                    \
			asm volatile("sust.b." geometry ".v4.b32." mode " [%[s], " at              \
				     "], {%[a], %[b], %[c], %[d]};" ::[a] "r"(v[0]),               \
				[b] "r"(v[1]), [c] "r"(v[2]), [d] "r"(v[3]), [s] "l"(s),           \
				__VA_ARGS__                                                        \
				: "memory");                                                       \
		else if (size == 8)                                                                \
			asm volatile("sust.b." geometry ".v2.b32." mode " [%[s], " at              \
				     "], {%[a], %[b]};" ::[a] "r"(v[0]),                           \
				[b] "r"(v[1]), [s] "l"(s), __VA_ARGS__                             \
				: "memory");                                                       \
		else if (size == 4)                                                                \
			asm volatile("sust.b." geometry ".b32." mode " [%[s], " at "], %[a];" ::   \
					     [a] "r"(v[0]),                                        \
				[s] "l"(s), __VA_ARGS__                                            \
				: "memory");                                                       \
		else if (size == 2)                                                                \
			asm volatile("sust.b." geometry ".b16." mode " [%[s], " at "], %[a];" ::   \
					     [a] "h"((unsigned short)v[0]),                        \
				[s] "l"(s), __VA_ARGS__                                            \
				: "memory");                                                       \
		else                                                                               \
			asm volatile("sust.b." geometry ".b8." mode " [%[s], " at "], %[a];" ::    \
					     [a] "h"((unsigned short)v[0]),                        \
				[s] "l"(s), __VA_ARGS__                                            \
				: "memory");                                                       \
	}

/* A function's three modes; `arguments` are the names of its parameters. */
#define WT_SURFACE(name, geometry, parameters, arguments, at, ...)                                 \
	WT_SURFACE_ACCESSES(name##_zero, geometry, "zero", parameters, at, __VA_ARGS__)            \
	WT_SURFACE_ACCESSES(name##_clamp, geometry, "clamp", parameters, at, __VA_ARGS__)          \
	WT_SURFACE_ACCESSES(name##_trap, geometry, "trap", parameters, at, __VA_ARGS__)            \
	template <class T>                                                                         \
	WT_DEVICE void surf##name##read(T *to, cudaSurfaceObject_t s, WT_STRIP parameters,         \
		cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                               \
	{                                                                                          \
		unsigned v[4];                                                                     \
		if (mode == cudaBoundaryModeZero)                                                  \
			wt_suld_##name##_zero(v, sizeof(T), s, WT_STRIP arguments);                \
		else if (mode == cudaBoundaryModeClamp)                                            \
			wt_suld_##name##_clamp(v, sizeof(T), s, WT_STRIP arguments);               \
		else                                                                               \
			wt_suld_##name##_trap(v, sizeof(T), s, WT_STRIP arguments);                \
		__builtin_memcpy(to, v, sizeof(T));                                                \
	}                                                                                          \
	template <class T>                                                                         \
	WT_DEVICE T surf##name##read(cudaSurfaceObject_t s, WT_STRIP parameters,                   \
		cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                               \
	{                                                                                          \
		T t;                                                                               \
		surf##name##read(&t, s, WT_STRIP arguments, mode);                                 \
		return t;                                                                          \
	}                                                                                          \
	template <class T>                                                                         \
	WT_DEVICE void surf##name##write(T value, cudaSurfaceObject_t s, WT_STRIP parameters,      \
		cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                               \
	{                                                                                          \
		static_assert(sizeof(T) <= 16, "a surface's element has at most 16 bytes");        \
		unsigned v[4] = {};                                                                \
		__builtin_memcpy(v, &value, sizeof(T));                                            \
		if (mode == cudaBoundaryModeZero)                                                  \
			wt_sust_##name##_zero(v, sizeof(T), s, WT_STRIP arguments);                \
		else if (mode == cudaBoundaryModeClamp)                                            \
			wt_sust_##name##_clamp(v, sizeof(T), s, WT_STRIP arguments);               \
		else                                                                               \
			wt_sust_##name##_trap(v, sizeof(T), s, WT_STRIP arguments);                \
	}
#define WT_STRIP(...) __VA_ARGS__
WT_SURFACE(1D, "1d", (int x), (x), "{%[x]}", [x] "r"(x))
WT_SURFACE(2D, "2d", (int x, int y), (x, y), "{%[x], %[y]}", [x] "r"(x), [y] "r"(y))
WT_SURFACE(3D, "3d", (int x, int y, int z), (x, y, z), "{%[x], %[y], %[z], %[z]}", [x] "r"(x),
	[y] "r"(y), [z] "r"(z))
WT_SURFACE(1DLayered, "a1d", (int x, int layer), (x, layer), "{%[l], %[x]}", [x] "r"(x),
	[l] "r"(layer))
WT_SURFACE(2DLayered, "a2d", (int x, int y, int layer), (x, y, layer),
	"{%[l], %[x], %[y], %[y]}", [x] "r"(x), [y] "r"(y), [l] "r"(layer))
#undef WT_STRIP
#undef WT_SURFACE
#undef WT_SURFACE_ACCESSES

#endif /* __CUDA__ */

#endif
