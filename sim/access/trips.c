/*
 * The state of a warp's loops is in one of two tables, a young and an old one. When the young one
 * is full it becomes the old one, and the old one is emptied; a warp that is found in the old one
 * moves to the young one. So warps that have ended are forgotten, and memory does not grow with the
 * length of a stream.
 */
#include "sim/access/trips.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY UINT64_MAX /* no warp's key */

struct loop {
	uint64_t entered, began, last_began; /* times */
	uint32_t trip;                       /* at the last access right in the loop */
	uint32_t rounds;                     /* trips begun since then, as inner loops told */
	uint32_t first; /* first load of the trip right in the loop, or TR_NONE */
};

struct warp {
	uint64_t key;
	uint32_t loop; /* innermost one at the last access, or TR_NONE */
	struct loop loops[];
};

struct table {
	char *warps; /* `places` of them, `stride` bytes each */
	uint32_t n;
};

struct an_trips {
	const struct tr_program *p;
	uint32_t warps, places; /* places: a power of two, at least twice `warps` */
	size_t stride, bytes;   /* bytes: of a table */
	struct table young, old;
	struct warp *latest; /* of the last access */
};

struct an_trips *an_trips_new(void)
{
	return calloc(1, sizeof(struct an_trips));
}

void an_trips_free(struct an_trips *t)
{
	if (!t)
		return;
	free(t->young.warps);
	free(t->old.warps);
	free(t);
}

/* ---- warps ---- */

static struct warp *place(const struct an_trips *t, const struct table *in, uint32_t i)
{
	return (struct warp *)(in->warps + i * t->stride);
}

static void empty(const struct an_trips *t, struct table *in)
{
	for (uint32_t i = 0; in->warps && i < t->places; i++)
		place(t, in, i)->key = NOBODY;
	in->n = 0;
}

void an_trips_launch(struct an_trips *t, const struct tr_program *p, uint32_t warps)
{
	const size_t stride = sizeof(struct warp) + p->nloops * sizeof(struct loop);

	if (warps != t->warps || stride != t->stride) {
		free(t->young.warps);
		free(t->old.warps);
		t->young.warps = t->old.warps = NULL;
		for (t->places = 2; t->places < 2 * warps; t->places *= 2)
			;
		t->warps = warps;
		t->stride = stride;
	}
	t->p = p;
	t->latest = NULL;
	empty(t, &t->young);
	empty(t, &t->old);
}

/* The warp's place, or the empty one where it would stand. */
static struct warp *find(const struct an_trips *t, const struct table *in, uint64_t key)
{
	uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & (t->places - 1);
	struct warp *w;

	while ((w = place(t, in, i))->key != key && w->key != NOBODY)
		i = (i + 1) & (t->places - 1);
	return w;
}

static bool make_tables(struct an_trips *t)
{
	t->young.warps = malloc(t->places * t->stride);
	t->old.warps = malloc(t->places * t->stride);
	if (!t->young.warps || !t->old.warps)
		return false;
	empty(t, &t->young);
	empty(t, &t->old);
	return true;
}

static struct warp *warp_of(struct an_trips *t, const struct tr_access *a)
{
	const uint64_t key = (uint64_t)a->cta << 32 | a->warp;
	struct warp *w = t->latest, *before;

	if (w && w->key == key)
		return w;
	if (!t->old.warps && !make_tables(t))
		return NULL;
	w = find(t, &t->young, key);
	if (w->key == NOBODY && t->young.n == t->warps) {
		const struct table old = t->old;

		t->old = t->young;
		t->young = old;
		empty(t, &t->young);
		w = find(t, &t->young, key);
	}
	if (w->key == NOBODY) {
		before = find(t, &t->old, key);
		if (before->key == key) {
			memcpy(w, before, t->stride);
		} else {
			memset(w, 0, t->stride);
			w->key = key;
			w->loop = TR_NONE;
		}
		t->young.n++;
	}
	return t->latest = w;
}

/* ---- loops ---- */

/* The loop as deep as `outer` that `inner` is or lies in; `inner` itself if it is not that deep. */
static uint32_t climb(const struct tr_program *p, uint32_t inner, uint32_t outer)
{
	while (inner != TR_NONE && p->loops[inner].depth > p->loops[outer].depth)
		inner = p->loops[inner].parent;
	return inner;
}

static bool is_within(const struct tr_program *p, uint32_t inner, uint32_t outer)
{
	return climb(p, inner, outer) == outer;
}

static void next_trip(struct loop *l, uint64_t now)
{
	l->last_began = l->began;
	l->began = now;
	l->first = TR_NONE;
}

/*
 * The warp begins loop l, and those around it in which it is not. The first in which it is goes
 * round if it had begun its present trip before the loop in it was entered the last time.
 */
static void enter(const struct tr_program *p, struct warp *w, uint32_t l, uint64_t now)
{
	const struct loop begun = {now, now, now, 0, 0, TR_NONE};
	uint32_t around, last = w->loop;

	while ((around = p->loops[l].parent) != TR_NONE &&
		(last = climb(p, last, around)) != around) {
		w->loops[l] = begun;
		l = around;
	}
	if (around != TR_NONE && w->loops[l].entered >= w->loops[around].began) {
		next_trip(&w->loops[around], now);
		w->loops[around].rounds++;
	}
	w->loops[l] = begun;
}

int an_trips_access(
	struct an_trips *t, const struct tr_access *a, uint64_t now, struct an_trip *trip)
{
	struct warp *w;
	struct loop *l;

	*trip = (struct an_trip){now, now};
	if (!t->p->nloops)
		return 1;
	if (a->loop != TR_NONE && a->loop >= t->p->nloops)
		return TR_EDATA;
	w = warp_of(t, a);
	if (!w)
		return TR_EMEM;
	if (a->loop != TR_NONE) {
		l = &w->loops[a->loop];
		if (!is_within(t->p, w->loop, a->loop) || a->trip < l->trip ||
			(a->trip == l->trip && a->first && a->inst == l->first)) {
			enter(t->p, w, a->loop, now);
		} else if (a->trip > l->trip + l->rounds) {
			next_trip(l, now);
			if (a->trip > l->trip + l->rounds + 1)
				l->last_began = now;
		}
		l->trip = a->trip;
		l->rounds = 0;
		if (l->first == TR_NONE)
			l->first = a->inst;
		*trip = (struct an_trip){l->began, l->last_began};
	}
	w->loop = a->loop;
	return 1;
}
