/*
 * Replacement by one plain cache for each policy and geometry; the optimal ones look into the
 * future of the stream.
 */
#ifndef REPLACE_TWIN_H
#define REPLACE_TWIN_H

#include "sim/access/policy.h"
#include "sim/access/replace.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct twin_stream {
	const struct tr_access *a;
	const uint32_t *launch; /* of each access */
	uint32_t n;
};

/* When the line is used next on the SM; the end where it leaves before. */
static inline uint32_t twin_next_use(const struct twin_stream *s,
	const struct an_replace_options *o, uint32_t sm, uint32_t i, uint64_t line)
{
	const uint32_t end = s->n, launch = s->launch[i];

	for (i++; i < end; i++) {
		const struct tr_access *a = &s->a[i];

		if (o->flush && s->launch[i] != launch)
			return end;
		if (a->sm != sm || a->line != line)
			continue;
		if (sim_l1d_of(a, o->write) == SIM_L1D_USE)
			return i;
		if (sim_l1d_of(a, o->write) == SIM_L1D_EVICT)
			return end;
	}
	return end;
}

struct twin_set {
	uint64_t line[300];
	uint32_t n;
};

static inline uint32_t twin_find(const struct twin_set *s, uint64_t line)
{
	uint32_t k = 0;

	while (k < s->n && s->line[k] != line)
		k++;
	return k;
}

/* A use under optimal replacement: 1 for a hit. */
static inline uint32_t twin_optimal_use(const struct twin_stream *s,
	const struct an_replace_options *o, const struct sim_geometry *g, bool bypass,
	struct twin_set *set, uint32_t i)
{
	const struct tr_access *a = &s->a[i];
	const uint32_t k = twin_find(set, a->line), hit = k < set->n;
	uint32_t farthest = 0;

	if (hit)
		set->line[k] = set->line[--set->n];
	if (set->n == g->ways) {
		for (uint32_t m = 1; m < set->n; m++)
			if (twin_next_use(s, o, a->sm, i, set->line[m]) >
				twin_next_use(s, o, a->sm, i, set->line[farthest]))
				farthest = m;
		if (bypass && twin_next_use(s, o, a->sm, i, a->line) >=
				      twin_next_use(s, o, a->sm, i, set->line[farthest]))
			return hit;
		set->line[farthest] = set->line[--set->n];
	}
	set->line[set->n++] = a->line;
	return hit;
}

/* Hits of one policy and geometry on one SM. */
static inline uint64_t twin_hits(const struct twin_stream *s, const struct an_replace_options *o,
	enum an_policy policy, const struct sim_geometry *g, uint32_t sm)
{
	const bool optimal = g->sets && policy <= AN_OPT_BYPASS;
	struct twin_set *sets = calloc(g->sets + 1, sizeof(*sets));
	struct sim_cache_answer answer;
	struct sim_cache *c;
	uint64_t hits = 0;

	assert_int_equal(sim_cache_new(&c, g,
				 policy == AN_FIFO     ? SIM_FIFO
				 : policy == AN_RANDOM ? SIM_RANDOM
						       : SIM_LRU,
				 o->seed + sm, NULL),
		1);
	for (uint32_t i = 0; i < s->n; i++) {
		const struct tr_access *a = &s->a[i];
		const enum sim_l1d what = sim_l1d_of(a, o->write);
		struct twin_set *set = &sets[sim_set_of(g, a->line)];

		if (o->flush && i && s->launch[i] != s->launch[i - 1]) {
			sim_cache_flush(c);
			memset(sets, 0, (g->sets + 1) * sizeof(*sets));
		}
		if (a->sm != sm || what == SIM_L1D_ABSENT || what == SIM_L1D_KEEP)
			continue;
		if (what == SIM_L1D_EVICT) {
			const uint32_t k = twin_find(set, a->line);

			sim_cache_invalidate(c, a->line);
			if (k < set->n)
				set->line[k] = set->line[--set->n];
		} else if (optimal) {
			hits += twin_optimal_use(s, o, g, policy == AN_OPT_BYPASS, set, i);
		} else {
			sim_cache_access(c, a->line, NULL, &answer, NULL);
			hits += (uint64_t)answer.hit;
		}
	}
	sim_cache_free(c);
	free(sets);
	return hits;
}

#endif
