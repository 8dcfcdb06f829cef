/*
 * What the warps of an SM do in each cycle, for an observer (events.h). In a cycle in
 * which the SM is stepped, each scheduler's warps are looked at in its turn, when it has picked and
 * before that issues. In cycles that are slept through nothing happens, so each warp does in all of
 * them what its state after the last step says. Nothing here changes what the SM does.
 */
#include "sim/sm/state.h"
#include <stdlib.h>

#define NOTHING UINT8_MAX /* the class of a slot without threads */
#define CTAS 64           /* of an SM, at most */

struct out { /* a memory instruction in flight */
	uint64_t number, since, life;
	uint32_t warp, inst, first; /* first: as in sim_load */
	uint32_t slices; /* of a sliced SM: those that wait; warp and life are of their member */
	uint32_t slot, launch, cta; /* whose it was: in its slot there may be others by now */
};

struct sim_watch {
	const struct sim_events *to;
	uint64_t from, end; /* the window, in the SM's own cycles, which begin at 1 */
	uint64_t now;       /* what happens belongs to this cycle, */
	uint64_t next;      /* and what warps do before this one has been said */
	uint8_t late;       /* the cycle is over: what happens belongs to the next one */
	uint8_t *said, *is; /* by warp: its class as it was said last, and as it is */
	uint8_t *sched;     /* by scheduler: likewise, as it was said */
	uint64_t *busy;     /* by warp: what it issued takes its lanes until then */
	uint64_t *since;    /* by warp slot, then by CTA slot: when it came */
	uint64_t cta_since[CTAS];
	struct out *outs;
	uint32_t nouts, outs_cap;
	uint64_t loads;
	struct sim_event *queue; /* of late ones */
	uint32_t nqueue, queue_cap;
};

const char *sim_event_name(enum sim_event_kind kind)
{
	static const char *const names[SIM_NEVENTS] = {
		[SIM_EV_LAUNCH_BEGIN] = "launch_begin",
		[SIM_EV_LAUNCH_END] = "launch_end",
		[SIM_EV_CTA_IN] = "cta_in",
		[SIM_EV_CTA_OUT] = "cta_out",
		[SIM_EV_WARP_IN] = "warp_in",
		[SIM_EV_WARP_OUT] = "warp_out",
		[SIM_EV_ISSUE] = "issue",
		[SIM_EV_OWN] = "own",
		[SIM_EV_WAIT] = "wait",
		[SIM_EV_SCHEDULER] = "scheduler",
		[SIM_EV_LOAD_OUT] = "load_out",
		[SIM_EV_LOAD_BACK] = "load_back",
		[SIM_EV_L1D] = "l1d",
		[SIM_EV_DSM] = "dsm",
		[SIM_EV_BARRIER] = "barrier",
		[SIM_EV_RELEASE] = "release",
		[SIM_EV_SPLIT] = "split",
		[SIM_EV_MERGE] = "merge",
		[SIM_EV_REGROUP] = "regroup",
	};

	return (unsigned)kind < SIM_NEVENTS ? names[kind] : NULL;
}

const char *sim_wait_name(unsigned what)
{
	return what == SIM_NOT_PICKED ? "not_picked" : sim_cycle_name((enum sim_cycle)what);
}

/* ---- setting up ---- */

int sim_watch_new(struct sim_sm *sm)
{
	const struct sim_events *to = sm->sh->events;
	const uint32_t n = sm->nwarps, schedulers = sm->sh->config->sm.schedulers;
	struct sim_watch *w;

	if (!to || (to->sm != SIM_ALL_SMS && to->sm != sm->number))
		return 0;
	w = sm->watch = calloc(1, sizeof(*w));
	if (!w)
		return -1;
	w->to = to;
	w->from = to->from < UINT64_MAX ? to->from + 1 : to->from;
	w->end = to->to < UINT64_MAX ? to->to + 1 : to->to;
	w->next = 1;
	w->said = malloc((size_t)n * 2 + schedulers);
	w->busy = calloc(n, 2 * sizeof(*w->busy));
	if (!w->said || !w->busy)
		return -1;
	memset(w->said, NOTHING, (size_t)n * 2 + schedulers);
	w->is = w->said + n;
	w->sched = w->is + n;
	w->since = w->busy + n;
	return 0;
}

