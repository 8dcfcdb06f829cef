/* Half precision: __half and __half2, computed by the f16 instructions on the device, as float on the host. */
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__

#include "cuda_runtime.h"
#include "warptrace/half_more.h"

/* C has these alone. */
typedef struct __half_raw {
	unsigned short x;
} __half_raw;
typedef struct __half2_raw {
	unsigned short x, y;
} __half2_raw;

#if defined(__cplusplus)

#define WT_HALF static inline __host__ __device__ WT_NODEBUG

/* The nearest half, ties to even; infinities and NaN as they are. */
WT_HALF unsigned short wt_to_half(float f)
{
#if defined(__CUDA_ARCH__)
	unsigned short h;
	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
	return h;
#else
	const unsigned bits = __builtin_bit_cast(unsigned, f), sign = bits >> 16 & 0x8000u;
	const unsigned a = bits & 0x7fffffffu;
	if (a > 0x7f800000u)
		return 0x7fff;
	if (a >= 0x477ff000u) /* 65520: half way to what would follow the largest */
		return (unsigned short)(sign | 0x7c00u);
	if (a < 0x38800000u) { /* below the normal ones: units of 2^-24 */
		const float units = __builtin_bit_cast(float, a) * 16777216.0f;
		return (unsigned short)(sign | (unsigned)__builtin_rintf(units));
	}
	const unsigned rest = a & 0x1fffu, up = rest > 0x1000u || (rest == 0x1000u && (a & 0x2000u));
	return (unsigned short)(sign | ((a >> 13) - 0x1c000u + up));
#endif
}
WT_HALF float wt_from_half(unsigned short h)
{
#if defined(__CUDA_ARCH__)
	float f;
	asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
	return f;
#else
	const unsigned sign = (unsigned)(h & 0x8000u) << 16, a = h & 0x7fffu;
	if (a >= 0x7c00u)
		return __builtin_bit_cast(float, sign | 0x7f800000u | (a & 0x3ffu) << 13);
	if (a < 0x400u) {
		const float v = (float)a * (1.0f / 16777216.0f);
		return sign ? -v : v;
	}
	return __builtin_bit_cast(float, sign | ((a << 13) + 0x38000000u));
#endif
}

struct __half {
	union {
		unsigned short __x, x; /* the former is how libcu++ knows it, and writes constants */
	};
	__half() = default;
	__host__ __device__ __half(const __half_raw &r) : x(r.x) {}
	__host__ __device__ __half(float f) : x(wt_to_half(f)) {}
	__host__ __device__ __half(double d) : x(wt_to_half(wt_odd(d))) {}
	__host__ __device__ __half(int i) : x(wt_to_half((float)i)) {}
	__host__ __device__ __half(unsigned i) : x(wt_to_half((float)i)) {}
	__host__ __device__ __half(long i) : x(wt_to_half((float)i)) {}
	__host__ __device__ __half(unsigned long i) : x(wt_to_half((float)i)) {}
	__host__ __device__ operator float() const { return wt_from_half(x); }
	__host__ __device__ operator __half_raw() const { return __half_raw{x}; }
};
typedef __half half;
typedef __half __nv_half;

struct __attribute__((aligned(4))) __half2 {
	__half x, y;
	__half2() = default;
	__host__ __device__ __half2(const __half &a, const __half &b) : x(a), y(b) {}
	__host__ __device__ __half2(const __half2_raw &r) : x(__half_raw{r.x}), y(__half_raw{r.y}) {}
	__host__ __device__ operator __half2_raw() const { return __half2_raw{x.x, y.x}; }
};
typedef __half2 half2;

