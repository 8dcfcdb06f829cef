/*
 * The words in which caches and coalescers are described: geometry, replacement, the coalescing
 * rule. The machine's configuration has them, and sim/access works by them.
 */
#ifndef SIM_BASE_GEOMETRY_H
#define SIM_BASE_GEOMETRY_H

#include "libtrace/access.h"

enum sim_replacement { SIM_LRU, SIM_FIFO, SIM_RANDOM };

struct sim_geometry {
	uint32_t sets, ways, line_bytes; /* sets and line_bytes powers of two */
	uint32_t index;                  /* enum tr_index_function */
};

/*
 * What a number leaves modulo a polynomial of a degree up to 31: its bit i is the coefficient of
 * x^i over GF(2) (Rau, Pseudo-randomly interleaved memory, ISCA 1991). The polynomial is
 * irreducible, so that 2^degree numbers at any distance of a power of two leave all that there is,
 * if the first is a multiple of 2^degree times the distance. It is the least one of its degree, as
 * a number, and not x itself: x^4 + x + 1, x^5 + x^2 + 1 and x^6 + x + 1 among them, as in
 * GPGPU-Sim's hashing.cc. x^degree is the same as the rest of the polynomial, `low`.
 */
static inline uint32_t sim_ipoly(uint64_t number, unsigned degree)
{
	static const uint8_t low[32] = {0, 1, 3, 3, 3, 5, 3, 3, 27, 3, 9, 5, 9, 27, 33, 3, 43, 9, 9,
		39, 9, 5, 3, 33, 27, 9, 27, 39, 3, 5, 3, 9};

	if (!degree)
		return 0;
	for (uint64_t high; (high = number >> degree);) {
		number ^= high << degree;
		for (uint32_t term = low[degree]; term; term &= term - 1)
			number ^= high << __builtin_ctz(term);
	}
	return (uint32_t)number;
}

/*
 * Set of a line address: modulo: line number mod sets. hash: (set + 7 tag) mod sets, as in the CCWS
 * release. xor: the line number's parts of log2(sets) bits xored together. ipoly: the line number,
 * by sim_ipoly.
 */
static inline uint32_t sim_set_of(const struct sim_geometry *g, uint64_t line)
{
	const uint64_t number = line >> __builtin_ctz(g->line_bytes), mask = (uint64_t)g->sets - 1;
	uint64_t set = 0;

	if (g->sets <= 1)
		return 0;
	if (g->index == TR_X_MODULO)
		return (uint32_t)(number & mask);
	if (g->index == TR_X_HASH)
		return (uint32_t)((number + 7 * (number >> __builtin_ctz(g->sets))) & mask);
	if (g->index == TR_X_IPOLY)
		return sim_ipoly(number, (unsigned)__builtin_ctz(g->sets));
	for (uint64_t rest = number; rest; rest >>= __builtin_ctz(g->sets))
		set ^= rest & mask;
	return (uint32_t)set;
}

enum sim_rule {
	SIM_CC10, /* compute capability 1.0, 1.1: half-warps, in order and aligned, or one by one */
	SIM_CC12, /* 1.2, 1.3: half-warps to segments, which then shrink */
	SIM_CC2,  /* 2.x: whole warp to lines (the papers' machines) */
	SIM_SECTOR32, /* Maxwell and later: lines with 32-byte sectors */
};

#endif
