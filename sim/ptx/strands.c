/*
 * Lanes of a warp that make progress independently of each other, from sm_70 on.
 *
 * As long as a warp's paths take turns where its reconvergence stack says, the stack is all that
 * there is. Where its topmost path cannot go on, or goes round without getting anywhere, while
 * other lanes could, it becomes a strand: lanes with a stack of their own, which is the warp's as
 * far as it has these lanes. The rest of the warp is another one. So lanes that wait at a
 * reconvergence point for lanes of another strand no longer do.
 *
 * Strands run a basic block at a time. Of those that can run the one whose block comes first in the
 * order of the record (rank) is next, so that lanes that are behind catch up; of one block the one
 * with the lowest lane. Strands that stand at one instruction and wait at the same reconvergence
 * points become one again.
 *
 * A strand cannot run while it
 * - goes round without progress, until a word that it reads has changed (progress.c);
 * - waits at a barrier of the CTA, at which a warp has arrived once all its lanes that have not
 *   exited have (PTX ISA, barrier);
 * - is held back before a wait at a barrier in memory, until its phase is over (async.c);
 * - waits for lanes that bar.warp.sync names, until they have come to one, too, or have exited;
 * - stands before a vote, shuffle or the like that names lanes of other strands, or before the
 *   barrier of a cluster, until those lanes have come there or cannot.
 * One that has gone round often enough without a proof that it spins is put behind all others once.
 * Lanes that wait for lanes of their warp which cannot come any more go on without them.
 *
 * Left out: lanes that vote or shuffle together at different instructions.
 */
#include "sim/ptx/vm.h"
#include <stdlib.h>
#include <string.h>

/* What a path has of its own, while it is not the one at hand. */
struct strand {
	struct warp_stack stack;
	struct ptx_progress progress;
	const struct ptx_code *waits;
	uint32_t state, mask, watching, yields, named, forced;
	uint32_t behind; /* 1: the others first */
	uint32_t pure;   /* 1: it had changed nothing since it was last looked at */
};

struct ptx_strands {
	uint32_t n, cap, at; /* at: the one at hand */
	/* 1: it runs, and the warp's state is its own; 0: the warp's state is that of all. */
	uint32_t running;
	uint32_t changes; /* the warp's, when it was last asked who can go on */
	struct strand *v;
};

void ptx_strands_free(struct ptx_warp *w)
{
	struct ptx_strands *a = w->apart;

	for (uint32_t k = 0; a && k < a->n; k++)
		if (k != a->at)
			ptx_watch_free(a->v[k].progress.watch);
	if (a)
		free(a->v);
	free(a);
	w->apart = NULL;
}

/* ---- one at a time ---- */

static void copy_stack(struct warp_stack *to, const struct warp_stack *from)
{
	to->depth = from->depth;
	memcpy(to->path, from->path, from->depth * sizeof(*from->path));
	memcpy(to->mask, from->mask, from->depth * sizeof(*from->mask));
}

static void save(struct ptx_warp *w)
{
	struct strand *s = &w->apart->v[w->apart->at];

	copy_stack(&s->stack, &w->stack);
	s->progress = w->progress;
	s->pure = w->progress.changes == w->changes;
	s->waits = w->waits;
	s->state = w->state;
	s->mask = w->mask;
	s->watching = w->watching;
	s->yields = w->yields;
	s->named = w->named;
	s->forced = w->forced;
}

static void load(struct ptx_warp *w, uint32_t k)
{
	const struct strand *s = &w->apart->v[k];

	w->apart->at = k;
	copy_stack(&w->stack, &s->stack);
	w->progress = s->progress;
	w->progress.changes = s->pure ? w->changes : w->changes - 1;
	w->waits = s->waits;
	w->state = s->state;
	w->mask = s->mask;
	w->watching = s->watching;
	w->yields = s->yields;
	w->named = s->named;
	w->forced = s->forced;
}

static uint32_t lanes_of(const struct strand *s)
{
	return warp_stack_live(&s->stack);
}

