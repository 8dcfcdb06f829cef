/* The state of an SM as one number: runs that agree in it, cycle for cycle, have acted alike. */
#include "sim/base/mix.h"
#include "sim/sm/state.h"

static uint64_t hash_warp(const struct sim_sm *sm, uint32_t w, uint64_t h)
{
	const struct sim_warp *x = &sm->warps[w];

	h = sim_mix(h, (uint64_t)x->state << 32 | x->pc);
	h = sim_mix(h, x->age);
	h = sim_mix(h, sm->warps[w].not_before);
	h = sim_mix(h, (uint64_t)sm->warps[w].outstanding << 32 | sm->barrier_of[w]);
	for (int k = 0; k < SIM_MASK_WORDS; k++)
		h = sim_mix(h, x->lanes.w[k]);
	if (sm->counters && x->state != SIM_W_FREE)
		h = sim_control_hash(sm, w, sm->accounted, h);
	for (uint32_t r = 0; x->state != SIM_W_FREE && r < sm->nregs; r++)
		h = sim_mix(h, sm->ready_at[(size_t)w * sm->nregs + r]);
	return h;
}

/* The statistics, warps and their scoreboards, threads, L1s, and all that is in flight. */
uint64_t sim_sm_hash(const struct sim_sm *sm, uint64_t h)
{
	const struct sim_config *c = sm->sh->config;

	h = sim_stats_hash(sm->sh->stats, h);
	h = sim_mix(h, sm->next_age);
	h = sim_mix(h, sm->accounted);
	for (uint32_t k = 0; k < sm->used_threads; k++)
		if (sm->threads[k].path)
			h = sim_mix(sim_mix(h, k), sm->threads[k].path);
	for (uint32_t w = 0; w < sm->nwarps; w++)
		h = hash_warp(sm, w, h);
	if (sm->mbarrier_waits)
		h = sim_mbarrier_hash(sm, h);
	h = sim_lsu_hash(&sm->lsu, sim_wheel_hash(&sm->wake, sm->nwarps, h));
	for (uint32_t k = 0; !k || k < sm->sliced.n || (c->sm.split_units && k < c->sm.schedulers);
		k++)
		for (uint32_t i = 0; i < (c->sm.opcode_units ? SIM_NPIPES : TR_NCLASSES); i++)
			h = sim_mix(h, sm->unit_free[k][i]);
	for (uint32_t i = 0; i < sm->sh->config->sm.schedulers; i++)
		h = sim_mix(h, sm->sched[i].busy_until);
	return h;
}
