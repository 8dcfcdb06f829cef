/*
 * dwr: dynamic warp resizing (Lashgar, Baniasadi, Khonsari 2012). Sub-warps as wide as the SIMD run
 * by themselves, each with a reconvergence stack. In front of each load or store of global or local
 * memory (LAT, IV.A) stands a bar.synch_partner, at which a sub-warp waits for its partners: the
 * other sub-warps of the warp that `max` threads side by side would make. When the last one is
 * there, those at the same LAT issue it as one wide warp, coalesced as one (SCO). Partners at
 * different LATs, at a barrier of the CTA or at their end hold nobody up (IV.B); a LAT at which
 * they were found apart goes into the ignore list, and nobody waits there any more (IV.C).
 *
 * bar.synch_partner is not in the recorded program, nor in those that the paper ran: a sub-warp
 * that comes to a LAT stands for `latency` cycles (section V). With `slot` it is an instruction
 * that takes an issue slot as well. It has the number of its LAT, and begins when the scheduler is
 * free and the LAT could issue, so it too waits for the memory unit to have room. Left out: the
 * dynamic synchronization that finds LATs by itself (IV.A names it and does not use it), and the
 * fetch of the longer program.
 */
#include "sim/warp/dwr_tables.h"
#include "sim/warp/pdom.h"

enum { MAX, ILT, WAYS, LATENCY, PARAM, SLOT }; /* the parameters */
enum counter { LATS, LATS_IGNORED, INSERTED };

/* How far a sub-warp is with the bar.synch_partner of the LAT that is its next instruction. */
enum status {
	BEFORE,  /* or at no LAT */
	LOCKED,  /* waits for its partners */
	COMBINE, /* combine-ready */
	IGNORED, /* found the LAT in the ILT */
};

/* By thread slot: sub-warps keep their threads. */
struct sub_warp {
	uint32_t slot; /* SIM_NO_WARP: there is none, or it has ended */
	enum status status;
};

struct dwr {
	uint32_t lanes, partners; /* of a sub-warp; sub-warps of the largest warp */
	uint32_t latency, param, slot;
	uint64_t begun; /* last cycle in which a barrier began without an issue slot */
	struct sim_ilt ilt;
	struct sim_pdom *stacks;
	struct sim_pst *pst; /* by the index of a group's first sub-warp */
	struct sub_warp *sub_warps;
};

/* A sub-warp with those that it synchronizes with. */
struct group {
	struct sub_warp *self, *first;
	uint32_t n;
	struct sim_pst *pst;
};

static uint32_t partners_of(uint32_t max, uint32_t lanes)
{
	return max > lanes ? max / lanes : 1;
}

static int shape(
	const struct sim_config *c, const int64_t *params, struct sim_shape *s, struct tr_err *err)
{
	(void)err;
	s->lanes = c->sm.simd_width;
	s->slots = c->sm.threads / s->lanes;
	s->widest = partners_of((uint32_t)params[MAX], s->lanes) * s->lanes;
	s->state_bytes = sizeof(struct dwr) + sim_pdom_bytes(s->slots, s->lanes) +
			 s->slots * (sizeof(struct sim_pst) + sizeof(struct sub_warp)) +
			 (size_t)params[ILT] * sizeof(uint32_t);
	return 1;
}

static void start(void *p, struct sim_front *front, const int64_t *params)
{
	struct dwr *d = p;

	d->lanes = front->config->sm.simd_width;
	d->partners = partners_of((uint32_t)params[MAX], d->lanes);
	d->latency = (uint32_t)params[LATENCY];
	d->param = (uint32_t)params[PARAM];
	d->slot = (uint32_t)params[SLOT];
	d->begun = UINT64_MAX;
	d->stacks = (struct sim_pdom *)(void *)(d + 1);
	d->pst = (struct sim_pst *)(void *)((char *)d->stacks +
					    sim_pdom_bytes(front->nwarps, d->lanes));
	d->sub_warps = (struct sub_warp *)(void *)(d->pst + front->nwarps);
	sim_pdom_init(d->stacks, front->nwarps, d->lanes);
	sim_ilt_init(&d->ilt, (uint32_t *)(void *)(d->sub_warps + front->nwarps),
		(uint32_t)params[ILT], (uint32_t)params[WAYS]);
	for (uint32_t i = 0; i < front->nwarps; i++) {
		d->sub_warps[i] = (struct sub_warp){.slot = SIM_NO_WARP};
		d->pst[i] = (struct sim_pst){0};
	}
}

