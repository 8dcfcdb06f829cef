/*
 * The memory unit of an SM: takes one memory instruction after the other, makes transactions of its
 * lanes, and completes one access of an L1, or one cycle of shared memory's banks, in each step. It
 * calls no other part of the SM: the core hands instructions in, and fetches the results: accesses
 * of the L1D with their answers, and loads whose data are there.
 */
#ifndef SIM_SM_LSU_H
#define SIM_SM_LSU_H

#include "sim/base/program.h"
#include "sim/base/warp.h"
#include "sim/mem/dsm.h"
#include "sim/sm/l1.h"
#include "sim/sm/once.h"
#include "sim/sm/wheel.h"

/* Warps, mostly one, that issue an instruction as one wide warp: their lanes side by side. */
struct sim_wide {
	uint32_t n, width; /* warps, lanes of each */
	uint16_t warp[SIM_WIDE_WARPS];
};

/* A memory instruction in flight, whose warp waits for its data. */
#define SIM_NO_GROUP UINT32_MAX
struct sim_load {
	uint64_t life; /* of its warp: a warp that took the slot since does not wait for it */
	uint64_t done; /* latest answer so far */
	uint32_t warp; /* SIM_NO_WARP: the entry is free */
	uint32_t inst;
	uint32_t left;   /* answers to come */
	uint32_t next;   /* in a list: of free entries, or of the warps that wait for one load */
	uint32_t first;  /* of that list: the entry whose `left` and `done` count */
	uint32_t group;  /* of copies, or SIM_NO_GROUP */
	uint32_t mark;   /* of the arrival that waits for it (mbarrier.c), or 0 */
	uint32_t slices; /* on a sliced SM: those whose data are there; `warp` is then a member */
	/* Of a copy that is whole: cycles of the banks that its data still want, and who comes
	 * after it of those that write; then it is done. */
	uint32_t writes, behind;
	uint8_t told; /* its store has said where they go, or it is too late for that */
};

/*
 * On a sliced SM one access serves all slices that issue in a cycle, and each slice goes on when
 * its own data are there. Warps split and join meanwhile, so it is the members that wait, not
 * warps.
 */
struct sim_shares {
	uint64_t life[SIM_SLICES]; /* of the member */
	uint64_t done[SIM_SLICES]; /* latest answer so far */
	uint32_t member[SIM_SLICES], inst[SIM_SLICES];
	uint32_t left[SIM_SLICES]; /* answers to come */
	uint32_t waiting;          /* slices whose data have not been reported */
};

/* Where an instruction comes from, for the access stream. */
struct sim_origin {
	uint32_t cta, warp; /* number of the CTA; of the widest warp that its threads are in */
	uint32_t loop, trip;
	uint64_t warp_insts, thread_insts;
};

/* What a job wants of the shared memory of another SM. */
struct sim_remote {
	uint32_t sm, cycles, lanes; /* cycles: of the banks there */
	uint32_t slices;            /* on a sliced SM: with lanes that go there */
	uint16_t out, back;         /* segments of data */
};

/* A memory instruction in the memory unit. */
struct sim_job {
	struct sim_transaction *tx; /* as many as the widest warp can make */
	uint32_t n, at;
	struct sim_remote *far; /* one for each SM that it goes to */
	uint32_t nfar, far_at;
	uint32_t load;                /* or SIM_NO_LOAD */
	uint32_t inst, active, width; /* width: lanes of each of its warps */
	uint8_t unit, space;          /* space: of the transactions */
	uint8_t is_load, is_store, has_result, begun;
	uint8_t seen;     /* an access of it is, or was, among sim_lsu.seen */
	uint8_t reads;    /* its warps wait until its sources have been read */
	uint8_t cached;   /* enum sim_cached */
	uint32_t global;  /* transactions of global memory: those before any of local memory */
	uint32_t past;    /* the first so many take no line of the L1D */
	uint32_t cycles;  /* of shared memory, left */
	uint32_t moves;   /* of a load from banks of the L1D: what it takes of sim_lsu.rate; or 0 */
	uint64_t data_at; /* and the cycle in which its last word is read */
	uint32_t shared;  /* on a sliced SM: slices with lanes in shared memory */
	uint32_t slice_inst[SIM_SLICES];
	struct sim_origin from;
	uint16_t thread[TR_LANES_MAX]; /* as the warps were when it issued */
	uint16_t warp[SIM_WIDE_WARPS]; /* of the wide warp */
	uint64_t age[SIM_WIDE_WARPS];
	/* Of a job that `reads`, its warps: their number, and sim_warp.life of each. */
	uint32_t nwarps;
	uint64_t life[SIM_WIDE_WARPS];
};

