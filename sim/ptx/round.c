/*
 * Directed rounding by the C library's rounding mode. Operands and results go through volatile
 * objects, which no compiler moves across the calls that set and restore the mode, nor folds.
 */
#include "sim/ptx/round.h"
#include <fenv.h>
#include <math.h>

static int c_mode(enum ptx_round mode)
{
	switch (mode) {
	case PTX_RZ:
	case PTX_RZI:
		return FE_TOWARDZERO;
	case PTX_RM:
	case PTX_RMI:
		return FE_DOWNWARD;
	case PTX_RP:
	case PTX_RPI:
		return FE_UPWARD;
	default:
		return FE_TONEAREST;
	}
}

#define IN_MODE(T, value)                                                                          \
	volatile T result;                                                                         \
	const int before = fegetround();                                                           \
	fesetround(c_mode(mode));                                                                  \
	result = (value);                                                                          \
	fesetround(before);                                                                        \
	return result

#define ROUNDED(name, T, ROOT, FUSED)                                                              \
	T name(enum ptx_rounded op, enum ptx_round mode, T a, T b, T c)                            \
	{                                                                                          \
		volatile T x = a, y = b, z = c;                                                    \
		switch (op) {                                                                      \
		case PTX_SUM: {                                                                    \
			IN_MODE(T, x + y);                                                         \
		}                                                                                  \
		case PTX_DIFFERENCE: {                                                             \
			IN_MODE(T, x - y);                                                         \
		}                                                                                  \
		case PTX_PRODUCT: {                                                                \
			IN_MODE(T, (x * y));                                                       \
		}                                                                                  \
		case PTX_QUOTIENT: {                                                               \
			IN_MODE(T, x / y);                                                         \
		}                                                                                  \
		case PTX_ROOT: {                                                                   \
			IN_MODE(T, ROOT(x));                                                       \
		}                                                                                  \
		default: {                                                                         \
			IN_MODE(T, FUSED(x, y, z));                                                \
		}                                                                                  \
		}                                                                                  \
	}
ROUNDED(ptx_rounded_f32, float, sqrtf, fmaf)
ROUNDED(ptx_rounded_f64, double, sqrt, fma)

#define CONVERTED(name, TO, FROM)                                                                  \
	TO name(FROM v, enum ptx_round mode)                                                       \
	{                                                                                          \
		volatile FROM x = v;                                                               \
		IN_MODE(TO, (TO)x);                                                                \
	}
CONVERTED(ptx_round_to_f32, float, double)
CONVERTED(ptx_s64_to_f32, float, int64_t)
CONVERTED(ptx_s64_to_f64, double, int64_t)

/* Above INT64_MAX: halved, with the lost bit kept as a sticky one, which rounds the same way. */
float ptx_u64_to_f32(uint64_t v, enum ptx_round mode)
{
	return v >> 63 ? 2 * ptx_s64_to_f32((int64_t)(v >> 1 | (v & 1)), mode)
		       : ptx_s64_to_f32((int64_t)v, mode);
}

double ptx_u64_to_f64(uint64_t v, enum ptx_round mode)
{
	return v >> 63 ? 2 * ptx_s64_to_f64((int64_t)(v >> 1 | (v & 1)), mode)
		       : ptx_s64_to_f64((int64_t)v, mode);
}
