/*
 * bar.sync, bar.arrive and bar.red, as the hardware of the papers has them: warps arrive, not
 * threads; different warps may meet at different instructions of one barrier; where a barrier is
 * for the whole CTA, warps that have exited count as arrived (a barrier for fewer threads than that
 * waits for warps that do come). Lanes that returned early and wait at the kernel's last exit for
 * the rest of their warp have exited in all but name. Refused is what the hardware would answer
 * with a hang or with nonsense: a barrier that only part of a warp's live lanes reach.
 *
 * barrier.cluster is one for all warps of a cluster, in two halves: arrive, then wait. A phase is
 * over when every warp that has not exited has arrived.
 */
#include "sim/ptx/memcheck.h"

static void release(struct ptx_cta *cta, struct ptx_barrier *b)
{
	if (cta->races)
		ptx_races_release(
			cta, (unsigned)(b - cta->barrier), b->waiting, b->warps == cta->nwarps);
	for (uint32_t left = b->waiting; left; left &= left - 1) {
		struct ptx_warp *w = &cta->warps[__builtin_ctz(left)];
		const struct ptx_code *c = w->waits;
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
	*b = (struct ptx_barrier){0};
	cta->epoch++;
}

static void check(struct ptx_cta *cta, struct ptx_barrier *b)
{
	const uint32_t exited = b->warps == cta->nwarps ? cta->ndone : 0;

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

/* Lanes that have nothing left to do but to exit: they stand at an exit without a guard. */
static uint32_t leaving(const struct ptx_warp *w)
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
		for (uint32_t n = 0; n < cta->nwarps; n++) {
			struct ptx_warp *w = &cta->warps[n];
			if (w->state != PTX_WAITING || w->waits->inst->op != PTX_BARRIER_CLUSTER)
				continue;
			w->state = PTX_READY;
			if (cta->races)
				ptx_races_waited(w);
		}
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

int ptx_barrier_reach(struct ptx_warp *w, const struct ptx_code *c)
{
	struct ptx_cta *cta = w->cta;
	const uint32_t live = warp_stack_live(&w->stack), missing = live & ~w->mask & ~leaving(w);
	const enum ptx_mode mode = c->inst->mode;
	const int reduces = mode >= PTX_M_RED_POPC;
	uint32_t id, threads = 0, warps = cta->nwarps;
	int e;

	if (missing)
		return ptx_fault(w, c, (unsigned)__builtin_ctz(w->mask),
			"%d of the warp's %d live lanes do not reach this barrier (lane %d, say)",
			__builtin_popcount(missing), __builtin_popcount(live),
			__builtin_ctz(missing));
	if (c->inst->op == PTX_BARRIER_CLUSTER)
		return cluster_reach(w, c);
	if ((e = uniform(w, c, 0, &id)))
		return e;
	if (id >= PTX_BARRIERS)
		return ptx_fault(
			w, c, (unsigned)__builtin_ctz(w->mask), "names barrier %u of 0 to 15", id);
	if (c->ns - reduces > 1) {
		if ((e = uniform(w, c, 1, &threads)))
			return e;
		warps = threads / PTX_LANES;
		if (threads % PTX_LANES || !warps || warps > cta->nwarps)
			return ptx_fault(w, c, (unsigned)__builtin_ctz(w->mask),
				"waits for %u threads, no multiple of 32 up to %u", threads,
				cta->nwarps * PTX_LANES);
	}
	struct ptx_barrier *b = &cta->barrier[id];
	if (b->arrived && b->warps != warps)
		return ptx_fault(w, c, (unsigned)__builtin_ctz(w->mask),
			"waits for %u threads at barrier %u, where others wait for %u",
			warps * PTX_LANES, id, b->warps * PTX_LANES);
	b->warps = warps;
	b->arrived++;
	if (cta->races)
		ptx_races_arrive(w, id);
	if (reduces) {
		const uint32_t yes = ptx_predicate(w, c, c->ns - 1u) & w->mask;
		b->popc += (uint32_t)__builtin_popcount(yes);
		b->any |= yes;
		b->not_all |= yes ^ w->mask;
	}
	if (mode != PTX_M_ARRIVE) {
		b->waiting |= 1u << w->number;
		w->state = PTX_WAITING;
		w->waits = c;
	}
	check(cta, b);
	return 0;
}
