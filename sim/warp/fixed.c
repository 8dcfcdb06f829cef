/*
 * fixed:N: warps of N consecutive threads, each with a reconvergence stack (pdom.h). mimd is the
 * bound: warps of one thread, all of which issue whenever they can.
 */
#include "sim/warp/pdom.h"

enum { SIZE, LCP };

struct fixed {
	uint32_t lanes;
	struct sim_pdom *stacks;
};

static void shape_of(uint32_t threads, uint32_t lanes, uint32_t *slots, size_t *state)
{
	*slots = threads / lanes;
	*state = sizeof(struct fixed) + sim_pdom_bytes(*slots, lanes);
}

static void shape(const struct sim_config *c, const int64_t *params, uint32_t *slots,
	uint32_t *lanes, size_t *state)
{
	*lanes = params[SIZE] ? (uint32_t)params[SIZE] : c->sm.warp_size;
	shape_of(c->sm.threads, *lanes, slots, state);
}

static void mimd_shape(const struct sim_config *c, const int64_t *params, uint32_t *slots,
	uint32_t *lanes, size_t *state)
{
	(void)params;
	*lanes = 1;
	shape_of(c->sm.threads, 1, slots, state);
}

static int wants_profile(const int64_t *params)
{
	return params[LCP] == SIM_LCP_PROFILE;
}

static void start(void *p, const struct sim_warp_env *env, const int64_t *params)
{
	struct fixed *f = p;

	f->lanes = env->config->sm.warp_size;
	f->stacks = (struct sim_pdom *)(void *)(f + 1);
	sim_pdom_init(f->stacks, env->nwarps, f->lanes);
	for (uint32_t w = 0; w < env->nwarps; w++)
		f->stacks[w].lcp = (enum sim_lcp)params[LCP];
}

static void arrive(void *p, const struct sim_warp_env *env, uint32_t cta, uint32_t first,
	uint32_t n, uint64_t now)
{
	struct fixed *f = p;

	for (uint32_t t = 0; t < n; t += f->lanes)
		sim_sm_warp_ready(env->sm,
			sim_pdom_warp(f->stacks, env, cta, first + t, n - t, f->lanes), now);
}

static void next(void *p, const struct sim_warp_env *env, uint32_t slot, uint64_t now)
{
	struct fixed *f = p;

	if (sim_pdom_next(&f->stacks[slot], env, &env->warps[slot]))
		sim_sm_warp_ready(env->sm, slot, now);
	else
		sim_sm_warp_free(env->sm, slot);
}

static int stands_in(
	const void *p, const struct sim_warp_env *env, uint32_t slot, const uint8_t *blocks)
{
	const struct fixed *f = p;

	return sim_pdom_stands_in(&f->stacks[slot], env, blocks);
}

const struct sim_warp_policy sim_warp_fixed = {
	.name = "fixed",
	.looks_at_to = 1,
	.help = "warps of N consecutive threads with PDOM stacks",
	.params =
		{
			{"size", 0, 0, TR_LANES_MAX,
				"threads of a warp, a power of two; 0: the machine's", NULL},
			SIM_LCP_PARAM,
		},
	.wants_profile = wants_profile,
	.shape = shape,
	.start = start,
	.arrive = arrive,
	.next = next,
	.stands_in = stands_in,
};

const struct sim_warp_policy sim_warp_mimd = {
	.name = "mimd",
	.help = "every thread its own warp, unlimited issue: the bound",
	.looks_at_to = 1,
	.unlimited = 1,
	.shape = mimd_shape,
	.start = start,
	.arrive = arrive,
	.next = next,
};
