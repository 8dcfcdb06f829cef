/*
 * Internal: what the parts of the memory system share. Time is counted in ticks of the clocks'
 * least common multiple; a clock's cycle c is at tick c * step. A part keeps its own times in
 * cycles of its own clock and sleeps until its `next`; a part that hands it something makes its
 * `next` no later than the cycle in which that is there.
 *
 * Within a tick the parts run in the order opposite to that of a request's way: replies' crossbar,
 * DRAM, L2, requests' crossbar, and the SMs last. So what one part sends is seen in the receiver's
 * next cycle, and an entry of a queue that becomes free is seen by the sender in the same tick.
 */
#ifndef SIM_MEM_PART_H
#define SIM_MEM_PART_H

#include "sim/mem/mem.h"
#include "sim/base/bits.h"
#include "sim/base/mix.h"
#include <stdbool.h>

#define SIM_NONE UINT32_MAX

struct sim_packet {
	struct sim_mem_request r;
	uint64_t pushed; /* core cycle */
	uint64_t local;  /* address among the bytes of its slice */
	uint64_t at;     /* cycle of the receiver from which on it is there */
	uint32_t to;     /* output port */
	uint32_t flits;
};

/* A ring buffer: the indices of its entries, which are in an array of its user. */
struct sim_ring {
	uint32_t head, n, size;
};

static inline uint32_t sim_ring_at(const struct sim_ring *r, uint32_t i)
{
	const uint32_t k = r->head + i;

	return k < r->size ? k : k - r->size;
}

static inline uint32_t sim_ring_put(struct sim_ring *r)
{
	return sim_ring_at(r, r->n++);
}

static inline uint32_t sim_ring_take(struct sim_ring *r)
{
	const uint32_t k = r->head;

	r->head = sim_ring_at(r, 1);
	r->n--;
	return k;
}

static inline uint64_t sim_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t sim_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t sim_ceil(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

/* Of a packet of so many bytes: one at least. */
static inline uint32_t sim_flits(const struct sim_config *c, uint64_t bytes)
{
	return bytes ? (uint32_t)sim_ceil(bytes, c->icnt.flit_bytes) : 1;
}

/* The bytes of the packets that a request and its reply are. */
static inline uint64_t sim_request_bytes(
	const struct sim_config *c, const struct sim_mem_request *r)
{
	return (uint64_t)c->icnt.header_bytes + (r->op == SIM_MEM_READ ? 0 : r->bytes);
}

static inline uint64_t sim_reply_bytes(const struct sim_config *c, const struct sim_mem_request *r)
{
	return (uint64_t)c->icnt.reply_header_bytes + (r->op == SIM_MEM_WRITE ? 0 : r->bytes);
}

/* A clock at the present tick: the last cycle that has begun. */
struct sim_clock {
	uint64_t step; /* ticks of a cycle */
	uint64_t cycle, began;
};

struct sim_clocks {
	uint64_t tick; /* the present one: what came before is done */
	struct sim_clock core, icnt, l2, dram;
};

/* Most steps are short, and a division is long. */
static inline void sim_clock_set(struct sim_clock *k, uint64_t tick)
{
	if (tick - k->began < k->step)
		return;
	k->cycle = tick - k->began < 2 * k->step ? k->cycle + 1 : tick / k->step;
	k->began = k->cycle * k->step;
}

static inline void sim_clocks_set(struct sim_clocks *k, uint64_t tick)
{
	k->tick = tick;
	sim_clock_set(&k->core, tick);
	sim_clock_set(&k->icnt, tick);
	sim_clock_set(&k->l2, tick);
	sim_clock_set(&k->dram, tick);
}

/* First cycle of a clock at or after the present tick. */
static inline uint64_t sim_cycle_now(const struct sim_clocks *all, const struct sim_clock *k)
{
	return k->cycle + (k->began < all->tick);
}

static inline uint64_t sim_mix_packet(uint64_t h, const struct sim_packet *p)
{
	h = sim_mix(h, p->r.line);
	h = sim_mix(h, (uint64_t)p->r.bytes << 32 | p->r.tag);
	h = sim_mix(h, (uint64_t)p->r.sm << 24 | p->r.op << 16 | p->r.reply << 8 | p->r.space);
	h = sim_mix(h, p->pushed);
	h = sim_mix(h, p->local);
	h = sim_mix(h, p->at);
	return sim_mix(h, (uint64_t)p->to << 32 | p->flits);
}

static inline uint64_t sim_mix_ring(
	uint64_t h, const struct sim_ring *q, const struct sim_packet *p)
{
	for (uint32_t i = 0; i < q->n; i++)
		h = sim_mix_packet(h, &p[sim_ring_at(q, i)]);
	return sim_mix(h, q->n);
}

/* When the first packet of a ring after cycle `now` will be there, or SIM_NEVER. */
static inline uint64_t sim_ring_arrival(
	const struct sim_ring *q, const struct sim_packet *p, uint64_t now)
{
	for (uint32_t i = 0; i < q->n; i++)
		if (p[sim_ring_at(q, i)].at > now)
			return p[sim_ring_at(q, i)].at;
	return SIM_NEVER;
}

#endif
