/* Complex numbers of two floats or doubles, by their names in C. */
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_

#include "cuda_runtime.h"
#include <math.h>

#define WT_COMPLEX static inline __host__ __device__

/* cu ... f of floats, and without the f of doubles: the type, its part's and the suffix. */
#define WT_NUMBERS(T, F, f)                                                      \
	WT_COMPLEX F cuCreal##f(T v) { return v.x; }                                               \
	WT_COMPLEX F cuCimag##f(T v) { return v.y; }                                               \
	WT_COMPLEX T wt_complex##f(F x, F y)                                                       \
	{                                                                                          \
		T v;                                                                               \
		v.x = x;                                                                           \
		v.y = y;                                                                           \
		return v;                                                                          \
	}                                                                                          \
	WT_COMPLEX T cuConj##f(T v) { return wt_complex##f(v.x, -v.y); }                           \
	WT_COMPLEX T cuCadd##f(T a, T b) { return wt_complex##f(a.x + b.x, a.y + b.y); }           \
	WT_COMPLEX T cuCsub##f(T a, T b) { return wt_complex##f(a.x - b.x, a.y - b.y); }           \
	WT_COMPLEX T cuCmul##f(T a, T b)                                                           \
	{                                                                                          \
		return wt_complex##f(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                \
	}                                                                                          \
	WT_COMPLEX T cuCfma##f(T a, T b, T c) { return cuCadd##f(cuCmul##f(a, b), c); }            \
	/* Scaled, so that squares of large parts do not overflow. */                              \
	WT_COMPLEX T cuCdiv##f(T a, T b)                                                           \
	{                                                                                          \
		const F s = 1 / ((b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y));                 \
		const T p = wt_complex##f(a.x * s, a.y * s), q = wt_complex##f(b.x * s, b.y * s);  \
		const F n = 1 / (q.x * q.x + q.y * q.y);                                           \
		return wt_complex##f(                                                              \
			(p.x * q.x + p.y * q.y) * n, (p.y * q.x - p.x * q.y) * n);                 \
	}                                                                                          \
	WT_COMPLEX F cuCabs##f(T v) { return hypot##f(v.x, v.y); }
WT_NUMBERS(float2, float, f)
WT_NUMBERS(double2, double, )
#undef WT_NUMBERS

typedef float2 cuFloatComplex;
typedef float2 cuComplex;
typedef double2 cuDoubleComplex;

WT_COMPLEX cuFloatComplex make_cuFloatComplex(float x, float y) { return wt_complexf(x, y); }
WT_COMPLEX cuComplex make_cuComplex(float x, float y) { return wt_complexf(x, y); }
WT_COMPLEX cuDoubleComplex make_cuDoubleComplex(double x, double y) { return wt_complex(x, y); }
WT_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex v)
{
	return wt_complex(v.x, v.y);
}
WT_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex v)
{
	return wt_complexf((float)v.x, (float)v.y);
}
#undef WT_COMPLEX

#endif
