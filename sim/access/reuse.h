/*
 * Reuse distances: how many entries are above a line in the LRU stack (Mattson et al., 1970) when
 * it is used again. An LRU cache of C lines hits exactly the uses of a distance below C, so one
 * histogram of distances is the miss count of every size.
 *
 * A line that is removed (write-evict) leaves a hole, since a cache fills an invalid way before it
 * evicts. Holes stay where they are in the stack: the next line that comes in closes the topmost
 * one for all caches that are large enough to have it, and a line that moves up past a hole leaves
 * one where it was. So the histogram stays exact for every size under stores, too.
 *
 * Leaves out sets: the cache is fully associative.
 */
#ifndef AN_REUSE_H
#define AN_REUSE_H

#include "libtrace/err.h"

#define AN_NEVER UINT64_MAX /* distance of a line that is not in the stack */

struct an_reuse;

struct an_reuse *an_reuse_new(void); /* NULL without memory */
void an_reuse_free(struct an_reuse *r);

/*
 * Uses a line. Lines are numbers that the caller gives out from 0 on without gaps: memory grows
 * with the largest. *distance: lines and holes above it, or AN_NEVER. Time grows with the logarithm
 * of the lines in the stack. 1 or TR_EMEM.
 */
int an_reuse_access(struct an_reuse *r, uint32_t line, uint64_t *distance);
/* Takes a line out, if it is there. 1 or TR_EMEM. */
int an_reuse_remove(struct an_reuse *r, uint32_t line);
/* Empties the stack. Time grows with the lines used since it was emptied last. */
void an_reuse_clear(struct an_reuse *r);

#endif
