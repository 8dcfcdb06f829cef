/* CTA slots of an SM, their threads' records, and the threads that have come to barriers. */
#include "sim/sm/state.h"
#include <string.h>

/* Bytes that a CTA of a launch takes of the SM's shared memory. */
static uint64_t shared_of(const struct sim_config *c, const struct tr_launch *l)
{
	return (uint64_t)l->shared_bytes + c->sm.shared_reserved;
}

uint32_t sim_cta_occupancy(const struct sim_config *c, const struct tr_launch *l, uint32_t stride)
{
	uint32_t n = c->sm.ctas, threads = tr_launch_threads(l);
	const uint64_t registers = (uint64_t)l->registers * threads, shared = shared_of(c, l);

	if (stride && c->sm.threads / stride < n)
		n = c->sm.threads / stride;
	if (registers && c->sm.registers / registers < n)
		n = (uint32_t)(c->sm.registers / registers);
	if (shared && c->sm.shared_bytes / shared < n)
		n = (uint32_t)(c->sm.shared_bytes / shared);
	return n;
}

/* Thread slots that a CTA of a launch takes: whole granules. */
static uint32_t slots_for(const struct sim_sm *sm, uint32_t threads)
{
	return (threads + sm->granule - 1) / sm->granule * sm->granule;
}

/* Of the shared memory that an SM can be set to, the least in which a launch's CTAs fit. */
static uint32_t carve_out(const struct sim_sm *sm, const struct tr_launch *l)
{
	/* CUDA guide, compute capabilities 7.0 to 9.0; each ends with its sm.shared_per_sm. */
	static const uint32_t kib[] = {0, 8, 16, 32, 64, 100, 132, 164, 196};
	const struct sim_config *c = sm->sh->config;
	const uint32_t slots = slots_for(sm, tr_launch_threads(l));
	const uint64_t need = (uint64_t)sim_cta_occupancy(c, l, slots) * shared_of(c, l);

	for (unsigned i = 0; i < sizeof(kib) / sizeof(*kib); i++)
		if (need <= kib[i] * 1024u && kib[i] * 1024u < c->sm.shared_bytes)
			return kib[i] * 1024u;
	return c->sm.shared_bytes;
}

uint32_t sim_cta_l1d_ways(const struct sim_sm *sm)
{
	const struct sim_geometry *g = &sm->sh->config->l1d.g;
	const uint32_t way = g->sets * g->line_bytes;
	uint32_t most = 0;

	if (!sm->sh->config->l1d.carved || !g->sets)
		return g->ways;
	for (uint32_t i = 0; i < sm->sh->ngrids; i++) {
		const uint32_t taken = (carve_out(sm, sm->sh->grids[i].launch) + way - 1) / way;

		most = taken > most ? taken : most;
	}
	return most < g->ways ? g->ways - most : 1;
}

/* The first of so many free thread slots side by side; TR_NONE: there are none. */
static uint32_t first_fit(const struct sim_sm *sm, uint32_t slots)
{
	uint32_t run = 0;

	for (uint32_t p = 0; p < sm->nthreads; p += sm->granule) {
		run = sm->cta_at[p / sm->granule] == SIM_NO_CTA ? run + sm->granule : 0;
		if (run == slots)
			return p + sm->granule - slots;
	}
	return TR_NONE;
}

int sim_cta_room(const struct sim_sm *sm, uint32_t grid)
{
	const struct sim_config *c = sm->sh->config;
	const struct tr_launch *l = sm->sh->grids[grid].launch;
	const uint64_t threads = tr_launch_threads(l);

	if (sm->live_ctas + sm->nresting >= sm->nctas)
		return 0;
	if (sm->stride) /* all are alike */
		return 1;
	return sm->used_registers + l->registers * threads <= c->sm.registers &&
	       sm->used_shared + shared_of(c, l) <= c->sm.shared_bytes &&
	       first_fit(sm, slots_for(sm, (uint32_t)threads)) != TR_NONE;
}

uint32_t sim_cta_rooms(const struct sim_sm *sm, uint32_t grid)
{
	const struct sim_config *c = sm->sh->config;
	const struct tr_launch *l = sm->sh->grids[grid].launch;
	const uint32_t threads = tr_launch_threads(l), slots = slots_for(sm, threads);
	const uint64_t registers = (uint64_t)l->registers * threads, shared = shared_of(c, l);
	uint32_t n = sm->nctas - sm->live_ctas - sm->nresting, run = 0, fit = 0;

	if (sm->stride)
		return n;
	if (registers && (c->sm.registers - sm->used_registers) / registers < n)
		n = (uint32_t)((c->sm.registers - sm->used_registers) / registers);
	if (shared && (c->sm.shared_bytes - sm->used_shared) / shared < n)
		n = (uint32_t)((c->sm.shared_bytes - sm->used_shared) / shared);
	for (uint32_t p = 0; p < sm->nthreads; p += sm->granule) {
		run = sm->cta_at[p / sm->granule] == SIM_NO_CTA ? run + sm->granule : 0;
		if (run == slots) {
			fit++;
			run = 0;
		}
	}
	return fit < n ? fit : n;
}

