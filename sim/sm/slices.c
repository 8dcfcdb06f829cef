/*
 * An SM in slices: who has which slice, and what each slice waits for. The scoreboard of a warp
 * says when its registers are there in all of its slices; below it stands which slices still lack
 * the data of a load, so that a warp that is parted knows what either part waits for.
 */
#include "sim/sm/state.h"
#include <stdlib.h>

int sim_slices_init(struct sim_sm *sm)
{
	struct sim_sliced *s = &sm->sliced;
	const size_t homes = (size_t)sm->nmembers * SIM_SLICES;

	if (!sm->shape.slice)
		return 0;
	s->n = sm->nlanes / sm->shape.slice;
	s->warp_of = malloc(homes * sizeof(*s->warp_of));
	s->under_way = calloc(homes, sizeof(*s->under_way));
	s->standing = calloc(sm->nwarps, sizeof(*s->standing));
	s->together = calloc(SIM_SLICES, sizeof(*s->together));
	if (!s->warp_of || !s->under_way || !s->standing || !s->together)
		return -1;
	memset(s->warp_of, 0xff, homes * sizeof(*s->warp_of));
	sim_bits_init(&s->some, sm->nwarps);
	return 0;
}

int sim_slices_launch(struct sim_sm *sm)
{
	if (!sm->sliced.n)
		return 0;
	free(sm->sliced.lacks);
	sm->sliced.lacks = calloc((size_t)sm->nwarps * sm->nregs + 1, 1);
	return sm->sliced.lacks ? 0 : -1;
}

void sim_slices_free(struct sim_sm *sm)
{
	free(sm->sliced.lacks);
	free(sm->sliced.warp_of);
	free(sm->sliced.under_way);
	free(sm->sliced.standing);
	free(sm->sliced.together);
}

/* Loads in flight of the slices of a warp's member. */
static uint16_t *under_way_of(const struct sim_sm *sm, uint32_t warp)
{
	const struct sim_warp *w = &sm->warps[warp];
	const uint32_t lane = (uint32_t)__builtin_ctz(w->slices) * sm->shape.slice;

	return sm->sliced.under_way + (size_t)(w->thread[lane] / sm->shape.member) * SIM_SLICES;
}

/* What the member before still waited for is nothing to the new one. */
void sim_slices_arrive(struct sim_sm *sm, uint32_t member)
{
	memset(sm->sliced.under_way + (size_t)member * SIM_SLICES, 0,
		SIM_SLICES * sizeof(*sm->sliced.under_way));
}

/* Loads in flight of a warp's slices. */
static void count_outstanding(struct sim_sm *sm, uint32_t warp)
{
	const uint16_t *under_way = under_way_of(sm, warp);

	sm->warps[warp].outstanding = 0;
	for (uint32_t m = sm->warps[warp].slices; m; m &= m - 1)
		sm->warps[warp].outstanding += under_way[__builtin_ctz(m)];
}

static int any_under_way(const struct sim_sm *sm, uint32_t warp)
{
	const uint16_t *under_way = under_way_of(sm, warp);
	uint32_t any = 0;

	for (uint32_t k = 0; k < sm->sliced.n; k++)
		any |= under_way[k];
	return any != 0;
}

/* A register whose data only slices wait for that the warp has no more has been there before. */
static void forget(struct sim_sm *sm, uint32_t warp)
{
	const size_t at = (size_t)warp * sm->nregs;
	const uint32_t n = any_under_way(sm, warp) ? sm->nregs : 0;

	for (uint32_t r = 0; r < n; r++) {
		sm->sliced.lacks[at + r] &= (uint8_t)sm->warps[warp].slices;
		if (sm->ready_at[at + r] == SIM_NEVER && !sm->sliced.lacks[at + r])
			sm->ready_at[at + r] = 0;
	}
	count_outstanding(sm, warp);
}

/* Slices that the warp has no more are another part's, or their threads have ended. */
void sim_slices_changed(struct sim_sm *sm, uint32_t warp)
{
	struct sim_sliced *s = &sm->sliced;
	const struct sim_warp *w = &sm->warps[warp];
	const uint32_t now = w->state == SIM_W_FREE ? 0 : w->slices, before = s->standing[warp];
	uint16_t *of;
	uint32_t lane;

	if (now == before)
		return;
	lane = (uint32_t)__builtin_ctz(now | before) * sm->shape.slice;
	of = s->warp_of + (size_t)w->thread[lane] / sm->shape.member * SIM_SLICES;
	for (uint32_t m = before & ~now; m; m &= m - 1)
		if (of[__builtin_ctz(m)] == warp)
			of[__builtin_ctz(m)] = SIM_NO_SLOT;
	for (uint32_t m = now & ~before; m; m &= m - 1)
		of[__builtin_ctz(m)] = (uint16_t)warp;
	s->standing[warp] = (uint8_t)now;
	if (now && before & ~now)
		forget(sm, warp);
}

