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
 * Set of a line address: modulo: line number mod sets. hash: (set + 7 tag) mod sets, as in the CCWS
 * release. xor: the line number's parts of log2(sets) bits xored together.
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
