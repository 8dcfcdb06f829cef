/* Internal to sim/sm: the state of an SM, shared by sm.c (warps, issue) and lsu.c (memory unit). */
#ifndef SIM_SM_INTERNAL_H
#define SIM_SM_INTERNAL_H

#include "sim/sm/lsu.h"
#include "sim/sm/pace.h"
#include "sim/base/program.h"
#include "sim/base/sink.h"
#include "sim/sm/sm.h"
#include "sim/sm/tape.h"

#define SIM_BARRIERS 16

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
	struct sim_lsu lsu;
	/* accounting */
	enum sim_cycle *last_class; /* by scheduler: what its cycles are while nothing happens */
	uint64_t accounted;         /* cycles before this one are counted */
	uint64_t passed;            /* schedulers know of the cycles before this one */
	uint64_t events;            /* things that happened: a sleeper's must not move */
	int failed;
};

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

/* seen.c: schedulers and the access stream hear what the L1D saw in this cycle. */
void sim_sm_seen(struct sim_sm *sm, uint64_t now);

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

#endif
