/*
 * oldest: always the ready warp that has been on the SM longest (thesis 4.4.1); of one CTA's, which
 * come together, the one with the lowest threads.
 */
#include "sim/sched/age.h"

struct oldest {
	const struct sim_sched_env *env;
};

static void start(void *s, const struct sim_sched_env *env, const int64_t *params)
{
	struct oldest *o = s;

	(void)params;
	o->env = env;
}

static uint32_t pick(void *s, const struct sim_bits *ready, uint64_t now)
{
	const struct oldest *o = s;

	(void)now;
	return sim_oldest(o->env, ready);
}

const struct sim_sched sim_sched_oldest = {
	.abi = SIM_SCHED_ABI,
	.bytes = sizeof(struct sim_sched),
	.name = "oldest",
	.help = "the warp that has been on the SM longest",
	.state_bytes = sizeof(struct oldest),
	.start = start,
	.pick = pick,
};
