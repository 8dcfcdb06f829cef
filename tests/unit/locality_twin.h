/* Locality classes by plain lists of lines, for one SM. */
#ifndef LOCALITY_TWIN_H
#define LOCALITY_TWIN_H

#include "sim/access/locality.h"
#include "sim/access/policy.h"
#include <stdbool.h>
#include <string.h>

#define TWIN_LINES 512
#define TWIN_SETS 16

struct twin_cache { /* lines of one set, the latest first */
	uint64_t line[TWIN_LINES];
	uint32_t n;
};

struct twin_sm {
	uint64_t line[TWIN_LINES]; /* by number, in the order of first touches */
	uint32_t n;
	bool had[TWIN_LINES];
	struct twin_cache sets[TWIN_SETS], full, unbounded;
	struct {
		uint32_t launch, cta, warp;
		uint64_t lanes;
	} owner[TWIN_LINES];
};

static inline bool twin_take(struct twin_cache *c, uint64_t line)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->line[i] == line) {
			memmove(c->line + i, c->line + i + 1, (--c->n - i) * sizeof(c->line[0]));
			return true;
		}
	return false;
}

static inline bool twin_use(struct twin_cache *c, uint64_t line, uint32_t ways)
{
	const bool hit = twin_take(c, line);

	c->n -= c->n == ways;
	memmove(c->line + 1, c->line, c->n++ * sizeof(c->line[0]));
	c->line[0] = line;
	return hit;
}

static inline uint32_t twin_number(struct twin_sm *sm, uint64_t line)
{
	uint32_t i = 0;

	while (i < sm->n && sm->line[i] != line)
		i++;
	if (i == sm->n)
		sm->line[sm->n++] = line;
	assert_true(sm->n <= TWIN_LINES);
	return i;
}

/* The class of an access, or AN_NCLASSES of what is none of the L1D; sm begins as all zero. */
static inline unsigned twin_class(struct twin_sm *sm, const struct sim_geometry *g, uint32_t launch,
	const struct tr_access *a, uint32_t write)
{
	const uint32_t at = twin_number(sm, a->line);
	struct twin_cache *set = &sm->sets[g->sets ? sim_set_of(g, a->line) : 0];
	const bool had = sm->had[at];
	bool hit, ever, full, ours;

	if (sim_l1d_of(a, write) == SIM_L1D_ABSENT || sim_l1d_of(a, write) == SIM_L1D_KEEP)
		return AN_NCLASSES;
	if (sim_l1d_of(a, write) == SIM_L1D_EVICT) {
		twin_take(set, a->line);
		twin_take(&sm->full, a->line);
		twin_take(&sm->unbounded, a->line);
		return AN_NCLASSES;
	}
	ever = twin_use(&sm->unbounded, a->line, TWIN_LINES);
	full = g->sets && twin_use(&sm->full, a->line, g->sets * g->ways);
	hit = g->sets ? twin_use(set, a->line, g->ways) : ever;
	sm->had[at] = true;
	ours = sm->owner[at].launch == launch && sm->owner[at].cta == a->cta;
	if (!hit) {
		sm->owner[at].launch = launch;
		sm->owner[at].cta = a->cta;
		sm->owner[at].warp = a->warp;
		sm->owner[at].lanes = a->lanes[0];
		return !had ? AN_COLD : !ever ? AN_WRITTEN : full ? AN_CONFLICT : AN_CAPACITY;
	}
	if (!ours)
		return AN_INTER_CTA;
	if (sm->owner[at].warp != a->warp)
		return AN_INTER_WARP;
	ours = sm->owner[at].lanes & a->lanes[0];
	sm->owner[at].lanes |= a->lanes[0];
	return ours ? AN_INTRA_THREAD : AN_INTRA_WARP;
}

#endif