/* An access of the L1D with its answer; a store or an atomic has no answer. */
struct sim_seen {
	const struct sim_job *job;
	uint32_t at;   /* index of its transaction in the job */
	uint32_t inst; /* instruction of that transaction */
	uint64_t line;
	uint8_t op;      /* enum tr_access_op */
	uint8_t removed; /* there is no answer, and the line is no longer in the L1D, unless stores
			    keep it */
	uint8_t first;   /* of its job's that are seen */
	uint32_t warp, member;
	uint64_t age; /* of the member */
	struct sim_l1_answer answer;
	uint32_t owner; /* of the line */
	uint64_t owner_age;
};

/* An access of another SM's shared memory, as it goes out. */
struct sim_far_seen {
	uint32_t warp, inst, to;
};

struct sim_lsu_shape {
	const struct sim_config *config;
	struct sim_mem *mem;
	struct sim_dsm *dsm;     /* to other SMs' shared memory; NULL: there is no way */
	struct sim_stats *stats; /* of the launch that runs */
	uint32_t sm;             /* its number */
	uint32_t lanes;          /* of the widest instruction */
	uint32_t slice;          /* lanes of a slice; 0: the SM has none */
	uint32_t member;         /* thread slots of a member; 0: a member is a warp slot */
	const uint64_t *member_age;
	uint8_t paced;  /* jobs, bytes or words have a rate: sm.lsu_interval, l1d.cycle_bytes,
			   l1d.banks */
	uint8_t seen;   /* accesses of the L1D are to be listed in sim_lsu.seen */
	uint8_t missed; /* loads that miss are to be listed in sim_lsu.missed */
	uint8_t once; /* accesses of a CTA's threads are made once (once.h); warps of one thread */
};

/* What every cycle touches stands first, for the processor's cache. */
struct sim_lsu {
	struct sim_job *jobs; /* a ring */
	uint32_t njobs, head, size;
	/* Several warps wait for the load that was reported last: the entry of the next of them;
	 * SIM_NO_LOAD: none. */
	uint32_t chain;
	uint32_t nseen, nmissed, nbegun, nfar_seen;
	uint32_t serves;                /* requests of other SMs that wait to be served here */
	uint32_t writing, last_writing; /* copies whose data write shared memory, a list; or
					   SIM_NO_LOAD */
	enum sim_cycle stall;           /* why the job at the head does not move */
	int failed;                     /* without memory */
	uint64_t events; /* rises with whatever happens: stays the same during a sleep */
	struct sim_outbox out;
	struct sim_wheel finish; /* loads */
	struct sim_lsu_shape is;
	struct sim_load *loads;
	struct sim_shares *shares; /* of a sliced SM: by load */
	uint32_t nloads, cap_loads, free_load, live_loads;
	struct sim_l1 l1d, constant, texture;
	uint32_t l1d_ways;                    /* in this launch */
	struct sim_transaction *transactions; /* of all jobs */
	uint32_t transactions_max;
	uint32_t thread_slots; /* in this launch */
	uint64_t next_job;     /* the cycle from which a job may begin */
	uint64_t moved_bytes;  /* by what has been moved: of cycles of `rate` */
	uint32_t rate; /* bytes of a cycle: l1d.cycle_bytes, or 1 where only banks count; or 0 */
	struct sim_seen *seen;         /* of this cycle */
	struct sim_l1_answer *victims; /* of lines that have come, not told yet */
	uint32_t nvictims;
	uint32_t *missed;      /* loads that have missed an L1 in this cycle */
	uint32_t *came, ncame; /* requests for code that were answered in this cycle: the core's */
	uint32_t *begun; /* jobs that it has begun with in this cycle, of those that `reads` */
	/* Shared memory of other SMs, and this one's for them. */
	struct sim_remote *far; /* of all jobs */
	uint64_t port_at;       /* when the port is free that the job at the head waits for */
	uint32_t serve_cycles;  /* of the banks, left of the request that is served */
	int served;             /* another SM, or a copy's data, had the last turn */
	struct sim_far_seen *far_seen; /* of this cycle */
	/* Of a unit in which accesses are made once. */
	struct sim_once once;
	uint64_t now, jobs_done;
	int took_none;      /* the last instruction that was put took no place in the unit */
	uint32_t last_load; /* of the last instruction that was put; or SIM_NO_LOAD */
};

int sim_lsu_init(struct sim_lsu *u, const struct sim_lsu_shape *shape, struct tr_err *err);
void sim_lsu_free(struct sim_lsu *u);
/*
 * A launch begins, with so many slots of threads and CTAs and ways of the L1D, which is empty if it
 * had others: the L1s are flushed, where the machine does that. 0, or -1 without memory.
 */