/* Partners are consecutive in their CTA, from its first thread on. */
static struct group group_of(struct dwr *d, struct sim_front *front, uint32_t slot)
{
	const uint32_t of_cta = front->stride / d->lanes, cta = front->warps[slot].cta * of_cta;
	const uint32_t self = front->warps[slot].thread[0] / d->lanes;
	const uint32_t first = self - (self - cta) % d->partners, left = cta + of_cta - first;

	return (struct group){&d->sub_warps[self], &d->sub_warps[first],
		left < d->partners ? left : d->partners, &d->pst[first]};
}

/*
 * A LAT: a load or store of global, local or param space (IV.A), to which generic accesses count;
 * constants, shared memory, and textures with a cache of their own do not, and atomics are no
 * loads. Listing 1b has no barrier in front of ld.param, though IV.A's text counts the space.
 */
static int is_lat(const struct dwr *d, const struct sim_front *front, uint32_t inst)
{
	const struct tr_inst *in = &front->program->insts[inst];

	if (in->cls != TR_C_LOAD && in->cls != TR_C_STORE)
		return 0;
	switch (in->space) {
	case TR_S_NONE:
	case TR_S_CONST:
	case TR_S_SHARED:
		return 0;
	case TR_S_TEXTURE:
		return front->config->sm.texture_l1d != 0;
	case TR_S_PARAM:
		return d->param != 0;
	default:
		return 1;
	}
}

/* Without partners the compiler has nothing to synchronize. */
static uint32_t asks(void *p, const struct sim_front *front, uint32_t inst)
{
	const struct dwr *d = p;

	if (d->partners <= 1)
		return 0;
	if (is_lat(d, front, inst))
		return SIM_ASK_MAY | SIM_ASK_FORM;
	return sim_is_barrier(&front->program->insts[inst]) ? SIM_ASK_TOLD : 0;
}

static void arrive(
	void *p, struct sim_front *front, uint32_t cta, uint32_t first, uint32_t n, uint64_t now)
{
	struct dwr *d = p;

	for (uint32_t t = 0; t < n; t += d->lanes) {
		const uint32_t slot =
			sim_pdom_warp(d->stacks, front, cta, first + t, n - t, d->lanes);

		d->sub_warps[(first + t) / d->lanes] = (struct sub_warp){.slot = slot};
		front->call->ready(front, slot, now);
	}
}

/*
 * Is a sub-warp on its way to a LAT barrier, to a barrier of the CTA, or to its end? One whose load
 * the scheduler withholds is not: it is through its LAT barrier, and waits (MODEL.md).
 */
static int is_on_its_way(struct sim_front *front, const struct sub_warp *s)
{
	return s->slot != SIM_NO_WARP && s->status != LOCKED &&
	       !sim_at_barrier(&front->warps[s->slot]) && !front->warps[s->slot].withheld;
}

/* bar.synch_partner, step 2: the locked ones of a group go on once no partner is on its way. */
static void unlock(struct sim_front *front, const struct group *g, uint64_t now)
{
	const uint64_t at = g->pst->through > now ? g->pst->through : now + 1;

	if (!g->pst->locked)
		return;
	for (const struct sub_warp *s = g->first; s < g->first + g->n; s++)
		if (is_on_its_way(front, s))
			return;
	g->pst->locked = 0;
	for (struct sub_warp *s = g->first; s < g->first + g->n; s++)
		if (s->status == LOCKED) {
			s->status = COMBINE;
			front->call->ready(front, s->slot, at);
		}
}

static void next(void *p, struct sim_front *front, uint32_t slot, uint64_t now)
{
	struct dwr *d = p;
	struct group g;

	if (sim_pdom_next(&d->stacks[slot], front, &front->warps[slot])) {
		front->call->ready(front, slot, now);
		return;
	}
	g = group_of(d, front, slot);
	g.self->slot = SIM_NO_WARP;
	front->call->drop(front, slot);
	unlock(front, &g, now);
}

/* Is a LAT next, with its bar.synch_partner still to come? */
static int wants_barrier(const struct dwr *d, struct sim_front *front, uint32_t slot)
{
	const struct sim_warp *w = &front->warps[slot];

	return d->sub_warps[w->thread[0] / d->lanes].status == BEFORE && is_lat(d, front, w->pc);
}

static void synchronize(struct dwr *d, struct sim_front *front, uint32_t slot, uint64_t now)
{
	const struct group g = group_of(d, front, slot);
	const uint32_t inst = front->warps[slot].pc;

	front->counts[INSERTED]++;
	if (sim_ilt_has(&d->ilt, inst)) {
		g.self->status = IGNORED;
		front->call->ready(front, slot, now + d->latency);
		return;
	}
	g.self->status = LOCKED;
	sim_pst_lock(g.pst, &d->ilt, inst, now + d->latency);
	front->call->hold(front, slot);
	unlock(front, &g, now);
}

