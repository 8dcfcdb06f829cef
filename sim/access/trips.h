/*
 * Trips of the loops that the warps of one SM are in, as far as their accesses tell: when the
 * present trip of the innermost loop began, and when the one before it did. From these a line's
 * last use was in this trip, in the last one, or before (thesis 4.1.1, figure 4.3).
 *
 * An access names its innermost loop and the trip there. The trips of the loops around follow: a
 * loop that begins a second time within what was one trip of the loop around it has had that loop
 * go round. A trip begins with the first access in it, so trips without one are not seen, nor
 * is a loop that is left and entered anew if its first access there bears the next trip number.
 */
#ifndef AN_TRIPS_H
#define AN_TRIPS_H

#include "libtrace/access.h"

struct an_trip {
	uint64_t began;      /* time of the trip's first access */
	uint64_t last_began; /* of the trip before; as began where there was none */
};

struct an_trips;

struct an_trips *an_trips_new(void); /* NULL without memory */
void an_trips_free(struct an_trips *t);

/*
 * A launch begins: forgets all warps. At most `warps` of them are on the SM together; one that was
 * silent while as many others appeared may be forgotten, and its loops then begin again. p must
 * live until the next call.
 */
void an_trips_launch(struct an_trips *t, const struct tr_program *p, uint32_t warps);

/*
 * The trip to which an access belongs; outside loops both times are `now`. Times rise from access
 * to access. Of each instruction of the SM one access belongs here, whatever its space. 1, TR_EMEM,
 * or TR_EDATA for a loop that the program does not have.
 */
int an_trips_access(
	struct an_trips *t, const struct tr_access *a, uint64_t now, struct an_trip *trip);

#endif
