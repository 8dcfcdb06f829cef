/*
 * Every line that an SM has touched has a record. Three caches per SM stand side by side: the
 * unbounded one is the records that are present; the one in question; and its fully associative
 * twin of equal size, a list through the records. Emptying the caches makes an epoch of records
 * void. The work waits for memory more than for anything else, so what the accesses after the
 * present one need is fetched ahead.
 */
#include "sim/access/lines.h"
#include "sim/access/locality.h"
#include "sim/access/policy.h"
#include "sim/access/reuse.h"
#include "sim/access/trips.h"
#include "sim/base/config.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define AHEAD 8 /* accesses: a line's number is found so much before it is counted */
#define SMS_MAX 65536u

/* Half a processor's cache line. */
struct line {
	uint64_t used;              /* time of the owner's last use */
	uint64_t lanes;             /* of the owner, that have used it since it came in: up to 63 */
	uint32_t launch, cta, warp; /* the owner: its miss brought the line in */
	uint32_t state;             /* epoch of its last use, and PRESENT in the unbounded cache */
};
#define PRESENT 1u
#define EPOCH 2u
#define LINE_ALIGN 64

struct place { /* in the twin's list; newer is UNLISTED if it is not there */
	uint32_t newer, older;
};
#define UNLISTED (NONE - 1)

struct sm {
	struct sim_lines numbers; /* of its lines: their places in the arrays that follow */
	struct line *lines;
	struct place *places;                    /* if there is a twin */
	uint64_t (*wide)[TR_LANES_MAX / 64 - 1]; /* lanes from 64 on, if there are any */
	uint32_t nlines, cap;
	struct sim_cache *cache; /* NULL: the unbounded one */
	uint32_t newest, oldest, nlisted;
	struct an_trips *trips;
	struct an_reuse *reuse; /* NULL: not wanted */
};

struct an_locality {
	struct an_locality_options opt;
	const struct tr_program *p;
	uint32_t launch, epoch, nsms, twin_lines;
	uint32_t warps; /* that are on an SM together, at most */
	uint64_t now;
	struct an_trip trip; /* of the instruction whose accesses come */
	struct sm **sms;
	an_distances *distances;
	size_t ndistances, cap_distances;
};

static const char *const class_names[] = {
	[AN_INTRA_THREAD] = "intra_thread",
	[AN_INTRA_WARP] = "intra_warp",
	[AN_INTER_WARP] = "inter_warp",
	[AN_INTER_CTA] = "inter_cta",
	[AN_COLD] = "cold",
	[AN_WRITTEN] = "written",
	[AN_CAPACITY] = "capacity",
	[AN_CONFLICT] = "conflict",
};

const char *an_class_name(enum an_class c)
{
	return class_names[c];
}

const char *an_when_name(enum an_when w)
{
	static const char *const names[] = {"this_trip", "last_trip", "other"};

	return names[w];
}

/* ---- counts ---- */

uint64_t an_hits(const struct an_counts *c)
{
	uint64_t n = 0;

	for (unsigned k = 0; k < AN_NHITS; k++)
		n += c->of[k];
	return n;
}

uint64_t an_misses(const struct an_counts *c)
{
	uint64_t n = 0;

	for (unsigned k = AN_NHITS; k < AN_NCLASSES; k++)
		n += c->of[k];
	return n;
}

void an_counts_add(struct an_counts *sum, const struct an_counts *c)
{
	for (unsigned k = 0; k < AN_NCLASSES; k++)
		sum->of[k] += c->of[k];
	for (unsigned k = 0; k < AN_NWHEN; k++)
		sum->when[k] += c->when[k];
	sum->stores += c->stores;
	sum->atomics += c->atomics;
	sum->absent += c->absent;
}

/* ---- making ---- */

static int no_memory(struct tr_err *err)
{
	return tr_fail(err, TR_EMEM, 0, "no memory for the lines of the caches");
}

int an_locality_new(
	struct an_locality **out, const struct an_locality_options *opt, struct tr_err *err)
{
	struct an_locality *l;

	if (opt->reuse && opt->cache.sets)
		return tr_fail(err, TR_EUSAGE, 0,
			"reuse distances are for all sizes at once: they want an unbounded cache");
	l = calloc(1, sizeof(*l));
	if (!l)
		return no_memory(err);
	l->opt = *opt;
	if (!l->opt.warp_size)
		l->opt.warp_size = TR_LANES_MAX;
	l->epoch = EPOCH;
	if (opt->cache.sets > 1)
		l->twin_lines = opt->cache.sets * opt->cache.ways;
	*out = l;
	return 1;
}

