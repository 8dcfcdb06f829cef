/* What a scheduler issues in a cycle, or why it issues nothing. */
#include "sim/sm/state.h"
#include <string.h>

/* Why a scheduler without a candidate has none. */
static enum sim_cycle nothing_to_issue(const struct sim_sm *sm, const struct sim_bits *mine)
{
	int idle = 0, sync = 0;
	struct sim_bits taken;

	if (!sm->live_ctas)
		return SIM_CY_DRAINED;
	taken.words = mine->words;
	for (uint32_t k = 0; k < taken.words; k++)
		taken.w[k] = mine->w[k] & ~sm->vacant.w[k];
	for (uint32_t w = sim_bits_next(&taken, 0); w != UINT32_MAX;
		w = sim_bits_next(&taken, w + 1)) {
		switch (sm->warps[w].state) {
		case SIM_W_RUN:
		case SIM_W_RESOLVE:
			if (sm->warps[w].blocked)
				return SIM_CY_MEMORY;
			idle = 1;
			break;
		case SIM_W_BARRIER:
		case SIM_W_HELD:
		case SIM_W_MBARRIER:
			sync = 1;
			break;
		default:
			break;
		}
	}
	return idle ? SIM_CY_IDLE : sync ? SIM_CY_SYNC : SIM_CY_DRAINED;
}

/* The scheduler withholds a load: counted, and told to the policy, once for a load. */
static void keep_back(struct sim_sm *sm, uint32_t w, uint64_t now)
{
	const struct sim_shared *sh = sm->sh;
	const struct sim_told told = {
		.what = SIM_TOLD_WITHHELD, .warp = w, .inst = sm->warps[w].pc, .now = now};

	if (sm->warps[w].withheld)
		return;
	sh->stats->sched.withheld_loads++;
	sm->warps[w].withheld = 1;
	if (sh->warp->hears & SIM_TOLD_WITHHELD && sim_ready_has(sm, SIM_R_ASKS, w))
		sim_tell(sm, &told);
}

/* Why a ready warp may not issue now; SIM_CY_ISSUED: it may. */
static enum sim_cycle held_back(struct sim_sm *sm, uint32_t s, uint32_t w, uint64_t now)
{
	const struct sim_shared *sh = sm->sh;
	enum sim_may may = SIM_GO;

	if ((sim_ready_has(sm, SIM_R_MEMORY, w) || sh->config->sm.one_pipeline) &&
		!sim_lsu_room(&sm->lsu))
		return sm->lsu.stall;
	if (sim_ready_has(sm, SIM_R_SLOW, w) && sim_unit_free(sm, w) > now) {
		const uint64_t at = sim_unit_free(sm, w);

		sm->unit_awaited = at < sm->unit_awaited ? at : sm->unit_awaited;
		return SIM_CY_STALL_UNIT;
	}
	if (sim_ready_has(sm, SIM_R_ASKS, w) && sim_next_inst(sm, w)->asks & SIM_ASK_MAY)
		may = sh->warp->may(sm->policy, &sm->front, w, now);
	if (may == SIM_NOT_NOW)
		return SIM_CY_SYNC;
	if (may == SIM_OWN || !sh->sched->may_load || !sim_ready_has(sm, SIM_R_LOAD, w) ||
		sh->sched->may_load(sm->sched[s].state, w, sm->warps[w].pc, now))
		return SIM_CY_ISSUED;
	keep_back(sm, w, now);
	return SIM_CY_WITHHELD;
}

/* Of a scheduler's ready warps: is there one, one that could issue, one that may be held back? */
struct candidates {
	uint64_t ready, can, held; /* 0: there is none */
};

/* Of ready warps, those that need no room in the memory unit: with one pipeline, all need it. */
static inline uint64_t without_room(const struct sim_sm *sm, uint32_t k, uint64_t ready)
{
	return sm->sh->config->sm.one_pipeline ? 0 : ready & ~sm->ready[k][SIM_R_MEMORY];
}

/* The ready warps of scheduler s, while the memory unit is full those that need no room there. */
static inline struct candidates candidates(
	const struct sim_sm *sm, uint32_t s, struct sim_bits *can)
{
	const uint64_t *mine = sm->sched[s].mine.w;
	struct candidates c = {0};

	can->words = sm->ready_words;
	for (uint32_t k = 0; k < can->words; k++) {
		can->w[k] = sm->ready[k][SIM_R_READY] & mine[k];
		c.ready |= can->w[k];
		c.held |= can->w[k] & sm->ready[k][SIM_R_HELD];
	}
	c.can = c.ready;
	if (sim_lsu_room(&sm->lsu))
		return c;
	c.can = c.held = 0;
	for (uint32_t k = 0; k < can->words; k++) {
		can->w[k] = without_room(sm, k, can->w[k]);
		c.can |= can->w[k];
		c.held |= can->w[k] & sm->ready[k][SIM_R_HELD];
	}
	return c;
}

