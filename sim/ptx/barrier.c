/*
 * bar.sync, bar.arrive and bar.red: warps arrive, below sm_70 with the first of their lanes, from
 * sm_70 on when all lanes have that have not exited, by whichever instructions, and until then
 * these lanes wait (PTX ISA, barrier). Different warps may meet at different instructions of one
 * barrier; where a barrier is for the whole CTA, warps that have exited count as arrived (a barrier
 * for fewer threads than that waits for warps that do come). Lanes that returned early and wait at
 * the kernel's last exit for the rest of their warp have exited in all but name.
 *
 * barrier.cluster is one for all warps of a cluster, in two halves: arrive, then wait. A phase is
 * over when every warp that has not exited has arrived. All lanes of a warp that have not exited
 * come to it together, or the launch fails.
 */
#include "sim/ptx/memcheck.h"

/* What a path that waited at a barrier goes on with. */
struct answer {
	const struct ptx_barrier *b;
	uint32_t id;
	int arrived; /* 1: only those that do not wait for the others */
};

static void go_on(struct ptx_warp *w, void *arg)
{
	const struct answer *a = arg;
	const struct ptx_barrier *b = a->b;
	const struct ptx_code *c = w->waits;

	if (c->inst->op == PTX_BARRIER_CLUSTER || w->named != a->id ||
		(a->arrived && c->inst->mode != PTX_M_ARRIVE))
		return;
	w->state = PTX_READY;
	if (c->inst->mode == PTX_M_RED_POPC) {
		uint32_t *d = ptx_destination(w, c, 0);
		for (unsigned i = 0; i < PTX_LANES; i++)
			if (w->mask >> i & 1)
				d[i] = b->popc;
	} else if (c->inst->mode == PTX_M_RED_AND) {
		ptx_set_predicate(w, c, 0, b->not_all ? 0 : PTX_ALL_LANES);
	} else if (c->inst->mode == PTX_M_RED_OR) {
		ptx_set_predicate(w, c, 0, b->any ? PTX_ALL_LANES : 0);
	}
}

static void release(struct ptx_cta *cta, struct ptx_barrier *b)
{
	const uint32_t id = (uint32_t)(b - cta->barrier);
	struct answer a = {b, id, 0};

	if (cta->races)
		ptx_races_release(cta, id, b->waiting, b->warps == cta->nwarps);
	for (uint32_t left = b->waiting; left; left &= left - 1)
		ptx_each_waiting(&cta->warps[__builtin_ctz(left)], go_on, &a);
	*b = (struct ptx_barrier){0};
	cta->epoch++;
}

/* Warps of which some lanes have come, and the others have now exited, have arrived. */
static void recount(struct ptx_cta *cta, struct ptx_barrier *b)
{
	for (uint32_t left = b->part; left; left &= left - 1) {
		const uint32_t n = (uint32_t)__builtin_ctz(left);
		struct ptx_warp *w = &cta->warps[n];
		struct answer a = {b, (uint32_t)(b - cta->barrier), 1};
		if (ptx_live_lanes(w) & ~b->lanes[n])
			continue;
		b->part &= ~(1u << n);
		b->arrived++;
		ptx_each_waiting(w, go_on, &a);
	}
}

static void check(struct ptx_cta *cta, struct ptx_barrier *b)
{
	const uint32_t exited = b->warps == cta->nwarps ? cta->ndone : 0;

	if (b->part)
		recount(cta, b);
	if (b->arrived && b->arrived + exited >= b->warps)
		release(cta, b);
}

void ptx_barriers_recheck(struct ptx_cta *cta)
{
	for (unsigned k = 0; k < PTX_BARRIERS; k++)
		check(cta, &cta->barrier[k]);
}

/* Source k, the same in all lanes of the warp. */
static int uniform(const struct ptx_warp *w, const struct ptx_code *c, unsigned k, uint32_t *value)
{
	const uint32_t *a = ptx_source(w, c, k);
	const unsigned first = (unsigned)__builtin_ctz(w->mask);

	*value = a[first];
	for (unsigned i = first; i < PTX_LANES; i++)
		if ((w->mask >> i & 1) && a[i] != *value)
			return ptx_fault(w, c, i,
				"names barrier or thread count %u, another lane %u", a[i], *value);
	return 0;
}

/* They stand at an exit without a guard. */
uint32_t ptx_leaving(const struct ptx_warp *w)
{
	const struct ptx_code *code = w->cta->run->decoded.code;
	uint32_t lanes = 0, above = 0;

	for (uint32_t k = w->stack.depth; k--;) { /* a lane goes on where its topmost entry says */
		const struct ptx_code *c = &code[w->stack.path[k].pc];
		if (c->kind == PTX_K_EXIT && c->guard == PTX_NOWHERE)
			lanes |= w->stack.mask[k] & ~above;
		above |= w->stack.mask[k];
	}
	return lanes;
}

/* ---- the cluster's ---- */

static void end_phase(struct ptx_warp *w, void *arg)
{
	(void)arg;
	if (w->waits->inst->op != PTX_BARRIER_CLUSTER)
		return;
	w->state = PTX_READY;
	if (w->cta->races)
		ptx_races_waited(w);
}