void sim_watch_free(struct sim_sm *sm)
{
	if (!sm->watch)
		return;
	free(sm->watch->said);
	free(sm->watch->busy);
	free(sm->watch->outs);
	free(sm->watch->queue);
	free(sm->watch);
}

/* ---- saying it ---- */

static int in_window(const struct sim_watch *w, uint64_t now)
{
	return now >= w->from && now < w->end;
}

/* Room for one more in a list; 0: there is no memory, and the run fails. */
static int grow(struct sim_sm *sm, void **list, uint32_t n, uint32_t *cap, size_t size)
{
	void *more;

	if (n < *cap)
		return 1;
	more = realloc(*list, (*cap ? 2 * (size_t)*cap : 64) * size);
	if (!more) {
		sm->failed = 1;
		return 0;
	}
	*list = more;
	*cap = *cap ? 2 * *cap : 64;
	return 1;
}

/* An event at cycle `at` of the SM, counted from 1. */
static void tell(struct sim_sm *sm, uint64_t at, struct sim_event e)
{
	struct sim_watch *w = sm->watch;

	if (e.kind > SIM_EV_CTA_OUT && !in_window(w, at))
		return;
	e.at = at - 1;
	w->to->event(w->to->arg, &e);
}

/* The same of what happens now. */
static void happens(struct sim_sm *sm, struct sim_event e)
{
	struct sim_watch *w = sm->watch;

	if (!w->late)
		tell(sm, w->now, e);
	else if (grow(sm, (void **)(void *)&w->queue, w->nqueue, &w->queue_cap, sizeof(e)))
		w->queue[w->nqueue++] = e;
}

static struct sim_event event(const struct sim_sm *sm, enum sim_event_kind kind, uint32_t warp)
{
	return (struct sim_event){.kind = (uint8_t)kind,
		.sm = sm->number,
		.warp = warp,
		.launch =
			sm->sh->grids[warp == SIM_NO_WARP ? 0 : sm->ctas[sm->warps[warp].cta].grid]
				.launch->number,
		.cta = warp == SIM_NO_WARP ? TR_NONE : sm->ctas[sm->warps[warp].cta].number,
		.inst = TR_NONE,
		.other = SIM_NO_WARP,
		.program = sm->sh->program->p};
}

/* The class of a warp from a cycle on, unless that has been said. */
static void say(struct sim_sm *sm, uint32_t warp, uint8_t class, uint64_t at)
{
	const struct sim_warp *x = &sm->warps[warp];
	struct sim_event e;

	if (sm->watch->said[warp] == class)
		return;
	sm->watch->said[warp] = class;
	if (class == NOTHING)
		return; /* its WARP_OUT says so */
	e = event(sm, SIM_EV_WAIT, warp);
	e.what = class;
	if (x->state == SIM_W_RUN || sim_at_barrier(x))
		e.inst = x->pc;
	tell(sm, at, e);
}

static void say_schedulers(struct sim_sm *sm, uint64_t at)
{
	struct sim_watch *w = sm->watch;

	for (uint32_t s = 0; s < sm->sh->config->sm.schedulers; s++) {
		struct sim_event e = event(sm, SIM_EV_SCHEDULER, SIM_NO_WARP);

		e.what = (uint8_t)(sm->sched[s].busy_until > at ? SIM_CY_ISSUED
								: sm->sched[s].last_class);
		e.other = s;
		if (w->sched[s] == e.what)
			continue;
		w->sched[s] = e.what;
		tell(sm, at, e);
	}
}

/* ---- what a warp does in a cycle ---- */

