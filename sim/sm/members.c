/*
 * Whose the locality is, and which loops they are in. Where warps keep their threads, a member is a
 * warp slot. Where the policy regroups them, a member is the threads of as many consecutive thread
 * slots as a warp has lanes: a warp as the launch made them.
 */
#include "sim/sm/state.h"
#include <stdlib.h>
#include <string.h>

static uint32_t nloops(const struct sim_sm *sm)
{
	return sm->sh->program->p->nloops;
}

int sim_members_init(struct sim_sm *sm)
{
	sm->nmembers =
		sm->shape.member ? sm->sh->config->sm.threads / sm->shape.member : sm->nwarps;
	sm->member_age = calloc((size_t)sm->nmembers + 1, sizeof(*sm->member_age));
	return sm->member_age ? 0 : -1;
}

int sim_members_launch(struct sim_sm *sm)
{
	const size_t n = ((size_t)sm->nmembers + 1) * nloops(sm) + 1; /* the last: part of one */

	free(sm->trips);
	free(sm->inside);
	free(sm->standing);
	sm->trips = calloc(n, sizeof(*sm->trips));
	sm->inside = calloc(n, sizeof(*sm->inside));
	sm->standing = calloc((size_t)sm->nmembers + 1, sizeof(*sm->standing));
	return sm->trips && sm->inside && sm->standing ? 0 : -1;
}

void sim_members_free(struct sim_sm *sm)
{
	free(sm->member_age);
	free(sm->trips);
	free(sm->inside);
	free(sm->standing);
}

void sim_member_arrive(struct sim_sm *sm, uint32_t member, uint64_t age)
{
	const struct sim_sched *s = sm->sh->sched;

	sm->member_age[member] = age;
	for (uint32_t i = 0; s->member_arrive && i < sm->sh->config->sm.schedulers; i++)
		s->member_arrive(sm->sched[i].state, member, age);
}

void sim_member_leave(struct sim_sm *sm, uint32_t member)
{
	const struct sim_sched *s = sm->sh->sched;

	if (sm->standing[member])
		memset(sm->inside + (size_t)member * nloops(sm), 0,
			nloops(sm) * sizeof(*sm->inside));
	sm->standing[member] = 0;
	for (uint32_t i = 0; s->member_leave && i < sm->sh->config->sm.schedulers; i++)
		s->member_leave(sm->sched[i].state, member);
}

/* ---- loops ---- */

static void tell_begin(struct sim_sm *sm, uint32_t m, uint32_t l, uint32_t active, uint64_t now)
{
	const struct sim_sched *s = sm->sh->sched;

	for (uint32_t i = 0; s->loop_begin && i < sm->sh->config->sm.schedulers; i++)
		s->loop_begin(sm->sched[i].state, m, l, active, now);
}

static void tell_iterate(struct sim_sm *sm, uint32_t m, uint32_t l, uint32_t active, uint64_t now)
{
	const struct sim_sched *s = sm->sh->sched;

	sm->trips[(size_t)m * nloops(sm) + l]++;
	for (uint32_t i = 0; s->loop_iterate && i < sm->sh->config->sm.schedulers; i++)
		s->loop_iterate(sm->sched[i].state, m, l, active, now);
}

static void tell_end(struct sim_sm *sm, uint32_t m, uint32_t l, uint64_t now)
{
	const struct sim_sched *s = sm->sh->sched;

	for (uint32_t i = 0; s->loop_end && i < sm->sh->config->sm.schedulers; i++)
		s->loop_end(sm->sched[i].state, m, l, !sm->standing[m], now);
}

static void set_inside(struct sim_sm *sm, uint32_t m, uint32_t l, uint32_t n)
{
	uint32_t *at = &sm->inside[(size_t)m * nloops(sm) + l];

	sm->standing[m] += (n != 0) - (*at != 0);
	*at = n;
}

/*
 * Are inactive lanes of the warp still in the loop? A path that has left it may run before others
 * of the warp that have not.
 */
static int stands_in(const struct sim_sm *sm, uint32_t w, uint32_t l)
{
	const struct sim_program *p = sm->sh->program;
	const struct sim_warp *x = &sm->warps[w];

	for (uint32_t i = 0; x->paths && i + 1 < x->depth; i++) {
		const struct sim_path *path = &x->paths[i];

		if (path->pc != TR_EXIT && sim_in_loop(p, l, p->p->insts[path->pc].block) &&
			sim_any(&x->path_lanes[i]))
			return 1;
	}
	return 0;
}

