/*
 * lrr: loose round robin (thesis 3.4). Warps in turn by slot; one that cannot issue is passed over.
 */
#include "sim/sched/age.h"

struct lrr {
	const struct sim_sched_env *env;
	uint32_t last; /* slot that issued last */
};

static void start(void *s, const struct sim_sched_env *env, const int64_t *params)
{
	struct lrr *l = s;

	(void)params;
	l->env = env;
	l->last = env->nwarps - 1;
}

static uint32_t pick(void *s, const struct sim_bits *ready, uint64_t now)
{
	const struct lrr *l = s;

	(void)now;
	return sim_next_round(ready, l->last);
}

static void issued(void *s, uint32_t warp, uint32_t inst, uint64_t now)
{
	struct lrr *l = s;

	(void)inst;
	(void)now;
	if (sim_mine(l->env, warp))
		l->last = warp;
}

const struct sim_sched sim_sched_lrr = {
	.abi = SIM_SCHED_ABI,
	.bytes = sizeof(struct sim_sched),
	.name = "lrr",
	.help = "loose round robin: warps in turn, past those that cannot issue",
	.state_bytes = sizeof(struct lrr),
	.start = start,
	.pick = pick,
	.issued = issued,
};
