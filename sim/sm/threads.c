/*
 * What the threads of an SM do: each is in one class in each cycle (CROWN's slides, 14, 15 and 63).
 * The state after a step holds until the next one, so the cycles between are counted at once.
 */
#include "sim/sm/state.h"

/* What the lanes of a warp do that runs or stands at a barrier. */
static enum sim_thread_class class_of(const struct sim_sm *sm, uint32_t w)
{
	if (sim_at_barrier(&sm->warps[w]))
		return SIM_TH_BARRIER;
	if (sm->warps[w].blocked)
		return SIM_TH_MEMORY;
	return sim_ready_has(sm, SIM_R_READY, w) ? SIM_TH_READY : SIM_TH_PIPELINE;
}

/* What the threads of a warp do now. all: also those that its policy does not count itself. */
static struct sim_counted threads_of(const struct sim_sm *sm, uint32_t slot, int all)
{
	const struct sim_warp *w = &sm->warps[slot];
	struct sim_counted n = {0};

	if (sim_bits_has(&sm->vacant, slot))
		return n;
	if (w->state != SIM_W_HELD) {
		n.cls = (uint8_t)class_of(sm, slot);
		n.lanes = (uint16_t)sim_lanes(&w->lanes);
	} else if (all) {
		n.meet = (uint16_t)sim_lanes(&w->lanes);
	}
	if (all) {
		n.inactive = (uint16_t)w->inactive;
		n.meet = (uint16_t)(n.meet + w->waiting);
	}
	return n;
}

static void recount(struct sim_sm *sm, uint32_t slot, int all)
{
	struct sim_counted *was = &sm->counted[slot], is = threads_of(sm, slot, all);
	uint64_t *doing = sm->threads_doing;

	doing[was->cls] -= was->lanes;
	doing[is.cls] += is.lanes;
	doing[SIM_TH_INACTIVE] += (uint64_t)is.inactive - was->inactive;
	doing[SIM_TH_MEET] += (uint64_t)is.meet - was->meet;
	*was = is;
}

void sim_threads_count(struct sim_sm *sm, uint64_t now)
{
	const struct sim_warp_policy *policy = sm->sh->warp;
	struct sim_stats *s = sm->sh->stats;
	const uint64_t cycles = now - sm->threads_counted;

	sm->threads_counted = now;
	if (!cycles || !sm->live_ctas)
		return;
	for (uint32_t c = 0; c < sm->nctas; c++)
		s->thread_cycles += cycles * sm->ctas[c].live;
	for (uint32_t w = sim_bits_next(&sm->changed, 0); w != UINT32_MAX;
		w = sim_bits_next(&sm->changed, w + 1)) {
		recount(sm, w, !policy->classes);
		/* A policy takes threads out of one that waits for where they go. */
		if (sm->warps[w].state != SIM_W_RESOLVE || !sim_bits_has(&sm->asked, w))
			sim_bits_clear(&sm->changed, w);
	}
	/* Who takes part in every cycle may also think of something else in each. */
	if (policy->classes && (sm->policy_ran || policy->begin || policy->pick || policy->form ||
				       policy->may || policy->tick)) {
		memset(sm->threads_beside, 0, sizeof(sm->threads_beside));
		policy->classes(sm->policy, &sm->front, sm->threads_beside);
		sm->policy_ran = 0;
	}
	for (int i = 0; i < SIM_NTHREAD_CLASSES; i++)
		s->by_thread[i] += cycles * (sm->threads_doing[i] + sm->threads_beside[i]);
}
