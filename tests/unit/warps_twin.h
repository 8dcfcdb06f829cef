/*
 * Warps without time against the threads' own walks: a run of a launch with every access noted,
 * and what each thread must have accessed, in which order and in which trip.
 */
#ifndef WARPS_TWIN_H
#define WARPS_TWIN_H

#include "sim/access/summary.h"
#include "sim/access/warps.h"
#include <stdlib.h>
#include <string.h>

/* ---- a run, with every access noted ---- */

struct event {
	struct sim_warp_access a;
	uint64_t address[SIM_WARPS_LANES_MAX];
};

struct run {
	const struct tr_cta *ctas;
	uint32_t nctas, next;
	struct event *events;
	uint32_t n, cap;
	struct sim_warps_totals total;
};

static inline void copy_thread(struct tr_thread *to, const struct tr_thread *from)
{
	to->outcomes = realloc(to->outcomes, from->noutcomes + 1);
	to->values = realloc(to->values, (from->nvalues + 1) * sizeof(*to->values));
	assert_true(to->outcomes && to->values);
	if (from->noutcomes)
		memcpy(to->outcomes, from->outcomes, from->noutcomes);
	if (from->nvalues)
		memcpy(to->values, from->values, from->nvalues * sizeof(*to->values));
	to->noutcomes = from->noutcomes;
	to->nvalues = from->nvalues;
}

static inline int give_cta(void *arg, struct tr_cta *c, struct tr_err *err)
{
	struct run *r = arg;
	const struct tr_cta *from;

	(void)err;
	if (r->next == r->nctas)
		return 0;
	from = &r->ctas[r->next];
	if (from->nthreads > c->cap_threads) {
		c->threads = realloc(c->threads, from->nthreads * sizeof(*c->threads));
		assert_non_null(c->threads);
		memset(c->threads + c->cap_threads, 0,
			(from->nthreads - c->cap_threads) * sizeof(*c->threads));
		c->cap_threads = from->nthreads;
	}
	c->number = r->next++;
	c->nthreads = from->nthreads;
	for (uint32_t t = 0; t < c->nthreads; t++)
		copy_thread(&c->threads[t], &from->threads[t]);
	return 1;
}

static inline int note_access(void *arg, const struct sim_warp_access *a, struct tr_err *err)
{
	struct run *r = arg;
	struct event *e;

	(void)err;
	if (r->n == r->cap) {
		r->cap = 2 * r->cap + 256;
		r->events = realloc(r->events, r->cap * sizeof(*r->events));
		assert_non_null(r->events);
	}
	e = &r->events[r->n++];
	e->a = *a;
	for (uint64_t l = a->lanes; l; l &= l - 1)
		e->address[__builtin_ctzll(l)] = a->address[__builtin_ctzll(l)];
	return 1;
}

/* CTAs of a launch, all of them. */
static inline int run_launch(struct run *r, const struct tr_program *p, const struct tr_launch *l,
	const struct tr_cta *ctas, const struct sim_warps_options *opt, struct tr_err *err)
{
	const uint32_t nctas = (uint32_t)tr_launch_ctas(l);
	const struct sim_warps_link link = {r, give_cta, note_access};
	struct sim_warps *w;
	int rc;

	*r = (struct run){.ctas = ctas, .nctas = nctas};
	assert_int_equal(sim_warps_new(&w, opt, err), 1);
	rc = sim_warps_launch(w, p, l, &link, err);
	r->total = sim_warps_totals(w);
	sim_warps_free(w);
	return rc;
}

/* ---- every thread does what it recorded ---- */

/* The next instruction of a walk that a warp is told of; 0 at its end. */
static inline int next_access(struct tr_walk *w, uint64_t *address)
{
	while (tr_walk_next(w) > 0) {
		const struct tr_inst *in = &w->p->insts[w->inst];

		if (in->bytes && in->space != TR_S_PARAM && w->guard) {
			*address = w->has_value ? w->value : (uint64_t)in->disp;
			return 1;
		}
	}
	return 0;
}

static inline void compare_walks(const struct run *r, const struct tr_program *p, uint32_t size)
{
	const uint32_t threads = r->ctas[0].nthreads;
	struct tr_walk *walks = calloc((size_t)r->nctas * threads, sizeof(*walks));
	uint64_t address = 0;

	assert_non_null(walks);
	for (uint32_t i = 0; i < r->nctas * threads; i++)
		tr_walk_start(&walks[i], p, &r->ctas[i / threads].threads[i % threads]);
	for (uint32_t i = 0; i < r->n; i++) {
		const struct sim_warp_access *a = &r->events[i].a;

		assert_true(a->lanes);
		for (uint64_t l = a->lanes; l; l &= l - 1) {
			const uint32_t lane = (uint32_t)__builtin_ctzll(l);
			const uint32_t thread = a->warp * size + lane;
			struct tr_walk *w = &walks[a->cta * threads + thread];

			assert_true(lane < size && thread < threads);
			assert_true(next_access(w, &address));
			assert_int_equal(w->inst, a->inst);
			assert_int_equal(r->events[i].address[lane], address);
		}
	}
	for (uint32_t i = 0; i < r->nctas * threads; i++)
		assert_false(next_access(&walks[i], &address));
	free(walks);
}

static inline int in_loop(const struct tr_program *p, uint32_t inst, uint32_t loop)
{
	uint32_t l = p->blocks[p->insts[inst].block].loop;

	while (l != TR_NONE && l != loop)
		l = p->loops[l].parent;
	return l == loop;
}

/* Trips along one thread's walk, for warps of one. */
static inline void compare_trips(const struct run *r, const struct tr_program *p)
{
	for (uint32_t c = 0; c < r->nctas; c++)
		for (uint32_t t = 0; t < r->ctas[c].nthreads; t++) {
			uint32_t trip[64] = {0}, before = TR_NONE, i = 0;
			struct tr_walk w;

			tr_walk_start(&w, p, &r->ctas[c].threads[t]);
			while (tr_walk_next(&w) > 0) {
				const struct tr_inst *in = &p->insts[w.inst];
				const uint32_t loop = p->blocks[in->block].loop;

				for (uint32_t l = 0; l < p->nloops; l++)
					if (p->blocks[p->loops[l].header].first == w.inst)
						trip[l] = before != TR_NONE && in_loop(p, before, l)
								  ? trip[l] + 1
								  : 0;
				before = w.inst;
				if (!in->bytes || in->space == TR_S_PARAM || !w.guard)
					continue;
				while (r->events[i].a.cta != c || r->events[i].a.warp != t)
					i++;
				assert_int_equal(r->events[i].a.inst, w.inst);
				assert_int_equal(r->events[i].a.loop, loop);
				assert_int_equal(
					r->events[i].a.trip, loop == TR_NONE ? 0 : trip[loop]);
				i++;
			}
		}
}

static inline void compare_summary(const struct run *r, const struct tr_program *p)
{
	struct an_summary *s = an_summary_new(p);
	struct an_totals t;
	struct tr_err err;

	assert_non_null(s);
	for (uint32_t c = 0; c < r->nctas; c++)
		assert_int_equal(an_summary_cta(s, &r->ctas[c], &err), 1);
	t = an_summary_totals(s);
	assert_int_equal(r->total.warp_insts, t.warp_insts);
	assert_int_equal(r->total.thread_insts, t.thread_insts);
	an_summary_free(s);
}

#endif
