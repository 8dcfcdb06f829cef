/*
 * swl: static warp limiting (thesis 3.2.2). Only the oldest `limit` warps of the SM may issue, in
 * the order of gto; one that exits makes room for the next oldest. While one of them waits at a
 * barrier, the other warps of its CTA may issue too, until all have reached it. At the barrier of a
 * cluster of CTAs all warps may, since any may be of one that it waits for, or that one on another
 * SM waits for (the thesis knows no clusters). Nor does it know barriers in memory, where a warp
 * waits for whichever warp arrives: one that waits there makes room as one that exits.
 *
 * The thesis does not say how the others are let through. rule=release is what the authors'
 * published code does instead: in cycles in which the youngest of the `limit` warps waits, there is
 * no limit.
 */
#include "sim/sched/age.h"
#include <assert.h>

enum { LIMIT, RULE };
enum { THESIS, RELEASE };

static const char *const rules[] = {[THESIS] = "thesis", [RELEASE] = "release", NULL};

struct swl {
	const struct sim_sched_env *env;
	const struct tr_program *program;
	uint32_t limit, rule;
	uint32_t last; /* slot that issued last, or SIM_NO_WARP */
	uint32_t n;    /* slots in use, the oldest first, */
	int unsorted;  /* unless one has come since the last pick */
	uint16_t order[SIM_BITS_MAX];
};

static void start(void *s, const struct sim_sched_env *env, const int64_t *params)
{
	struct swl *w = s;

	w->env = env;
	w->limit = (uint32_t)params[LIMIT];
	w->rule = (uint32_t)params[RULE];
	w->last = SIM_NO_WARP;
}

static void launch(void *s, const struct tr_program *p)
{
	struct swl *w = s;

	w->program = p;
}

static int waits_for_cluster(const struct swl *w, uint32_t warp)
{
	const struct sim_warp *x = &w->env->warps[warp];

	return x->state == SIM_W_BARRIER && w->program &&
	       w->program->insts[x->pc].disp == TR_BARRIER_CLUSTER;
}

static void arrive(void *s, uint32_t warp)
{
	struct swl *w = s;

	w->order[w->n++] = (uint16_t)warp;
	w->unsorted = 1;
}

static void leave(void *s, uint32_t warp)
{
	struct swl *w = s;
	uint32_t at = 0;

	while (at < w->n && w->order[at] != warp)
		at++;
	assert(at < w->n);
	w->n--;
	for (; at < w->n; at++)
		w->order[at] = w->order[at + 1];
	if (w->last == warp)
		w->last = SIM_NO_WARP;
}

static uint64_t age_at(const struct swl *w, uint32_t i)
{
	return w->env->warps[w->order[i]].age;
}

/* A warp policy gives a slot its warp's age only after it has arrived. */
static void sort(struct swl *w)
{
	w->unsorted = 0;
	for (uint32_t i = 1; i < w->n; i++) {
		const uint16_t slot = w->order[i];
		uint32_t at = i;

		for (; at && age_at(w, at - 1) > w->env->warps[slot].age; at--)
			w->order[at] = w->order[at - 1];
		w->order[at] = slot;
	}
}

/* How many of the oldest warps there are with as many as the limit says that hold a place. */
static uint32_t places(const struct swl *w)
{
	uint32_t n = 0, holding = 0;

	while (n < w->n && holding < w->limit)
		holding += w->env->warps[w->order[n++]].state != SIM_W_MBARRIER;
	return n;
}

static uint32_t pick(void *s, const struct sim_bits *ready, uint64_t now)
{
	struct swl *w = s;
	const struct sim_warp *warps = w->env->warps;
	uint32_t limit, oldest = SIM_NO_WARP;
	uint64_t through = 0; /* CTAs whose other warps may issue */

	(void)now;
	if (w->unsorted)
		sort(w);
	limit = places(w);
	if (w->rule == RELEASE) {
		if (limit && sim_waits(&warps[w->order[limit - 1]]) &&
			warps[w->order[limit - 1]].state != SIM_W_MBARRIER)
			limit = w->n;
	} else {
		for (uint32_t i = 0; i < limit; i++)
			if (sim_waits(&warps[w->order[i]]) &&
				warps[w->order[i]].state != SIM_W_MBARRIER)
				through |= waits_for_cluster(w, w->order[i])
						   ? UINT64_MAX
						   : 1ull << warps[w->order[i]].cta;
	}
	for (uint32_t i = 0; i < w->n; i++) {
		const uint32_t warp = w->order[i];

		if (i >= limit && !(through >> warps[warp].cta & 1))
			continue;
		if (!sim_bits_has(ready, warp))
			continue;
		if (warp == w->last)
			return warp;
		if (oldest == SIM_NO_WARP)
			oldest = warp;
	}
	return oldest;
}

static void issued(void *s, uint32_t warp, uint32_t inst, uint64_t now)
{
	struct swl *w = s;

	(void)inst;
	(void)now;
	if (sim_mine(w->env, warp))
		w->last = warp;
}

const struct sim_sched sim_sched_swl = {
	.abi = SIM_SCHED_ABI,
	.bytes = sizeof(struct sim_sched),
	.name = "swl",
	.help = "static warp limiting: gto among the oldest warps of the SM",
	.params =
		{
			{"limit", 32, 1, SIM_BITS_MAX, "warps that may issue", NULL},
			{"rule", THESIS, THESIS, RELEASE, "how a barrier lifts the limit", rules},
		},
	.state_bytes = sizeof(struct swl),
	.start = start,
	.launch = launch,
	.arrive = arrive,
	.leave = leave,
	.pick = pick,
	.issued = issued,
};
