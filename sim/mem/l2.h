/*
 * Internal: one slice of the L2, between the two crossbars and a DRAM channel. It takes one
 * access of the tags a cycle, in order; a request of a longer line than its own is as many accesses
 * and one reply, when all of them are done. Misses hold an MSHR with room for `merges` waiting
 * reads; the lines that they wait for cannot be evicted. Each reply is `latency` cycles in the
 * slice's pipe, from its hit or its fill on. Of two partitions each has a half of the slices, and
 * is near to a half of the SMs, by their numbers; replies to the others are far_latency longer, in
 * a pipe of their own. With l2.far = misses a line is taken to have a copy in the partition that is
 * near, which costs no room here: hits are never far. With l2.far = first that copy comes with the
 * first read from there, far_latency later, and goes when the line is written; who reads before it
 * has come is as far. Atomics are done in the line's own partition.
 *
 * Write-back, write-allocate. A write of a whole line makes it dirty without a fetch. A write of a
 * part of a line that is not there goes on to DRAM and has the line fetched, which is then clean
 * (GPGPU-Sim 3.x); it waits for nothing. With l2.store_fetch = at-read it makes the line dirty,
 * which is fetched when it is read; which of its bytes were written is not known then. Atomics are
 * done here: they need the line and make it dirty. Without an L2 (absent) every access is a miss
 * that allocates no line and is not merged.
 *
 * A line that the host copies is there at once and clean: neither the copy's own traffic nor the
 * writing back of what goes for it is counted. A line that is in flight then stays as it is.
 *
 * A request that cannot proceed blocks all after it: because there is no MSHR, no room in one, a
 * set all of whose lines are in flight, a full pipe, or less room on the way to DRAM than the worst
 * case may need.
 */
#ifndef SIM_MEM_L2_H
#define SIM_MEM_L2_H

#include "sim/access/cache.h"
#include "sim/mem/crossbar.h"
#include "sim/mem/dram.h"

#define SIM_L2_MISS_QUEUE 4 /* requests on the way to DRAM; GPGPU-Sim 3.x */

struct sim_l2_mshr {
	uint32_t slot;    /* of the line in the cache */
	uint32_t n, done; /* requests that wait, and how many of them have been answered */
	uint32_t next;    /* in the list of free ones */
	bool dirty;       /* the line will be */
};

/* A request that waits for lines. */
struct sim_l2_wait {
	struct sim_packet p;
	uint32_t lines; /* outstanding, and one more while it has accesses to make */
	uint32_t next;  /* in the list of free ones */
};

struct sim_l2_fill {
	uint32_t mshr;
	uint64_t at; /* L2 cycle */
};

struct sim_l2_pipe {
	struct sim_ring ring;
	struct sim_packet *packet; /* at: L2 cycle, later the crossbar's */
};

struct sim_l2 {
	const struct sim_config *config;
	struct sim_mem_stats *stats;
	struct sim_xbar *requests, *replies;
	struct sim_dram *dram;
	uint32_t self; /* slice number: port of both crossbars */
	const struct sim_clocks *clocks;

	struct sim_cache *cache; /* NULL: everything hits, or nothing does */
	uint8_t *locked, *dirty; /* by slot */
	uint64_t *copy_at;       /* by slot: the cycle from which the other partition has a copy */
	uint32_t *mshr_of;       /* by slot, where locked */

	struct sim_l2_mshr *mshrs;
	struct sim_l2_wait *waits;
	uint32_t *waiting;             /* by MSHR: waits */
	uint32_t free_mshr, free_wait; /* or SIM_NONE */
	uint32_t nmshrs, nwaits;       /* so many have been in use: those behind are free, too */

	uint32_t part; /* accesses that the first request has made */
	uint32_t wait; /* its wait, or SIM_NONE */
	bool away;     /* one of them was of a line without a copy in its SM's partition */

	struct sim_ring misses, fills, ready;
	struct sim_dram_request miss[SIM_L2_MISS_QUEUE];
	struct sim_l2_fill *fill;   /* data from DRAM */
	uint32_t *filled;           /* MSHRs whose line is there: ready's */
	struct sim_l2_pipe pipe[2]; /* replies, and those to the other partition */
	uint32_t npipes;

	uint64_t stalled; /* cycle since which the first request waits, or SIM_NEVER */
	uint64_t trail;   /* hash of all accesses: stands for the tags' state */
	uint64_t next;
};

/* The caller has filled the members up to `clocks`. 1 or TR_EMEM. */
int sim_l2_new(struct sim_l2 *l, struct tr_err *err);
void sim_l2_free(struct sim_l2 *l);

/* The cycle that begins at the present tick. */
void sim_l2_step(struct sim_l2 *l);

/* The host copies a line. Takes no time, and is no access. */
void sim_l2_copied(struct sim_l2 *l, uint64_t line);

/* The same of a line that a perfect L1D has used: it keeps its age and what is dirty of it. */
void sim_l2_used(struct sim_l2 *l, uint64_t line);

/* A read's line comes: its data are there in cycle `at`. Calls go forward in time. */
void sim_l2_fill(struct sim_l2 *l, uint32_t mshr, uint64_t at);

static inline void sim_l2_wake(struct sim_l2 *l, uint64_t cycle)
{
	l->next = sim_min(l->next, cycle);
}

/* There is room again towards the replies' crossbar, towards DRAM: seen in `cycle`. */
static inline void sim_l2_reply_room(struct sim_l2 *l, uint64_t cycle)
{
	for (uint32_t k = 0; k < l->npipes; k++)
		if (l->pipe[k].ring.n)
			sim_l2_wake(l, sim_max(cycle, l->pipe[k].packet[l->pipe[k].ring.head].at));
}

static inline void sim_l2_dram_room(struct sim_l2 *l, uint64_t cycle)
{
	if (l->misses.n)
		sim_l2_wake(l, cycle);
}

uint64_t sim_l2_hash(const struct sim_l2 *l, uint64_t h);

#endif
