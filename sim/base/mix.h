/* Folds a value into a hash of a state: a multiplication and a shift, both one to one. */
#ifndef SIM_BASE_MIX_H
#define SIM_BASE_MIX_H

#include <stdint.h>

static inline uint64_t sim_mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0xd6e8feb86659fd93u;
	return h ^ h >> 32;
}

#endif
