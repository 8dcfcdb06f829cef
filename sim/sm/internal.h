/* Internal to sim/sm: the state of an SM, shared by sm.c (warps, issue) and lsu.c (memory unit). */
#ifndef SIM_SM_INTERNAL_H
#define SIM_SM_INTERNAL_H

#include "sim/access/cache.h"
#include "sim/access/coalesce.h"
#include "sim/sm/pace.h"
#include "sim/base/program.h"
#include "sim/base/sink.h"
#include "sim/sm/sm.h"
#include "sim/sm/tape.h"

#define SIM_WHEEL 256 /* cycles ahead that an event is filed by; later ones are filed again */
#define SIM_BARRIERS 16
#define SIM_NO_LOAD UINT32_MAX

/* Things that happen at a cycle: lists of numbers by cycle modulo SIM_WHEEL. */
struct sim_wheel {
	uint32_t *next; /* by member */
	uint64_t *at;   /* by member; SIM_NEVER: not filed */
	uint8_t *filed; /* by member: the list that it is in */
	uint32_t head[SIM_WHEEL];
	uint64_t filled[SIM_WHEEL / 64];
	uint64_t now;     /* everything up to here was taken out */
	uint64_t soonest; /* the first cycle for which something is filed, or SIM_NEVER */
};

/* Warps that issue an instruction together, mostly one: their lanes stand side by side. */
struct sim_gang {
	uint32_t n, width; /* warps, lanes of each */
	uint16_t warp[SIM_GANG];
};

/* A memory instruction whose data are under way. */
struct sim_load {
	uint64_t age;  /* of its warp: a warp that took the slot since does not wait for it */
	uint64_t done; /* latest answer so far */
	uint32_t warp, inst;
	uint32_t left; /* answers to come */
	uint32_t next; /* free ones; or that of the gang's next warp, which waits for this one */
};

/* A memory instruction in the memory unit. */
struct sim_job {
	struct sim_transaction *tx; /* as many as the widest warp can make */
	uint32_t n, at;
	uint32_t load;                /* or SIM_NO_LOAD */
	uint32_t inst, active, width; /* width: lanes of each warp of the gang */
	uint8_t unit, space;          /* space: of the transactions */
	uint32_t cycles;              /* of shared memory, left */
	uint32_t loop, trip;
	uint32_t cta, home_warp; /* numbers for the access stream */
	uint64_t warp_insts, thread_insts;
	uint16_t thread[TR_LANES_MAX]; /* as the gang was when it issued */
	uint16_t warp[SIM_GANG];       /* of the gang */
	uint64_t age[SIM_GANG];
};

struct sim_mshr {
	uint64_t line;
	uint32_t sectors; /* of the line, that are in flight */
	uint32_t dirty;   /* of these: stores of local memory wait for them */
	uint32_t slot;    /* SIM_SLOT_NONE: a store has taken the line out, it will not stay */
	uint32_t n;       /* loads that wait */
	uint8_t used;
	uint32_t *loads; /* merges allowed */
};

/*
 * An L1: tags, sectors in flight, who waits for them. Each sector of a line has a valid bit of its
 * own; a line that is not sectored is one sector.
 */
struct sim_l1 {
	struct sim_cache *tags;
	uint32_t line_bytes, sector_bytes, hit_latency;
	uint8_t *locked;         /* by slot: its MSHRs */
	uint32_t *valid, *dirty; /* by slot: sectors */
	uint32_t *owner;         /* member whose miss allocated it */
	uint64_t *owner_age;
	uint64_t *touched; /* thread places that touched the line since: touched_words a slot */
	uint32_t touched_words, cap;
	struct sim_mshr *mshrs;
	uint32_t *waiting; /* the loads of all of them */
	uint32_t nmshrs, used, merges;
	uint32_t ways, *in_flight; /* lines in flight, by set; of an unbounded cache all */
};

struct sim_cta {
	struct sim_tape tape;
	uint32_t number;   /* in the launch */
	uint32_t first, n; /* thread places */
	uint32_t live;     /* threads that have not exited (0: the place is free), */
	uint32_t leaving;  /* and of these the ones that stand at an exit */
	uint32_t arrived[SIM_BARRIERS];
	uint64_t age; /* rank of arrival on the SM */
};