static enum sim_may may(void *p, struct sim_front *front, uint32_t slot, uint64_t now)
{
	struct dwr *d = p;

	if (front->config->sm.unlimited_issue || !wants_barrier(d, front, slot))
		return SIM_GO;
	if (d->slot)
		return SIM_OWN;
	synchronize(d, front, slot, now);
	d->begun = now;
	return SIM_NOT_NOW;
}

/* The reason why a scheduler is idle changes when a bar.synch_partner begins. */
static uint64_t tick(void *p, struct sim_front *front, uint64_t now)
{
	const struct dwr *d = p;

	(void)front;
	return d->begun == now ? now + 1 : SIM_NEVER;
}

static void count(struct sim_front *front, enum counter c, uint32_t inst)
{
	front->counts[c]++;
	front->by_inst[c * front->program->ninsts + inst]++;
}

/* SCO: the combine-ready partners at the same LAT. */
static void combine(
	struct dwr *d, struct sim_front *front, uint32_t slot, struct sim_bundle *bundle)
{
	const struct group g = group_of(d, front, slot);
	const uint32_t inst = front->warps[slot].pc;
	const enum status status = g.self->status;

	g.self->status = BEFORE;
	if (status == BEFORE)
		return;
	count(front, LATS, inst);
	if (status == IGNORED) {
		count(front, LATS_IGNORED, inst);
		return;
	}
	for (struct sub_warp *s = g.first; s < g.first + g.n && bundle->n < SIM_WIDE_WARPS; s++)
		if (s->status == COMBINE && front->warps[s->slot].pc == inst) {
			s->status = BEFORE;
			bundle->beat[bundle->n].joins = 1;
			bundle->beat[bundle->n++].warp = (uint16_t)s->slot;
		}
}

static void form(
	void *p, struct sim_front *front, uint32_t slot, struct sim_bundle *bundle, uint64_t now)
{
	struct dwr *d = p;

	if (front->config->sm.unlimited_issue || !wants_barrier(d, front, slot)) {
		combine(d, front, slot, bundle);
		return;
	}
	bundle->own = 1;
	synchronize(d, front, slot, now);
}

/*
 * One that waits at a barrier of its CTA is on its way no more, nor is one whose load the scheduler
 * keeps back.
 */
static void told(void *p, struct sim_front *front, const struct sim_told *t)
{
	struct group g;

	if (t->what == SIM_TOLD_ISSUED && !sim_at_barrier(&front->warps[t->warp]))
		return;
	g = group_of(p, front, t->warp);
	unlock(front, &g, t->now);
}

static const char *const no_yes[] = {"no", "yes", NULL};

/* ---- what threads do ---- */

static void classes(void *p, const struct sim_front *front, uint64_t threads[SIM_NTHREAD_CLASSES])
{
	(void)p;
	for (uint32_t s = 0; s < front->nwarps; s++) {
		const struct sim_warp *w = &front->warps[s];

		if (w->state == SIM_W_FREE)
			continue;
		if (w->state == SIM_W_HELD) /* bar.synch_partner is a barrier */
			threads[SIM_TH_BARRIER] += sim_lanes(&w->lanes);
		threads[SIM_TH_INACTIVE] += w->inactive;
		threads[SIM_TH_MEET] += w->waiting;
	}
}

const struct sim_warp_policy sim_warp_dwr = {
	.abi = SIM_WARP_ABI,
	.bytes = sizeof(struct sim_warp_policy),
	.name = "dwr",
	.help = "sub-warps as wide as the SIMD that combine at loads and stores",
	.params =
		{
			{"max", 64, 1, TR_LANES_MAX, "threads of the largest warp", NULL},
			{"ilt", 32, 0, 4096, "entries of the ignore list; 0: none is ignored",
				NULL},
			{"ways", 8, 1, 4096, "of a set of it", NULL},
			{"latency", 24, 1, 1000, "cycles of bar.synch_partner", NULL},
			{"param", 0, 0, 1, "loads of kernel parameters are LATs", no_yes},
			{"slot", 0, 0, 1, "bar.synch_partner takes an issue slot", no_yes},
		},
	.counters =
		{
			[LATS] = {"lats", "LATs issued, each by as many sub-warps as combined", 1},
			[LATS_IGNORED] = {"lats_ignored",
				"by one that did not wait, since the ILT had the LAT", 1},
			[INSERTED] = {"inserted_insts", "bar.synch_partner begun", 0},
		},
	.hears = SIM_TOLD_WITHHELD,
	.shape = shape,
	.start = start,
	.asks = asks,
	.arrive = arrive,
	.next = next,
	.may = may,
	.form = form,
	.told = told,
	.tick = tick,
	.classes = classes,
};