uint32_t ptx_live_lanes(const struct ptx_warp *w)
{
	uint32_t lanes = warp_stack_live(&w->stack);

	for (uint32_t k = 0; w->apart && k < w->apart->n; k++)
		if (k != w->apart->at)
			lanes |= lanes_of(&w->apart->v[k]);
	return lanes;
}

int ptx_last_strand(const struct ptx_warp *w)
{
	return !w->apart || w->apart->n == 1;
}

static struct strand *new_strand(struct ptx_strands *a)
{
	if (a->n == a->cap) {
		const uint32_t cap = a->cap ? 2 * a->cap : 4;
		struct strand *more = realloc(a->v, cap * sizeof(*more));
		if (!more)
			return NULL;
		a->v = more;
		a->cap = cap;
	}
	a->v[a->n] = (struct strand){.state = PTX_READY};
	return &a->v[a->n++];
}

/* ---- parting ---- */

/*
 * `lanes` of the path at hand, whose state it is, become a strand; the rest of its lanes are one
 * that can run. 0 or TR_EMEM.
 */
static int part(struct ptx_warp *w, uint32_t lanes)
{
	struct ptx_run *run = w->cta->run;
	struct strand *rest;

	if (!w->apart) {
		w->apart = calloc(1, sizeof(*w->apart));
		if (!w->apart || !new_strand(w->apart))
			return tr_fail(run->err, TR_EMEM, 0, "no memory to run kernel '%s'",
				run->kernel->name);
	}
	rest = new_strand(w->apart);
	if (!rest)
		return tr_fail(
			run->err, TR_EMEM, 0, "no memory to run kernel '%s'", run->kernel->name);
	copy_stack(&rest->stack, &w->stack);
	warp_stack_exit(&rest->stack, lanes, warp_stack_pc(&rest->stack));
	warp_stack_exit(&w->stack, ~lanes, warp_stack_pc(&w->stack));
	if (w->state == PTX_SPINS)
		ptx_watch_stack(w);
	rest->pure = 1;
	save(w);
	w->apart->changes = w->changes - 1;
	return 0;
}

/* Lanes of the path at hand that do not go on; 0: all of them do, or none could. */
static uint32_t held_lanes(const struct ptx_warp *w)
{
	const uint32_t live = warp_stack_live(&w->stack);
	uint32_t lanes = 0;

	if (w->state == PTX_SPINS || (w->state == PTX_READY && w->yields))
		lanes = ptx_going_round(w);
	else if (w->state == PTX_WAITING || w->state == PTX_MEETS)
		lanes = w->mask;
	else if (w->state == PTX_HELD) /* lanes whose guard is false stand there, too */
		lanes = warp_stack_mask(&w->stack);
	return lanes & live & ~ptx_leaving(w);
}

/* ---- coming together ---- */

/* Do all entries below the topmost wait for paths above them, and nobody else? */
static int is_plain(const struct warp_stack *s)
{
	for (uint32_t k = 0; k + 1 < s->depth; k++)
		if (!s->path[k].meets)
			return 0;
	return 1;
}

/*
 * Takes the lanes of b into a, which stand at the same instruction. A reconvergence point at which
 * lanes of a wait is one that lanes of b come to as well, since it lies on every way from there.
 */
static int join(struct warp_stack *a, const struct warp_stack *b)
{
	const uint32_t top = a->depth - 1, end = b->depth - 1;
	uint32_t of[WARP_STACK_MAX], at = 0;

	if (warp_stack_pc(a) != warp_stack_pc(b) || !is_plain(b))
		return 0;
	for (uint32_t k = 0; k < end; k++) {
		while (at < top && !(a->path[at].meets && a->path[at].pc == b->path[k].pc))
			at++;
		if (at == top)
			return 0;
		of[k] = at++;
	}
	for (uint32_t k = 0; k < top; k++)
		if (a->path[k].meets)
			a->mask[k] |= b->mask[end];
	a->mask[top] |= b->mask[end];
	for (uint32_t k = 0; k < end; k++)
		for (uint32_t i = 0; i <= of[k]; i++)
			if (a->path[i].meets)
				a->mask[i] |= b->mask[k];
	return 1;
}

