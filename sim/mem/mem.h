/*
 * The memory system below the L1s: a crossbar with its own clock, L2 slices, DRAM channels with
 * FR-FCFS. It takes requests from SMs and returns replies. Every queue in it is bounded; an SM asks
 * for room before it sends. Holds no data.
 */
#ifndef SIM_MEM_MEM_H
#define SIM_MEM_MEM_H

#include "sim/base/config.h"
#include "sim/base/warp.h"
#include "libtrace/trace.h"

enum sim_mem_op { SIM_MEM_READ, SIM_MEM_WRITE, SIM_MEM_ATOMIC };

struct sim_mem_request {
	uint64_t line;    /* address of the line at the L1's line size */
	uint32_t sectors; /* its 32-byte sectors that are meant; at least one */
	uint32_t bytes;   /* in them: a write's or atomic's data, or all that a read wants */
	uint32_t tag;     /* the SM's own; comes back with the reply */
	uint8_t op;       /* enum sim_mem_op */
	uint8_t reply;    /* 1: wanted (reads and atomics with a result), writes have none */
	uint8_t space;    /* enum tr_space, or SIM_MEM_CODE */
	uint32_t sm;
};

#define SIM_MEM_CODE TR_NSPACES /* the space of code: it has statistics of its own */
#define SIM_CODE_BYTES 128      /* a line of it */

/* All sectors of so many bytes, up to 1024. */
static inline uint32_t sim_all_sectors(uint32_t bytes)
{
	return bytes >= 1024 ? UINT32_MAX : (1u << ((bytes + 31) / 32)) - 1;
}

/* Of data; flits and commands of the DRAM are of code, too, and so are stalls and cycles. */
struct sim_mem_stats {
	uint64_t requests, replies, request_flits, reply_flits; /* crossbar */
	uint64_t traffic_bytes; /* that requests write or ask for; an atomic's once */
	uint64_t inject_stalls; /* core cycles, over SMs, after the push that fills a queue, until
				   it has room */
	uint64_t l2_accesses, l2_hits, l2_misses, l2_merges, l2_writebacks, l2_stalls;
	uint64_t l2_reads, l2_read_hits, l2_read_merges; /* loads alone, among the former */
	uint64_t dram_reads, dram_writes, dram_row_hits, dram_activates, dram_precharges;
	uint64_t dram_bytes, dram_write_bytes; /* the latter among the former */
	uint64_t dram_active_cycles; /* channel cycles with a request waiting or in service */
	uint64_t dram_data_cycles;   /* channel cycles in which data moved */
	uint64_t latency_sum;        /* core cycles from push to reply, over replies */
	/* Of code: lines of SIM_CODE_BYTES that were asked for; lines of the L2 and of DRAM. */
	uint64_t code_requests, code_l2_accesses, code_l2_hits, code_dram_reads;
};

/* Can there be such a memory system? 1, or TR_EUSAGE, naming the keys. */
int sim_mem_check(const struct sim_config *c, struct tr_err *err);

struct sim_mem;
int sim_mem_new(struct sim_mem **m, const struct sim_config *c, struct tr_err *err);
void sim_mem_free(struct sim_mem *m);

/* All times are core cycles. Is there room in SM `sm`'s injection queue? Then push may be called.
 */
int sim_mem_room(const struct sim_mem *m, uint32_t sm);
void sim_mem_push(struct sim_mem *m, const struct sim_mem_request *r, uint64_t now);

/*
 * What the host copies between launches comes into the L2, where l2.copies says so, in the order of
 * the copies: of more than four times the L2 the last alone. Takes no time.
 */
void sim_mem_copied(struct sim_mem *m, const struct tr_copy *copies, uint32_t n);

/*
 * A perfect L1D has used sectors of a line, which are in the L2 from then on, as those are that a
 * real one misses: for other caches and atomics. Takes no time, and is no access.
 */
void sim_mem_used(struct sim_mem *m, uint64_t line, uint32_t sectors);

/*
 * Runs everything inside up to and including core cycle `now`. Calls never go back in time. What
 * happened for SMs is then to be taken by sim_mem_reply and sim_mem_room; `woken` (one bit per SM,
 * in 64-bit words) has the bit set of each SM that has a reply or whose full queue has room again;
 * bits are only ever set here, the caller clears them.
 */
void sim_mem_run(struct sim_mem *m, uint64_t now, uint64_t *woken);

/* The next reply for an SM that is there at `now`: 1 and *r, or 0. */
int sim_mem_reply(struct sim_mem *m, uint32_t sm, uint64_t now, struct sim_mem_request *r);

/*
 * The next core cycle after `now` in which sim_mem_run could change anything that an SM sees, never
 * later than that (sooner is allowed); UINT64_MAX when all is idle.
 */
uint64_t sim_mem_next(const struct sim_mem *m, uint64_t now);

/*
 * on: every part steps in each cycle of its clock, asleep or not. All answers stay the same; this
 * is for the tests and for the replay's tick mode.
 */
void sim_mem_tick(struct sim_mem *m, int on);

const struct sim_mem_stats *sim_mem_stats(const struct sim_mem *m);
uint64_t sim_mem_hash(const struct sim_mem *m, uint64_t seed); /* of all state and statistics */

#endif