/*
 * The same where each scheduler has its units, of a warp that neither the policy nor the scheduler
 * is asked about, and for which there is room in the memory unit.
 */
static inline enum sim_cycle waits_for_unit(struct sim_sm *sm, uint32_t s, uint32_t w, uint64_t now)
{
	const struct sim_inst *x = sim_next_inst(sm, w);
	const uint64_t at = sim_ready_has(sm, SIM_R_SLOW, w)
				    ? sim_set_free(sm->unit_free[x->of_sm ? 0 : s], x)
				    : 0;

	if (at <= now)
		return SIM_CY_ISSUED;
	sm->unit_awaited = at < sm->unit_awaited ? at : sm->unit_awaited;
	return SIM_CY_STALL_UNIT;
}

/* Removes from `can` the warps that may not issue now; why: the reason of the last one. */
static enum sim_cycle narrow(struct sim_sm *sm, uint32_t s, struct sim_bits *can, uint64_t now)
{
	const int split = sm->sh->config->sm.split_units && !sm->sliced.n;
	const uint64_t loads = sm->sh->sched->may_load ? UINT64_MAX : 0;
	enum sim_cycle why = SIM_CY_ISSUED;

	for (uint32_t k = 0; k < can->words; k++) {
		const uint64_t *ready = sm->ready[k];
		const uint64_t held = can->w[k] & ready[SIM_R_HELD];
		/* These wait for a unit of this scheduler, or for nothing. */
		const uint64_t plain =
			split ? ~(ready[SIM_R_ASKS] | (ready[SIM_R_LOAD] & loads)) : 0;

		for (uint64_t m = held; m; m &= m - 1) {
			const uint32_t w = k * 64 + (uint32_t)__builtin_ctzll(m);
			enum sim_cycle reason;

			if (plain & m & -m)
				reason = waits_for_unit(sm, s, w, now);
			else
				reason = held_back(sm, s, w, now);
			if (reason == SIM_CY_ISSUED)
				continue;
			sim_bits_clear(can, w);
			why = reason;
		}
	}
	return why;
}

/*
 * Some warps go before all others: the ones that may issue are left in `can`. The class of the
 * cycle if none is: that of the last warp. held: some of `can` may be held back.
 */
static enum sim_cycle give_way(struct sim_sm *sm, uint32_t s, struct sim_bits *can, int held,
	const uint16_t *list, uint32_t n, uint64_t now)
{
	struct sim_bits first; /* large: only what is used is written */
	enum sim_cycle why;
	uint32_t last = 0;

	if (n == 1 && !held && sim_bits_has(can, *list)) {
		for (uint32_t k = 0; k < can->words; k++)
			can->w[k] = 0;
		sim_bits_set(can, *list);
		return SIM_CY_ISSUED;
	}
	first.words = can->words;
	memset(first.w, 0, can->words * sizeof(*first.w));
	for (uint32_t i = 0; i < n; i++)
		if (sim_bits_has(can, list[i]))
			sim_bits_set(&first, list[i]);
	why = narrow(sm, s, &first, now);
	if (!sim_bits_any(&first)) {
		for (uint32_t k = 0; k < can->words; k++)
			if (can->w[k])
				last = k * 64 + 63 - (uint32_t)__builtin_clzll(can->w[k]);
		for (uint32_t i = 0; i < n; i++)
			if (list[i] == last)
				goto out;
		why = sim_ready_has(sm, SIM_R_SLOW, last) && sim_unit_free(sm, last) > now
			      ? SIM_CY_STALL_UNIT
			      : SIM_CY_SYNC;
	}
out:
	memcpy(can->w, first.w, can->words * sizeof(*can->w));
	return why;
}

/* A policy has picked a warp that is not ready: nothing issues, and the run ends with its name. */
static enum sim_cycle wrong(
	struct sim_sm *sm, const char *kind, const char *name, uint32_t w, struct sim_bundle *b)
{
	tr_fail(sm->sh->err, TR_EDATA, 0, "%s '%s' picked warp %u, which is not ready", kind, name,
		w);
	b->n = 0;
	sm->failed = 1;
	return SIM_CY_WITHHELD;
}

/* Can it issue as part of a bundle? What joins need not be ready: it may lack its instruction. */
static inline int may_issue(const struct sim_sm *sm, const struct sim_bundle *b, uint32_t i)
{
	const uint32_t w = b->beat[i].warp;

	if (w >= sm->nwarps)
		return 0;
	if (sim_ready_has(sm, SIM_R_READY, w) && !b->beat[i].joins)
		return 1;
	if (sim_bits_has(&sm->vacant, w))
		return 0;
	if (i && b->beat[i].joins)
		return sm->warps[w].pc == sm->warps[b->beat[i - 1].warp].pc;
	return b->own || sim_ready_has(sm, SIM_R_READY, w);
}