void sim_slices_wait(
	struct sim_sm *sm, uint32_t warp, const struct sim_inst *x, uint32_t slices, int waits)
{
	uint16_t *under_way = under_way_of(sm, warp);

	for (unsigned i = 0; i < x->ndst && sm->nregs; i++)
		sm->sliced.lacks[(size_t)warp * sm->nregs + x->reg[i]] = (uint8_t)slices;
	if (!waits)
		return;
	for (uint32_t m = slices; m; m &= m - 1)
		under_way[__builtin_ctz(m)]++;
	sm->warps[warp].outstanding += sim_nslices(slices);
}

uint32_t sim_slices_done(struct sim_sm *sm, struct sim_load *l, uint32_t *slices, uint64_t now)
{
	struct sim_sliced *s = &sm->sliced;
	const struct sim_inst *x = &sm->sh->program->insts[l->inst];
	const size_t row = (size_t)l->warp * SIM_SLICES;

	if (sm->member_age[l->warp] != l->life)
		return SIM_NO_WARP; /* its threads have ended meanwhile */
	while (l->slices) {
		const uint32_t first = (uint32_t)__builtin_ctz(l->slices);
		const uint32_t warp = s->warp_of[row + first];
		uint32_t here;

		s->under_way[row + first]--;
		l->slices &= l->slices - 1;
		if (warp == SIM_NO_SLOT)
			continue;
		here = l->slices & s->standing[warp];
		l->slices &= ~here;
		for (uint32_t m = here; m; m &= m - 1)
			s->under_way[row + (uint32_t)__builtin_ctz(m)]--;
		here |= 1u << first;
		sm->warps[warp].outstanding -= sim_nslices(here);
		for (unsigned i = 0; i < x->ndst && sm->nregs; i++) {
			const size_t at = (size_t)warp * sm->nregs + x->reg[i];

			s->lacks[at] &= (uint8_t)~here;
			if (!s->lacks[at])
				sm->ready_at[at] = now;
		}
		*slices = here;
		return warp;
	}
	return SIM_NO_WARP;
}

uint32_t sim_slices_ready(const struct sim_sm *sm, uint32_t warp)
{
	const uint8_t *lacks = sm->sliced.lacks + (size_t)warp * sm->nregs;
	const uint16_t *under_way = under_way_of(sm, warp);
	const struct sim_inst *x = sim_next_inst(sm, warp);
	uint32_t waits = 0;

	for (unsigned i = 0; i < x->noperands && sm->nregs; i++)
		waits |= lacks[x->reg[i]];
	for (uint32_t k = 0; sim_one_in_flight(sm) && k < sm->sliced.n; k++)
		waits |= (uint32_t)(under_way[k] != 0) << k;
	return sm->warps[warp].slices & ~waits;
}

void sim_slices_split(struct sim_sm *sm, uint32_t warp, uint32_t from)
{
	const size_t to = (size_t)warp * sm->nregs, at = (size_t)from * sm->nregs;

	if (sm->nregs) {
		memcpy(sm->ready_at + to, sm->ready_at + at, sm->nregs * sizeof(*sm->ready_at));
		memcpy(sm->sliced.lacks + to, sm->sliced.lacks + at, sm->nregs);
	}
	sim_slices_changed(sm, from);
	sim_slices_changed(sm, warp);
	forget(sm, warp);
}

void sim_slices_join(struct sim_sm *sm, uint32_t into, uint32_t from)
{
	const size_t to = (size_t)into * sm->nregs, at = (size_t)from * sm->nregs;

	for (uint32_t r = 0; r < sm->nregs; r++) {
		sm->sliced.lacks[to + r] |= sm->sliced.lacks[at + r];
		if (sm->ready_at[at + r] > sm->ready_at[to + r])
			sm->ready_at[to + r] = sm->ready_at[at + r];
	}
	sim_slices_changed(sm, from);
	sim_slices_changed(sm, into);
	count_outstanding(sm, into);
}