/* can: those that its scheduler could have picked; NULL: it was not looking for any. */
static uint8_t class_of(const struct sim_sm *sm, uint32_t warp, const struct sim_bits *can,
	enum sim_cycle why, uint64_t at)
{
	const int one_pipeline = sm->sh->config->sm.one_pipeline;

	if (sm->warps[warp].state == SIM_W_FREE)
		return NOTHING;
	if (sm->watch->busy[warp] > at)
		return SIM_CY_ISSUED;
	if (sim_waits(&sm->warps[warp]))
		return SIM_CY_SYNC;
	if (sm->warps[warp].blocked)
		return SIM_CY_MEMORY;
	if (!sim_ready_has(sm, SIM_R_READY, warp))
		return SIM_CY_IDLE;
	if (why >= SIM_CY_MEMORY &&
		sm->sh->config->sm.fetch_beats) /* its instruction comes later */
		return SIM_CY_IDLE;
	if (why == SIM_CY_ISSUED && !can)
		return SIM_NOT_PICKED;
	if (!sim_lsu_room(&sm->lsu) && (sim_ready_has(sm, SIM_R_MEMORY, warp) || one_pipeline))
		return (uint8_t)sm->lsu.stall;
	if (sim_ready_has(sm, SIM_R_SLOW, warp) && sim_unit_free(sm, warp) > at)
		return SIM_CY_STALL_UNIT;
	return why == SIM_CY_ISSUED && sim_bits_has(can, warp) ? SIM_NOT_PICKED : SIM_CY_WITHHELD;
}

void sim_watch_turn(struct sim_sm *sm, uint32_t s, const struct sim_bits *can, enum sim_cycle why)
{
	struct sim_watch *w = sm->watch;

	if (!in_window(w, w->now))
		return;
	for (uint32_t i = s; i < sm->nwarps; i += sm->sh->config->sm.schedulers)
		w->is[i] = class_of(sm, i, can, why, w->now);
}

void sim_watch_left(struct sim_sm *sm, uint32_t s)
{
	struct sim_watch *w = sm->watch;

	for (uint32_t i = s; i < sm->nwarps && in_window(w, w->now);
		i += sm->sh->config->sm.schedulers)
		if (w->busy[i] <= w->now && sim_ready_has(sm, SIM_R_READY, i))
			w->is[i] = class_of(sm, i, NULL, SIM_CY_WITHHELD, w->now);
}

void sim_watch_end(struct sim_sm *sm)
{
	struct sim_watch *w = sm->watch;

	if (in_window(w, w->now)) {
		say_schedulers(sm, w->now);
		for (uint32_t i = 0; i < sm->nwarps; i++)
			say(sm, i, w->is[i], w->now);
	}
	w->next = w->now + 1;
	w->late = 1;
}

void sim_sm_watch(struct sim_sm *sm, uint64_t now)
{
	const uint32_t schedulers = sm->sh->config->sm.schedulers;
	struct sim_watch *w = sm->watch;
	uint64_t at;

	if (!w)
		return;
	for (uint32_t i = 0; i < w->nqueue; i++)
		tell(sm, w->now + 1, w->queue[i]);
	w->nqueue = 0;
	w->late = 0;
	at = w->next > w->from ? w->next : w->from;
	if (at < now && at < w->end) {
		say_schedulers(sm, at);
		for (uint32_t i = 0; i < sm->nwarps; i++) {
			const uint64_t free = w->busy[i] > at ? w->busy[i] : at;

			if (free > at)
				say(sm, i, class_of(sm, i, NULL, SIM_CY_ISSUED, at), at);
			if (free < now)
				say(sm, i,
					class_of(sm, i, NULL,
						(enum sim_cycle)w->sched[i % schedulers], free),
					free);
		}
	}
	w->now = w->next = now;
}

/* ---- what happens ---- */

