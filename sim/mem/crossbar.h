/*
 * Internal: one network of the interconnect, a crossbar of input and output ports. Each port moves
 * one flit a cycle; a packet holds its input and its output from its first flit to its last. The
 * head of an input's queue requests its output, and an output serves the inputs that request it
 * round robin. After its output a packet is on the wires for `latency` cycles; they hold as many
 * flits. Then it waits in the output's queue. Where wires and queue are full the port stops.
 * Neighbours may share a port, as SMs of a cluster do. Each has its queue; the queues of an input
 * port give a packet each in turn, and only the packet whose turn it is requests its output.
 *
 * Leaves out virtual channels, routers and the allocation of less than a packet: the head of a
 * queue blocks all packets after it.
 */
#ifndef SIM_MEM_CROSSBAR_H
#define SIM_MEM_CROSSBAR_H

#include "sim/mem/part.h"

struct sim_xbar_shape {
	uint32_t inputs, outputs;         /* queues */
	uint32_t in_cluster, out_cluster; /* of so many queues each port has */
	uint32_t in_queue, out_queue;     /* packets per queue */
	uint32_t latency;
	uint64_t step;     /* ticks of a cycle */
	uint64_t out_step; /* ticks of a cycle of the part that reads the outputs */
	uint64_t *flits;   /* statistic to count in */
};

struct sim_xbar_in {      /* a port */
	uint64_t free_at; /* cycle */
	uint32_t turn;    /* queue whose head requests its output, or the last one that did */
	uint32_t held;    /* packets of all its queues */
};

struct sim_xbar_out { /* a port */
	uint64_t free_at;
	uint32_t turn; /* input port that goes first */
};

/* A packet began to move: input, output (their queues), and when it will be there in the reader's
 * cycles. */
struct sim_xbar_grant {
	uint32_t in, out;
	uint64_t at;
};

struct sim_xbar {
	struct sim_xbar_shape shape;
	uint32_t in_ports;
	struct sim_ring *in_queue, *out_queue;       /* the latter with their wires */
	struct sim_packet *in_packets, *out_packets; /* by queue */
	struct sim_xbar_in *in;
	struct sim_xbar_out *out;
	struct sim_bits *asks;         /* by output port: input ports whose head requests it */
	struct sim_bits asked;         /* output ports that are requested and not stopped */
	struct sim_xbar_grant *grants; /* of one step, at most one per output port */
	uint64_t next;                 /* cycle in which there may be something to do */
};

/* 1 or TR_EMEM. */
int sim_xbar_new(struct sim_xbar *x, const struct sim_xbar_shape *shape, struct tr_err *err);
void sim_xbar_free(struct sim_xbar *x);

static inline bool sim_xbar_room(const struct sim_xbar *x, uint32_t in)
{
	return x->in_queue[in].n < x->shape.in_queue;
}

/* Where there is room; p->to and p->flits say where to and how long. It may move from `cycle` on.
 */
void sim_xbar_put(struct sim_xbar *x, uint32_t in, const struct sim_packet *p, uint64_t cycle);

/* Grants of this cycle are x->grants; returns their number. */
uint32_t sim_xbar_step(struct sim_xbar *x, uint64_t cycle);

/* First packet of an output, there or still on its way (see at), or NULL. */
static inline const struct sim_packet *sim_xbar_head(const struct sim_xbar *x, uint32_t out)
{
	const struct sim_ring *q = &x->out_queue[out];

	return q->n ? &x->out_packets[(size_t)out * q->size + q->head] : NULL;
}

/* Removes the head; from `cycle` on its entry may be filled. */
void sim_xbar_take(struct sim_xbar *x, uint32_t out, uint64_t cycle);

/* When the first packet after the reader's cycle `now` will be there, or SIM_NEVER. */
static inline uint64_t sim_xbar_arrival(const struct sim_xbar *x, uint32_t out, uint64_t now)
{
	const struct sim_ring *q = &x->out_queue[out];

	return sim_ring_arrival(q, &x->out_packets[(size_t)out * q->size], now);
}

uint64_t sim_xbar_hash(const struct sim_xbar *x, uint64_t h);

#endif
