/* Half precision: 16-bit floats from and to double, with one exact rounding. Internal to sim/ptx.
 */
#ifndef PTX_HALF_H
#define PTX_HALF_H

#include "sim/ptx/ast.h"
#include <string.h>

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

static inline uint16_t ptx_half_round(double v, enum ptx_round mode)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof(bits));
	const uint16_t sign = (uint16_t)(bits >> 63 << 15);
	const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
	uint64_t m = bits & 0xfffffffffffffull;

	if (exponent == 1024)
		return m ? 0x7fff : sign | 0x7c00;
	if (exponent > -1023)
		m |= 1ull << 52;
	/* The last place is worth 2^unit; shift m, in 2^(exponent - 52), to it. */
	const int unit = exponent - 10 > -24 ? exponent - 10 : -24;
	const int drop = unit - exponent + 52;
	uint64_t q = drop > 62 ? 0 : m >> drop;
	const uint64_t lost = drop > 62 ? m != 0 : m & ((1ull << drop) - 1);
	const uint64_t tie = drop > 62 ? 2 : 1ull << (drop - 1);
	const int up = mode == PTX_RZ   ? 0
		       : mode == PTX_RM ? lost && sign
		       : mode == PTX_RP ? lost && !sign
					: lost > tie || (lost == tie && (q & 1));
	q = ((uint64_t)(unit + 24) << 10) + q + (uint64_t)up;
	if (q >= 0x7c00) {
		const int to_largest =
			mode == PTX_RZ || (mode == PTX_RM && !sign) || (mode == PTX_RP && sign);
		return sign | (to_largest ? 0x7bff : 0x7c00);
	}
	return sign | (uint16_t)q;
}

#endif