int sim_lsu_launch(struct sim_lsu *u, uint32_t thread_slots, uint32_t nctas, uint32_t l1d_ways,
	struct tr_err *err);

/* A CTA has come to a slot. */
static inline void sim_lsu_cta(struct sim_lsu *u, uint32_t slot)
{
	if (u->is.once)
		sim_once_cta(&u->once, slot);
}

static inline int sim_lsu_room(const struct sim_lsu *u)
{
	return u->njobs < u->size;
}

#define SIM_HERE UINT16_MAX

/* A memory instruction, and the wide warp that issues it with the addresses of its lanes. */
struct sim_lsu_inst {
	const struct sim_inst *x;
	uint32_t inst;
	const struct sim_wide *wide;
	const struct sim_warp *warps; /* of the SM, by slot */
	const struct sim_mask *lanes; /* of the wide warp: side by side */
	const uint64_t *address;      /* by lane */
	/* On a sliced SM: warps and lanes are by slice, and these are the slices that take part. */
	uint32_t slices;
	const uint32_t *slice_inst;
	const uint32_t *group; /* by slot: the group that a copy belongs to; NULL: it is none */
	const uint16_t *sm; /* by lane: whose shared memory it is, or SIM_HERE; NULL: this SM's */
	uint8_t reads;      /* they want to hear when the unit begins with it (sim_lsu.begun) */
	uint8_t waits;      /* its warps wait for its data; without a result, until it has left */
	struct sim_origin from;
};

/* The instruction that a lane of a job executes. */
static inline uint32_t sim_job_inst(const struct sim_job *j, uint32_t lane, uint32_t sliced)
{
	return sliced ? j->slice_inst[lane / j->width] : j->inst;
}

/* Takes it; there must be room. 0, or -1 without memory. */
int sim_lsu_put(struct sim_lsu *u, const struct sim_lsu_inst *i);
/*
 * The store of a copy that is whole: where in shared memory its lanes' data go. It takes no place
 * in the unit. If the data have come before, or no lane reads any, it changes nothing.
 */
void sim_lsu_tell(struct sim_lsu *u, const struct sim_lsu_inst *i);
/* Takes the replies that have come from the memory. */
void sim_lsu_replies(struct sim_lsu *u, uint64_t now);
/* What has come for it from other SMs, but for barriers. */
void sim_lsu_from_sm(struct sim_lsu *u, const struct sim_dsm_packet *p, uint64_t now);
/* A load whose data are there: 1 and *l, or 0, as in most cycles. */
int sim_lsu_taken(struct sim_lsu *u, uint64_t now, struct sim_load *l);
static inline int sim_lsu_done(struct sim_lsu *u, uint64_t now, struct sim_load *l)
{
	if (u->chain == SIM_NO_LOAD && sim_wheel_next(&u->finish) > now) {
		sim_wheel_take(&u->finish, now); /* tells it the time */
		return 0;
	}
	return sim_lsu_taken(u, now, l);
}
/*
 * From now on warp `to` also waits for the loads that warp `from` waits for. Returns how many these
 * are, without those that `to` waits for already; -1 without memory.
 */
int64_t sim_lsu_share(struct sim_lsu *u, const struct sim_warp *from, uint32_t from_slot,
	const struct sim_warp *to, uint32_t to_slot);
/* Works for a cycle; what the L1D saw is then in `seen`, until the next call of any of these. */
void sim_lsu_work(struct sim_lsu *u, uint64_t now);
static inline void sim_lsu_step(struct sim_lsu *u, uint64_t now)
{
	u->nseen = u->nmissed = u->nbegun = u->nfar_seen = 0;
	u->port_at = SIM_NEVER;
	u->now = now;
	/* The reason for a queue that is full although the unit itself did not stall in this cycle.
	 */
	u->stall = SIM_CY_STALL_LSU;
	if (u->njobs || u->out.n || u->serves || u->writing != SIM_NO_LOAD)
		sim_lsu_work(u, now);
}
/* The next cycle in which it wants to be stepped, if no reply wakes it before. */
static inline uint64_t sim_lsu_next(const struct sim_lsu *u, uint64_t now)
{
	if ((u->njobs && u->stall == SIM_CY_STALL_LSU) || u->serves || u->writing != SIM_NO_LOAD)
		return now + 1;
	if (u->out.n && sim_mem_room(u->is.mem, u->is.sm))
		return now + 1;
	/* A stalled job is woken by a reply, or by room. */
	return u->port_at < sim_wheel_next(&u->finish) ? u->port_at : sim_wheel_next(&u->finish);
}
int sim_lsu_busy(const struct sim_lsu *u);
uint64_t sim_lsu_hash(const struct sim_lsu *u, uint64_t seed);

#endif
