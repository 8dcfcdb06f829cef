/*
 * The allocations of a launch by address: which of them a line of a cache belongs to.
 */
#ifndef TOOLS_PLACES_H
#define TOOLS_PLACES_H

#include "libtrace/trace.h"

struct places {
	struct place {
		uint64_t base, end; /* end: the byte behind */
		uint32_t number;    /* in the launch's list */
	} * at;                     /* by base */
	uint32_t n, last;           /* last: what was found last, which is asked first */
};
#define NO_PLACE UINT32_MAX

/* Of l, in place of what p had; p begins as zeros. */
void places_start(struct places *p, const struct tr_launch *l);

/*
 * The number of the allocation with the first byte of a line, or of the next one if that begins in
 * the line; otherwise NO_PLACE.
 */
uint32_t places_find(struct places *p, uint64_t line, uint32_t line_bytes);

void places_free(struct places *p);

#endif