int64_t sim_cta_take(struct sim_sm *sm, const struct tr_cta *cta, uint32_t grid)
{
	const struct sim_grid *g = &sm->sh->grids[grid];
	const uint32_t slots = slots_for(sm, cta->nthreads), first = first_fit(sm, slots);
	uint32_t slot = 0;
	struct sim_cta *c;

	while (sm->ctas[slot].live)
		slot++;
	c = &sm->ctas[slot];
	*c = (struct sim_cta){.tape = c->tape,
		.mbarriers = c->mbarriers,
		.grid = grid,
		.number = cta->number,
		.first = first,
		.n = cta->nthreads,
		.live = cta->nthreads,
		.age = ++sm->next_cta_age};
	memset(sm->cta_at + first / sm->granule, (int)slot, slots / sm->granule);
	for (uint32_t t = 0; t < slots; t += sm->granule)
		sm->alive[(first + t) / sm->granule] =
			(uint16_t)(cta->nthreads - t < sm->granule ? cta->nthreads - t
								   : sm->granule);
	sm->warps_here += slots / sm->granule;
	if (first + slots > sm->used_threads) {
		memset(sm->threads + sm->used_threads, 0,
			(first + slots - sm->used_threads) * sizeof(*sm->threads));
		sm->used_threads = first + slots;
	}
	if (sim_tape_load(&c->tape, cta, sm->threads + c->first))
		return tr_fail(sm->sh->err, TR_EMEM, 0, "no memory for CTA %u", cta->number);
	for (uint32_t t = 0; g->entry && t < cta->nthreads; t++)
		sm->threads[first + t].pc = g->entry;
	sm->used_registers += (uint64_t)g->launch->registers * cta->nthreads;
	sm->used_shared += shared_of(sm->sh->config, g->launch);
	sm->live_ctas++;
	sm->sh->stats->ctas++;
	sm->sh->stats->warps += slots / sm->granule;
	sm->sh->stats->threads += cta->nthreads;
	for (uint32_t i = 0; i < cta->nspins; i++)
		sm->sh->stats->spin_insts += cta->spins[i].insts;
	return slot;
}

/* What a CTA had of the SM is free. */
static void give_back(struct sim_sm *sm, const struct sim_place *p)
{
	memset(sm->cta_at + p->first / sm->granule, SIM_NO_CTA, p->slots / sm->granule);
	sm->used_registers -= p->registers;
	sm->used_shared -= p->shared;
}

void sim_cta_rested(struct sim_sm *sm, uint64_t now)
{
	for (; sm->nresting && sm->resting[sm->first_resting].until <= now; sm->nresting--) {
		if (!sm->stride)
			give_back(sm, &sm->resting[sm->first_resting]);
		sm->first_resting = (sm->first_resting + 1) % SIM_CTAS_MAX;
	}
}

/*
 * Places of CTAs of several sizes come free in the order in which they ended. Where all are alike
 * a place that rests is one CTA fewer, whichever thread slots the next one gets.
 */
void sim_cta_leave(struct sim_sm *sm, uint32_t slot, uint64_t now)
{
	const struct sim_cta *c = &sm->ctas[slot];
	const struct tr_launch *l = sm->sh->grids[c->grid].launch;
	const struct sim_config *f = sm->sh->config;
	const uint32_t slots = slots_for(sm, c->n), warps = slots / sm->granule;
	const uint64_t cycles = f->begin.cta_rest + (uint64_t)warps * f->begin.warp_rest;
	const struct sim_place place = {.until = now + cycles,
		.registers = (uint64_t)l->registers * c->n,
		.shared = shared_of(f, l),
		.first = c->first,
		.slots = slots};

	if (!cycles || sm->stride)
		give_back(sm, &place);
	else
		memset(sm->cta_at + c->first / sm->granule, SIM_CTA_GONE, warps);
	if (cycles)
		sm->resting[(sm->first_resting + sm->nresting++) % SIM_CTAS_MAX] = place;
	sm->live_ctas--;
}

void sim_lost(struct sim_sm *sm, const struct sim_thread *t, const char *what)
{
	sm->failed = 1;
	tr_fail(sm->sh->err, TR_EDATA, 0,
		"%s: thread %u on SM %u %s (%s is at fault, not the trace)",
		tr_str(sm->sh->program->p, sm->sh->program->p->name), t->number, sm->number, what,
		sm->sh->warp->name);
}

/* The cluster's barrier need not wait for a thread any more. */
static void leaves_cluster(struct sim_sm *sm, const struct sim_cta *c, uint32_t thread)
{
	struct sim_cluster *l = c->cluster;

	if (!l)
		return;
	l->needs--;
	if (sm->stamp && sm->stamp[thread] == sim_cluster_stamp(l))
		l->arrived--;
}

