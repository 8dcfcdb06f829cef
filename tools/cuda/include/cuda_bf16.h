/*
 * bfloat16: __nv_bfloat16 and __nv_bfloat162, computed as float and rounded, which gives the same
 * bits as their own instructions: a float has more than twice the bits and two.
 */
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__

#include "cuda_runtime.h"
#include "warptrace/half_more.h"

/* C has these alone. */
typedef struct __nv_bfloat16_raw {
	unsigned short x;
} __nv_bfloat16_raw;
typedef struct __nv_bfloat162_raw {
	unsigned short x, y;
} __nv_bfloat162_raw;

#if defined(__cplusplus)

#define WT_BF16 static inline __host__ __device__ WT_NODEBUG

/* The nearest one, ties to even; NaN is 0x7fff. */
WT_BF16 unsigned short wt_to_bf16(float f)
{
	const unsigned bits = __builtin_bit_cast(unsigned, f);
	if ((bits & 0x7fffffffu) > 0x7f800000u)
		return 0x7fff;
	return (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}
WT_BF16 float wt_from_bf16(unsigned short h)
{
	return __builtin_bit_cast(float, (unsigned)h << 16);
}

struct __nv_bfloat16 {
	union {
		unsigned short __x, x; /* the former is how libcu++ knows it, and writes constants */
	};
	__nv_bfloat16() = default;
	__host__ __device__ __nv_bfloat16(const __nv_bfloat16_raw &r) : x(r.x) {}
	__host__ __device__ __nv_bfloat16(float f) : x(wt_to_bf16(f)) {}
	__host__ __device__ __nv_bfloat16(double d) : x(wt_to_bf16(wt_odd(d))) {}
	__host__ __device__ __nv_bfloat16(int i) : x(wt_to_bf16(wt_odd(i))) {}
	__host__ __device__ __nv_bfloat16(unsigned i) : x(wt_to_bf16(wt_odd(i))) {}
	__host__ __device__ __nv_bfloat16(long i) : x(wt_to_bf16(wt_odd(i))) {}
	__host__ __device__ __nv_bfloat16(unsigned long i) : x(wt_to_bf16(wt_odd(i))) {}
	__host__ __device__ operator float() const { return wt_from_bf16(x); }
	__host__ __device__ operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{x}; }
};
typedef __nv_bfloat16 nv_bfloat16;

struct __attribute__((aligned(4))) __nv_bfloat162 {
	__nv_bfloat16 x, y;
	__nv_bfloat162() = default;
	__host__ __device__ __nv_bfloat162(const __nv_bfloat16 &a, const __nv_bfloat16 &b) : x(a), y(b) {}
	__host__ __device__ __nv_bfloat162(const __nv_bfloat162_raw &r)
		: x(__nv_bfloat16_raw{r.x}), y(__nv_bfloat16_raw{r.y})
	{
	}
	__host__ __device__ operator __nv_bfloat162_raw() const
	{
		return __nv_bfloat162_raw{x.x, y.x};
	}
};
typedef __nv_bfloat162 nv_bfloat162;

WT_BF16 __nv_bfloat16 wt_bf16(unsigned bits)
{
	return __nv_bfloat16(__nv_bfloat16_raw{(unsigned short)bits});
}
WT_BF16 __nv_bfloat16 __float2bfloat16(float f) { return __nv_bfloat16(f); }
WT_BF16 __nv_bfloat16 __float2bfloat16_rn(float f) { return __nv_bfloat16(f); }
WT_BF16 __nv_bfloat16 __double2bfloat16(double d) { return __nv_bfloat16(d); }
WT_BF16 float __bfloat162float(__nv_bfloat16 h) { return wt_from_bf16(h.x); }
WT_BF16 __nv_bfloat16 __ushort_as_bfloat16(unsigned short b) { return wt_bf16(b); }
WT_BF16 unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return h.x; }
WT_BF16 __nv_bfloat16 __short_as_bfloat16(short b) { return wt_bf16((unsigned short)b); }
WT_BF16 short __bfloat16_as_short(__nv_bfloat16 h) { return (short)h.x; }

WT_BF16 __nv_bfloat162 __floats2bfloat162_rn(float a, float b)
{
	return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
WT_BF16 __nv_bfloat162 __float2bfloat162_rn(float a) { return __floats2bfloat162_rn(a, a); }
WT_BF16 __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
WT_BF16 float2 __bfloat1622float2(__nv_bfloat162 v)
{
	return make_float2(__bfloat162float(v.x), __bfloat162float(v.y));
}
WT_BF16 __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
	return __nv_bfloat162(a, b);
}
WT_BF16 __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
	return __nv_bfloat162(a, b);
}
WT_BF16 __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
WT_BF16 __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.x); }
WT_BF16 __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.x, v.x); }
WT_BF16 __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.y); }
WT_BF16 __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
	return __nv_bfloat162(a.x, b.x);
}
WT_BF16 __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
	return __nv_bfloat162(a.y, b.y);
}
WT_BF16 __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
WT_BF16 __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
WT_BF16 float __low2float(__nv_bfloat162 v) { return __bfloat162float(v.x); }
WT_BF16 float __high2float(__nv_bfloat162 v) { return __bfloat162float(v.y); }

