/*
 * The state of a warp's loops is in one of two tables, a young and an old one. The young one grows
 * until it has room for all warps that are on the SM together. When it is full after that it
 * becomes the old one, and the old one is emptied; a warp that is found in the old one moves to the
 * young one. So warps that have ended are forgotten, and memory does not grow with the length of a
 * stream.
 */
#include "sim/access/trips.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_WARPS 16 /* that a table has room for until it grows */

struct loop {
	uint64_t entered, began, last_began; /* times */
	uint32_t trip;                       /* at the last access right in the loop */
	uint32_t rounds;                     /* trips begun since then, as inner loops told */
	uint32_t first; /* first load of the trip right in the loop, or TR_NONE */
};

struct warp {
	uint64_t key;
	uint32_t known; /* 0: the place is empty */
	uint32_t loop;  /* innermost one at the last access, or TR_NONE */
	struct loop loops[];
};

struct table {
	char *warps; /* `places` of them, `stride` bytes each, or NULL: it is empty */
	uint32_t n;
};

struct an_trips {
	const struct tr_program *p;
	uint32_t most;         /* warps that are on the SM together */
	uint32_t room, places; /* room: warps of a table; places: a power of two, twice that */
	size_t stride;
	struct table young, old;
	struct warp *latest; /* of the last access */
};

struct an_trips *an_trips_new(void)
{
	return calloc(1, sizeof(struct an_trips));
}

/* Freed, not cleared: most of a large table's pages were never touched. */
static void empty(struct table *t)
{
	free(t->warps);
	*t = (struct table){0};
}

void an_trips_free(struct an_trips *t)
{
	if (!t)
		return;
	empty(&t->young);
	empty(&t->old);
	free(t);
}

/* ---- warps ---- */

static struct warp *place(const struct an_trips *t, const struct table *in, uint32_t i)
{
	return (struct warp *)(in->warps + i * t->stride);
}

void an_trips_launch(struct an_trips *t, const struct tr_program *p, uint32_t warps)
{
	empty(&t->young);
	empty(&t->old);
	t->most = warps;
	t->room = warps < FIRST_WARPS ? warps : FIRST_WARPS;
	for (t->places = 2; t->places < 2 * t->room; t->places *= 2)
		;
	t->stride = sizeof(struct warp) + p->nloops * sizeof(struct loop);
	t->p = p;
	t->latest = NULL;
}

/* The warp's place, or the empty one where it would stand. */
static struct warp *find(const struct an_trips *t, const struct table *in, uint64_t key)
{
	uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & (t->places - 1);
	struct warp *w;

	while ((w = place(t, in, i))->known && w->key != key)
		i = (i + 1) & (t->places - 1);
	return w;
}

/* The young table is full, and more warps than are in it can be on the SM. */
static bool grow(struct an_trips *t)
{
	const struct table small = t->young;
	const uint32_t places = t->places;
	const uint32_t room = t->room < t->most / 2 ? 2 * t->room : t->most;

	while (t->places < 2 * room)
		t->places *= 2;
	t->young.warps = calloc(t->places, t->stride);
	if (!t->young.warps) {
		t->young = small;
		t->places = places;
		return false;
	}
	t->room = room;
	for (uint32_t i = 0; i < places; i++) {
		const struct warp *w = place(t, &small, i);

		if (w->known)
			memcpy(find(t, &t->young, w->key), w, t->stride);
	}
	free(small.warps);
	return true;
}

static struct warp *warp_of(struct an_trips *t, const struct tr_access *a)
{
	const uint64_t key = (uint64_t)a->cta << 32 | a->warp;
	struct warp *w = t->latest, *before;

	if (w && w->key == key)
		return w;
	if (t->young.warps && (w = find(t, &t->young, key))->known)
		return t->latest = w;
	t->latest = NULL;
	if (t->young.n == t->room) {
		if (t->room < t->most) {
			if (!grow(t))
				return NULL;
		} else {
			empty(&t->old);
			t->old = t->young;
			t->young = (struct table){0};
		}
	}
	if (!t->young.warps && !(t->young.warps = calloc(t->places, t->stride)))
		return NULL;
	w = find(t, &t->young, key);
	before = t->old.warps ? find(t, &t->old, key) : w;
	if (before->known)
		memcpy(w, before, t->stride);
	else
		*w = (struct warp){.key = key, .known = 1, .loop = TR_NONE};
	t->young.n++;
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
