/* Vectors of 1 to 4 of each arithmetic type, make_NAME for them, and dim3. */
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__

#include "host_defines.h"

/* Two and four lie as loads of the whole want it, at most 16 bytes aligned; three lie as they come. */
#define WT_VECTOR(name, T, size)                                                                   \
	struct name##1 { T x; };                                                                   \
	struct __attribute__((aligned(2 * (size)))) name##2 { T x, y; };                           \
	struct name##3 { T x, y, z; };                                                             \
	struct __attribute__((aligned(4 * (size) < 16 ? 4 * (size) : 16))) name##4 { T x, y, z, w; }; \
	typedef struct name##1 name##1;                                                            \
	typedef struct name##2 name##2;                                                            \
	typedef struct name##3 name##3;                                                            \
	typedef struct name##4 name##4;                                                            \
	static inline __host__ __device__ name##1 make_##name##1(T x)                              \
	{                                                                                          \
		name##1 v;                                                                         \
		v.x = x;                                                                           \
		return v;                                                                          \
	}                                                                                          \
	static inline __host__ __device__ name##2 make_##name##2(T x, T y)                         \
	{                                                                                          \
		name##2 v;                                                                         \
		v.x = x;                                                                           \
		v.y = y;                                                                           \
		return v;                                                                          \
	}                                                                                          \
	static inline __host__ __device__ name##3 make_##name##3(T x, T y, T z)                    \
	{                                                                                          \
		name##3 v;                                                                         \
		v.x = x;                                                                           \
		v.y = y;                                                                           \
		v.z = z;                                                                           \
		return v;                                                                          \
	}                                                                                          \
	static inline __host__ __device__ name##4 make_##name##4(T x, T y, T z, T w)               \
	{                                                                                          \
		name##4 v;                                                                         \
		v.x = x;                                                                           \
		v.y = y;                                                                           \
		v.z = z;                                                                           \
		v.w = w;                                                                           \
		return v;                                                                          \
	}

WT_VECTOR(char, signed char, 1)
WT_VECTOR(uchar, unsigned char, 1)
WT_VECTOR(short, short, 2)
WT_VECTOR(ushort, unsigned short, 2)
WT_VECTOR(int, int, 4)
WT_VECTOR(uint, unsigned int, 4)
WT_VECTOR(long, long, 8)
WT_VECTOR(ulong, unsigned long, 8)
WT_VECTOR(longlong, long long, 8)
WT_VECTOR(ulonglong, unsigned long long, 8)
WT_VECTOR(float, float, 4)
WT_VECTOR(double, double, 8)
#undef WT_VECTOR

struct dim3 {
	unsigned int x, y, z;
#if defined(__cplusplus)
	__host__ __device__ constexpr dim3(unsigned int a = 1, unsigned int b = 1, unsigned int c = 1)
		: x(a), y(b), z(c)
	{
	}
	__host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
	{
	}
	__host__ __device__ constexpr operator uint3() const
	{
		return uint3{x, y, z};
	}
#endif
};
typedef struct dim3 dim3;

#endif
