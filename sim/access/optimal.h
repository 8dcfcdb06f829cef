/*
 * Optimal replacement, exact and in one pass, without the future. A line is worth keeping from one
 * use to the next, an interval of time; which intervals a cache keeps is a choice of the largest
 * set of them that never has more than `ways` at once, and choosing in the order of their ends is
 * optimal: at a reuse, of the ways that have been free since the use before it, if there are any,
 * take the one that became free last. So the state of a set is one token a way, the time since
 * which that way is free.
 *
 * With bypass a use that is not kept takes no room: `ways` tokens, and a kept interval frees its
 * way at its reuse. Under demand fill each use takes a way while it lasts: `ways` - 1 tokens, the
 * interval lies strictly between its two uses, and a reuse with nothing between them is a hit that
 * takes none. A line that a store evicts ends its interval without a reuse, which costs nothing.
 */
#ifndef SIM_ACCESS_OPTIMAL_H
#define SIM_ACCESS_OPTIMAL_H

#include "sim/access/cache.h"
#include "sim/access/history.h"

struct an_optimal;
/* A bounded cache. 1, or TR_EMEM. */
int an_optimal_new(
	struct an_optimal **o, const struct sim_geometry *g, int bypass, struct tr_err *err);
void an_optimal_free(struct an_optimal *o);

/* For each of n events in order: depth[i] = 1 where it is a hit, else 0. */
void an_optimal_run(struct an_optimal *o, const struct an_use *u, size_t n, uint32_t *depth);

#endif
