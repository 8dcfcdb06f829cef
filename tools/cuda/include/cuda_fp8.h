/*
 * 8-bit floats: E4M3 (no infinities, NaN 0x7f, 448 at most) and E5M2 (as a half's upper byte, at
 * most 57344), single and in twos and fours, as the OCP 8-bit specification and CUDA's conversions have
 * them: to the nearest, ties to even, once from a double, and what is too large becomes the largest
 * (__NV_SATFINITE) or NaN or infinity (__NV_NOSAT). Left out: E8M0.
 */
#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#if defined(__cplusplus)

WT_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(
	double x, __nv_saturation_t sat, __nv_fp8_interpretation_t kind)
{
	const bool e4m3 = kind == __NV_E4M3;
	const unsigned long long bits = __builtin_bit_cast(unsigned long long, x);
	const unsigned sign = (unsigned)(bits >> 56) & 0x80;
	const unsigned long long a = bits & ~(1ull << 63);
	const int mantissa = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
	const unsigned most = e4m3 ? 0x7e : 0x7b;
	/* Units of the last place of its binade, or of the least one. */
	int exponent = (int)(a >> 52) - 1023;

	if (a > 0x7ffull << 52)
		/* Quiet, with the next bit of the mantissa where there is room. */
		return (__nv_fp8_storage_t)(sign | (e4m3 ? 0x7f : 0x7e | (a >> 50 & 1)));
	exponent = exponent < 1 - bias ? 1 - bias : exponent;
	exponent = exponent > bias + 2 ? bias + 2 : exponent;
	/* 2 to the power of mantissa - exponent: exact, and so is the product. */
	const double unit = __builtin_bit_cast(
		double, (unsigned long long)(1023 + mantissa - exponent) << 52);
	const double units = __builtin_bit_cast(double, a) * unit;
	const double whole = units < 64 ? __builtin_rint(units) : 64;
	/* A full binade carries into the exponent by itself. */
	const unsigned code =
		(unsigned)whole + ((unsigned)(exponent + bias - 1) << mantissa);

	if (code <= most)
		return (__nv_fp8_storage_t)(sign | code);
	if (sat == __NV_SATFINITE)
		return (__nv_fp8_storage_t)(sign | most);
	return (__nv_fp8_storage_t)(sign | (e4m3 ? 0x7f : 0x7c));
}
WT_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(
	float x, __nv_saturation_t sat, __nv_fp8_interpretation_t kind)
{
	return x != x ? (__nv_fp8_storage_t)0x7f : __nv_cvt_double_to_fp8(x, sat, kind);
}
WT_BOTH __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(
	__half_raw x, __nv_saturation_t sat, __nv_fp8_interpretation_t kind)
{
	return __nv_cvt_float_to_fp8(wt_from_half(x.x), sat, kind);
}
WT_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(
	__nv_bfloat16_raw x, __nv_saturation_t sat, __nv_fp8_interpretation_t kind)
{
	return __nv_cvt_float_to_fp8(wt_from_bf16(x.x), sat, kind);
}
WT_BOTH __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(
	double2 x, __nv_saturation_t sat, __nv_fp8_interpretation_t kind)
{
	return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(x.x, sat, kind) |
				      __nv_cvt_double_to_fp8(x.y, sat, kind) << 8);
}
WT_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(
	float2 x, __nv_saturation_t sat, __nv_fp8_interpretation_t kind)
{
	return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(x.x, sat, kind) |
				      __nv_cvt_float_to_fp8(x.y, sat, kind) << 8);
}
WT_BOTH __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(
	__half2_raw x, __nv_saturation_t sat, __nv_fp8_interpretation_t kind)
{
	return __nv_cvt_float2_to_fp8x2(
		make_float2(wt_from_half(x.x), wt_from_half(x.y)), sat, kind);
}
WT_BOTH __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(
	__nv_bfloat162_raw x, __nv_saturation_t sat, __nv_fp8_interpretation_t kind)
{
	return __nv_cvt_float2_to_fp8x2(
		make_float2(wt_from_bf16(x.x), wt_from_bf16(x.y)), sat, kind);
}

/* All of them are halves, too. */
WT_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
	const unsigned sign = (x & 0x80u) << 8, a = x & 0x7fu;
	__half_raw h;

	if (kind == __NV_E5M2) {
		h.x = (unsigned short)(a > 0x7c ? 0x7fff : sign | a << 8);
	} else if (a == 0x7f) {
		h.x = 0x7fff;
	} else if (a >= 8) {
		h.x = (unsigned short)(sign | ((a << 7) + (8u << 10)));
	} else { /* a 512th each */
		h.x = (unsigned short)(sign | wt_to_half((float)a * (1.0f / 512)));
	}
	return h;
}
WT_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(
	__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind)
{
	return __half2_raw{__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, kind).x,
		__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), kind).x};
}
WT_BOTH float wt_from_fp8(unsigned x, __nv_fp8_interpretation_t kind)
{
	return wt_from_half(__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, kind).x);
}

