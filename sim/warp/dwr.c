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
#include "sim/sm/stats.h"
#include "sim/warp/dwr_tables.h"
#include "sim/warp/pdom.h"

enum { MAX, ILT, WAYS, LATENCY, PARAM, SLOT }; /* the parameters */

/* How far a sub-warp is with the bar.synch_partner of the LAT that it stands at. */
enum status {
	BEFORE,  /* or at no LAT */
	LOCKED,  /* waits for its partners */
	COMBINE, /* combine-ready */
	IGNORED, /* found the LAT in the ILT */
};

/* By thread place: sub-warps keep their threads. */
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
	struct sim_pst *pst; /* by the place of a group's first sub-warp */
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

static void shape(const struct sim_config *c, const int64_t *params, uint32_t *slots,
	uint32_t *lanes, size_t *state)
{
	*lanes = c->sm.simd_width;
	*slots = c->sm.threads / *lanes;
	*state = sizeof(struct dwr) + sim_pdom_bytes(*slots, *lanes) +
		 *slots * (sizeof(struct sim_pst) + sizeof(struct sub_warp)) +
		 (size_t)params[ILT] * sizeof(uint32_t);
}

static uint32_t widest(const struct sim_config *c, const int64_t *params)
{
	return partners_of((uint32_t)params[MAX], c->sm.simd_width) * c->sm.simd_width;
}

static void start(void *p, const struct sim_warp_env *env, const int64_t *params)
{
	struct dwr *d = p;

	d->lanes = env->config->sm.simd_width;
	d->partners = partners_of((uint32_t)params[MAX], d->lanes);
	d->latency = (uint32_t)params[LATENCY];
	d->param = (uint32_t)params[PARAM];
	d->slot = (uint32_t)params[SLOT];
	d->begun = UINT64_MAX;
	d->stacks = (struct sim_pdom *)(void *)(d + 1);
	d->pst = (struct sim_pst *)(void *)((char *)d->stacks +
					    sim_pdom_bytes(env->nwarps, d->lanes));
	d->sub_warps = (struct sub_warp *)(void *)(d->pst + env->nwarps);
	sim_pdom_init(d->stacks, env->nwarps, d->lanes);
	sim_ilt_init(&d->ilt, (uint32_t *)(void *)(d->sub_warps + env->nwarps),
		(uint32_t)params[ILT], (uint32_t)params[WAYS]);
	for (uint32_t i = 0; i < env->nwarps; i++)
		d->sub_warps[i].slot = SIM_NO_WARP;
}

/* Partners stand side by side in their CTA, from its first thread on. */
static struct group group_of(struct dwr *d, const struct sim_warp_env *env, uint32_t slot)
{
	const uint32_t of_cta = env->stride / d->lanes, cta = env->warps[slot].cta * of_cta;
	const uint32_t self = env->warps[slot].thread[0] / d->lanes;
	const uint32_t first = self - (self - cta) % d->partners, left = cta + of_cta - first;

	return (struct group){&d->sub_warps[self], &d->sub_warps[first],
		left < d->partners ? left : d->partners, &d->pst[first]};
}

/* Listing 1b has no barrier in front of ld.param, though IV.A's text counts the space. */
static int is_lat(const struct dwr *d, const struct sim_warp_env *env, uint32_t inst)
{
	const struct tr_inst *in = &env->program->insts[inst];

	return in->flags & TR_I_LAT && (d->param || in->space != TR_S_PARAM);
}

/* Without partners the compiler has nothing to synchronize. */
static int watches(void *p, const struct sim_warp_env *env, uint32_t inst)
{
	const struct dwr *d = p;

	return d->partners > 1 &&
	       (is_lat(d, env, inst) || env->program->insts[inst].cls == TR_C_BARRIER);
}

static void arrive(void *p, const struct sim_warp_env *env, uint32_t cta, uint32_t first,
	uint32_t n, uint64_t now)
{
	struct dwr *d = p;

	for (uint32_t t = 0; t < n; t += d->lanes) {
		const uint32_t slot =
			sim_pdom_warp(d->stacks, env, cta, first + t, n - t, d->lanes);

		d->sub_warps[(first + t) / d->lanes] = (struct sub_warp){.slot = slot};
		sim_sm_warp_ready(env->sm, slot, now);
	}
}

/*
 * Is it on its way to a LAT barrier, to a barrier of the CTA, or to its end? Not so one whose load
 * the scheduler keeps back: it is through its LAT barrier, and stands (MODEL.md).
 */
static int is_on_its_way(const struct sim_warp_env *env, const struct sub_warp *s)
{
	return s->slot != SIM_NO_WARP && s->status != LOCKED &&
	       env->warps[s->slot].state != SIM_W_BARRIER && !sim_sm_withheld(env->sm, s->slot);
}

