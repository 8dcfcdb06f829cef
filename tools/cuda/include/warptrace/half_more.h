/*
 * What __half and __nv_bfloat16 have alike, over the few functions of each: comparisons of pairs,
 * saturated and other forms of arithmetic, conversions from and to integers in all roundings,
 * shuffles, and loads and stores with cache operators. Each header says WT_MORE with its own names.
 */
#ifndef WARPTRACE_HALF_MORE_H
#define WARPTRACE_HALF_MORE_H

#include "../host_defines.h"

#if defined(__cplusplus)

#define WT_BOTH static inline __host__ __device__ WT_NODEBUG

/* An integer as a float, rounded to odd: rounded once more to fewer bits it is right. */
WT_BOTH float wt_odd_float(unsigned long long u, bool negative)
{
	const unsigned drop = u >> 24 ? 40 - (unsigned)__builtin_clzll(u) : 0;
	const unsigned long long kept = u >> drop | ((u & ((1ull << drop) - 1)) != 0);
	const float f = (float)kept * (float)(1ull << drop);

	return negative ? -f : f;
}
template <class Integer> WT_BOTH float wt_odd(Integer i)
{
	const bool negative = i < 0;
	return wt_odd_float(negative ? 0 - (unsigned long long)i : (unsigned long long)i, negative);
}

/* A double in the same way. */
WT_BOTH float wt_odd(double d)
{
	const float f = (float)d;
	const unsigned bits = __builtin_bit_cast(unsigned, f);

	if ((double)f == d)
		return f;
	return __builtin_bit_cast(float, (bits - (__builtin_fabs((double)f) > __builtin_fabs(d))) | 1u);
}

/* A float as an integer: beyond its range the nearest; NaN is 0, of 64 bits the highest bit. */
template <class Integer> WT_BOTH Integer wt_integer(float f)
{
	const bool is_signed = (Integer)-1 < (Integer)0;
	const unsigned bits = 8 * sizeof(Integer) - is_signed;
	const Integer most = (Integer)(~0ull >> (64 - bits));
	const float beyond = 2.0f * (float)(1ull << (bits - 1));

	if (f != f)
		return sizeof(Integer) == 8 ? (Integer)(1ull << 63) : (Integer)0;
	if (f >= beyond)
		return most;
	if (is_signed)
		return f <= -beyond ? (Integer)(-most - 1) : (Integer)f;
	return f <= 0 ? (Integer)0 : (Integer)f;
}

/* The bits of the next value, up or down. */
WT_BOTH unsigned short wt_next(unsigned short bits, bool up)
{
	if (!(bits & 0x7fff))
		return up ? 1 : 0x8001;
	return (unsigned short)(bits + ((bits >> 15 ? !up : up) ? 1 : -1));
}
/* What the nearest, whose value is v, becomes for f rounded down, up or to zero. */
WT_BOTH unsigned short wt_directed(unsigned short bits, float v, float f, char way)
{
	const bool up = way == 'u' || (way == 'z' && f < 0);

	if (f != f || v == f || (up ? v > f : v < f))
		return bits;
	return wt_next(bits, up);
}

/*
 * T and P: the type and its pair; of and to: from a float and to one; bits: of bits. n: the type's
 * name in names.
 */
