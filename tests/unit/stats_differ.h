/* Compares what two replays counted, number by number. */
#ifndef STATS_DIFFER_H
#define STATS_DIFFER_H

#include "sim/sm/stats.h"
#include <string.h>

/* The first counter in which they differ, `but` aside (NULL: none is left out); NULL: none does. */
static inline const char *stats_differ(
	const struct sim_stats *a, const struct sim_stats *b, const char *but)
{
	const struct sim_stat *f;

	for (unsigned i = 0; (f = sim_stats_at(i)); i++)
		if ((!but || strcmp(f->name, but)) &&
			memcmp(sim_stats_numbers(a, f), sim_stats_numbers(b, f),
				f->n * sizeof(uint64_t)))
			return f->name;
	return NULL;
}

#endif