WT_HALF __half wt_half(unsigned short bits)
{
	__half_raw r = {bits};
	return __half(r);
}
WT_HALF __half __ushort_as_half(unsigned short v) { return wt_half(v); }
WT_HALF unsigned short __half_as_ushort(__half h) { return h.x; }
WT_HALF __half __short_as_half(short v) { return wt_half((unsigned short)v); }
WT_HALF short __half_as_short(__half h) { return (short)h.x; }
WT_HALF __half __float2half(float f) { return wt_half(wt_to_half(f)); }
WT_HALF __half __float2half_rn(float f) { return __float2half(f); }
WT_HALF __half __double2half(double d) { return __half(d); }
WT_HALF float __half2float(__half h) { return wt_from_half(h.x); }
WT_HALF __half2 __float2half2_rn(float f) { return __half2(__float2half(f), __float2half(f)); }
WT_HALF __half2 __floats2half2_rn(float a, float b)
{
	return __half2(__float2half(a), __float2half(b));
}
WT_HALF __half2 __float22half2_rn(float2 v) { return __floats2half2_rn(v.x, v.y); }
WT_HALF float2 __half22float2(__half2 v) { return make_float2(__half2float(v.x), __half2float(v.y)); }
WT_HALF __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
WT_HALF __half2 make_half2(__half a, __half b) { return __half2(a, b); }
WT_HALF __half2 __half2half2(__half a) { return __half2(a, a); }
WT_HALF __half __low2half(__half2 v) { return v.x; }
WT_HALF __half __high2half(__half2 v) { return v.y; }
WT_HALF float __low2float(__half2 v) { return __half2float(v.x); }
WT_HALF float __high2float(__half2 v) { return __half2float(v.y); }
WT_HALF __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }
WT_HALF __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
WT_HALF __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
WT_HALF __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
WT_HALF __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }

/* One instruction on the device; on the host a float's, which rounds to the same half. */
#if defined(__CUDA_ARCH__)
#define WT_HALF2(name, text, host)                                                                 \
	WT_HALF __half name(__half a, __half b)                                                    \
	{                                                                                          \
		unsigned short r;                                                                  \
		asm(text " %0, %1, %2;" : "=h"(r) : "h"(a.x), "h"(b.x));                           \
		return wt_half(r);                                                                 \
	}
#else
#define WT_HALF2(name, text, host)                                                                 \
	WT_HALF __half name(__half p, __half q)                                                    \
	{                                                                                          \
		const float a = __half2float(p), b = __half2float(q);                              \
		return __float2half(host);                                                         \
	}
#endif
WT_HALF2(__hadd, "add.rn.f16", a + b)
WT_HALF2(__hsub, "sub.rn.f16", a - b)
WT_HALF2(__hmul, "mul.rn.f16", a *b)
#undef WT_HALF2
WT_HALF __half __hdiv(__half a, __half b) { return __float2half(__half2float(a) / __half2float(b)); }
WT_HALF __half __hneg(__half a) { return wt_half(a.x ^ 0x8000); }
WT_HALF __half __habs(__half a) { return wt_half(a.x & 0x7fff); }
WT_HALF __half __hfma(__half a, __half b, __half c)
{
#if defined(__CUDA_ARCH__)
	unsigned short r;
	asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a.x), "h"(b.x), "h"(c.x));
	return wt_half(r);
#else
	return __half((double)__half2float(a) * __half2float(b) + __half2float(c));
#endif
}
WT_HALF bool __hisnan(__half a) { return (a.x & 0x7fff) > 0x7c00; }
WT_HALF int __hisinf(__half a) { return (a.x & 0x7fff) == 0x7c00 ? (a.x >> 15 ? -1 : 1) : 0; }
#define WT_COMPARE(name, op)                                                                       \
	WT_HALF bool name(__half a, __half b) { return __half2float(a) op __half2float(b); }
WT_COMPARE(__heq, ==)
WT_COMPARE(__hlt, <)
WT_COMPARE(__hle, <=)
WT_COMPARE(__hgt, >)
WT_COMPARE(__hge, >=)
#undef WT_COMPARE
/* None of the comparisons without a u is true for NaN; what != says is. */
WT_HALF bool __hne(__half a, __half b)
{
	return __builtin_islessgreater(__half2float(a), __half2float(b));
}
WT_HALF __half __hmax(__half a, __half b)
{
	return __float2half(__builtin_fmaxf(__half2float(a), __half2float(b)));
}
WT_HALF __half __hmin(__half a, __half b)
{
	return __float2half(__builtin_fminf(__half2float(a), __half2float(b)));
}
#define WT_PAIRS(name, one)                                                                        \
	WT_HALF __half2 name(__half2 a, __half2 b)                                                 \
	{                                                                                          \
		return __half2(one(a.x, b.x), one(a.y, b.y));                                      \
	}
WT_PAIRS(__hadd2, __hadd)
WT_PAIRS(__hsub2, __hsub)
WT_PAIRS(__hmul2, __hmul)
WT_PAIRS(__h2div, __hdiv)
WT_PAIRS(__hmax2, __hmax)
WT_PAIRS(__hmin2, __hmin)
#undef WT_PAIRS
WT_HALF __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
	return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