struct sim_sm {
	const struct sim_shared *sh;
	uint32_t number;
	/* warps */
	uint32_t nwarps, nlanes; /* slots, lanes of the widest */
	uint32_t widest;         /* lanes of a warp of the access stream */
	struct sim_warp *warps;
	uint16_t *thread_of;         /* storage of sim_warp.thread */
	struct sim_sched_warp *seen; /* what schedulers see of them */
	uint64_t waits_changed;      /* how often what they see of waiting did */
	uint64_t *not_before;        /* by warp */
	uint32_t *outstanding;       /* loads of it under way */
	uint8_t *blocked;            /* waits for a load, not for a cycle */
	uint32_t *barrier_of;        /* the one it waits at */
	uint64_t *ready_at;          /* scoreboard: nregs a warp; SIM_NEVER: a load */
	uint32_t nregs;              /* 0 also where a warp has one instruction in flight */
	struct sim_bits vacant;      /* slots without a warp */
	uint32_t *block_of;          /* block a warp was in last, for loops */
	uint8_t *moved;              /* its block is done: it begins the next one */
	struct sim_pace *pace;       /* by warp */
	uint8_t keeps_pace;          /* lanes are taken together at all, in this launch */
	/* members */
	uint32_t nmembers, *trips; /* trip number by member and loop */
	uint32_t *inside;          /* by member and loop: threads if they are regrouped, else 1 */
	uint64_t *member_age;
	uint64_t next_age, next_cta_age;
	struct sim_bits ready, memory_next, load_next, watched_next, slow_next;
	struct sim_bits withheld; /* their loads have been, since they were ready */
	struct sim_wheel wake;    /* warps */
	/* threads and CTAs */
	struct sim_thread *threads;
	uint32_t nthreads;
	struct sim_cta *ctas;
	uint32_t nctas, stride, live_ctas;
	/* policies */
	void *policy;
	size_t policy_bytes;
	struct sim_warp_env env;
	struct sim_sched_env *sched_env; /* by scheduler */
	struct sim_bits *mine;
	void **sched;
	uint64_t *busy_until; /* by scheduler */
	uint32_t *last_cta;   /* by scheduler: for block priorities */
	uint64_t unit_free[TR_NCLASSES];
	uint64_t unit_awaited; /* when the first unit comes free that kept a ready warp back */
	/* memory unit */
	struct sim_job *jobs;                 /* a ring */
	struct sim_transaction *transactions; /* of all of them */
	uint32_t njobs, job_head, jobs_max;
	struct sim_l1 l1d, constant, texture;
	struct sim_mem_request *miss_queue; /* a ring */
	uint32_t nmiss, miss_head;
	struct sim_load *loads;
	uint32_t nloads, cap_loads, free_load, live_loads;
	struct sim_wheel finish; /* loads */
	enum sim_cycle stall;    /* why the job at the head does not move */
	uint64_t l1d_epoch;
	/* accounting */
	enum sim_cycle *last_class; /* by scheduler: what its cycles are while nothing happens */
	uint64_t accounted;         /* cycles before this one are counted */
	uint64_t passed;            /* schedulers know of the cycles before this one */
	uint64_t events;            /* things that happened: a sleeper's must not move */
	int failed;
};

/* wheel.c */
int sim_wheel_init(struct sim_wheel *w, uint32_t members);
int sim_wheel_grow(struct sim_wheel *w, uint32_t from, uint32_t to);
void sim_wheel_free(struct sim_wheel *w);
/* Files a member, or files it anew. */
void sim_wheel_put(struct sim_wheel *w, uint32_t member, uint64_t at);
uint32_t sim_wheel_take(struct sim_wheel *w, uint64_t now); /* one that is due, or UINT32_MAX */
/* No later than the next one that is due. */
static inline uint64_t sim_wheel_next(const struct sim_wheel *w)
{
	return w->soonest;
}

#define FOR_LANES(mask, lane)                                                                      \
	for (int k_ = 0; k_ < SIM_MASK_WORDS; k_++)                                                \
		for (uint64_t m_ = (mask).w[k_];                                                   \
			m_ && ((lane) = (uint32_t)(k_ * 64) + (uint32_t)__builtin_ctzll(m_), 1);   \
			m_ &= m_ - 1)

