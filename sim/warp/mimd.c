/*
 * mimd: warps of one thread, all of which issue whenever they can: what divergence costs, and no
 * more. Its accesses do not coalesce, so where neighbours share lines fixed may well be faster.
 *
 * With together=cta threads of a CTA that come to the same memory instruction, or to one whose unit
 * has an interval, in the same cycle issue it in the next one as up to 128 lanes of one warp: no
 * divergence, and the coalescing of the whole CTA. The cycle in which they wait for each other is
 * the price.
 */
#include "sim/warp/pdom.h"

enum { TOGETHER };
enum { THREAD, CTA };

static const char *const together_words[] = {[THREAD] = "thread", [CTA] = "cta", NULL};

struct mimd {
	int together;
	struct sim_pdom *stacks;
	uint64_t *from; /* by slot: the cycle from which its memory instruction issues; 0: none */
};

static int shape(
	const struct sim_config *c, const int64_t *params, struct sim_shape *s, struct tr_err *err)
{
	(void)err;
	s->lanes = 1;
	s->unlimited = 1;
	s->slots = c->sm.threads;
	if (params[TOGETHER] == CTA)
		s->widest = SIM_WIDE_WARPS;
	s->state_bytes =
		sizeof(struct mimd) + s->slots * sizeof(uint64_t) + sim_pdom_bytes(s->slots, 1);
	return 1;
}

static void start(void *p, struct sim_front *front, const int64_t *params)
{
	struct mimd *m = p;

	m->together = params[TOGETHER] == CTA;
	m->from = (uint64_t *)(void *)(m + 1);
	memset(m->from, 0, front->nwarps * sizeof(*m->from));
	m->stacks = (struct sim_pdom *)(void *)(m->from + front->nwarps);
	sim_pdom_init(m->stacks, front->nwarps, 1);
}

static uint32_t asks(void *p, const struct sim_front *front, uint32_t inst)
{
	const struct mimd *m = p;
	const enum tr_class cls = (enum tr_class)front->program->insts[inst].cls;

	if (m->together && (cls == TR_C_LOAD || cls == TR_C_STORE || cls == TR_C_ATOMIC ||
				   front->config->interval[cls]))
		return SIM_ASK_MAY | SIM_ASK_FORM;
	return 0;
}

static void arrive(
	void *p, struct sim_front *front, uint32_t cta, uint32_t first, uint32_t n, uint64_t now)
{
	struct mimd *m = p;

	for (uint32_t t = 0; t < n; t++)
		front->call->ready(
			front, sim_pdom_warp(m->stacks, front, cta, first + t, n - t, 1), now);
}

static void next(void *p, struct sim_front *front, uint32_t slot, uint64_t now)
{
	struct mimd *m = p;

	if (sim_pdom_next(&m->stacks[slot], front, &front->warps[slot]))
		front->call->ready(front, slot, now);
	else
		front->call->drop(front, slot);
}

static enum sim_may may(void *p, struct sim_front *front, uint32_t slot, uint64_t now)
{
	struct mimd *m = p;

	if (m->from[slot])
		return SIM_GO;
	m->from[slot] = now + 1;
	front->call->ready(front, slot, now + 1);
	return SIM_NOT_NOW;
}

/* All of its CTA that wait to issue the same. */
static void form(
	void *p, struct sim_front *front, uint32_t slot, struct sim_bundle *bundle, uint64_t now)
{
	const struct sim_warp *all = front->warps;
	struct mimd *m = p;

	m->from[slot] = 0;
	for (uint32_t w = 0; w < front->nwarps && bundle->n < SIM_WIDE_WARPS; w++)
		if (m->from[w] && m->from[w] <= now && all[w].cta == all[slot].cta &&
			all[w].pc == all[slot].pc) {
			m->from[w] = 0;
			bundle->beat[bundle->n].joins = 1;
			bundle->beat[bundle->n++].warp = (uint16_t)w;
		}
}

const struct sim_warp_policy sim_warp_mimd = {
	.abi = SIM_WARP_ABI,
	.bytes = sizeof(struct sim_warp_policy),
	.name = "mimd",
	.help = "every thread its own warp, unlimited issue: a bound of divergence",
	.params =
		{
			{"together", THREAD, THREAD, CTA,
				"whose accesses coalesce and share units: a thread's alone, or the "
				"CTA's",
				together_words},
		},
	.many = 1,
	.shape = shape,
	.start = start,
	.asks = asks,
	.arrive = arrive,
	.next = next,
	.may = may,
	.form = form,
};