static void free_sm(struct sm *sm)
{
	if (!sm)
		return;
	sim_lines_free(&sm->numbers);
	sim_cache_free(sm->cache);
	an_trips_free(sm->trips);
	an_reuse_free(sm->reuse);
	free(sm->lines);
	free(sm->places);
	free(sm->wide);
	free(sm);
}

void an_locality_free(struct an_locality *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; i < l->nsms; i++)
		free_sm(l->sms[i]);
	free(l->sms);
	free(l->distances);
	free(l);
}

/*
 * Warps that the largest machine keeps on an SM, of CTAs of so many threads. The last warp of a CTA
 * may have fewer threads than the others.
 */
static uint32_t warps_of_sm(uint32_t threads, uint32_t warp_size)
{
	const uint32_t ctas = threads < SIM_THREADS_MAX ? SIM_THREADS_MAX / threads : 1;

	return (ctas < SIM_CTAS_MAX ? ctas : SIM_CTAS_MAX) *
	       ((threads + warp_size - 1) / warp_size);
}

static struct sm *make_sm(const struct an_locality *l, struct tr_err *err)
{
	struct sm *sm = calloc(1, sizeof(*sm));

	if (!sm)
		return NULL;
	sm->newest = sm->oldest = NONE;
	sm->trips = an_trips_new();
	if (l->opt.reuse)
		sm->reuse = an_reuse_new();
	if (!sm->trips || (l->opt.reuse && !sm->reuse) ||
		(l->opt.cache.sets &&
			sim_cache_new(&sm->cache, &l->opt.cache, SIM_LRU, 0, err) < 0)) {
		free_sm(sm);
		return NULL;
	}
	an_trips_launch(sm->trips, l->p, l->warps);
	return sm;
}

static int know_sm(struct an_locality *l, uint32_t number, struct tr_err *err)
{
	if (number >= SMS_MAX)
		return tr_fail(
			err, TR_EDATA, 0, "an access on SM %u, of %u at most", number, SMS_MAX);
	if (number >= l->nsms) {
		struct sm **sms = realloc(l->sms, (number + 1) * sizeof(struct sm *));

		if (!sms)
			return no_memory(err);
		memset(sms + l->nsms, 0, (number + 1 - l->nsms) * sizeof(struct sm *));
		l->sms = sms;
		l->nsms = number + 1;
	}
	if (!l->sms[number] && !(l->sms[number] = make_sm(l, err)))
		return no_memory(err);
	return 1;
}

static void flush(struct sm *sm)
{
	if (sm->cache)
		sim_cache_flush(sm->cache);
	if (sm->reuse)
		an_reuse_clear(sm->reuse);
	sm->newest = sm->oldest = NONE;
	sm->nlisted = 0;
}

void an_locality_launch(
	struct an_locality *l, uint32_t number, uint32_t threads, const struct tr_program *p)
{
	l->launch = number;
	l->warps = warps_of_sm(threads, l->opt.warp_size);
	l->p = p;
	l->epoch += l->opt.flush ? EPOCH : 0;
	for (uint32_t i = 0; i < l->nsms; i++) {
		if (!l->sms[i])
			continue;
		if (l->opt.flush)
			flush(l->sms[i]);
		an_trips_launch(l->sms[i]->trips, p, l->warps);
	}
}

/* ---- the fully associative twin ---- */

static void twin_remove(struct sm *sm, uint32_t at)
{
	struct place *p = &sm->places[at];

	if (p->newer == NONE)
		sm->newest = p->older;
	else
		sm->places[p->newer].older = p->older;
	if (p->older == NONE)
		sm->oldest = p->newer;
	else
		sm->places[p->older].newer = p->newer;
	p->newer = UNLISTED;
	sm->nlisted--;
}

static bool twin_access(struct sm *sm, uint32_t at, uint32_t capacity)
{
	struct place *p = &sm->places[at];
	const bool hit = p->newer != UNLISTED;

	if (hit)
		twin_remove(sm, at);
	else if (sm->nlisted == capacity)
		twin_remove(sm, sm->oldest);
	*p = (struct place){NONE, sm->newest};
	if (sm->newest == NONE)
		sm->oldest = at;
	else
		sm->places[sm->newest].newer = at;
	sm->newest = at;
	sm->nlisted++;
	return hit;
}

/* ---- lines ---- */

