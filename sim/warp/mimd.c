/*
 * mimd: warps of one thread, all of which issue whenever they can: what divergence costs, and no
 * more. Its accesses do not coalesce, so where neighbours share lines fixed may well be faster.
 *
 * With together=cta it is what the best grouping of a CTA's threads is worth. Of their accesses
 * each is made once, whenever they come to it (sim/sm/once.h); units, the supply of instructions
 * and the size of the L1D have no limit. With a perfect L1D and memory it is a bound of all
 * policies.
 */
#include "sim/warp/pdom.h"

enum { TOGETHER };
enum { THREAD, CTA };

static const char *const together_words[] = {[THREAD] = "thread", [CTA] = "cta", NULL};

static int shape(
	const struct sim_config *c, const int64_t *params, struct sim_shape *s, struct tr_err *err)
{
	(void)err;
	s->lanes = 1;
	s->unlimited = 1;
	s->once = params[TOGETHER] == CTA;
	s->slots = c->sm.threads;
	s->state_bytes = sim_pdom_bytes(s->slots, 1);
	return 1;
}

static void start(void *p, struct sim_front *front, const int64_t *params)
{
	(void)params;
	sim_pdom_init(p, front->nwarps, 1);
}

static void arrive(
	void *p, struct sim_front *front, uint32_t cta, uint32_t first, uint32_t n, uint64_t now)
{
	for (uint32_t t = 0; t < n; t++)
		front->call->ready(front, sim_pdom_warp(p, front, cta, first + t, n - t, 1), now);
}

static void next(void *p, struct sim_front *front, uint32_t slot, uint64_t now)
{
	struct sim_pdom *stacks = p;

	if (sim_pdom_next(&stacks[slot], front, &front->warps[slot]))
		front->call->ready(front, slot, now);
	else
		front->call->drop(front, slot);
}

const struct sim_warp_policy sim_warp_mimd = {
	.abi = SIM_WARP_ABI,
	.bytes = sizeof(struct sim_warp_policy),
	.name = "mimd",
	.help = "every thread its own warp, unlimited issue: a bound of divergence",
	.params =
		{
			{"together", THREAD, THREAD, CTA,
				"whose accesses are made once: a thread's, or those of all of its "
				"CTA, a bound of coalescing too",
				together_words},
		},
	.many = 1,
	.shape = shape,
	.start = start,
	.arrive = arrive,
	.next = next,
};
