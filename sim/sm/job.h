/* A memory instruction becomes a job of the memory unit. Internal to sim/sm. */
#ifndef SIM_SM_JOB_H
#define SIM_SM_JOB_H

#include "sim/sm/lsu.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Fills in all of a job but its load: whose it is, as its warps are now, and what it accesses. What
 * the instruction did is counted in the unit's statistics.
 */
void sim_job_begin(struct sim_lsu *u, struct sim_job *j, const struct sim_lsu_inst *i);

/* On a sliced SM: the slices that lanes stand in. */
static inline uint32_t sim_slices_of(const struct sim_lsu *u, uint64_t lanes)
{
	const uint64_t slice = UINT64_MAX >> (64 - u->is.slice);
	uint32_t in = 0;

	while (lanes) {
		const uint32_t k = (uint32_t)__builtin_ctzll(lanes) / u->is.slice;

		in |= 1u << k;
		lanes &= ~(slice << (k * u->is.slice));
	}
	return in;
}

#ifdef __cplusplus
}
#endif

#endif