static int more_lines(const struct an_locality *l, struct sm *sm)
{
	const uint32_t cap = sm->cap ? 2 * sm->cap : 64;
	struct line *lines =
		sm->cap < NONE / 2 ? aligned_alloc(LINE_ALIGN, cap * sizeof(*lines)) : NULL;

	if (!lines)
		return TR_EMEM;
	if (sm->cap)
		memcpy(lines, sm->lines, sm->cap * sizeof(*lines));
	free(sm->lines);
	sm->lines = lines;
	if (l->twin_lines) {
		struct place *places = realloc(sm->places, cap * sizeof(*places));

		if (!places)
			return TR_EMEM;
		sm->places = places;
	}
	if (l->opt.warp_size > 64) {
		uint64_t(*wide)[TR_LANES_MAX / 64 - 1] = realloc(sm->wide, cap * sizeof(*sm->wide));

		if (!wide)
			return TR_EMEM;
		sm->wide = wide;
	}
	sm->cap = cap;
	return 1;
}

/* The line's number, a new one if it has none, or NONE without memory. */
static uint32_t number_of(const struct an_locality *l, struct sm *sm, uint64_t line)
{
	const size_t before = sm->numbers.n;
	uint64_t *number;

	if (sm->nlines == sm->cap && more_lines(l, sm) < 0)
		return NONE;
	number = sim_lines_put(&sm->numbers, line);
	if (!number)
		return NONE;
	if (sm->numbers.n > before) {
		*number = sm->nlines++;
		sm->lines[*number].state = 0;
	}
	return (uint32_t)*number;
}

static void take_over(
	const struct an_locality *l, struct sm *sm, uint32_t at, const struct tr_access *a)
{
	struct line *ln = &sm->lines[at];

	ln->launch = l->launch;
	ln->cta = a->cta;
	ln->warp = a->warp;
	ln->lanes = a->lanes[0];
	if (sm->wide)
		memcpy(sm->wide[at], a->lanes + 1, sizeof(*sm->wide));
}

/* Have its lanes used the line before? Notes them. */
static bool add_lanes(struct sm *sm, uint32_t at, const struct tr_access *a)
{
	struct line *ln = &sm->lines[at];
	uint64_t again = ln->lanes & a->lanes[0];

	ln->lanes |= a->lanes[0];
	for (unsigned k = 0; sm->wide && k < TR_LANES_MAX / 64 - 1; k++) {
		again |= sm->wide[at][k] & a->lanes[k + 1];
		sm->wide[at][k] |= a->lanes[k + 1];
	}
	return again;
}

static enum an_class class_of_hit(
	const struct an_locality *l, struct sm *sm, uint32_t at, const struct tr_access *a)
{
	const struct line *ln = &sm->lines[at];

	if (ln->cta != a->cta || ln->launch != l->launch)
		return AN_INTER_CTA;
	if (ln->warp != a->warp)
		return AN_INTER_WARP;
	return add_lanes(sm, at, a) ? AN_INTRA_THREAD : AN_INTRA_WARP;
}

static enum an_when when_of(const struct line *ln, const struct an_trip *trip)
{
	if (ln->used >= trip->began)
		return AN_THIS_TRIP;
	return ln->used >= trip->last_began ? AN_LAST_TRIP : AN_OTHER;
}

/* ---- reuse distances ---- */

static int count_distance(struct an_locality *l, uint64_t distance, enum an_class class)
{
	if (distance >= l->cap_distances) {
		const size_t cap = distance < 512 ? 1024 : 2 * distance;
		an_distances *d = realloc(l->distances, cap * sizeof(*d));

		if (!d)
			return TR_EMEM;
		memset(d + l->cap_distances, 0, (cap - l->cap_distances) * sizeof(*d));
		l->distances = d;
		l->cap_distances = cap;
	}
	if (distance >= l->ndistances)
		l->ndistances = distance + 1;
	l->distances[distance][class]++;
	return 1;
}

const an_distances *an_locality_distances(const struct an_locality *l, size_t *n)
{
	*n = l->ndistances;
	return (const an_distances *)l->distances;
}

/* ---- accesses ---- */

static int take_out(const struct an_locality *l, struct sm *sm, uint64_t line, uint32_t at)
{
	if (at == NONE || sm->lines[at].state != (l->epoch | PRESENT))
		return 1;
	sm->lines[at].state = l->epoch;
	if (sm->cache)
		sim_cache_invalidate(sm->cache, line);
	if (l->twin_lines && sm->places[at].newer != UNLISTED)
		twin_remove(sm, at);
	return sm->reuse ? an_reuse_remove(sm->reuse, at) : 1;
}

static int use(struct an_locality *l, struct sm *sm, const struct tr_access *a, uint32_t at,
	struct an_counts *c, struct tr_err *err)
{
	struct line *ln = &sm->lines[at];
	struct sim_cache_answer answer;
	bool had, present, hit, twin_hit = false;
	enum an_class class;
	uint64_t distance;