/* bar.synch_partner, step 2: the locked ones of a group go on once no partner is on its way. */
static void unlock(const struct sim_warp_env *env, const struct group *g, uint64_t now)
{
	const uint64_t at = g->pst->through > now ? g->pst->through : now + 1;

	if (!g->pst->locked)
		return;
	for (const struct sub_warp *s = g->first; s < g->first + g->n; s++)
		if (is_on_its_way(env, s))
			return;
	g->pst->locked = 0;
	for (struct sub_warp *s = g->first; s < g->first + g->n; s++)
		if (s->status == LOCKED) {
			s->status = COMBINE;
			sim_sm_warp_ready(env->sm, s->slot, at);
		}
}

static void next(void *p, const struct sim_warp_env *env, uint32_t slot, uint64_t now)
{
	struct dwr *d = p;
	struct group g;

	if (sim_pdom_next(&d->stacks[slot], env, &env->warps[slot])) {
		sim_sm_warp_ready(env->sm, slot, now);
		return;
	}
	g = group_of(d, env, slot);
	g.self->slot = SIM_NO_WARP;
	sim_sm_warp_free(env->sm, slot);
	unlock(env, &g, now);
}

/* Does it stand at a LAT, in front of the bar.synch_partner? */
static int wants_barrier(const struct dwr *d, const struct sim_warp_env *env, uint32_t slot)
{
	const struct sim_warp *w = &env->warps[slot];

	return d->sub_warps[w->thread[0] / d->lanes].status == BEFORE && is_lat(d, env, w->pc);
}

static void synchronize(struct dwr *d, const struct sim_warp_env *env, uint32_t slot, uint64_t now)
{
	const struct group g = group_of(d, env, slot);
	const uint32_t inst = env->warps[slot].pc;

	if (sim_ilt_has(&d->ilt, inst)) {
		g.self->status = IGNORED;
		sim_sm_warp_ready(env->sm, slot, now + d->latency);
		return;
	}
	g.self->status = LOCKED;
	sim_pst_lock(g.pst, &d->ilt, inst, now + d->latency);
	sim_sm_warp_hold(env->sm, slot);
	unlock(env, &g, now);
}

static enum sim_may_issue may_issue(
	void *p, const struct sim_warp_env *env, uint32_t slot, uint64_t now)
{
	struct dwr *d = p;

	if (env->config->sm.unlimited_issue || !wants_barrier(d, env, slot))
		return SIM_GO_ON;
	if (d->slot)
		return SIM_INSERTS;
	synchronize(d, env, slot, now);
	sim_sm_stats(env->sm)->inserted_insts++;
	d->begun = now;
	return SIM_NOT_NOW;
}

/* What kept a scheduler idle as a barrier began is not what does so behind that. */
static uint64_t until(void *p, const struct sim_warp_env *env, uint64_t now)
{
	const struct dwr *d = p;

	(void)env;
	return d->begun == now ? now + 1 : UINT64_MAX;
}

static int insert(void *p, const struct sim_warp_env *env, uint32_t slot, uint64_t now)
{
	if (!wants_barrier(p, env, slot))
		return 0;
	synchronize(p, env, slot, now);
	return 1;
}

static void withheld(void *p, const struct sim_warp_env *env, uint32_t slot, uint64_t now)
{
	const struct group g = group_of(p, env, slot);

	unlock(env, &g, now);
}

/* SCO: the combine-ready partners at the same LAT. */
static uint32_t gang(
	void *p, const struct sim_warp_env *env, uint32_t slot, uint16_t *with, uint64_t now)
{
	struct dwr *d = p;
	const struct group g = group_of(d, env, slot);
	const uint32_t inst = env->warps[slot].pc;
	struct sim_stats *stats = sim_sm_stats(env->sm);
	const enum status status = g.self->status;
	uint32_t n = 0;

	(void)now;
	g.self->status = BEFORE;
	if (status == BEFORE)
		return 0;
	stats->lats++;
	stats->insts[inst].lats++;
	if (status == IGNORED) {
		stats->lats_ignored++;
		stats->insts[inst].lats_ignored++;
		return 0;
	}
	for (struct sub_warp *s = g.first; s < g.first + g.n && n < SIM_GANG - 1; s++)
		if (s->status == COMBINE && env->warps[s->slot].pc == inst) {
			s->status = BEFORE;
			with[n++] = (uint16_t)s->slot;
		}
	return n;
}

/* One that waits at a barrier of its CTA is on its way no more. */
static void issued(void *p, const struct sim_warp_env *env, uint32_t slot, uint64_t now)
{
	struct group g;

	if (env->warps[slot].state != SIM_W_BARRIER)
		return;
	g = group_of(p, env, slot);
	unlock(env, &g, now);
}

static const char *const no_yes[] = {"no", "yes", NULL};

static int stands_in(
	const void *p, const struct sim_warp_env *env, uint32_t slot, const uint8_t *blocks)
{
	const struct dwr *d = p;

	return sim_pdom_stands_in(&d->stacks[slot], env, blocks);
}

const struct sim_warp_policy sim_warp_dwr = {
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
	.looks_at_to = 1,
	.shape = shape,
	.widest = widest,
	.start = start,
	.watches = watches,
	.arrive = arrive,
	.next = next,
	.stands_in = stands_in,
	.may_issue = may_issue,
	.withheld = withheld,
	.insert = insert,
	.gang = gang,
	.issued = issued,
	.until = until,
};