void sim_watch_warp(struct sim_sm *sm, enum sim_event_kind kind, uint32_t warp, uint32_t other)
{
	struct sim_watch *w = sm->watch;
	struct sim_event e = event(sm, kind, warp);

	e.other = other;
	if (kind == SIM_EV_WARP_IN) {
		w->since[warp] = w->now + w->late;
		w->busy[warp] = 0;
		w->is[warp] = SIM_CY_IDLE; /* until its scheduler's turn */
	} else if (kind == SIM_EV_WARP_OUT) {
		e.cycles = w->now + w->late - w->since[warp];
		w->is[warp] = w->said[warp] = NOTHING;
	} else if (kind == SIM_EV_BARRIER || kind == SIM_EV_RELEASE) {
		e.inst = sm->warps[warp].pc;
	}
	happens(sm, e);
}

void sim_watch_cta(struct sim_sm *sm, enum sim_event_kind kind, uint32_t slot)
{
	struct sim_watch *w = sm->watch;
	struct sim_event e = event(sm, kind, SIM_NO_WARP);

	e.other = slot;
	e.cta = sm->ctas[slot].number;
	e.launch = sm->sh->grids[sm->ctas[slot].grid].launch->number;
	if (kind == SIM_EV_CTA_IN)
		w->cta_since[slot] = w->now;
	else
		e.cycles = w->now - w->cta_since[slot];
	happens(sm, e);
}

/* The lanes of one warp, of masks in which those of a wide warp stand side by side. */
static struct sim_mask lanes_of(const struct sim_mask *all, uint32_t base, uint32_t width)
{
	struct sim_mask m = {{0}};

	for (uint32_t lane = 0; lane < width; lane++)
		if (all->w[(base + lane) / 64] >> ((base + lane) % 64) & 1)
			m.w[lane / 64] |= 1ull << (lane % 64);
	return m;
}

static void issued(struct sim_sm *sm, struct sim_event e)
{
	struct sim_watch *w = sm->watch;

	/* Where all issue that can, an issue is counted in one cycle, however wide the warp. */
	if (sm->sh->config->sm.unlimited_issue)
		e.cycles = 1;
	w->busy[e.warp] = w->now + e.cycles;
	w->is[e.warp] = w->said[e.warp] = SIM_CY_ISSUED;
	happens(sm, e);
}

void sim_watch_issue(struct sim_sm *sm, const struct sim_wide *wide, uint32_t inst,
	const struct sim_lanes *lanes, uint32_t cycles)
{
	for (uint32_t i = 0; i < wide->n; i++) {
		const struct sim_mask done = lanes_of(&lanes->truth, i * wide->width, wide->width);
		struct sim_event e = event(sm, SIM_EV_ISSUE, wide->warp[i]);

		e.inst = inst;
		e.cycles = cycles;
		e.other = wide->n > 1 ? wide->warp[0] : SIM_NO_WARP;
		e.lanes = &sm->warps[wide->warp[i]].lanes;
		e.done = &done;
		issued(sm, e);
	}
}

void sim_watch_own(struct sim_sm *sm, uint32_t warp, uint32_t cycles)
{
	struct sim_event e = event(sm, SIM_EV_OWN, warp);

	e.inst = sm->warps[warp].pc;
	e.cycles = cycles;
	e.lanes = e.done = &sm->warps[warp].lanes;
	issued(sm, e);
}

/* ---- loads ---- */

static void goes_out(struct sim_sm *sm, uint32_t warp, uint32_t inst, uint32_t first)
{
	struct sim_watch *w = sm->watch;
	struct sim_event e = event(sm, SIM_EV_LOAD_OUT, warp);

	if (!grow(sm, (void **)(void *)&w->outs, w->nouts, &w->outs_cap, sizeof(*w->outs)))
		return;
	w->outs[w->nouts++] = (struct out){w->loads, w->now, sm->warps[warp].life, warp, inst,
		first, 0, warp, e.launch, e.cta};
	e.inst = inst;
	e.load = w->loads++;
	happens(sm, e);
}