	had = (ln->state | PRESENT) == (l->epoch | PRESENT);
	hit = present = had && ln->state & PRESENT;
	if (l->twin_lines) {
		if (!had)
			sm->places[at].newer = UNLISTED;
		twin_hit = twin_access(sm, at, l->twin_lines);
	}
	if (sm->cache) {
		if (sim_cache_access(sm->cache, a->line, NULL, &answer, err) < 0)
			return TR_EMEM;
		hit = answer.hit;
	}
	if (hit)
		class = class_of_hit(l, sm, at, a);
	else if (!had)
		class = AN_COLD;
	else if (!present)
		class = AN_WRITTEN;
	else
		class = twin_hit ? AN_CONFLICT : AN_CAPACITY;
	c->of[class]++;
	if (!hit)
		take_over(l, sm, at, a);
	else if (class <= AN_INTRA_WARP && a->loop != TR_NONE)
		c->when[when_of(ln, &l->trip)]++;
	if (!hit || class <= AN_INTRA_WARP)
		ln->used = l->now;
	ln->state = l->epoch | PRESENT;
	if (!sm->reuse)
		return 1;
	if (an_reuse_access(sm->reuse, at, &distance) < 0 ||
		(hit && count_distance(l, distance, class) < 0))
		return no_memory(err);
	return 1;
}

/* Its line's number, or NONE for a line that is not there and need not be. 1 or TR_E*. */
static int look(struct an_locality *l, const struct tr_access *a, uint32_t *at, struct tr_err *err)
{
	const enum sim_l1d act = sim_l1d_of(a, l->opt.write);
	const uint64_t *number;
	struct sm *sm;

	if (a->sm >= l->nsms || !l->sms[a->sm]) {
		const int rc = know_sm(l, a->sm, err);

		if (rc < 0)
			return rc;
	}
	sm = l->sms[a->sm];
	*at = NONE;
	if (act == SIM_L1D_USE) {
		*at = number_of(l, sm, a->line);
		if (*at == NONE)
			return no_memory(err);
	} else if (act == SIM_L1D_EVICT) {
		number = sim_lines_find(&sm->numbers, a->line);
		*at = number ? (uint32_t)*number : NONE;
	}
	if (*at != NONE)
		__builtin_prefetch(&sm->lines[*at], 1);
	if (*at != NONE && l->twin_lines)
		__builtin_prefetch(&sm->places[*at], 1);
	return 1;
}

static int count(struct an_locality *l, const struct tr_access *a, uint32_t at, struct an_counts *c,
	struct tr_err *err)
{
	struct sm *sm = l->sms[a->sm];
	int rc = 1;

	l->now++;
	if (a->first)
		rc = an_trips_access(sm->trips, a, l->now, &l->trip);
	if (rc == TR_EDATA)
		return tr_fail(err, rc, 0, "an access in loop %u, which the kernel does not have",
			a->loop);
	if (rc < 0)
		return no_memory(err);
	switch (sim_l1d_of(a, l->opt.write)) {
	case SIM_L1D_USE:
		return use(l, sm, a, at, c, err);
	case SIM_L1D_KEEP:
		c->stores++;
		return 1;
	case SIM_L1D_EVICT:
		c->stores += a->op == TR_A_WRITE;
		c->atomics += a->op == TR_A_ATOMIC;
		return take_out(l, sm, a->line, at) < 0 ? no_memory(err) : 1;
	default:
		c->absent++;
		return 1;
	}
}

int an_locality_run(struct an_locality *l, const struct tr_access *a, size_t n,
	struct an_counts *counts, const uint32_t *key, struct tr_err *err)
{
	uint32_t at[AHEAD];

	for (size_t i = 0; i < n + AHEAD; i++) {
		const size_t k = i - AHEAD; /* wraps around where there is none yet */
		int rc = 1;

		if (i >= AHEAD)
			rc = count(l, &a[k], at[k % AHEAD], &counts[key ? key[k] : a[k].inst], err);
		if (rc > 0 && i < n)
			rc = look(l, &a[i], &at[i % AHEAD], err);
		if (rc < 0)
			return rc;
		if (i + AHEAD < n && a[i + AHEAD].sm < l->nsms && l->sms[a[i + AHEAD].sm])
			sim_lines_prefetch(&l->sms[a[i + AHEAD].sm]->numbers, a[i + AHEAD].line);
	}
	return 1;
}

int an_locality_access(
	struct an_locality *l, const struct tr_access *a, struct an_counts *c, struct tr_err *err)
{
	uint32_t at;
	const int rc = look(l, a, &at, err);

	return rc < 0 ? rc : count(l, a, at, c, err);
}
