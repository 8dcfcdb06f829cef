/* fixed:N: warps of N consecutive threads, each with a reconvergence stack (pdom.h). */
#include "sim/warp/pdom.h"

enum { SIZE, LCP };

struct fixed {
	uint32_t lanes;
	struct sim_pdom *stacks;
};

static int shape(
	const struct sim_config *c, const int64_t *params, struct sim_shape *s, struct tr_err *err)
{
	(void)err;
	s->lanes = params[SIZE] ? (uint32_t)params[SIZE] : c->sm.warp_size;
	s->wants_lcp = params[LCP] == SIM_LCP_PROFILE;
	s->slots = c->sm.threads / s->lanes;
	s->state_bytes = sizeof(struct fixed) + sim_pdom_bytes(s->slots, s->lanes);
	return 1;
}

static void start(void *p, struct sim_front *front, const int64_t *params)
{
	struct fixed *f = p;

	f->lanes = front->config->sm.warp_size;
	f->stacks = (struct sim_pdom *)(void *)(f + 1);
	sim_pdom_init(f->stacks, front->nwarps, f->lanes);
	for (uint32_t w = 0; w < front->nwarps; w++)
		f->stacks[w].lcp = (enum sim_lcp)params[LCP];
}

static void arrive(
	void *p, struct sim_front *front, uint32_t cta, uint32_t first, uint32_t n, uint64_t now)
{
	struct fixed *f = p;

	for (uint32_t t = 0; t < n; t += f->lanes)
		front->call->ready(front,
			sim_pdom_warp(f->stacks, front, cta, first + t, n - t, f->lanes), now);
}

static void next(void *p, struct sim_front *front, uint32_t slot, uint64_t now)
{
	struct fixed *f = p;

	if (sim_pdom_next(&f->stacks[slot], front, &front->warps[slot]))
		front->call->ready(front, slot, now);
	else
		front->call->drop(front, slot);
}

const struct sim_warp_policy sim_warp_fixed = {
	.abi = SIM_WARP_ABI,
	.bytes = sizeof(struct sim_warp_policy),
	.name = "fixed",
	.help = "warps of N consecutive threads with PDOM stacks",
	.params =
		{
			{"size", 0, 0, TR_LANES_MAX,
				"threads of a warp, a power of two; 0: the machine's", NULL},
			SIM_LCP_PARAM,
		},
	.many = 1,
	.shape = shape,
	.start = start,
	.arrive = arrive,
	.next = next,
};