static void drop(struct ptx_strands *a, uint32_t k)
{
	ptx_watch_free(a->v[k].progress.watch);
	a->v[k] = a->v[--a->n];
}

/* Stands it where it could go on, as far as its warp is concerned? */
static int is_open(const struct strand *s)
{
	return s->state == PTX_READY || (s->state == PTX_MEETS && !s->waits);
}

/* The strand at hand, which is saved, takes in those that stand where it stands. */
static void take_in(struct ptx_warp *w)
{
	struct ptx_strands *a = w->apart;

	for (uint32_t k = 0; k < a->n;) {
		struct strand *s = &a->v[a->at], *o = &a->v[k];
		struct warp_stack joined;
		if (k == a->at || !is_open(s) || !is_open(o) ||
			warp_stack_pc(&s->stack) != warp_stack_pc(&o->stack)) {
			k++;
			continue;
		}
		copy_stack(&joined, &s->stack);
		if (!join(&joined, &o->stack)) {
			copy_stack(&joined, &o->stack);
			if (!join(&joined, &s->stack)) {
				k++;
				continue;
			}
		}
		copy_stack(&s->stack, &joined);
		s->state = PTX_READY; /* who stood before a vote asks again whether all are there */
		s->watching = 0;
		if (a->at == a->n - 1)
			a->at = k;
		drop(a, k);
		k = 0;
	}
}

/* ---- who can go on ---- */

static uint32_t in_state(const struct ptx_strands *a, enum ptx_state state)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < a->n; k++)
		n += a->v[k].state == state;
	return n;
}

/* The state of a warp none of whose strands runs. */
static void rest(struct ptx_warp *w)
{
	struct ptx_strands *a = w->apart;

	a->running = 0;
	w->state = in_state(a, PTX_READY)   ? PTX_READY
		   : in_state(a, PTX_SPINS) ? PTX_SPINS
		   : in_state(a, PTX_HELD)  ? PTX_HELD
		   : in_state(a, PTX_MEETS) ? PTX_MEETS
					    : PTX_WAITING;
}

/* Is the phase over that a strand is held for? None of the warp runs. */
static int is_over(struct ptx_warp *w, uint32_t k)
{
	if (w->apart->v[k].state != PTX_HELD)
		return 0;
	load(w, k);
	return ptx_mbarrier_over(w);
}

int ptx_can_go_on(struct ptx_warp *w)
{
	const struct ptx_strands *a = w->apart;
	const uint32_t state = w->state;
	int can = 0;

	if (state != PTX_SPINS && state != PTX_HELD)
		return state == PTX_READY;
	if (!a)
		return state == PTX_HELD ? ptx_mbarrier_over(w)
					 : !ptx_still_spins(w->progress.watch);
	for (uint32_t k = 0; k < a->n && !can; k++)
		can = (a->v[k].state == PTX_SPINS && !ptx_still_spins(a->v[k].progress.watch)) ||
		      is_over(w, k);
	w->state = state;
	return can;
}

/* Strands that wait for words or lanes which are there now can run. */
static void wake(struct ptx_warp *w)
{
	struct ptx_strands *a = w->apart;
	const uint32_t live = ptx_live_lanes(w);
	uint32_t come = 0;

	for (uint32_t k = 0; k < a->n; k++) {
		struct strand *s = &a->v[k];
		if (s->state == PTX_MEETS && s->waits)
			come |= lanes_of(s);
		if (is_over(w, k))
			s->state = PTX_READY;
		if (s->state != PTX_SPINS || a->changes == w->changes ||
			ptx_still_spins(s->progress.watch))
			continue;
		load(w, k);
		w->state = PTX_READY;
		ptx_watch_again(w);
		save(w);
	}
	for (uint32_t k = 0; k < a->n; k++) {
		struct strand *s = &a->v[k];
		if (s->state == PTX_MEETS && !(s->named & live & ~(s->waits ? come : lanes_of(s))))
			s->state = PTX_READY;
	}
	a->changes = w->changes;
}