/* Of floats, but what is small is kept whatever -ftz=true says: that is not for bfloat16. */
#if defined(__CUDA_ARCH__) && defined(WT_FTZ)
#define WT_KEPT(name, text, value)                                                                 \
	WT_BF16 float name(float a, float b)                                                       \
	{                                                                                          \
		float r;                                                                           \
		asm(text ".f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));                           \
		return r;                                                                          \
	}
#define WT_KEPT_COMPARE(name, text, value)                                                         \
	WT_BF16 bool name(float a, float b)                                                        \
	{                                                                                          \
		int r;                                                                             \
		asm("set." text ".s32.f32 %0, %1, %2;" : "=r"(r) : "f"(a), "f"(b));                \
		return r;                                                                          \
	}
WT_BF16 float wt_kept_fma(float a, float b, float c)
{
	float r;
	asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(a), "f"(b), "f"(c));
	return r;
}
#else
#define WT_KEPT(name, text, value)                                                                 \
	WT_BF16 float name(float a, float b) { return value; }
#define WT_KEPT_COMPARE(name, text, value)                                                         \
	WT_BF16 bool name(float a, float b) { return value; }
WT_BF16 float wt_kept_fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#endif
WT_KEPT(wt_kept_add, "add.rn", a + b)
WT_KEPT(wt_kept_sub, "sub.rn", a - b)
WT_KEPT(wt_kept_mul, "mul.rn", a * b)
WT_KEPT(wt_kept_div, "div.rn", a / b)
WT_KEPT(wt_kept_max, "max", __builtin_fmaxf(a, b))
WT_KEPT(wt_kept_min, "min", __builtin_fminf(a, b))
/* All are false for NaN. */
WT_KEPT_COMPARE(wt_kept_eq, "eq", a == b)
WT_KEPT_COMPARE(wt_kept_ne, "ne", __builtin_islessgreater(a, b))
WT_KEPT_COMPARE(wt_kept_lt, "lt", a < b)
WT_KEPT_COMPARE(wt_kept_le, "le", a <= b)
WT_KEPT_COMPARE(wt_kept_gt, "gt", a > b)
WT_KEPT_COMPARE(wt_kept_ge, "ge", a >= b)
#undef WT_KEPT
#undef WT_KEPT_COMPARE

/* name(a, b) by floats, name2 of pairs. */
#define WT_TWO(name, name2, of)                                                                    \
	WT_BF16 __nv_bfloat16 name(__nv_bfloat16 a, __nv_bfloat16 b)                               \
	{                                                                                          \
		return __nv_bfloat16(of(__bfloat162float(a), __bfloat162float(b)));                \
	}                                                                                          \
	WT_BF16 __nv_bfloat162 name2(__nv_bfloat162 p, __nv_bfloat162 q)                           \
	{                                                                                          \
		return __nv_bfloat162(name(p.x, q.x), name(p.y, q.y));                             \
	}
WT_TWO(__hadd, __hadd2, wt_kept_add)
WT_TWO(__hsub, __hsub2, wt_kept_sub)
WT_TWO(__hmul, __hmul2, wt_kept_mul)
WT_TWO(__hdiv, __h2div, wt_kept_div)
WT_TWO(__hmax, __hmax2, wt_kept_max)
WT_TWO(__hmin, __hmin2, wt_kept_min)
#undef WT_TWO
WT_BF16 __nv_bfloat16 __hneg(__nv_bfloat16 a) { return wt_bf16(a.x ^ 0x8000u); }
WT_BF16 __nv_bfloat16 __habs(__nv_bfloat16 a) { return wt_bf16(a.x & 0x7fffu); }
WT_BF16 __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return __nv_bfloat162(__hneg(a.x), __hneg(a.y)); }
WT_BF16 __nv_bfloat162 __habs2(__nv_bfloat162 a) { return __nv_bfloat162(__habs(a.x), __habs(a.y)); }
/* Of a float's fma, which may lie half way by its own rounding: one rounding more than the device's. */
WT_BF16 __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
	return __nv_bfloat16(
		wt_kept_fma(__bfloat162float(a), __bfloat162float(b), __bfloat162float(c)));
}
WT_BF16 __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
	return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
WT_BF16 bool __hisnan(__nv_bfloat16 a) { return (a.x & 0x7fff) > 0x7f80; }
WT_BF16 int __hisinf(__nv_bfloat16 a)
{
	return (a.x & 0x7fff) == 0x7f80 ? (a.x >> 15 ? -1 : 1) : 0;
}

