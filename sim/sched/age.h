/* The oldest of some warps: what GTO, SWL and others fall back to. */
#ifndef SIM_SCHED_AGE_H
#define SIM_SCHED_AGE_H

#include "sim/sched/sched.h"

static inline uint32_t sim_oldest(const struct sim_sched_env *env, const struct sim_bits *of)
{
	uint32_t best = SIM_NO_WARP;
	uint64_t age = UINT64_MAX;

	for (uint32_t k = 0; k < of->words; k++)
		for (uint64_t w = of->w[k]; w; w &= w - 1) {
			const uint32_t warp = k * 64 + (uint32_t)__builtin_ctzll(w);

			if (env->warps[warp].age < age) {
				age = env->warps[warp].age;
				best = warp;
			}
		}
	return best;
}

/* The next of some warps behind `last`, round and round. */
static inline uint32_t sim_next_round(const struct sim_bits *of, uint32_t last)
{
	const uint32_t next = sim_bits_next(of, last + 1);

	return next != UINT32_MAX ? next : sim_bits_next(of, 0);
}

#endif
