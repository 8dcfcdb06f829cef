/*
 * All associativities at once; see curve.h. Both kinds of rows stand in the order of time, the
 * newest last, so that the past is found by binary search.
 */
#include "sim/access/curve.h"
#include <stdlib.h>
#include <string.h>

struct an_curve {
	struct sim_geometry g;
	enum an_curve_kind kind;
	uint32_t width; /* times a set: a line or token each */
	uint64_t *time; /* never decreasing; under LRU twice the time, and 1 for a hole */
	uint16_t *row;  /* of tokens: see opt_use */
	uint16_t *hole; /* per set, of lines: places up to the newest hole, 0 if there is none */
	uint64_t *last; /* per set: time of its last use */
	uint8_t *begun; /* per set: its rows are filled in; memory is that of what is touched */
};

/* How many of the n times are <= t. */
static uint32_t count_until(const uint64_t *time, uint32_t n, uint64_t t)
{
	const uint64_t *from = time;

	for (; n > 1; n -= n / 2)
		from += from[n / 2 - 1] <= t ? n / 2 : 0;
	return (uint32_t)(from - time) + (n && *from <= t);
}

/* Takes a time out of the row and puts a new one at its end. */
static void renew(uint64_t *time, uint32_t width, uint32_t at, uint64_t now)
{
	memmove(time + at, time + at + 1, (width - 1 - at) * sizeof(*time));
	time[width - 1] = now;
}

/* ---- LRU ---- */

/* Places up to that of the line, 0 if it is not there. */
static uint32_t lru_find(const uint64_t *time, uint32_t width, uint64_t before)
{
	const uint32_t n = before ? count_until(time, width, 2 * before) : 0;

	return n && time[n - 1] == 2 * before ? n : 0;
}

static void lru_evict(uint64_t *time, uint16_t *hole, uint32_t width, uint64_t before)
{
	const uint32_t n = lru_find(time, width, before);

	if (!n)
		return;
	time[n - 1] |= 1;
	*hole = n > *hole ? (uint16_t)n : *hole;
}

/*
 * The line comes to the front. Caches of few ways, which miss, fill their hole if they have one;
 * the others, which hit, keep theirs, and in the stack it moves to where the line stood. A stack
 * that is not full has holes at its end.
 */
static uint32_t lru_use(
	uint64_t *time, uint16_t *hole, uint32_t width, uint64_t before, uint64_t now)
{
	const uint32_t n = lru_find(time, width, before);

	if (n >= *hole) {
		renew(time, width, n ? n - 1 : 0, 2 * now);
	} else {
		if (n)
			time[n - 1] |= 1;
		renew(time, width, *hole - 1u, 2 * now);
		do
			--*hole;
		while (*hole && !(time[*hole - 1] & 1));
	}
	return n ? width - n + 1 : 0;
}

/* ---- optimal ---- */

/*
 * Each token has the fewest tokens of a row that it is among. From the latest one that suits, going
 * back in time, whichever comes first in the rows gives its time to those after: one pass of a
 * bubble sort, which may end at the first row.
 */
static uint32_t opt_use(
	uint64_t *time, uint16_t *row, uint32_t width, uint64_t before, uint64_t freed)
{
	const uint32_t n = before ? count_until(time, width, before) : 0;
	uint16_t first;

	if (!n)
		return 0;
	first = row[n - 1];
	for (uint32_t i = n - 1; first > 1 && i-- > 0;) {
		const uint16_t other = row[i];

		row[i] = other > first ? other : first;
		first = other > first ? first : other;
	}
	renew(time, width, n - 1, freed);
	memmove(row + n - 1, row + n, (width - n) * sizeof(*row));
	row[width - 1] = first;
	return first;
}

/* ---- both ---- */

static void empty_stack(struct an_curve *c, uint32_t set)
{
	for (uint32_t i = 0; i < c->width; i++)
		c->time[(size_t)set * c->width + i] = 1;
	c->hole[set] = (uint16_t)c->width;
	c->begun[set] = 1;
}

static void free_tokens(struct an_curve *c, uint32_t set)
{
	const size_t at = (size_t)set * c->width;

	for (uint32_t i = 0; i < c->width; i++) {
		c->time[at + i] = AN_TIME_START;
		c->row[at + i] = (uint16_t)(c->width - i);
	}
	c->begun[set] = 1;
}

static void run_lru(struct an_curve *c, const struct an_use *u, size_t n, uint32_t *depth)
{
	for (size_t i = 0; i < n; i++) {
		const uint32_t set = sim_set_of(&c->g, u[i].line);
		uint64_t *time = c->time + (size_t)set * c->width;

		if (!c->begun[set])
			empty_stack(c, set);
		depth[i] = 0;
		if (u[i].now)
			depth[i] = lru_use(time, &c->hole[set], c->width, u[i].before, u[i].now);
		else
			lru_evict(time, &c->hole[set], c->width, u[i].before);
	}
}

static void run_optimal(struct an_curve *c, const struct an_use *u, size_t n, uint32_t *depth)
{
	const uint32_t filled = c->kind == AN_CURVE_OPT; /* ways that have no token */

	for (size_t i = 0; i < n; i++) {
		const uint32_t set = sim_set_of(&c->g, u[i].line);
		const size_t at = (size_t)set * c->width;
		const uint64_t last = c->last[set];

		depth[i] = 0;
		if (!u[i].now)
			continue;
		if (!c->begun[set])
			free_tokens(c, set);
		c->last[set] = u[i].now;
		if (filled && u[i].before && u[i].before == last)
			depth[i] = 1;
		else if ((depth[i] = opt_use(c->time + at, c->row + at, c->width, u[i].before,
				  filled ? last : u[i].now)))
			depth[i] += filled;
	}
}

void an_curve_run(struct an_curve *c, const struct an_use *u, size_t n, uint32_t *depth)
{
	if (c->kind == AN_CURVE_LRU)
		run_lru(c, u, n, depth);
	else
		run_optimal(c, u, n, depth);
}

void an_curve_flush(struct an_curve *c)
{
	for (uint32_t s = 0; c->kind == AN_CURVE_LRU && s < c->g.sets; s++)
		if (c->begun[s])
			c->begun[s] = 0;
}

int an_curve_new(struct an_curve **out, const struct sim_geometry *g, enum an_curve_kind kind,
	struct tr_err *err)
{
	const size_t n = (size_t)g->sets * g->ways;
	struct an_curve *c;

	if (g->ways > AN_CURVE_WAYS_MAX)
		return tr_fail(err, TR_EUSAGE, 0, "a curve of %u ways, more than %u", g->ways,
			AN_CURVE_WAYS_MAX);
	c = calloc(1, sizeof(*c));
	if (c) {
		c->g = *g;
		c->kind = kind;
		c->width = g->ways - (kind == AN_CURVE_OPT);
		c->time = calloc(n, sizeof(*c->time));
		c->row = calloc(kind == AN_CURVE_LRU ? 1 : n, sizeof(*c->row));
		c->hole = calloc(g->sets, sizeof(*c->hole));
		c->last = calloc(g->sets, sizeof(*c->last));
		c->begun = calloc(g->sets, sizeof(*c->begun));
	}
	if (!c || !c->time || !c->row || !c->hole || !c->last || !c->begun) {
		an_curve_free(c);
		return tr_fail(err, TR_EMEM, 0, "no memory for a miss curve");
	}
	*out = c;
	return 1;
}

void an_curve_free(struct an_curve *c)
{
	if (!c)
		return;
	free(c->time);
	free(c->row);
	free(c->hole);
	free(c->last);
	free(c->begun);
	free(c);
}