static void cluster_check(struct ptx_cta *of)
{
	struct ptx_cluster *l = of->cluster;
	const uint32_t ctas = of->run->cluster_ctas;

	if (l->arrived == l->ended || l->arrived < ctas * of->nwarps)
		return;
	for (uint32_t r = 0; r < ctas; r++) {
		struct ptx_cta *cta = l->cta[r];
		cta->epoch++;
		if (cta->races)
			ptx_races_phase(cta);
		for (uint32_t n = 0; n < cta->nwarps; n++)
			ptx_each_waiting(&cta->warps[n], end_phase, NULL);
	}
	l->arrived = l->ended;
	l->phase++;
}

void ptx_cluster_left(struct ptx_warp *w)
{
	struct ptx_cluster *l = w->cta->cluster;

	l->ended++;
	l->arrived += !w->arrived || w->phase != l->phase;
	cluster_check(w->cta);
}

static int cluster_reach(struct ptx_warp *w, const struct ptx_code *c)
{
	struct ptx_cluster *l = w->cta->cluster;
	const unsigned first = (unsigned)__builtin_ctz(w->mask);

	if (c->inst->mode == PTX_M_ARRIVE) {
		if (w->arrived)
			return ptx_fault(w, c, first, "arrives again before it has waited");
		w->arrived = 1;
		if (w->cta->races)
			ptx_races_arrive(w, PTX_CLUSTER_BARRIER);
		w->phase = l->phase;
		l->arrived++;
		cluster_check(w->cta);
		return 0;
	}
	if (!w->arrived)
		return ptx_fault(w, c, first, "waits without having arrived");
	w->arrived = 0;
	if (w->phase == l->phase) {
		w->state = PTX_WAITING;
		w->waits = c;
	} else if (w->cta->races) {
		ptx_races_waited(w);
	}
	return 0;
}

/* ---- the CTA's ---- */

/* The number of the barrier, and where it says so the warps that it waits for. 0, or TR_ERUN. */
static int which(const struct ptx_warp *w, const struct ptx_code *c, uint32_t *id, uint32_t *warps)
{
	const struct ptx_cta *cta = w->cta;
	const unsigned first = (unsigned)__builtin_ctz(w->mask);
	const int reduces = c->inst->mode >= PTX_M_RED_POPC;
	uint32_t threads;
	int e;

	if ((e = uniform(w, c, 0, id)))
		return e;
	if (*id >= PTX_BARRIERS)
		return ptx_fault(w, c, first, "names barrier %u of 0 to 15", *id);
	if (c->ns - reduces <= 1)
		return 0;
	if ((e = uniform(w, c, 1, &threads)))
		return e;
	*warps = threads / PTX_LANES;
	if (threads % PTX_LANES || !*warps || *warps > cta->nwarps)
		return ptx_fault(w, c, first, "waits for %u threads, no multiple of 32 up to %u",
			threads, cta->nwarps * PTX_LANES);
	return 0;
}

/* The lanes arrive. 1: the warp has, with them; 0: others of it are missing. */
static int arrive(struct ptx_warp *w, struct ptx_barrier *b)
{
	const uint32_t n = w->number, bit = 1u << n;

	if (!ptx_independent(w->cta->run->kernel)) {
		b->arrived++;
		return 1;
	}
	b->lanes[n] = (b->part & bit ? b->lanes[n] : 0) | w->mask;
	b->part |= bit;
	if (ptx_live_lanes(w) & ~b->lanes[n] & ~ptx_leaving(w))
		return 0;
	/* Lanes that stand before their exit are taken for exited. */
	b->lanes[n] = PTX_ALL_LANES;
	return 1;
}

int ptx_barrier_reach(struct ptx_warp *w, const struct ptx_code *c)
{
	struct ptx_cta *cta = w->cta;
	const uint32_t live = ptx_live_lanes(w), missing = live & ~w->mask & ~ptx_leaving(w);
	const unsigned first = (unsigned)__builtin_ctz(w->mask);
	const enum ptx_mode mode = c->inst->mode;
	uint32_t id = 0, warps = cta->nwarps;
	int e, all;

	if (c->inst->op == PTX_BARRIER_CLUSTER) {
		if (missing)
			return ptx_fault(w, c, first,
				"%d of the warp's %d live lanes do not reach this barrier (lane "
				"%d, say)",
				__builtin_popcount(missing), __builtin_popcount(live),
				__builtin_ctz(missing));
		return cluster_reach(w, c);
	}
	if ((e = which(w, c, &id, &warps)))
		return e;
	struct ptx_barrier *b = &cta->barrier[id];
	if ((b->arrived || b->part) && b->warps != warps)
		return ptx_fault(w, c, first,
			"waits for %u threads at barrier %u, where others wait for %u",
			warps * PTX_LANES, id, b->warps * PTX_LANES);
	b->warps = warps;
	all = arrive(w, b);
	if (cta->races)
		ptx_races_arrive(w, id);
	if (mode >= PTX_M_RED_POPC) {
		const uint32_t yes = ptx_predicate(w, c, c->ns - 1u) & w->mask;
		b->popc += (uint32_t)__builtin_popcount(yes);
		b->any |= yes;
		b->not_all |= yes ^ w->mask;
	}
	if (mode != PTX_M_ARRIVE)
		b->waiting |= 1u << w->number;
	if (mode != PTX_M_ARRIVE || !all) {
		w->state = PTX_WAITING;
		w->waits = c;
		w->named = id;
	}
	check(cta, b);
	return 0;
}
