/*
 * Internal: one network of the interconnect, a crossbar of input and output ports. Each port moves
 * one flit a cycle; a packet holds its input and its output from its first flit to its last. The
 * head of an input's queue requests its output, and an output serves the inputs that request it
 * round robin. After its output a packet is on the wires for `latency` cycles; they hold as many
 * flits. Then it waits in the output's queue. Where wires and queue are full the port stops.
 *
 * Leaves out virtual channels, routers and the allocation of less than a packet: the head of a
 * queue blocks all packets after it.
 */
#ifndef SIM_MEM_CROSSBAR_H
#define SIM_MEM_CROSSBAR_H

#include "sim/mem/part.h"

struct sim_xbar_shape {
	uint32_t inputs, outputs;
	uint32_t in_queue, out_queue; /* packets per port */
	uint32_t latency;
	uint64_t step;     /* ticks of a cycle */
	uint64_t out_step; /* ticks of a cycle of the part that reads the outputs */
	uint64_t *flits;   /* statistic to count in */
};

struct sim_xbar_in {
	struct sim_ring queue;
	uint64_t free_at; /* cycle */
};

struct sim_xbar_out {
	struct sim_ring queue; /* and wires */
	uint64_t free_at;
	uint32_t turn; /* input that goes first */
};

/* A packet began to move: input, output, and when it will be there in the reader's cycles. */
struct sim_xbar_grant {
	uint32_t in, out;
	uint64_t at;
};

struct sim_xbar {
	struct sim_xbar_shape shape;
	struct sim_xbar_in *in;
	struct sim_xbar_out *out;
	struct sim_packet *in_packets, *out_packets; /* by port */
	struct sim_bits *asks;                       /* by output: inputs whose head requests it */
	struct sim_bits asked;         /* outputs that are requested and not stopped */
	struct sim_xbar_grant *grants; /* of one step, at most one per output */
	uint64_t next;                 /* cycle in which there may be something to do */
};

/* 1 or TR_EMEM. */
int sim_xbar_new(struct sim_xbar *x, const struct sim_xbar_shape *shape, struct tr_err *err);
void sim_xbar_free(struct sim_xbar *x);

static inline bool sim_xbar_room(const struct sim_xbar *x, uint32_t in)
{
	return x->in[in].queue.n < x->shape.in_queue;
}

/* Where there is room; p->to and p->flits say where to and how long. It may move from `cycle` on.
 */
void sim_xbar_put(struct sim_xbar *x, uint32_t in, const struct sim_packet *p, uint64_t cycle);

/* Grants of this cycle are x->grants; returns their number. */
uint32_t sim_xbar_step(struct sim_xbar *x, uint64_t cycle);

/* First packet of an output, there or still on its way (see at), or NULL. */
static inline const struct sim_packet *sim_xbar_head(const struct sim_xbar *x, uint32_t out)
{
	const struct sim_ring *q = &x->out[out].queue;

	return q->n ? &x->out_packets[(size_t)out * q->size + q->head] : NULL;
}

/* Removes the head; from `cycle` on its entry may be filled. */
void sim_xbar_take(struct sim_xbar *x, uint32_t out, uint64_t cycle);

/* When the first packet after the reader's cycle `now` will be there, or SIM_NEVER. */
static inline uint64_t sim_xbar_arrival(const struct sim_xbar *x, uint32_t out, uint64_t now)
{
	const struct sim_ring *q = &x->out[out].queue;

	return sim_ring_arrival(q, &x->out_packets[(size_t)out * q->size], now);
}

uint64_t sim_xbar_hash(const struct sim_xbar *x, uint64_t h);

#endif