WT_HALF __half2 __hneg2(__half2 a) { return __half2(__hneg(a.x), __hneg(a.y)); }
WT_HALF __half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }

/* For kernels, and in their files. */
#if defined(__CUDA__)
#define WT_MATH(name, of)                                                                          \
	WT_HALF __half h##name(__half a) { return __float2half(of(__half2float(a))); }             \
	WT_HALF __half2 h2##name(__half2 a) { return __half2(h##name(a.x), h##name(a.y)); }
WT_MATH(sqrt, sqrtf)
WT_MATH(rsqrt, rsqrtf)
WT_MATH(exp, expf)
WT_MATH(exp2, exp2f)
WT_MATH(log, logf)
WT_MATH(log2, log2f)
WT_MATH(log10, log10f)
WT_MATH(sin, sinf)
WT_MATH(cos, cosf)
WT_MATH(floor, floorf)
WT_MATH(ceil, ceilf)
WT_MATH(rint, rintf)
WT_MATH(trunc, truncf)
WT_MATH(rcp, 1.0f /)
#undef WT_MATH
#endif

#define WT_OPERATOR(op, function)                                                                  \
	WT_HALF __half operator op(const __half &a, const __half &b) { return function(a, b); }    \
	WT_HALF __half &operator op##=(__half &a, const __half &b) { return a = function(a, b); }
WT_OPERATOR(+, __hadd)
WT_OPERATOR(-, __hsub)
WT_OPERATOR(*, __hmul)
WT_OPERATOR(/, __hdiv)
#undef WT_OPERATOR
#define WT_OPERATOR(op, function)                                                                  \
	WT_HALF __half2 operator op(const __half2 &a, const __half2 &b) { return function(a, b); } \
	WT_HALF __half2 &operator op##=(__half2 &a, const __half2 &b) { return a = function(a, b); }
WT_OPERATOR(+, __hadd2)
WT_OPERATOR(-, __hsub2)
WT_OPERATOR(*, __hmul2)
WT_OPERATOR(/, __h2div)
#undef WT_OPERATOR
#define WT_OPERATOR(op, function)                                                                  \
	WT_HALF bool operator op(const __half &a, const __half &b) { return function(a, b); }
WT_OPERATOR(==, __heq)
WT_OPERATOR(!=, !__heq)
WT_OPERATOR(<, __hlt)
WT_OPERATOR(<=, __hle)
WT_OPERATOR(>, __hgt)
WT_OPERATOR(>=, __hge)
#undef WT_OPERATOR
WT_HALF __half operator+(const __half &a) { return a; }
WT_HALF __half2 operator+(const __half2 &a) { return a; }
WT_HALF __half operator-(const __half &a) { return __hneg(a); }
WT_HALF __half2 operator-(const __half2 &a) { return __hneg2(a); }
#define WT_OPERATOR(op, function)                                                                  \
	WT_HALF bool operator op(const __half2 &a, const __half2 &b)                               \
	{                                                                                          \
		return function(a.x, b.x) && function(a.y, b.y);                                   \
	}
WT_OPERATOR(==, __heq)
WT_OPERATOR(!=, !__heq)
WT_OPERATOR(<, __hlt)
WT_OPERATOR(<=, __hle)
WT_OPERATOR(>, __hgt)
WT_OPERATOR(>=, __hge)
#undef WT_OPERATOR
#undef WT_HALF

WT_MORE(__half, __half2, __float2half, __half2float, wt_half, half)

#if defined(__CUDA__)
WT_MORE_MATH(__half, __half2, __float2half, __half2float)
WT_MORE_DEVICE(__half, __half2, wt_half)
WT_DEVICE __half2 atomicAdd(__half2 *p, __half2 v)
{
	unsigned *at = (unsigned *)p, old = *at, seen;
	do {
		seen = old;
		const __half2 sum = __hadd2(__builtin_bit_cast(__half2, seen), v);
		old = atomicCAS(at, seen, __builtin_bit_cast(unsigned, sum));
	} while (old != seen);
	return __builtin_bit_cast(__half2, old);
}
WT_DEVICE __half atomicAdd(__half *p, __half v)
{
	unsigned short *at = (unsigned short *)p, old = *at, seen;
	do {
		seen = old;
		old = atomicCAS(at, seen, __hadd(__ushort_as_half(seen), v).x);
	} while (old != seen);
	return __ushort_as_half(old);
}
#endif

#endif

#endif
