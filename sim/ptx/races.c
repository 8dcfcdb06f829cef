/*
 * Races of shared memory: two threads of a CTA that access a place, one of them writing, with
 * nothing between that orders them.
 *
 * Each warp has a clock, which every barrier and bar.warp.sync moves on, and knows up to which
 * value of each other warp's clock that one's accesses lie before its own: what a barrier hands
 * from those that arrive to those that wait. Of each place the last write is kept, and the last
 * reads of two warps. So every barrier is taken for what it orders: those of part of a CTA, those
 * at which some only arrive, and the cluster's.
 *
 * What is taken: lanes of a warp are ordered by bar.warp.sync and by barriers, and by nothing else;
 * bar.warp.sync counts for the whole warp. Atomics, and volatile, relaxed, acquire and release
 * accesses, do not race with each other (PTX ISA, memory consistency model: conflicts of morally
 * strong operations). A write of what stands there already is no race, and neither is a read of
 * what it wrote. All mbarriers of a CTA are one, so what different ones order is taken for ordered.
 * So are all locks and flags: a warp that has had a fence hands over what it did with its next
 * atomic or volatile write, and whoever reads so takes it.
 *
 * Left out: other CTAs' accesses in a cluster, and the wait of a cp.async, which is done when it is
 * issued.
 */
#include "sim/ptx/memcheck.h"
#include <stdlib.h>
#include <string.h>

enum { STRONG = 1, SILENT = 2 };

struct cell {
	struct {
		uint32_t clock, pc, serial; /* clock 0: none yet */
		uint8_t warp, lane, flags;
	} write;
	struct {
		uint32_t clock, pc, lanes; /* those that read at this clock */
		uint8_t warp, flags;
	} read[2]; /* the last one, and the last one of another warp */
};

struct ptx_races {
	uint32_t clock[PTX_WARPS_MAX];
	/* seen[w][v]: v's accesses at lower clocks lie before what w does next */
	uint32_t seen[PTX_WARPS_MAX][PTX_WARPS_MAX];
	uint32_t gathered[PTX_BARRIERS + 1][PTX_WARPS_MAX]; /* of those that have arrived */
	uint32_t phase[PTX_WARPS_MAX]; /* of the cluster's barrier, when it was over */
	uint32_t mbarrier[PTX_WARPS_MAX];
	uint32_t said[PTX_WARPS_MAX]; /* by strong writes behind a fence */
	uint32_t fenced;              /* warps that have had one, a bit each */
	uint32_t serial;              /* of the instruction at hand */
	uint32_t unit;                /* bytes of a place: the smallest access of the kernel */
	struct cell *cells;
};

/* At most 4. */
static uint32_t smallest_access(const struct ptx_run *run)
{
	uint32_t least = 4;

	for (uint32_t i = 0; i < run->decoded.ncode; i++) {
		const struct ptx_code *c = &run->decoded.code[i];
		const int plain = c->kind >= PTX_K_LOAD && c->kind <= PTX_K_ATOMIC;
		if (plain && (c->space == TR_S_SHARED || c->space == TR_S_GENERIC) && c->bytes &&
			c->bytes < least)
			least = c->bytes;
	}
	return least;
}

struct ptx_races *ptx_races_new(const struct ptx_run *run)
{
	struct ptx_races *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->unit = smallest_access(run);
	r->cells = calloc(run->shared_bytes / r->unit + 2, sizeof(*r->cells));
	if (!r->cells) {
		free(r);
		return NULL;
	}
	return r;
}

void ptx_races_free(struct ptx_races *r)
{
	if (r)
		free(r->cells);
	free(r);
}

/* The clocks go on, so that what the CTA before has left lies before all that this one does. */
void ptx_races_begin(struct ptx_cta *cta)
{
	struct ptx_races *r = cta->races;
	uint32_t from = 0;

	for (uint32_t v = 0; v < PTX_WARPS_MAX; v++)
		from = r->clock[v] > from ? r->clock[v] : from;
	from++;
	for (uint32_t v = 0; v < PTX_WARPS_MAX; v++) {
		r->clock[v] = from;
		for (uint32_t w = 0; w < PTX_WARPS_MAX; w++)
			r->seen[w][v] = from;
	}
	memset(r->gathered, 0, sizeof(r->gathered));
	memset(r->phase, 0, sizeof(r->phase));
	memset(r->mbarrier, 0, sizeof(r->mbarrier));
	memset(r->said, 0, sizeof(r->said));
	r->fenced = 0;
}