/* For kernels, and in their files. */
#if defined(__CUDA__)
#define WT_ONE(name, of)                                                                           \
	WT_BF16 __nv_bfloat16 h##name(__nv_bfloat16 a)                                             \
	{                                                                                          \
		return __nv_bfloat16(of(__bfloat162float(a)));                                     \
	}                                                                                          \
	WT_BF16 __nv_bfloat162 h2##name(__nv_bfloat162 a)                                          \
	{                                                                                          \
		return __nv_bfloat162(h##name(a.x), h##name(a.y));                                 \
	}
WT_ONE(exp, expf)
WT_ONE(exp2, exp2f)
WT_ONE(log, logf)
WT_ONE(log2, log2f)
WT_ONE(sqrt, sqrtf)
WT_ONE(sin, sinf)
WT_ONE(cos, cosf)
WT_ONE(floor, floorf)
WT_ONE(ceil, ceilf)
WT_ONE(rint, rintf)
WT_ONE(trunc, truncf)
WT_ONE(rcp, 1.0f /)
WT_ONE(rsqrt, 1.0f / sqrtf)
#undef WT_ONE
#endif

#define WT_OPERATOR(op, one, two)                                                                  \
	WT_BF16 __nv_bfloat16 operator op(const __nv_bfloat16 &a, const __nv_bfloat16 &b)          \
	{                                                                                          \
		return one(a, b);                                                                  \
	}                                                                                          \
	WT_BF16 __nv_bfloat16 &operator op##=(__nv_bfloat16 &a, const __nv_bfloat16 &b)            \
	{                                                                                          \
		return a = one(a, b);                                                              \
	}                                                                                          \
	WT_BF16 __nv_bfloat162 operator op(const __nv_bfloat162 &a, const __nv_bfloat162 &b)       \
	{                                                                                          \
		return two(a, b);                                                                  \
	}                                                                                          \
	WT_BF16 __nv_bfloat162 &operator op##=(__nv_bfloat162 &a, const __nv_bfloat162 &b)         \
	{                                                                                          \
		return a = two(a, b);                                                              \
	}
WT_OPERATOR(+, __hadd, __hadd2)
WT_OPERATOR(-, __hsub, __hsub2)
WT_OPERATOR(*, __hmul, __hmul2)
WT_OPERATOR(/, __hdiv, __h2div)
#undef WT_OPERATOR
/* The operator != is true for NaN, unlike __hne. */
#define WT_COMPARE(name, op, says)                                                                 \
	WT_BF16 bool __h##name(__nv_bfloat16 a, __nv_bfloat16 b)                                   \
	{                                                                                          \
		return wt_kept_##name(__bfloat162float(a), __bfloat162float(b));                   \
	}                                                                                          \
	WT_BF16 bool operator op(const __nv_bfloat16 &a, const __nv_bfloat16 &b)                   \
	{                                                                                          \
		return says(a, b);                                                                 \
	}                                                                                          \
	WT_BF16 bool operator op(const __nv_bfloat162 &a, const __nv_bfloat162 &b)                 \
	{                                                                                          \
		return says(a.x, b.x) && says(a.y, b.y);                                           \
	}
WT_COMPARE(eq, ==, __heq)
WT_COMPARE(ne, !=, !__heq)
WT_COMPARE(lt, <, __hlt)
WT_COMPARE(le, <=, __hle)
WT_COMPARE(gt, >, __hgt)
WT_COMPARE(ge, >=, __hge)
#undef WT_COMPARE
WT_BF16 __nv_bfloat16 operator+(const __nv_bfloat16 &a) { return a; }
WT_BF16 __nv_bfloat162 operator+(const __nv_bfloat162 &a) { return a; }
WT_BF16 __nv_bfloat16 operator-(const __nv_bfloat16 &a) { return __hneg(a); }
WT_BF16 __nv_bfloat162 operator-(const __nv_bfloat162 &a) { return __hneg2(a); }
#undef WT_BF16

WT_MORE(__nv_bfloat16, __nv_bfloat162, __float2bfloat16, __bfloat162float, wt_bf16, bfloat16)

#if defined(__CUDA__)
WT_MORE_MATH(__nv_bfloat16, __nv_bfloat162, __float2bfloat16, __bfloat162float)
WT_MORE_DEVICE(__nv_bfloat16, __nv_bfloat162, wt_bf16)
WT_DEVICE __nv_bfloat16 atomicAdd(__nv_bfloat16 *p, __nv_bfloat16 v)
{
	unsigned short *at = (unsigned short *)p, old = *at, seen;
	do {
		seen = old;
		old = atomicCAS(at, seen, __hadd(__ushort_as_bfloat16(seen), v).x);
	} while (old != seen);
	return __ushort_as_bfloat16(old);
}
WT_DEVICE __nv_bfloat162 atomicAdd(__nv_bfloat162 *p, __nv_bfloat162 v)
{
	unsigned *at = (unsigned *)p, old = *at, seen;
	do {
		seen = old;
		const __nv_bfloat162 sum = __hadd2(__builtin_bit_cast(__nv_bfloat162, seen), v);
		old = atomicCAS(at, seen, __builtin_bit_cast(unsigned, sum));
	} while (old != seen);
	return __builtin_bit_cast(__nv_bfloat162, old);
}
#endif

#endif

#endif
