/*
 * null: the lowest ready slot, always. No machine has it: it is the shortest policy there can be,
 * to copy when one writes a new one, and to test what stands around policies. An example with a
 * parameter and a state is datasets/examples/laggard.c.
 */
#include "sim/sched/sched.h"

static uint32_t pick(void *s, const struct sim_bits *ready, uint64_t now)
{
	(void)s;
	(void)now;
	return sim_bits_next(ready, 0);
}

const struct sim_sched sim_sched_null = {
	.abi = SIM_SCHED_ABI,
	.bytes = sizeof(struct sim_sched),
	.name = "null",
	.help = "the lowest ready slot (a specimen, no machine's)",
	.pick = pick,
};
