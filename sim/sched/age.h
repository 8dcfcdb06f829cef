/* The oldest of some warps, and greedy, then oldest: what several schedulers are below. */
#ifndef SIM_SCHED_AGE_H
#define SIM_SCHED_AGE_H

#include "sim/sched/sched.h"

/* Of warps that can issue. */
static inline uint32_t sim_oldest(const struct sim_sched_env *env, const struct sim_bits *of)
{
	uint32_t best = SIM_NO_WARP;
	uint64_t age = UINT64_MAX;

	for (uint32_t k = 0; k < of->words; k++)
		for (uint64_t w = of->w[k]; w; w &= w - 1) {
			const uint32_t warp = k * 64 + (uint32_t)__builtin_ctzll(w);

			if (env->age[warp] < age) {
				age = env->age[warp];
				best = warp;
			}
		}
	return best;
}

/* Greedy, then oldest: `last`, which may be SIM_NO_WARP, as long as it is among them. */
static inline uint32_t sim_greedy(
	const struct sim_sched_env *env, const struct sim_bits *of, uint32_t last)
{
	return last != SIM_NO_WARP && sim_bits_has(of, last) ? last : sim_oldest(env, of);
}

/* The next of some warps after `last`, round and round. */
static inline uint32_t sim_next_round(const struct sim_bits *of, uint32_t last)
{
	const uint32_t next = sim_bits_next(of, last + 1);

	return next != UINT32_MAX ? next : sim_bits_next(of, 0);
}

#endif