/* Is a strand before another one, in the order in which they run? */
static int before(const struct ptx_warp *w, const struct strand *s, const struct strand *o)
{
	const struct tr_program *p = w->cta->run->program;
	const uint32_t a = p->blocks[p->insts[warp_stack_pc(&s->stack)].block].rank,
		       b = p->blocks[p->insts[warp_stack_pc(&o->stack)].block].rank;

	if (s->behind != o->behind)
		return o->behind;
	return a != b ? a < b : __builtin_ctz(lanes_of(s)) < __builtin_ctz(lanes_of(o));
}

/* The first strand in a state, or NULL. */
static struct strand *first(const struct ptx_warp *w, enum ptx_state state)
{
	struct ptx_strands *a = w->apart;
	struct strand *best = NULL;

	for (uint32_t k = 0; k < a->n; k++)
		if (a->v[k].state == state && (!best || before(w, &a->v[k], best)))
			best = &a->v[k];
	return best;
}

/* The strand that runs next, or NULL. Once those that are behind are first, they are as others. */
static struct strand *next(struct ptx_warp *w)
{
	struct ptx_strands *a = w->apart;
	struct strand *s = first(w, PTX_READY);

	if (s && s->behind) {
		for (uint32_t k = 0; k < a->n; k++)
			a->v[k].behind = 0;
		s = first(w, PTX_READY);
	}
	return s;
}

int ptx_strands_force(struct ptx_warp *w)
{
	struct strand *s = w->apart ? first(w, PTX_MEETS) : NULL;

	if (!s)
		return 0;
	s->state = PTX_READY;
	s->forced = !s->waits;
	rest(w);
	return 1;
}

int ptx_take_path(struct ptx_warp *w, enum ptx_state state)
{
	const struct strand *s;

	if (!w->apart)
		return w->state == (uint32_t)state;
	s = first(w, state);
	if (s)
		load(w, (uint32_t)(s - w->apart->v));
	return s != NULL;
}

int ptx_strands_fail(struct ptx_warp *w)
{
	if (!ptx_take_path(w, PTX_HELD))
		return 0;
	w->state = PTX_READY;
	w->may_fail = 1;
	if (w->apart) {
		save(w);
		rest(w);
	}
	return 1;
}

void ptx_each_waiting(struct ptx_warp *w, void (*f)(struct ptx_warp *w, void *arg), void *arg)
{
	struct ptx_strands *a = w->apart;
	uint32_t at;

	if (!a) {
		if (w->state == PTX_WAITING)
			f(w, arg);
		return;
	}
	if (a->running)
		save(w);
	at = a->at;
	for (uint32_t k = 0; k < a->n; k++)
		if (a->v[k].state == PTX_WAITING) {
			load(w, k);
			f(w, arg);
			save(w);
		}
	load(w, at);
	if (!a->running)
		rest(w);
}

/* ---- lanes that wait for lanes of their warp ---- */

/* The lanes that the member masks of the lanes that execute it name. */
static uint32_t members(const struct ptx_warp *w, const struct ptx_code *c)
{
	const unsigned k = c->kind == PTX_K_MEET || c->inst->op == PTX_ELECT ? 0 : c->ns - 1u;
	const uint32_t *mask = ptx_source(w, c, k);
	uint32_t named = 0;

	for (uint32_t left = w->mask; left; left &= left - 1)
		named |= mask[__builtin_ctz(left)];
	return named;
}

static int waits_for(struct ptx_warp *w, uint32_t named, uint32_t missing, const struct ptx_code *c)
{
	if (!missing)
		return 0;
	w->state = PTX_MEETS;
	w->named = named;
	w->waits = c;
	return 1;
}

