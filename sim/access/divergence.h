/*
 * Memory divergence of static loads (Rogers, thesis, 4.1.2, figure 4.4): how many accesses each
 * execution by a warp made, against how many of its lanes were active.
 *
 * One execution is converged if it makes one or two accesses, completely diverged if it makes as
 * many as it has active lanes, and somewhat diverged in between. Of a static load the thesis says
 * "consistently" and "almost always"; here a load is called one or the other if at least nine in
 * ten of its executions are. Executions with one or two active lanes would fit both names, so they
 * do not count; a load that has no others is converged.
 */
#ifndef AN_DIVERGENCE_H
#define AN_DIVERGENCE_H

#include "libtrace/access.h"

enum an_divergence_kind { AN_CONVERGED, AN_SOMEWHAT_DIVERGED, AN_COMPLETELY_DIVERGED };

const char *an_divergence_name(enum an_divergence_kind k); /* "converged", ... */

/* Executions of one static load by active lanes and accesses. All zero to begin with. */
struct an_divergence {
	struct an_divergence_row {
		uint64_t *count; /* by accesses, 0 ... n - 1 */
		uint32_t n;
	} by_active[TR_LANES_MAX + 1];
};

/* One more execution, with so many active lanes (up to TR_LANES_MAX) and accesses. 1 or TR_EMEM. */
int an_divergence_add(struct an_divergence *d, uint32_t active, uint32_t requests);
enum an_divergence_kind an_divergence_verdict(const struct an_divergence *d);
void an_divergence_free(struct an_divergence *d); /* what it holds */

#endif