/* The class of the cycle of a bundle that the warp policy has filled. */
static enum sim_cycle check_bundle(struct sim_sm *sm, struct sim_bundle *b)
{
	if (b->n > SIM_WIDE_WARPS) {
		tr_fail(sm->sh->err, TR_EDATA, 0, "warp policy '%s' picked %u warps, of at most %d",
			sm->sh->warp->name, b->n, SIM_WIDE_WARPS);
		b->n = 0;
		sm->failed = 1;
		return SIM_CY_WITHHELD;
	}
	for (uint32_t i = 0; i < b->n; i++)
		if (!may_issue(sm, b, i))
			return wrong(sm, "warp policy", sm->sh->warp->name, b->beat[i].warp, b);
	return SIM_CY_ISSUED;
}

/* The warps that the warp policy lets go first: how many, or 0 with sm->failed set. */
static uint32_t goes_first(
	struct sim_sm *sm, uint32_t s, struct sim_bundle *b, const uint16_t **list, uint64_t now)
{
	const uint32_t n = sm->sh->warp->first(sm->policy, &sm->front, s, list, now);

	for (uint32_t i = 0; i < n; i++)
		if ((*list)[i] >= sm->nwarps) {
			wrong(sm, "warp policy", sm->sh->warp->name, (*list)[i], b);
			return 0;
		}
	return n;
}

/* A warp was picked: the policy may add warps that join it, or insert an instruction of its own. */
static inline enum sim_cycle form(struct sim_sm *sm, uint32_t w, struct sim_bundle *b, uint64_t now)
{
	b->n = 1;
	b->own = 0;
	b->beat[0].warp = (uint16_t)w;
	b->beat[0].joins = 0;
	if (!sim_ready_has(sm, SIM_R_ASKS, w) || !(sim_next_inst(sm, w)->asks & SIM_ASK_FORM))
		return SIM_CY_ISSUED;
	sm->sh->warp->form(sm->policy, &sm->front, w, b, now);
	return check_bundle(sm, b);
}

enum sim_cycle sim_pick_none(const struct sim_sm *sm, uint32_t s)
{
	return nothing_to_issue(sm, &sm->sched[s].mine);
}

enum sim_cycle sim_pick(
	struct sim_sm *sm, uint32_t s, struct sim_bits *can, struct sim_bundle *b, uint64_t now)
{
	const struct sim_shared *sh = sm->sh;
	const struct candidates some = candidates(sm, s, can);
	const uint16_t *first = NULL;
	uint32_t w, n = 0;

	b->n = b->cycles = 0;
	b->own = 0;
	if (!some.ready)
		return nothing_to_issue(sm, &sm->sched[s].mine);
	if (!some.can)
		return sm->lsu.stall;
	if (sh->warp->first)
		n = goes_first(sm, s, b, &first, now);
	if (sm->failed)
		return SIM_CY_WITHHELD;
	if (n || some.held) {
		const enum sim_cycle why = n ? give_way(sm, s, can, some.held != 0, first, n, now)
					     : narrow(sm, s, can, now);

		if (!sim_bits_any(can))
			return why;
	}
	if (sh->warp->pick) {
		sh->warp->pick(sm->policy, &sm->front, can, b, now);
		if (b->n == 1 && may_issue(sm, b, 0))
			return SIM_CY_ISSUED;
		return b->n ? check_bundle(sm, b) : SIM_CY_WITHHELD;
	}
	w = sim_sched_pick(sh->sched, sm->sched[s].state, sh->priority, &sm->sched[s].last_cta,
		&sm->sched[s].env, can, now);
	if (w == SIM_NO_WARP)
		return SIM_CY_WITHHELD;
	if (w >= sm->nwarps || !sim_bits_has(can, w))
		return wrong(sm, "scheduler", sh->sched->name, w, b);
	return form(sm, w, b, now);
}

enum sim_cycle sim_pick_next(
	struct sim_sm *sm, uint32_t s, uint32_t *from, struct sim_bundle *b, uint64_t now)
{
	enum sim_cycle why = sm->lsu.stall, reason;
	struct sim_bits can;

	b->n = b->cycles = 0;
	if (!candidates(sm, s, &can).ready && !*from)
		return nothing_to_issue(sm, &sm->sched[s].mine);
	for (uint32_t w = sim_bits_next(&can, *from); w != UINT32_MAX;
		w = sim_bits_next(&can, w + 1)) {
		reason = held_back(sm, s, w, now);
		if (reason == SIM_CY_ISSUED) {
			*from = w + 1;
			return form(sm, w, b, now);
		}
		why = reason;
	}
	return why;
}
