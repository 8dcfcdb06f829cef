/*
 * Replacement in caches of 1, 2, ... ways at one number of sets, all in one go: for each use the
 * fewest ways with which it is a hit. LRU and both forms of optimal replacement have the inclusion
 * property that this takes: a cache of more ways holds what one of fewer does.
 *
 * LRU is the stack of Mattson, Gecsei, Slutz and Traiger (1970), with a hole where a store evicted
 * a line. Optimal replacement is a row of tokens (optimal.h): its first w tokens are the whole
 * state of a cache of w ways. A reuse takes the first token that is early enough; the w at which it
 * stands is the depth. The time that it had is then passed down the row: each later token that is
 * worse to lose swaps with it.
 */
#ifndef SIM_ACCESS_CURVE_H
#define SIM_ACCESS_CURVE_H

#include "sim/access/cache.h"
#include "sim/access/history.h"

enum an_curve_kind { AN_CURVE_LRU, AN_CURVE_OPT, AN_CURVE_OPT_BYPASS };

#define AN_CURVE_WAYS_MAX 32768u

struct an_curve;
/* Ways 1 to g->ways. 1, TR_EMEM, or TR_EUSAGE beyond AN_CURVE_WAYS_MAX. */
int an_curve_new(struct an_curve **c, const struct sim_geometry *g, enum an_curve_kind kind,
	struct tr_err *err);
void an_curve_free(struct an_curve *c);

/* For each of n events in order: depth[i] = the fewest ways, or 0 where even g->ways are too few.
 */
void an_curve_run(struct an_curve *c, const struct an_use *u, size_t n, uint32_t *depth);
void an_curve_flush(struct an_curve *c);

#endif