void sim_loops_follow(struct sim_sm *sm, uint32_t w, uint32_t b, uint64_t now)
{
	const struct sim_program *p = sm->sh->program;
	const uint32_t a = sm->block_of[w], l = p->header_loop[b], active = sm->warps[w].active;
	const uint32_t *inside = sm->inside + (size_t)w * nloops(sm);

	sm->block_of[w] = b;
	if (a != TR_NONE) /* the loops around one that goes on go on, too */
		for (uint32_t o = p->p->blocks[a].loop;
			o != TR_NONE && !sim_in_loop(p, o, b) && !stands_in(sm, w, o);
			o = p->p->loops[o].parent) {
			set_inside(sm, w, o, 0);
			tell_end(sm, w, o, now);
		}
	if (l == TR_NONE)
		return;
	if (inside[l]) {
		tell_iterate(sm, w, l, active, now);
	} else {
		set_inside(sm, w, l, 1);
		sm->trips[(size_t)w * nloops(sm) + l] = 0;
		tell_begin(sm, w, l, active, now);
	}
}

/* n threads of a member go from block a to block b; TR_NONE: they arrive, or exit. */
static void threads_move(
	struct sim_sm *sm, uint32_t m, uint32_t a, uint32_t b, uint32_t n, uint64_t now)
{
	const struct sim_program *p = sm->sh->program;
	const uint32_t *inside = sm->inside + (size_t)m * nloops(sm);
	const uint32_t l = b == TR_NONE ? TR_NONE : p->header_loop[b];

	if (a != TR_NONE)
		for (uint32_t o = p->p->blocks[a].loop;
			o != TR_NONE && (b == TR_NONE || !sim_in_loop(p, o, b));
			o = p->p->loops[o].parent) {
			set_inside(sm, m, o, inside[o] - n);
			if (!inside[o])
				tell_end(sm, m, o, now);
		}
	if (l == TR_NONE)
		return;
	if (a != TR_NONE && sim_in_loop(p, l, a)) {
		tell_iterate(sm, m, l, inside[l], now);
	} else {
		if (!inside[l])
			sm->trips[(size_t)m * nloops(sm) + l] = 0;
		set_inside(sm, m, l, inside[l] + n);
		tell_begin(sm, m, l, inside[l], now);
	}
}

/* All threads of a warp go to the same block: does a loop end there, begin, or go round? */
static int changes_loops(const struct sim_program *p, uint32_t from, uint32_t to)
{
	return p->p->blocks[from].loop != p->p->blocks[to].loop || p->header_loop[to] != TR_NONE;
}

void sim_loops_part(struct sim_sm *sm, uint32_t warp, const struct sim_pace *pace, uint64_t now)
{
	const struct sim_program *p = sm->sh->program;
	const struct sim_warp *w = &sm->warps[warp];
	const uint32_t a = sim_next_inst(sm, warp)->block;
	struct sim_mask left = w->lanes;
	uint32_t lane;

	if (!nloops(sm) || (w->to != TR_NONE && w->to != TR_EXIT &&
				   !changes_loops(p, a, p->insts[w->to].block)))
		return;
	if (pace->lanes && w->to != TR_NONE && w->to != TR_EXIT) { /* mostly: all do the same */
		threads_move(sm, pace->first / sm->shape.member, a, p->insts[w->to].block,
			w->active, now);
		return;
	}
	while (sim_lanes(&left)) { /* those of one member that go one way, then the next ones */
		uint32_t m = 0, to = 0, n = 0;

		FOR_LANES(left, lane)
		{
			const uint32_t thread = w->thread[lane],
				       pc = sim_goes(w, sm->threads, lane);

			if (!n) {
				m = thread / sm->shape.member;
				to = pc;
			}
			if (thread / sm->shape.member != m || pc != to)
				continue;
			left.w[lane / 64] &= ~(1ull << (lane % 64));
			n++;
		}
		threads_move(sm, m, a, to == TR_EXIT ? TR_NONE : p->insts[to].block, n, now);
	}
}

/* ---- CTAs, where threads are regrouped ---- */

void sim_members_arrive(struct sim_sm *sm, uint32_t first, uint32_t n, uint64_t now)
{
	for (uint32_t at = 0; at < n; at += sm->shape.member) {
		const uint32_t m = (first + at) / sm->shape.member;

		sim_member_arrive(sm, m, ++sm->next_age);
		if (nloops(sm))
			threads_move(sm, m, TR_NONE,
				sm->sh->program->insts[sm->threads[first + at].pc].block,
				n - at < sm->shape.member ? n - at : sm->shape.member, now);
	}
}

void sim_members_leave(struct sim_sm *sm, uint32_t first, uint32_t n)
{
	for (uint32_t at = 0; at < n; at += sm->shape.member)
		sim_member_leave(sm, (first + at) / sm->shape.member);
}
