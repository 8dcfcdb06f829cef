/*
 * gto: greedy, then oldest (thesis 3.4). The warp that issued last goes on until it stalls, then
 * the oldest ready one takes over.
 */
#include "sim/sched/age.h"

struct gto {
	const struct sim_sched_env *env;
	uint32_t last; /* slot that issued last, or SIM_NO_WARP */
};

static void start(void *s, const struct sim_sched_env *env, const int64_t *params)
{
	struct gto *g = s;

	(void)params;
	g->env = env;
	g->last = SIM_NO_WARP;
}

/* Another warp in the same slot is not the one that was greedy. */
static void leave(void *s, uint32_t warp)
{
	struct gto *g = s;

	if (g->last == warp)
		g->last = SIM_NO_WARP;
}

static uint32_t pick(void *s, const struct sim_bits *ready, uint64_t now)
{
	const struct gto *g = s;

	(void)now;
	return sim_greedy(g->env, ready, g->last);
}

static void issued(void *s, uint32_t warp, uint32_t inst, uint64_t now)
{
	struct gto *g = s;

	(void)inst;
	(void)now;
	if (sim_mine(g->env, warp))
		g->last = warp;
}

const struct sim_sched sim_sched_gto = {
	.abi = SIM_SCHED_ABI,
	.bytes = sizeof(struct sim_sched),
	.name = "gto",
	.help = "greedy, then oldest: the same warp until it stalls, then the oldest",
	.state_bytes = sizeof(struct gto),
	.start = start,
	.leave = leave,
	.pick = pick,
	.issued = issued,
};
