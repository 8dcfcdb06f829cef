/*
 * Clusters of CTAs on the SMs of a GPC: where each CTA is, and the cluster's barrier. That has
 * rounds: a thread arrives in one, and what waits goes on when all threads that have not ended have
 * arrived in the round in which it did (PTX, barrier.cluster). SMs share these structs; all that an
 * SM does to one of another SM's warps takes a cycle at least (dsm.barrier), so the order in which
 * SMs step says nothing.
 */
#ifndef SIM_SM_CLUSTER_H
#define SIM_SM_CLUSTER_H

#include "libtrace/trace.h"

struct sim_cluster {
	uint32_t ctas;     /* 0: the entry is free */
	uint32_t left;     /* CTAs that have not ended */
	uint32_t needs;    /* threads that have not ended, nor stand at an exit */
	uint32_t arrived;  /* of these, in this round */
	uint32_t round;    /* from 0 on */
	uint64_t opens_at; /* the cycle from which those of the round before it go on */
	uint16_t sm[TR_CLUSTER_CTAS_MAX]; /* by rank */
	uint64_t
		age[TR_CLUSTER_CTAS_MAX]; /* of the CTA on its SM, by rank: never that of another */
};

/* The round in which a thread has arrived, plus one; 0: in none. */
static inline uint32_t sim_cluster_stamp(const struct sim_cluster *c)
{
	return c->round + 1;
}

/* May a thread go on that has arrived in the round of this stamp? */
static inline int sim_cluster_open(const struct sim_cluster *c, uint32_t stamp, uint64_t now)
{
	return (int32_t)(c->round - stamp) >= 0 && c->opens_at <= now;
}

#endif
