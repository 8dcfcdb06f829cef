/* Reports each access of the L1D to schedulers, the access stream and an observer. */
#include "sim/sm/state.h"

static uint32_t lowest_lane(const struct sim_job *j, uint32_t at)
{
	const uint64_t *lanes = j->tx[at].lanes;
	uint32_t k = 0;

	while (!lanes[k])
		k++;
	return k * 64 + (uint32_t)__builtin_ctzll(lanes[k]);
}

/*
 * What slices have put together is several instructions to those who count an instruction's
 * transactions and lanes: each member's at each pc.
 */
static void part_instructions(
	const struct sim_sm *sm, const struct sim_seen *e, struct sim_sched_access *x)
{
	const struct sim_job *j = e->job;
	const uint32_t member = sm->shape.member, width = sm->shape.slice;

	x->number = x->of = x->active = 0;
	for (uint32_t t = 0; t < j->n; t++) {
		const uint32_t lane = lowest_lane(j, t);

		if (sim_job_inst(j, lane, width) != x->inst ||
			j->thread[lane] / member != x->member)
			continue;
		x->number += t < e->at;
		x->of++;
		for (uint64_t m = j->tx[t].lanes[0]; m; m &= m - 1) {
			const uint32_t l = (uint32_t)__builtin_ctzll(m);

			x->active += sim_job_inst(j, l, width) == x->inst &&
				     j->thread[l] / member == x->member;
		}
	}
}

/* What schedulers hear of a transaction. */
static void tell_schedulers(struct sim_sm *sm, const struct sim_seen *e, uint64_t now)
{
	const struct sim_sched *s = sm->sh->sched;
	const struct sim_job *j = e->job;
	struct sim_sched_access x = {.line = e->line,
		.warp = e->warp,
		.member = e->member,
		.age = e->age,
		.inst = e->inst,
		.number = (uint16_t)e->at,
		.of = (uint16_t)j->n,
		.active = (uint16_t)j->active,
		.is_load = j->is_load,
		.removed = e->removed};

	if (sm->shape.slice)
		part_instructions(sm, e, &x);
	if (!e->removed) {
		x.hit = e->answer.outcome == SIM_L1_HIT;
		x.merge = e->answer.outcome == SIM_L1_MERGED;
		x.evicted = e->answer.evicted;
		x.victim = e->answer.victim;
		x.victim_member = e->answer.victim_owner;
		x.victim_age = e->answer.victim_age;
		x.owner = e->owner;
		x.owner_age = e->owner_age;
	}
	for (uint32_t i = 0; i < sm->sh->config->sm.schedulers; i++)
		s->access(sm->sched[i].state, &x, now); /* a victim's owner may be another's warp */
}

/*
 * The lanes as those of the widest warp, each where its thread has its place: a gang has its lanes
 * in the order in which its warps were found.
 */
static void place_lanes(
	const struct sim_sm *sm, const struct sim_job *j, const uint64_t *lanes, uint64_t *placed)
{
	if (sm->widest == sm->nlanes) {
		memcpy(placed, lanes, SIM_MASK_WORDS * sizeof(*placed));
		return;
	}
	for (uint32_t k = 0; k < SIM_MASK_WORDS; k++)
		for (uint64_t m = lanes[k]; m; m &= m - 1) {
			const uint32_t thread = j->thread[k * 64 + (uint32_t)__builtin_ctzll(m)];
			const uint32_t lane = sm->threads[thread].number % sm->widest;

			placed[lane / 64] |= 1ull << (lane % 64);
		}
}

/* An access of the stream. */
static void tell_sink(struct sim_sm *sm, const struct sim_seen *e)
{
	const struct sim_job *j = e->job;
	const struct sim_transaction *t = &j->tx[e->at];
	struct tr_access a = {.line = e->line,
		.warp_insts = j->from.warp_insts,
		.thread_insts = j->from.thread_insts,
		.sm = sm->number,
		.cta = j->from.cta,
		.warp = j->from.warp,
		.inst = sm->shape.slice ? j->inst : e->inst, /* as .first and .active are */
		.loop = j->from.loop,
		.trip = j->from.trip,
		.sectors = t->sectors,
		.bytes = t->bytes,
		.space = j->space,
		.op = e->op,
		.result = (uint8_t)sim_seen_result(sm, e),
		.first = e->first,
		.active = (uint8_t)(j->active - 1)};

	place_lanes(sm, j, t->lanes, a.lanes);
	if (sm->sh->sink->access(sm->sh->sink->arg, &a) < 0)
		sm->failed = 1;
}

void sim_sm_seen(struct sim_sm *sm, uint64_t now)
{
	for (uint32_t i = 0; i < sm->lsu.nseen; i++) {
		if (sm->sh->sched->access)
			tell_schedulers(sm, &sm->lsu.seen[i], now);
		if (sm->sh->sink)
			tell_sink(sm, &sm->lsu.seen[i]);
		if (sm->watch)
			sim_watch_seen(sm, &sm->lsu.seen[i]);
	}
	for (uint32_t i = 0; sm->watch && i < sm->lsu.nfar_seen; i++)
		sim_watch_far(sm, &sm->lsu.far_seen[i]);
	sm->failed |= sm->lsu.failed;
}