void ptx_races_next(struct ptx_races *r)
{
	r->serial++;
}

/* ---- what orders ---- */

static void join(uint32_t to[PTX_WARPS_MAX], const uint32_t from[PTX_WARPS_MAX])
{
	for (uint32_t v = 0; v < PTX_WARPS_MAX; v++)
		to[v] = from[v] > to[v] ? from[v] : to[v];
}

/* Whoever learns what is gathered has the warp's accesses until now before it. */
static void give(const struct ptx_warp *w, uint32_t gathered[PTX_WARPS_MAX])
{
	struct ptx_races *r = w->cta->races;

	r->clock[w->number]++;
	join(gathered, r->seen[w->number]);
	gathered[w->number] = r->clock[w->number];
}

void ptx_races_arrive(struct ptx_warp *w, unsigned barrier)
{
	give(w, w->cta->races->gathered[barrier]);
}

/* Warps that have ended are taken for arrived where all are waited for. */
static void add_ended(const struct ptx_cta *cta, uint32_t gathered[PTX_WARPS_MAX])
{
	for (uint32_t v = 0; v < cta->nwarps; v++)
		if (cta->warps[v].state == PTX_DONE)
			gathered[v] = cta->races->clock[v] + 1;
}

void ptx_races_release(struct ptx_cta *cta, unsigned barrier, uint32_t waiting, int of_all)
{
	struct ptx_races *r = cta->races;
	uint32_t *gathered = r->gathered[barrier];

	if (of_all)
		add_ended(cta, gathered);
	for (; waiting; waiting &= waiting - 1)
		join(r->seen[__builtin_ctz(waiting)], gathered);
	memset(gathered, 0, sizeof(r->gathered[barrier]));
}

void ptx_races_phase(struct ptx_cta *cta)
{
	struct ptx_races *r = cta->races;
	uint32_t *gathered = r->gathered[PTX_CLUSTER_BARRIER];

	add_ended(cta, gathered);
	join(r->phase, gathered);
	memset(gathered, 0, sizeof(r->gathered[PTX_CLUSTER_BARRIER]));
}

void ptx_races_waited(struct ptx_warp *w)
{
	join(w->cta->races->seen[w->number], w->cta->races->phase);
}

void ptx_races_meet(struct ptx_warp *w)
{
	w->cta->races->clock[w->number]++;
}

void ptx_races_fence(struct ptx_warp *w)
{
	w->cta->races->fenced |= 1u << w->number;
}

void ptx_races_speak(struct ptx_warp *w, int reads, int writes)
{
	struct ptx_races *r = w->cta->races;

	if (reads)
		join(r->seen[w->number], r->said);
	if (writes && (r->fenced >> w->number & 1))
		give(w, r->said);
}

void ptx_races_mbarrier(struct ptx_warp *w, int waited)
{
	struct ptx_races *r = w->cta->races;

	if (waited)
		join(r->seen[w->number], r->mbarrier);
	else
		give(w, r->mbarrier);
}

/* ---- accesses ---- */

/* Is what warp v did at a clock before what w does now? */
static int before(const struct ptx_warp *w, uint32_t v, uint32_t clock)
{
	const struct ptx_races *r = w->cta->races;

	return v == w->number ? clock < r->clock[v] : clock < r->seen[w->number][v];
}

static int races_with_write(
	const struct ptx_warp *w, const struct cell *cell, const struct ptx_touch *t)
{
	const int own = cell->write.warp == w->number;

	if (!cell->write.clock || before(w, cell->write.warp, cell->write.clock) ||
		(own && (t->whole || cell->write.lane == t->lane)))
		return 0;
	if (t->strong && (cell->write.flags & STRONG))
		return 0;
	return t->writes ? !t->silent : !(cell->write.flags & SILENT);
}