int ptx_gathers(struct ptx_warp *w, const struct ptx_code *c)
{
	const int barrier = c->kind == PTX_K_BARRIER;
	uint32_t named, missing;

	if (!w->mask || (!w->apart && !barrier))
		return 0;
	if (w->forced) {
		w->forced = 0;
		return 0;
	}
	named = barrier ? PTX_ALL_LANES : members(w, c);
	missing = named & ptx_live_lanes(w) & ~w->active;
	return waits_for(w, named, barrier ? missing & ~ptx_leaving(w) : missing, NULL);
}

int ptx_meet(struct ptx_warp *w, const struct ptx_code *c)
{
	const uint32_t named = members(w, c);

	return waits_for(w, named, named & ptx_live_lanes(w) & ~w->mask & ~ptx_leaving(w), c);
}

/* ---- turns ---- */

/* The last strand is all of the warp: its stack is what it was. */
static void unite(struct ptx_warp *w)
{
	load(w, 0);
	free(w->apart->v);
	free(w->apart);
	w->apart = NULL;
	w->forced = 0;
	if (w->state == PTX_MEETS)
		w->state = PTX_READY;
}

/* The path at hand has run, and is held: its other lanes go on. Does the warp run apart now? */
static int let_others_go(struct ptx_warp *w)
{
	const uint32_t lanes = held_lanes(w);
	const uint32_t others = warp_stack_live(&w->stack) & ~lanes & ~ptx_leaving(w);
	int e = 0;

	if (lanes && others && ptx_independent(w->cta->run->kernel))
		e = part(w, lanes);
	return e;
}

/* Runs the strand at hand for a block. 0, or TR_E*. */
static int run_strand(struct ptx_warp *w, uint64_t budget)
{
	struct ptx_strands *a = w->apart;
	int e;

	load(w, a->at);
	a->running = 1;
	e = ptx_warp_run(w, budget);
	if (e)
		return e;
	if (w->state == PTX_DONE) {
		if (a->n == 1)
			return 0;
		ptx_watch_free(w->progress.watch);
		a->v[a->at] = a->v[--a->n];
		load(w, 0);
		a->changes = w->changes - 1; /* lanes have exited: ask all who wait for them */
		return 0;
	}
	e = let_others_go(w);
	if (e)
		return e;
	a->v[a->at].behind = w->yields;
	w->yields = 0;
	save(w);
	take_in(w);
	load(w, a->at);
	return 0;
}

int ptx_warp_turn(struct ptx_warp *w, uint64_t budget)
{
	const struct ptx_run *run = w->cta->run;
	const uint64_t end = run->warp_insts + budget;
	int e;

	if (!w->apart) {
		if (w->state == PTX_SPINS)
			ptx_watch_again(w);
		w->state = PTX_READY;
		e = ptx_warp_run(w, budget);
		if (e || w->state == PTX_DONE)
			return e;
		e = let_others_go(w);
		if (w->apart) {
			w->apart->v[0].behind = w->yields;
			w->apart->v[0].yields = 0;
		}
		w->yields = 0;
		if (e || !w->apart)
			return e;
	}
	w->apart->changes = w->changes - 1; /* other warps have had their turns */
	for (;;) {
		const struct strand *s;
		if (w->state == PTX_DONE)
			return 0;
		wake(w);
		if (w->apart->n == 1) {
			unite(w);
			return w->state == PTX_READY && run->warp_insts < end
				       ? ptx_warp_turn(w, end - run->warp_insts)
				       : 0;
		}
		s = run->warp_insts < end ? next(w) : NULL;
		if (!s) {
			rest(w);
			/* Of its own lanes none can come any more. */
			if (w->state == PTX_MEETS && ptx_strands_force(w))
				continue;
			return 0;
		}
		w->apart->at = (uint32_t)(s - w->apart->v);
		take_in(w);
		e = run_strand(w, end - run->warp_insts);
		if (e)
			return e;
	}
}