void sim_watch_out(struct sim_sm *sm, const struct sim_wide *wide, uint32_t inst)
{
	const uint32_t load = sm->lsu.last_load;

	for (uint32_t i = 0; i < wide->n && load != SIM_NO_LOAD; i++)
		goes_out(sm, wide->warp[i], inst, load);
}

/* The index in the list of what a warp waits for, or the list's length. */
static uint32_t find(const struct sim_watch *w, uint32_t warp, uint64_t life, uint32_t first)
{
	uint32_t i = 0;

	while (i < w->nouts &&
		(w->outs[i].warp != warp || w->outs[i].life != life || w->outs[i].first != first))
		i++;
	return i;
}

void sim_watch_shared(struct sim_sm *sm, uint32_t warp, uint32_t from)
{
	const uint64_t life = sm->warps[from].life, own = sm->warps[warp].life;
	const struct sim_watch *w = sm->watch;

	for (uint32_t i = 0, n = w->nouts; i < n; i++)
		if (w->outs[i].warp == from && w->outs[i].life == life &&
			find(w, warp, own, w->outs[i].first) == w->nouts)
			goes_out(sm, warp, w->outs[i].inst, w->outs[i].first);
}

/* warp: the slot of who has it now; SIM_NO_WARP: who had it has ended. */
static void comes_back(struct sim_sm *sm, uint32_t warp, uint32_t at)
{
	struct sim_watch *w = sm->watch;
	struct sim_event e = event(sm, SIM_EV_LOAD_BACK, SIM_NO_WARP);

	e.warp = warp == SIM_NO_WARP ? w->outs[at].slot : warp;
	e.launch = w->outs[at].launch;
	e.cta = w->outs[at].cta;
	e.inst = w->outs[at].inst;
	e.load = w->outs[at].number;
	e.cycles = w->now - w->outs[at].since;
	w->nouts--;
	memmove(w->outs + at, w->outs + at + 1, (w->nouts - at) * sizeof(*w->outs));
	happens(sm, e);
}

void sim_watch_back(struct sim_sm *sm, const struct sim_load *l)
{
	struct sim_watch *w = sm->watch;
	const uint32_t i = find(w, l->warp, l->life, l->first);

	if (i < w->nouts)
		comes_back(sm, l->warp, i);
}

void sim_watch_out_slices(struct sim_sm *sm, uint32_t warp, uint32_t inst, uint32_t slices)
{
	struct sim_watch *w = sm->watch;
	const uint32_t n = w->nouts, slice = sm->shape.slice;
	const uint32_t thread = sm->warps[warp].thread[(uint32_t)__builtin_ctz(slices) * slice];

	goes_out(sm, warp, inst, 0);
	if (w->nouts == n)
		return;
	w->outs[n].warp = thread / sm->shape.member;
	w->outs[n].life = sm->member_age[w->outs[n].warp];
	w->outs[n].slices = slices;
}

void sim_watch_back_slices(
	struct sim_sm *sm, uint32_t warp, const struct sim_load *l, uint32_t slices)
{
	struct sim_watch *w = sm->watch;

	for (uint32_t i = 0; i < w->nouts; i++) {
		struct out *o = &w->outs[i];

		if (o->warp != l->warp || o->life != l->life || o->inst != l->inst ||
			!(o->slices & slices))
			continue;
		o->slices &= ~slices;
		if (!o->slices)
			comes_back(sm, warp, i--);
	}
}

void sim_watch_seen(struct sim_sm *sm, const struct sim_seen *s)
{
	struct sim_event e = event(sm, SIM_EV_L1D, s->warp);

	e.inst = s->inst;
	e.cta = s->job->from.cta;
	e.what = (uint8_t)sim_seen_result(sm, s);
	happens(sm, e);
}

void sim_watch_far(struct sim_sm *sm, const struct sim_far_seen *s)
{
	struct sim_event e = event(sm, SIM_EV_DSM, s->warp);

	e.inst = s->inst;
	e.other = s->to;
	happens(sm, e);
}