/* A lane that has read the place and is not ordered, or -1. */
static int racing_reader(
	const struct ptx_warp *w, const struct cell *cell, unsigned k, const struct ptx_touch *t)
{
	const int own = cell->read[k].warp == w->number;
	uint32_t lanes = cell->read[k].lanes;

	if (!cell->read[k].clock || before(w, cell->read[k].warp, cell->read[k].clock) ||
		(own && t->whole) || (t->strong && (cell->read[k].flags & STRONG)) || t->silent)
		return -1;
	if (own)
		lanes &= ~(1u << t->lane);
	return lanes ? __builtin_ctz(lanes) : -1;
}

static int find_race(const struct ptx_warp *w, const struct cell *cell, const struct ptx_touch *t,
	struct ptx_race *race)
{
	if (races_with_write(w, cell, t)) {
		race->kind = t->writes ? PTX_FOUND_WRITE_WRITE : PTX_FOUND_WRITE_READ;
		race->thread = cell->write.warp * PTX_LANES + cell->write.lane;
		race->pc = cell->write.pc;
		return 1;
	}
	for (unsigned k = 0; k < 2 && t->writes; k++) {
		const int lane = racing_reader(w, cell, k, t);
		if (lane >= 0) {
			race->kind = PTX_FOUND_READ_WRITE;
			race->thread = cell->read[k].warp * PTX_LANES + (uint32_t)lane;
			race->pc = cell->read[k].pc;
			return 1;
		}
	}
	return 0;
}

static void note_read(
	const struct ptx_warp *w, struct cell *cell, const struct ptx_touch *t, uint32_t pc)
{
	const uint32_t clock = w->cta->races->clock[w->number];
	const int flags = t->strong ? STRONG : 0;

	if (cell->read[0].clock && cell->read[0].warp != w->number)
		cell->read[1] = cell->read[0];
	else if (cell->read[0].clock == clock) {
		cell->read[0].lanes |= 1u << t->lane;
		cell->read[0].flags &= (uint8_t)flags;
		return;
	}
	cell->read[0].clock = clock;
	cell->read[0].pc = pc;
	cell->read[0].lanes = 1u << t->lane;
	cell->read[0].warp = (uint8_t)w->number;
	cell->read[0].flags = (uint8_t)flags;
}

static void note_write(
	const struct ptx_warp *w, struct cell *cell, const struct ptx_touch *t, uint32_t pc)
{
	/* What stands there has not changed: whoever raced with it still does. */
	if (t->silent && cell->write.clock && !before(w, cell->write.warp, cell->write.clock))
		return;
	cell->write.clock = w->cta->races->clock[w->number];
	cell->write.pc = pc;
	cell->write.serial = w->cta->races->serial;
	cell->write.warp = (uint8_t)w->number;
	cell->write.lane = (uint8_t)t->lane;
	cell->write.flags = (uint8_t)((t->strong ? STRONG : 0) | (t->silent ? SILENT : 0));
}

int ptx_races_writer(const struct ptx_warp *w, unsigned from)
{
	const struct ptx_races *r = w->cta->races;
	const struct cell *cell = &r->cells[from / r->unit];

	return cell->write.clock && cell->write.serial == r->serial && cell->write.warp == w->number
		       ? cell->write.lane
		       : -1;
}

int ptx_races_touch(const struct ptx_warp *w, const struct ptx_code *c, const struct ptx_touch *t,
	struct ptx_race *race)
{
	struct ptx_races *r = w->cta->races;
	const uint32_t pc = (uint32_t)(c->inst - w->cta->run->kernel->insts);
	int found = 0;

	for (uint32_t k = t->from / r->unit; k <= (t->from + t->bytes - 1) / r->unit; k++) {
		struct cell *cell = &r->cells[k];
		if (!found)
			found = find_race(w, cell, t, race);
		if (t->writes)
			note_write(w, cell, t, pc);
		else
			note_read(w, cell, t, pc);
	}
	return found;
}
