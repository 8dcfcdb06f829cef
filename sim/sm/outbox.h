/* The requests of an SM's L1s that wait for the interconnect. */
#ifndef SIM_SM_OUTBOX_H
#define SIM_SM_OUTBOX_H

#include "sim/mem/mem.h"

struct sim_outbox {
	uint32_t n, head, size;
	uint32_t room;  /* full with so many requests; the victim of a miss still fits */
	uint32_t rate;  /* accesses that may send one in a cycle; 0: any number */
	uint32_t count; /* requests since the cycle began */
	uint32_t sm;    /* whose requests they are */
	uint64_t *sent; /* counts them */
	struct sim_mem_request *ring;
};

static inline int sim_outbox_room(const struct sim_outbox *o)
{
	return o->n < o->room && (!o->rate || o->count < o->rate);
}

static inline void sim_outbox_put(struct sim_outbox *o, struct sim_mem_request r)
{
	r.sm = o->sm;
	o->ring[(o->head + o->n++) % o->size] = r;
	*o->sent += 1;
	o->count++;
}

static inline struct sim_mem_request sim_outbox_take(struct sim_outbox *o)
{
	const struct sim_mem_request r = o->ring[o->head];

	o->head = (o->head + 1) % o->size;
	o->n--;
	return r;
}

#endif
