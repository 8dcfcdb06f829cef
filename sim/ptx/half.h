/*
 * Floats of few bits: half precision, bf16, tf32 and the two of 8 bits, from and to double, with
 * one exact rounding. Internal to sim/ptx.
 */
#ifndef PTX_HALF_H
#define PTX_HALF_H

#include "sim/ptx/ast.h"
#include <math.h>
#include <string.h>

/* The largest finite number is the one below infinity, and 448 in e4m3, which has no infinity. */
struct ptx_format {
	int exponent_bits, fraction_bits;
	uint32_t largest;
};

static const struct ptx_format ptx_f16 = {5, 10, 0x7bff}, ptx_bf16 = {8, 7, 0x7f7f},
			       ptx_tf32 = {8, 10, 0x3fbff}, ptx_e4m3 = {4, 3, 0x7e},
			       ptx_e5m2 = {5, 2, 0x7b};

/* The format of one element of a type. Of tf32 it is without the 13 low bits, which are zeros. */
static inline struct ptx_format ptx_format_of(enum ptx_type t)
{
	switch (t) {
	case PTX_T_BF16:
	case PTX_T_BF16X2:
		return ptx_bf16;
	case PTX_T_TF32:
		return ptx_tf32;
	case PTX_T_E4M3X2:
		return ptx_e4m3;
	case PTX_T_E5M2X2:
		return ptx_e5m2;
	default:
		return ptx_f16;
	}
}

static inline double ptx_half_value(uint16_t h)
{
	const uint64_t sign = (uint64_t)(h >> 15) << 63, exponent = h >> 10 & 31;
	const uint64_t fraction = h & 0x3ff;
	uint64_t bits;
	double v;

	if (exponent == 0) {
		v = (double)fraction * 0x1p-24;
		return sign ? -v : v;
	}
	bits = sign | (exponent == 31 ? 0x7ffull : exponent + 1008) << 52 | fraction << 42;
	memcpy(&v, &bits, sizeof(v));
	return v;
}

static inline double ptx_bf16_value(uint16_t h)
{
	const uint32_t bits = (uint32_t)h << 16;
	float f;

	memcpy(&f, &bits, sizeof(f));
	return (double)f;
}

/* One element of a type, from its low bits. */
static inline double ptx_small_value(enum ptx_type t, uint32_t bits)
{
	float f;

	switch (t) {
	case PTX_T_BF16:
	case PTX_T_BF16X2:
		return ptx_bf16_value((uint16_t)bits);
	case PTX_T_TF32:
		bits &= ~0x1fffu;
		memcpy(&f, &bits, sizeof(f));
		return (double)f;
	case PTX_T_E5M2X2:
		return ptx_half_value((uint16_t)(bits << 8));
	case PTX_T_E4M3X2:
		if ((bits & 0x7f) == 0x7f)
			return NAN;
		/* The same digits in half precision, whose bias is 8 more. */
		return ptx_half_value((uint16_t)((bits & 0x80) << 8 | (bits & 0x7f) << 7)) * 256;
	default:
		return ptx_half_value((uint16_t)bits);
	}
}

/* saturates: what is too large becomes the largest finite number. A NaN is all ones but its sign.
 */
static inline uint32_t ptx_format_round(
	struct ptx_format f, double v, enum ptx_round mode, int saturates)
{
	const int least = 2 - (1 << (f.exponent_bits - 1)) - f.fraction_bits;
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	const uint32_t sign = (uint32_t)(bits >> 63) << (f.exponent_bits + f.fraction_bits);
	const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
	uint64_t m = bits & 0xfffffffffffffull;

	if (exponent == 1024 && m)
		return (1u << (f.exponent_bits + f.fraction_bits)) - 1;
	if (exponent == 1024)
		return sign | (saturates ? f.largest : f.largest + 1);
	if (exponent > -1023)
		m |= 1ull << 52;
	/* The last place is worth 2^unit; shift m, in 2^(exponent - 52), to it. */
	const int unit = exponent - f.fraction_bits > least ? exponent - f.fraction_bits : least;
	const int drop = unit - exponent + 52;
	uint64_t q = drop > 62 ? 0 : m >> drop;
	const uint64_t lost = drop > 62 ? m != 0 : m & ((1ull << drop) - 1);
	const uint64_t tie = drop > 62 ? 2 : 1ull << (drop - 1);
	const int up = mode == PTX_RZ    ? 0
		       : mode == PTX_RM  ? lost && sign
		       : mode == PTX_RP  ? lost && !sign
		       : mode == PTX_RNA ? lost >= tie
					 : lost > tie || (lost == tie && (q & 1));
	q = ((uint64_t)(unit - least) << f.fraction_bits) + q + (uint64_t)up;
	if (q > f.largest) {
		const int to_largest = saturates || mode == PTX_RZ || (mode == PTX_RM && !sign) ||
				       (mode == PTX_RP && sign);
		return sign | (to_largest ? f.largest : f.largest + 1);
	}
	return sign | (uint32_t)q;
}

static inline uint16_t ptx_half_round(double v, enum ptx_round mode)
{
	return (uint16_t)ptx_format_round(ptx_f16, v, mode, 0);
}

#endif