static inline uint32_t sim_lanes(const struct sim_mask *m)
{
	uint32_t n = 0;

	for (int k = 0; k < SIM_MASK_WORDS; k++)
		if (m->w[k])
			n += (uint32_t)__builtin_popcountll(m->w[k]);
	return n;
}

static inline const struct sim_inst *sim_next_inst(const struct sim_sm *sm, uint32_t warp)
{
	return &sm->sh->program->insts[sm->warps[warp].pc];
}

/* Cycles that so many lanes take to issue. */
static inline uint32_t sim_issue_cycles(const struct sim_sm *sm, uint32_t lanes)
{
	const uint32_t simd = sm->sh->config->sm.simd_width;

	return lanes <= simd ? 1 : (lanes + simd - 1) / simd;
}

/* Where a warp has one instruction in flight. */
static inline int sim_one_in_flight(const struct sim_sm *sm)
{
	return sm->sh->config->sm.one_in_flight || sm->sh->warp->regroups;
}

/* The CTA of a thread, by place. */
static inline struct sim_cta *sim_cta_of(struct sim_sm *sm, uint32_t thread)
{
	return &sm->ctas[thread / sm->stride];
}

/* The threads of a warp stand where they stand. */
static inline void sim_settle(struct sim_sm *sm, uint32_t warp)
{
	if (sm->pace[warp].lanes)
		sim_pace_end(&sm->pace[warp], sm->threads);
}

/* sm.c */
void sim_sm_not_ready(struct sim_sm *sm, uint32_t warp);
void sim_sm_lost(struct sim_sm *sm, const struct sim_thread *t, const char *what);
/* Moves a warp to what comes behind instruction x, which it has just executed. */
void sim_sm_pass_inst(struct sim_sm *sm, uint32_t warp, const struct sim_inst *x, uint64_t now);
void sim_sm_barrier_arrive(
	struct sim_sm *sm, uint32_t warp, const struct sim_inst *x, uint64_t now);
void sim_sm_load_done(struct sim_sm *sm, uint32_t load, uint64_t now);

/* issue.c: the next instruction of a warp, with those that the policy has issue it together. */
/* Returns the cycles that it takes. */
uint32_t sim_sm_issue(struct sim_sm *sm, uint32_t warp, uint64_t now);

/* members.c: whose the locality is (sim/sched/sched.h), and the loops that they go round. */
int sim_members_init(struct sim_sm *sm);   /* 0, or -1 without memory */
int sim_members_launch(struct sim_sm *sm); /* likewise */
void sim_members_free(struct sim_sm *sm);
uint32_t sim_members_of(const void *sm, uint32_t warp, uint16_t *list);
void sim_member_arrive(struct sim_sm *sm, uint32_t member, uint64_t age);
void sim_member_leave(struct sim_sm *sm, uint32_t member);
/* A warp goes on at the beginning of block b: where warps keep their threads. */
void sim_loops_follow(struct sim_sm *sm, uint32_t warp, uint32_t b, uint64_t now);
/* Where they are regrouped: those of a warp part at its instruction; those of a CTA come and go. */
void sim_loops_part(struct sim_sm *sm, uint32_t warp, uint64_t now);
void sim_members_arrive(struct sim_sm *sm, uint32_t first, uint32_t n, uint64_t now);
void sim_members_leave(struct sim_sm *sm, uint32_t first, uint32_t n);

/* lsu.c */
int sim_lsu_init(struct sim_sm *sm);
void sim_lsu_free(struct sim_sm *sm);
void sim_lsu_flush(struct sim_sm *sm);
int sim_lsu_room(const struct sim_sm *sm);
/*
 * Takes the memory instruction of a gang: addresses of the lanes in `lanes`, the lanes of its warps
 * side by side. 1 or TR_E*.
 */
int sim_lsu_issue(struct sim_sm *sm, const struct sim_gang *gang, uint32_t inst,
	const struct sim_mask *lanes, const uint64_t *address);
void sim_lsu_step(struct sim_sm *sm, uint64_t now);
void sim_lsu_replies(struct sim_sm *sm, uint64_t now);
uint64_t sim_lsu_next(const struct sim_sm *sm, uint64_t now);
int sim_lsu_busy(const struct sim_sm *sm);

#endif