#define WT_FP8_MEMBER __host__ __device__
#define WT_FP8_FROM(name, type, by, value)                                                         \
	explicit WT_FP8_MEMBER name(type v)                                                        \
		: __x(__nv_cvt_##by##_to_fp8(value, __NV_SATFINITE, WT_FP8_KIND))                  \
	{                                                                                          \
	}
#define WT_FP8_TO(type)                                                                            \
	explicit WT_FP8_MEMBER operator type() const                                               \
	{                                                                                          \
		return wt_integer<type>(wt_from_fp8(__x, WT_FP8_KIND));                            \
	}
#define WT_FP8(one, two, four)                                                                     \
	struct one {                                                                               \
		__nv_fp8_storage_t __x;                                                            \
		one() = default;                                                                   \
		WT_FP8_FROM(one, float, float, v)                                                  \
		WT_FP8_FROM(one, double, double, v)                                                \
		WT_FP8_FROM(one, __half, float, __half2float(v))                                   \
		WT_FP8_FROM(one, __nv_bfloat16, float, __bfloat162float(v))                        \
		WT_FP8_FROM(one, short, double, (double)v)                                         \
		WT_FP8_FROM(one, unsigned short, double, (double)v)                                \
		WT_FP8_FROM(one, int, double, (double)v)                                           \
		WT_FP8_FROM(one, unsigned, double, (double)v)                                      \
		WT_FP8_FROM(one, long, double, (double)v)                                          \
		WT_FP8_FROM(one, unsigned long, double, (double)v)                                 \
		WT_FP8_FROM(one, long long, double, (double)v)                                     \
		WT_FP8_FROM(one, unsigned long long, double, (double)v)                            \
		explicit WT_FP8_MEMBER operator float() const                                      \
		{                                                                                  \
			return wt_from_fp8(__x, WT_FP8_KIND);                                      \
		}                                                                                  \
		explicit WT_FP8_MEMBER operator double() const                                     \
		{                                                                                  \
			return wt_from_fp8(__x, WT_FP8_KIND);                                      \
		}                                                                                  \
		explicit WT_FP8_MEMBER operator __half() const                                     \
		{                                                                                  \
			return __half(__nv_cvt_fp8_to_halfraw(__x, WT_FP8_KIND));                  \
		}                                                                                  \
		explicit WT_FP8_MEMBER operator __nv_bfloat16() const                              \
		{                                                                                  \
			return __nv_bfloat16(wt_from_fp8(__x, WT_FP8_KIND));                       \
		}                                                                                  \
		explicit WT_FP8_MEMBER operator bool() const { return (__x & 0x7f) != 0; }         \
		WT_FP8_TO(char)                                                                    \
		WT_FP8_TO(signed char)                                                             \
		WT_FP8_TO(unsigned char)                                                           \
		WT_FP8_TO(short)                                                                   \
		WT_FP8_TO(unsigned short)                                                          \
		WT_FP8_TO(int)                                                                     \
		WT_FP8_TO(unsigned)                                                                \
		WT_FP8_TO(long)                                                                    \
		WT_FP8_TO(unsigned long)                                                           \
		WT_FP8_TO(long long)                                                               \
		WT_FP8_TO(unsigned long long)                                                      \
	};                                                                                         \
	struct __attribute__((aligned(2))) two {                                                   \
		__nv_fp8x2_storage_t __x;                                                          \
		two() = default;                                                                   \
		explicit WT_FP8_MEMBER two(double2 v)                                              \
			: __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, WT_FP8_KIND))           \
		{                                                                                  \
		}                                                                                  \
		explicit WT_FP8_MEMBER two(float2 v)                                               \
			: __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, WT_FP8_KIND))            \
		{                                                                                  \
		}                                                                                  \
		explicit WT_FP8_MEMBER two(__half2 v) : two(__half22float2(v)) {}                  \
		explicit WT_FP8_MEMBER two(__nv_bfloat162 v) : two(__bfloat1622float2(v)) {}       \
		explicit WT_FP8_MEMBER operator float2() const                                     \
		{                                                                                  \
			return make_float2(wt_from_fp8(__x, WT_FP8_KIND),                          \
				wt_from_fp8(__x >> 8u, WT_FP8_KIND));                              \
		}                                                                                  \
		explicit WT_FP8_MEMBER operator __half2() const                                    \
		{                                                                                  \
			return __float22half2_rn((float2) * this);                                 \
		}                                                                                  \
	};                                                                                         \
	struct __attribute__((aligned(4))) four {                                                  \
		__nv_fp8x4_storage_t __x;                                                          \
		four() = default;                                                                  \
		WT_FP8_MEMBER four(two low, two high)                                              \
			: __x((unsigned)low.__x | (unsigned)high.__x << 16)                        \
		{                                                                                  \
		}                                                                                  \
		explicit WT_FP8_MEMBER four(__half2 low, __half2 high)                             \
			: four(two(low), two(high))                                                \
		{                                                                                  \
		}                                                                                  \
		explicit WT_FP8_MEMBER four(__nv_bfloat162 low, __nv_bfloat162 high)               \
			: four(two(low), two(high))                                                \
		{                                                                                  \
		}                                                                                  \
		explicit WT_FP8_MEMBER four(double4 v)                                             \
			: four(two(make_double2(v.x, v.y)), two(make_double2(v.z, v.w)))           \
		{                                                                                  \
		}                                                                                  \
		explicit WT_FP8_MEMBER four(float4 v)                                              \
			: four(two(make_float2(v.x, v.y)), two(make_float2(v.z, v.w)))             \
		{                                                                                  \
		}                                                                                  \
		explicit WT_FP8_MEMBER operator float4() const                                     \
		{                                                                                  \
			return make_float4(wt_from_fp8(__x, WT_FP8_KIND),                          \
				wt_from_fp8(__x >> 8, WT_FP8_KIND),                                \
				wt_from_fp8(__x >> 16, WT_FP8_KIND),                               \
				wt_from_fp8(__x >> 24, WT_FP8_KIND));                              \
		}                                                                                  \
	};
#define WT_FP8_KIND __NV_E4M3
WT_FP8(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3)
#undef WT_FP8_KIND
#define WT_FP8_KIND __NV_E5M2
WT_FP8(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2)
#undef WT_FP8_KIND
#undef WT_FP8
#undef WT_FP8_TO
#undef WT_FP8_FROM
#undef WT_FP8_MEMBER

#endif

#endif
