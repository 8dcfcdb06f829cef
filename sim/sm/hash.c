/* The state of an SM as one number: runs that agree in it, cycle for cycle, have acted alike. */
#include "sim/sm/internal.h"
#include <stddef.h>

static uint64_t mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0x9e3779b97f4a7c15ull;
	return h ^ h >> 31;
}

/* What is filed, and for when. Members that were never filed count for nothing. */
static uint64_t hash_wheel(const struct sim_wheel *w, uint32_t members, uint64_t h)
{
	for (uint32_t i = 0; i < members; i++)
		if (w->at[i] != SIM_NEVER)
			h = mix(mix(h, i), w->at[i]);
	return h;
}

static uint64_t hash_l1(const struct sim_l1 *c, uint64_t h)
{
	for (uint32_t i = 0; i < c->cap; i++) {
		h = mix(h, (uint64_t)c->owner[i] << 16 | (uint64_t)c->locked[i]);
		h = mix(h, (uint64_t)c->valid[i] << 32 | c->dirty[i]);
		h = mix(h, c->owner_age[i]);
		for (uint32_t k = 0; k < c->touched_words; k++)
			h = mix(h, c->touched[(size_t)i * c->touched_words + k]);
	}
	for (uint32_t i = 0; i < c->nmshrs; i++) {
		const struct sim_mshr *m = &c->mshrs[i];

		for (uint32_t k = 0; m->used && k < m->n; k++)
			h = mix(mix(h, m->line), m->loads[k]);
	}
	return mix(h, c->used);
}

static uint64_t hash_warp(const struct sim_sm *sm, uint32_t w, uint64_t h)
{
	const struct sim_warp *x = &sm->warps[w];

	h = mix(h, (uint64_t)x->state << 32 | x->pc);
	h = mix(h, x->age);
	h = mix(h, sm->not_before[w]);
	h = mix(h, (uint64_t)sm->outstanding[w] << 32 | sm->barrier_of[w]);
	for (int k = 0; k < SIM_MASK_WORDS; k++)
		h = mix(h, x->lanes.w[k]);
	for (uint32_t r = 0; x->state != SIM_W_FREE && r < sm->nregs; r++)
		h = mix(h, sm->ready_at[(size_t)w * sm->nregs + r]);
	return h;
}

/* The statistics, warps and their scoreboards, threads, L1s, and all that is under way. */
uint64_t sim_sm_hash(const struct sim_sm *sm, uint64_t h)
{
	const struct sim_stats *s = sm->sh->stats;
	const uint64_t *counts = &s->cycles;
	size_t n =
		(offsetof(struct sim_stats, stack_depth_max) - offsetof(struct sim_stats, cycles)) /
		sizeof(*counts);

	for (size_t i = 0; i < n; i++)
		h = mix(h, counts[i]);
	h = mix(h, sm->next_age);
	h = mix(h, sm->accounted);
	for (uint32_t k = 0; k < sm->nthreads; k++)
		h = mix(h, sm->threads[k].path);
	for (uint32_t w = 0; w < sm->nwarps; w++)
		h = hash_warp(sm, w, h);
	h = hash_l1(&sm->texture, hash_l1(&sm->constant, hash_l1(&sm->l1d, h)));
	h = hash_wheel(&sm->finish, sm->nloads, hash_wheel(&sm->wake, sm->nwarps, h));
	h = mix(h, (uint64_t)sm->njobs << 32 | sm->nmiss);
	for (uint32_t i = 0; i < TR_NCLASSES; i++)
		h = mix(h, sm->unit_free[i]);
	for (uint32_t i = 0; i < sm->sh->config->sm.schedulers; i++)
		h = mix(h, sm->busy_until[i]);
	return h;
}
