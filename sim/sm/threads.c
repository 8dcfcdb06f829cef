/*
 * What the threads of an SM do: each is in one class in each cycle (CROWN's slides, 14, 15 and 63).
 * The state after a step holds until the next one, so the cycles between are counted at once.
 */
#include "sim/sm/state.h"

/* What the lanes of a warp do that runs or stands at a barrier. */
static enum sim_thread_class class_of(const struct sim_sm *sm, uint32_t w)
{
	if (sm->warps[w].state == SIM_W_BARRIER)
		return SIM_TH_BARRIER;
	if (sm->blocked[w])
		return SIM_TH_MEMORY;
	return sim_ready_has(sm, SIM_R_READY, w) ? SIM_TH_READY : SIM_TH_PIPELINE;
}

static void count_warp(
	const struct sim_sm *sm, uint32_t slot, int all, uint64_t threads[SIM_NTHREAD_CLASSES])
{
	const struct sim_warp *w = &sm->warps[slot];

	if (w->state != SIM_W_HELD)
		threads[class_of(sm, slot)] += sim_lanes(&w->lanes);
	else if (all)
		threads[SIM_TH_MEET] += sim_lanes(&w->lanes);
	if (all) {
		threads[SIM_TH_INACTIVE] += w->inactive;
		threads[SIM_TH_MEET] += w->waiting;
	}
}

void sim_threads_count(struct sim_sm *sm, uint64_t now)
{
	const struct sim_warp_policy *policy = sm->sh->warp;
	struct sim_stats *s = sm->sh->stats;
	uint64_t threads[SIM_NTHREAD_CLASSES] = {0};
	const uint64_t cycles = now - sm->threads_counted;

	sm->threads_counted = now;
	if (!cycles || !sm->live_ctas)
		return;
	for (uint32_t c = 0; c < sm->nctas; c++)
		s->thread_cycles += cycles * sm->ctas[c].live;
	for (uint32_t k = 0; k < sm->ready_words; k++)
		for (uint64_t m = ~sm->vacant.w[k]; m; m &= m - 1) {
			const uint32_t w = k * 64 + (uint32_t)__builtin_ctzll(m);

			if (w < sm->nwarps)
				count_warp(sm, w, !policy->classes, threads);
		}
	if (policy->classes)
		policy->classes(sm->policy, &sm->front, threads);
	for (int i = 0; i < SIM_NTHREAD_CLASSES; i++)
		s->by_thread[i] += cycles * threads[i];
}
