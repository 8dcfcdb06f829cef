/*
 * The networks over which the SMs of a GPC reach each other's shared memory. Each SM has a port,
 * that moves so many bytes in a cycle out and as many in (dsm.cycle_bytes); what two SMs do not
 * share is between these two alone, as in a crossbar. A request goes out, waits at the port of the
 * SM that it goes to, is served by that SM's memory unit in the order of arrival, and its answer
 * goes the same way back. Holds no data, and knows SMs by their numbers.
 *
 * Left out: how many wires a GPC has. Two pairs of SMs never wait for each other.
 */
#ifndef SIM_MEM_DSM_H
#define SIM_MEM_DSM_H

#include "sim/base/config.h"
#include "sim/base/warp.h"

#define SIM_DSM_SEGMENT 32 /* bytes that go together (Hopper tuning guide) */

enum sim_dsm_kind {
	SIM_DSM_REQUEST,
	SIM_DSM_REPLY,   /* the data of a load, or of an atomic, are there */
	SIM_DSM_DONE,    /* a request without a reply was served */
	SIM_DSM_BARRIER, /* a cluster's barrier has opened */
	SIM_DSM_MBARRIER /* another SM's thread operates on a barrier in this one's shared memory */
};

struct sim_dsm_packet {
	uint64_t sent;      /* the request, into the network */
	uint32_t from, to;  /* SMs: who asked, whose memory it is */
	uint32_t tag;       /* the asking SM's own; comes back */
	uint32_t cycles;    /* of the banks there */
	uint16_t out, back; /* segments of data; back 0: no reply */
	uint8_t kind;       /* enum sim_dsm_kind */
	uint8_t op;         /* of SIM_DSM_MBARRIER: enum tr_mbarrier, */
	uint32_t operand, address;
	uint64_t cta; /* and the age of the CTA there (struct sim_cta) */
};

/* The GPC of an SM: those of tpc SMs side by side go round. */
static inline uint32_t sim_gpc_of(const struct sim_config *c, uint32_t sm)
{
	return sm / c->sm.tpc % c->sm.gpcs;
}

struct sim_dsm;
int sim_dsm_new(struct sim_dsm **d, const struct sim_config *c, struct tr_err *err);
void sim_dsm_free(struct sim_dsm *d);

/* All times are core cycles. May SM `sm` send in cycle `now`? Else: until when its port is taken;
 * SIM_NEVER: it has too many requests under way, and is woken when one is served. */
int sim_dsm_room(const struct sim_dsm *d, uint32_t sm, uint64_t now);
uint64_t sim_dsm_room_at(const struct sim_dsm *d, uint32_t sm);
/* Sends a request: there must be room. 0, or -1 without memory. */
int sim_dsm_send(struct sim_dsm *d, const struct sim_dsm_packet *p, uint64_t now);
/* The request that an SM has to serve next, or NULL; is its port free for the answer? It is served
 * and answered: 0, or -1 without memory. */
const struct sim_dsm_packet *sim_dsm_head(const struct sim_dsm *d, uint32_t sm);
int sim_dsm_may_answer(const struct sim_dsm *d, uint32_t sm, uint64_t now);
int sim_dsm_answer(struct sim_dsm *d, uint32_t sm, uint64_t now);
/* An SM is to hear of a barrier in cycle `at`, which is later than now. 0, or -1. */
int sim_dsm_tell(struct sim_dsm *d, uint32_t sm, uint64_t at);
/* The same of an operation on a barrier in its shared memory, which p has. */
int sim_dsm_operate(struct sim_dsm *d, const struct sim_dsm_packet *p, uint64_t at);

/* Moves everything up to and including cycle `now`, and sets the bits of SMs that something has
 * come for. What that is they take one by one, but for requests, which sim_dsm_head shows. */
int sim_dsm_run(struct sim_dsm *d, uint64_t now, uint64_t *woken);
int sim_dsm_take(struct sim_dsm *d, uint32_t sm, struct sim_dsm_packet *p);
uint32_t sim_dsm_waiting(const struct sim_dsm *d, uint32_t sm); /* requests that it has to serve */

uint64_t sim_dsm_next(const struct sim_dsm *d); /* the next cycle in which something comes */
int sim_dsm_busy(const struct sim_dsm *d);      /* is anything under way? */
uint64_t sim_dsm_hash(const struct sim_dsm *d, uint64_t seed);

#endif