uint64_t sim_cta_exits(struct sim_sm *sm, const struct sim_warp *w)
{
	uint64_t changed = 0;
	uint32_t lane;

	FOR_LANES(w->lanes, lane)
	{
		struct sim_thread *t = &sm->threads[w->thread[lane]];
		struct sim_cta *c = sim_cta_of(sm, w->thread[lane]);

		if (t->pc != TR_EXIT) {
			/* It waits for its warp to exit: barriers need not wait for it any more. */
			const struct sim_inst *x = &sm->sh->program->insts[t->pc];
			if (x->cls != TR_C_EXIT || x->guarded || t->leaving)
				continue;
			t->leaving = 1;
			c->leaving++;
			leaves_cluster(sm, c, w->thread[lane]);
		} else {
			c->leaving -= t->leaving;
			if (!t->leaving)
				leaves_cluster(sm, c, w->thread[lane]);
			if (t->outcomes || t->values)
				sim_lost(sm, t, "ended before its record did");
			sm->sh->stats->path_hash += t->path;
			sm->sh->stats->ended++;
			sm->warps_here -= !--sm->alive[w->thread[lane] / sm->granule];
			c->live--;
		}
		changed |= 1ull << (c - sm->ctas);
	}
	return changed;
}

int sim_cta_may_open(const struct sim_cta *c)
{
	uint32_t most = 0;

	for (int i = 0; i < SIM_BARRIERS; i++)
		most = c->arrived[i] > most ? c->arrived[i] : most;
	return most && most >= c->live - c->leaving;
}

void sim_cta_arrives(
	struct sim_sm *sm, const struct sim_warp *w, uint32_t barrier, uint32_t expected)
{
	struct sim_cta *c = &sm->ctas[w->cta];
	uint32_t lane;

	c->arrived[barrier] += w->active;
	c->expected[barrier] = tr_barrier_threads(expected);
	if (!expected)
		return;
	FOR_LANES(w->lanes, lane)
	sm->came[w->thread[lane]] |= (uint16_t)(1u << barrier);
}

/*
 * As trace-coalesce's (sim/access/warps.c).
 *
 * A barrier for some threads counts whole warps of 32, whatever the warps are here (PTX, bar): with
 * the first thread of one that comes, those count that are gone without having come, and those that
 * the CTA's last one lacks. One for as many as the CTA has does not wait for warps that are gone.
 */
static uint32_t counted_with(const struct sim_sm *sm, const struct sim_cta *c, uint32_t barrier)
{
	const uint32_t end = (c->n + TR_GROUP - 1) / TR_GROUP * TR_GROUP;
	const int all = c->expected[barrier] >= end;
	uint32_t n = 0;

	for (uint32_t first = 0; first < end; first += TR_GROUP) {
		uint32_t gone = 0;
		int came = 0;

		for (uint32_t t = first; t < first + TR_GROUP; t++)
			if (t >= c->n)
				gone++;
			else if (sm->came[c->first + t] >> barrier & 1)
				came = 1;
			else
				gone += sm->threads[c->first + t].pc == TR_EXIT ||
					sm->threads[c->first + t].leaving;
		n += came || all ? gone : 0;
	}
	return n;
}

/* The sum is made only where it may be enough. */
static int holds_all(const struct sim_sm *sm, const struct sim_cta *c, uint32_t barrier)
{
	const uint32_t expected = c->expected[barrier], arrived = c->arrived[barrier];
	const uint32_t end = (c->n + TR_GROUP - 1) / TR_GROUP * TR_GROUP;

	return arrived >= expected || (arrived + end - c->live + c->leaving >= expected &&
					      arrived + counted_with(sm, c, barrier) >= expected);
}

int sim_cta_opens(const struct sim_sm *sm, struct sim_cta *c, uint32_t barrier)
{
	const uint32_t expected = c->expected[barrier], arrived = c->arrived[barrier];

	if (expected ? !holds_all(sm, c, barrier) : arrived < c->live - c->leaving)
		return 0;
	sim_cta_opened(sm, c, barrier);
	return 1;
}

void sim_cta_opened(const struct sim_sm *sm, struct sim_cta *c, uint32_t barrier)
{
	c->arrived[barrier] = 0;
	for (uint32_t t = 0; sm->came && t < c->n; t++)
		sm->came[c->first + t] &= (uint16_t) ~(1u << barrier);
}

int sim_cta_by_warps(const struct sim_sm *sm, const struct sim_cta *c, const uint8_t *waits)
{
	int lacks = 0;

	for (uint32_t first = 0; first < c->n; first += TR_GROUP) {
		int come = 0, missing = 0;

		for (uint32_t t = first; t < first + TR_GROUP && t < c->n; t++) {
			const struct sim_thread *x = &sm->threads[c->first + t];

			come |= waits[t];
			missing |= !waits[t] && x->pc != TR_EXIT && !x->leaving;
		}
		if (missing && !come)
			return 0;
		lacks |= missing;
	}
	return lacks;
}
