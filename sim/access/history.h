/*
 * When each line was last used: all that exact optimal replacement has to know of the past, for any
 * number of geometries at once, since none of it depends on a cache. Memory grows with the distinct
 * lines, never with the length of the stream.
 *
 * A line that a store evicts, or that goes when the cache is emptied, cannot be hit at its next use
 * under any policy: the use has no predecessor then.
 */
#ifndef SIM_ACCESS_HISTORY_H
#define SIM_ACCESS_HISTORY_H

#include "sim/access/lines.h"

/* One event at a cache, as the models of replacement take it. */
struct an_use {
	uint64_t line;
	uint64_t now;    /* time of the use, from AN_TIME_FIRST on; 0: the line is evicted */
	uint64_t before; /* time of the line's last use if it may still be there, else 0 */
};

#define AN_TIME_START 1 /* before every use, after "never" */
#define AN_TIME_FIRST 2

enum an_past {           /* what a use finds */
	AN_PAST_NONE,    /* first use since the cache was empty */
	AN_PAST_EVICTED, /* a store has taken the line out since */
	AN_PAST_USED,
};

struct an_history {
	struct sim_lines lines;
	uint64_t now;     /* of the last use */
	uint64_t emptied; /* `now` when the cache was emptied */
};

#define AN_HISTORY_EVICTED (1ull << 63)

static inline void an_history_init(struct an_history *h)
{
	*h = (struct an_history){{NULL, 0, 0, 0, 0}, AN_TIME_START, AN_TIME_START};
}

static inline void an_history_free(struct an_history *h)
{
	sim_lines_free(&h->lines);
}

static inline void an_history_empty(struct an_history *h)
{
	h->emptied = h->now;
}

/* The line is used: fills *u and returns an enum an_past, or -1 without memory. */
static inline int an_history_use(struct an_history *h, uint64_t line, struct an_use *u)
{
	uint64_t *last = sim_lines_put(&h->lines, line);
	uint64_t was;

	if (!last)
		return -1;
	was = *last;
	*last = ++h->now;
	*u = (struct an_use){line, h->now, 0};
	if ((was & ~AN_HISTORY_EVICTED) <= h->emptied)
		return AN_PAST_NONE;
	if (was & AN_HISTORY_EVICTED)
		return AN_PAST_EVICTED;
	u->before = was;
	return AN_PAST_USED;
}

/* The line is evicted: 1 and *u if it may be there, else 0. */
static inline int an_history_evict(struct an_history *h, uint64_t line, struct an_use *u)
{
	uint64_t *last = sim_lines_find(&h->lines, line);

	if (!last || *last & AN_HISTORY_EVICTED)
		return 0;
	*u = (struct an_use){line, 0, *last};
	*last |= AN_HISTORY_EVICTED;
	return 1;
}

#endif