#define WT_MORE_COMPARE(T, P, name)                                                                \
	WT_BOTH bool __h##name##u(T a, T b)                                                        \
	{                                                                                          \
		return __h##name(a, b) || __hisnan(a) || __hisnan(b);                              \
	}                                                                                          \
	WT_BOTH P __h##name##2(P a, P b)                                                           \
	{                                                                                          \
		return P(T(__h##name(a.x, b.x) ? 1.0f : 0.0f),                                     \
			T(__h##name(a.y, b.y) ? 1.0f : 0.0f));                                     \
	}                                                                                          \
	WT_BOTH P __h##name##u2(P a, P b)                                                          \
	{                                                                                          \
		return P(T(__h##name##u(a.x, b.x) ? 1.0f : 0.0f),                                  \
			T(__h##name##u(a.y, b.y) ? 1.0f : 0.0f));                                  \
	}                                                                                          \
	WT_BOTH unsigned __h##name##2_mask(P a, P b)                                               \
	{                                                                                          \
		return (__h##name(a.x, b.x) ? 0xffffu : 0) |                                       \
		       (__h##name(a.y, b.y) ? 0xffff0000u : 0);                                    \
	}                                                                                          \
	WT_BOTH unsigned __h##name##u2_mask(P a, P b)                                              \
	{                                                                                          \
		return (__h##name##u(a.x, b.x) ? 0xffffu : 0) |                                    \
		       (__h##name##u(a.y, b.y) ? 0xffff0000u : 0);                                 \
	}                                                                                          \
	WT_BOTH bool __hb##name##2(P a, P b)                                                       \
	{                                                                                          \
		return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                 \
	}                                                                                          \
	WT_BOTH bool __hb##name##u2(P a, P b)                                                      \
	{                                                                                          \
		return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y);                           \
	}

#define WT_MORE_ARITHMETIC(T, P, to, name)                                                         \
	WT_BOTH T __h##name##_rn(T a, T b) { return __h##name(a, b); }                             \
	WT_BOTH P __h##name##2_rn(P a, P b) { return __h##name##2(a, b); }                         \
	WT_BOTH T __h##name##_sat(T a, T b) { return wt_unit(__h##name(a, b)); }                   \
	WT_BOTH P __h##name##2_sat(P a, P b)                                                       \
	{                                                                                          \
		return P(__h##name##_sat(a.x, b.x), __h##name##_sat(a.y, b.y));                    \
	}

/* Not named n: that would also replace the n of the rounding. */
#define WT_MORE_WAY(T, of, to, bits, kind, name, Integer, way, whole)                                    \
	WT_BOTH Integer __##kind##2##name##_r##way(T a) { return wt_integer<Integer>(whole(to(a))); }
#define WT_MORE_INTEGER(T, of, to, bits, kind, name, Integer)                                            \
	WT_MORE_WAY(T, of, to, bits, kind, name, Integer, n, __builtin_rintf)                            \
	WT_MORE_WAY(T, of, to, bits, kind, name, Integer, z, __builtin_truncf)                           \
	WT_MORE_WAY(T, of, to, bits, kind, name, Integer, d, __builtin_floorf)                           \
	WT_MORE_WAY(T, of, to, bits, kind, name, Integer, u, __builtin_ceilf)                            \
	WT_BOTH T __##name##2##kind##_rn(Integer i) { return of(wt_odd(i)); }                            \
	WT_BOTH T __##name##2##kind##_rz(Integer i) { return wt_way(of(wt_odd(i)), wt_odd(i), 'z'); }    \
	WT_BOTH T __##name##2##kind##_rd(Integer i) { return wt_way(of(wt_odd(i)), wt_odd(i), 'd'); }    \
	WT_BOTH T __##name##2##kind##_ru(Integer i) { return wt_way(of(wt_odd(i)), wt_odd(i), 'u'); }

#define WT_MORE_SHUFFLE(T, P, bits, name, second)                                                  \
	WT_DEVICE T name(unsigned mask, T v, second by, int width = 32)                            \
	{                                                                                          \
		return bits((unsigned short)name(mask, (int)v.x, by, width));                      \
	}                                                                                          \
	WT_DEVICE P name(unsigned mask, P v, second by, int width = 32)                            \
	{                                                                                          \
		return __builtin_bit_cast(                                                         \
			P, name(mask, __builtin_bit_cast(int, v), by, width));                     \
	}
#define WT_MORE_LOAD(T, U, name)                                                                   \
	WT_DEVICE T name(const T *p) { return __builtin_bit_cast(T, name((const U *)p)); }
#define WT_MORE_STORE(T, U, name)                                                                  \
	WT_DEVICE void name(T *p, T v) { name((U *)p, __builtin_bit_cast(U, v)); }

#define WT_MORE(T, P, of, to, bits, n)                                                             \
	WT_BOTH T wt_way(T nearest, float f, char way)                                             \
	{                                                                                          \
		return bits(wt_directed(nearest.x, to(nearest), f, way));                          \
	}                                                                                          \
	WT_BOTH T __float2##n##_rz(float f) { return wt_way(of(f), f, 'z'); }                      \
	WT_BOTH T __float2##n##_rd(float f) { return wt_way(of(f), f, 'd'); }                      \
	WT_BOTH T __float2##n##_ru(float f) { return wt_way(of(f), f, 'u'); }                      \
	WT_BOTH T wt_unit(T a)                                                                     \
	{                                                                                          \
		return to(a) > 1 ? of(1.0f) : to(a) > 0 ? a : of(0.0f);                            \
	}                                                                                          \
	WT_BOTH T wt_positive(T a) { return __hisnan(a) || to(a) > 0 ? a : of(0.0f); }             \
	WT_BOTH P __hisnan2(P a)                                                                   \
	{                                                                                          \
		return P(T(__hisnan(a.x) ? 1.0f : 0.0f), T(__hisnan(a.y) ? 1.0f : 0.0f));          \
	}                                                                                          \
	WT_MORE_COMPARE(T, P, eq)                                                                   \
	WT_MORE_COMPARE(T, P, ne)                                                                   \
	WT_MORE_COMPARE(T, P, lt)                                                                   \
	WT_MORE_COMPARE(T, P, le)                                                                   \
	WT_MORE_COMPARE(T, P, gt)                                                                   \
	WT_MORE_COMPARE(T, P, ge)                                                                   \
	WT_MORE_ARITHMETIC(T, P, to, add)                                                          \
	WT_MORE_ARITHMETIC(T, P, to, sub)                                                          \
	WT_MORE_ARITHMETIC(T, P, to, mul)                                                          \
	WT_BOTH T __hfma_sat(T a, T b, T c) { return wt_unit(__hfma(a, b, c)); }                   \
	WT_BOTH T __hfma_relu(T a, T b, T c) { return wt_positive(__hfma(a, b, c)); }              \
	WT_BOTH P __hfma2_sat(P a, P b, P c)                                                       \
	{                                                                                          \
		return P(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));                    \
	}                                                                                          \
	WT_BOTH P __hfma2_relu(P a, P b, P c)                                                      \
	{                                                                                          \
		return P(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));                  \
	}                                                                                          \
	/* Complex: a * b + c, the real part first. */                                             \
	WT_BOTH P __hcmadd(P a, P b, P c)                                                          \
	{                                                                                          \
		return P(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)),                          \
			__hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));                                  \
	}                                                                                          \
	WT_BOTH T __hmax_nan(T a, T b)                                                             \
	{                                                                                          \
		return __hisnan(a) || __hisnan(b) ? bits(0x7fff) : __hmax(a, b);                   \
	}                                                                                          \
	WT_BOTH T __hmin_nan(T a, T b)                                                             \
	{                                                                                          \
		return __hisnan(a) || __hisnan(b) ? bits(0x7fff) : __hmin(a, b);                   \
	}                                                                                          \
	WT_BOTH P __hmax2_nan(P a, P b) { return P(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); }  \
	WT_BOTH P __hmin2_nan(P a, P b) { return P(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); }  \
	WT_MORE_INTEGER(T, of, to, bits, n, short, short)                                          \
	WT_MORE_INTEGER(T, of, to, bits, n, ushort, unsigned short)                                \
	WT_MORE_INTEGER(T, of, to, bits, n, int, int)                                              \
	WT_MORE_INTEGER(T, of, to, bits, n, uint, unsigned)                                        \
	WT_MORE_INTEGER(T, of, to, bits, n, ll, long long)                                         \
	WT_MORE_INTEGER(T, of, to, bits, n, ull, unsigned long long)                               \
	WT_BOTH signed char __##n##2char_rz(T a) { return wt_integer<signed char>(to(a)); }        \
	WT_BOTH unsigned char __##n##2uchar_rz(T a) { return wt_integer<unsigned char>(to(a)); }

/* Where kernels are compiled: a file of the host's compiler has no exp10f, and need not have maths. */
#define WT_MORE_MATH(T, P, of, to)                                                                 \
	WT_BOTH T htanh(T a) { return of(tanhf(to(a))); }                                          \
	WT_BOTH T hexp10(T a) { return of(exp10f(to(a))); }                                        \
	WT_BOTH P h2tanh(P a) { return P(htanh(a.x), htanh(a.y)); }                                \
	WT_BOTH P h2exp10(P a) { return P(hexp10(a.x), hexp10(a.y)); }

#define WT_MORE_DEVICE(T, P, bits)                                                                 \
	WT_MORE_SHUFFLE(T, P, bits, __shfl_sync, int)                                              \
	WT_MORE_SHUFFLE(T, P, bits, __shfl_up_sync, unsigned)                                      \
	WT_MORE_SHUFFLE(T, P, bits, __shfl_down_sync, unsigned)                                    \
	WT_MORE_SHUFFLE(T, P, bits, __shfl_xor_sync, int)                                          \
	WT_MORE_CACHED(T, unsigned short)                                                          \
	WT_MORE_CACHED(P, unsigned)
#define WT_MORE_CACHED(T, U)                                                                        \
	WT_MORE_LOAD(T, U, __ldg)                                                                  \
	WT_MORE_LOAD(T, U, __ldca)                                                                 \
	WT_MORE_LOAD(T, U, __ldcg)                                                                 \
	WT_MORE_LOAD(T, U, __ldcs)                                                                 \
	WT_MORE_LOAD(T, U, __ldcv)                                                                 \
	WT_MORE_LOAD(T, U, __ldlu)                                                                 \
	WT_MORE_STORE(T, U, __stcg)                                                                \
	WT_MORE_STORE(T, U, __stcs)                                                                \
	WT_MORE_STORE(T, U, __stwb)                                                                \
	WT_MORE_STORE(T, U, __stwt)

#endif

#endif
