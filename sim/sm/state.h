/*
 * Internal to sim/sm: the state of an SM, and what its parts offer. sm.c is the core: it calls the
 * others, in the order of this file from below, and none of them calls it.
 */
#ifndef SIM_SM_STATE_H
#define SIM_SM_STATE_H

#include "sim/base/program.h"
#include "sim/base/sink.h"
#include "sim/sm/events.h"
#include "sim/sm/lsu.h"
#include "sim/sm/pace.h"
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
	uint16_t *thread_of;    /* storage of sim_warp.thread */
	uint64_t waits_changed; /* how often sim_waits of one of them did */
	uint64_t *not_before;   /* by warp */
	uint32_t *outstanding;  /* loads of it under way */
	uint8_t *blocked;       /* waits for a load, not for a cycle */
	uint32_t *barrier_of;   /* the one it waits at */
	uint64_t *ready_at;     /* scoreboard: nregs a warp; SIM_NEVER: a load */
	uint32_t nregs;         /* 0 also where a warp has one instruction in flight */
	struct sim_bits vacant; /* slots without a warp */
	uint32_t *block_of;     /* block a warp was in last, for loops */
	uint8_t *moved;         /* its block is done: it begins the next one */
	struct sim_pace *pace;  /* by warp */
	uint8_t keeps_pace;     /* lanes are taken together at all, in this launch */
	/* members */
	uint32_t nmembers, *trips; /* trip number by member and loop */
	uint32_t *inside;          /* by member and loop: threads if they are regrouped, else 1 */
	uint64_t *member_age;
	uint64_t next_age, next_cta_age;
	/* Ready ones, and of these the ones whose next instruction is one that is looked at. */
	struct sim_bits ready, memory_next, load_next, asks_next, slow_next;
	struct sim_wheel wake; /* warps */
	/* threads and CTAs */
	struct sim_thread *threads;
	uint32_t nthreads;
	struct sim_cta *ctas;
	uint32_t nctas, stride, live_ctas;
	/* policies */
	void *policy;
	struct sim_shape shape;
	struct sim_front front;
	uint64_t policy_next;            /* the next cycle that its tick wants */
	int shares;                      /* some warps have inherited what others wait for */
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
	uint32_t *oldest_at; /* by scheduler: its oldest warp's instruction, where it is charged */
	uint64_t accounted;  /* cycles before this one are counted */
	uint64_t passed;     /* schedulers know of the cycles before this one */
	uint64_t events;     /* things that happened: a sleeper's must not move */
	struct sim_watch *watch; /* somebody looks on; NULL: nobody */
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
	return sm->sh->config->sm.one_in_flight || sm->shape.one_in_flight;
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

/* The record does not fit what the warp policy does with it: the run fails. */
void sim_lost(struct sim_sm *sm, const struct sim_thread *t, const char *what);

/* ---- cta.c: places of CTAs, who has come to their barriers. It knows no warps. ---- */

/* How many CTAs of a launch an SM holds: the least of four limits. */
uint32_t sim_cta_occupancy(const struct sim_config *c, const struct tr_launch *l, uint32_t stride);
/* A free place takes a CTA's record: its place. TR_EMEM: no memory. */
int64_t sim_cta_take(struct sim_sm *sm, const struct tr_cta *cta);
/*
 * The threads of some lanes have come to the end of a block: those that end are taken off their
 * CTAs. Returns the CTAs, a bit each by place, in which something has changed.
 */
uint64_t sim_cta_exits(struct sim_sm *sm, const struct sim_warp *w);
/* Have all come that the barrier waits for? aux: how many it says; 0: all that have not ended. */
int sim_cta_opens(struct sim_cta *c, uint32_t barrier, uint32_t aux);

/* ---- members.c: whose the locality is (sim/sched/sched.h), and the loops that they go round ----
 */

int sim_members_init(struct sim_sm *sm);   /* 0, or -1 without memory */
int sim_members_launch(struct sim_sm *sm); /* likewise */
void sim_members_free(struct sim_sm *sm);
void sim_member_arrive(struct sim_sm *sm, uint32_t member, uint64_t age);
void sim_member_leave(struct sim_sm *sm, uint32_t member);
/* A warp goes on at the beginning of block b: where warps keep their threads. */
void sim_loops_follow(struct sim_sm *sm, uint32_t warp, uint32_t b, uint64_t now);
/* Where they are regrouped: those of a warp part at its instruction; those of a CTA come and go. */
void sim_loops_part(struct sim_sm *sm, uint32_t warp, uint64_t now);
void sim_members_arrive(struct sim_sm *sm, uint32_t first, uint32_t n, uint64_t now);
void sim_members_leave(struct sim_sm *sm, uint32_t first, uint32_t n);

/* ---- issue.c: what the lanes of an instruction do, by their threads' records ---- */

struct sim_lanes {
	struct sim_mask truth; /* lanes whose guard is true, side by side as the gang's warps */
	uint32_t done;         /* how many; */
	uint32_t active, inactive, waiting;
	uint64_t value[TR_LANES_MAX]; /* addresses, or members of a collective */
};

/* Reads the records on for an instruction of a gang. sm->failed: they do not fit. */
void sim_issue_read(struct sim_sm *sm, const struct sim_gang *gang, const struct sim_inst *x,
	struct sim_lanes *lanes);
/* Counts it, with the cycles that it takes. */
void sim_issue_count(struct sim_sm *sm, uint32_t inst, const struct sim_lanes *l, uint32_t nlanes,
	uint32_t cycles);
/* Hands a memory instruction to the memory unit. 0, or -1 without memory. */
int sim_issue_access(struct sim_sm *sm, const struct sim_gang *gang, uint32_t inst,
	const struct sim_lanes *lanes);

/* ---- watch.c: what warps do, for somebody who looks on; all but the first want a watch ---- */

struct sim_watch;
int sim_watch_new(struct sim_sm *sm); /* where somebody does. 0, or -1 without memory */
void sim_watch_free(struct sim_sm *sm);
/*
 * Scheduler s has picked, or found nothing, and nothing of it has issued yet. can: those that it
 * could have picked; NULL: it did not look for any, since its last issue takes its lanes, or since
 * all issue that can.
 */
void sim_watch_turn(struct sim_sm *sm, uint32_t s, const struct sim_bits *can, enum sim_cycle why);
/* Where all issue that can: what is left of scheduler s could not. */
void sim_watch_left(struct sim_sm *sm, uint32_t s);
/* The cycle is over, but for what the policy does at its end. */
void sim_watch_end(struct sim_sm *sm);
/* Events of warps and of CTAs (other: see sim/sm/events.h). */
void sim_watch_warp(struct sim_sm *sm, enum sim_event_kind kind, uint32_t warp, uint32_t other);
void sim_watch_cta(struct sim_sm *sm, enum sim_event_kind kind, uint32_t place);
struct sim_lanes;
void sim_watch_issue(struct sim_sm *sm, const struct sim_gang *gang, uint32_t inst,
	const struct sim_lanes *lanes, uint32_t cycles);
void sim_watch_own(struct sim_sm *sm, uint32_t warp, uint32_t cycles);
/* A gang's memory instruction is with the memory unit; warp waits for what `from` waits for; a load
 * is back. */
void sim_watch_out(struct sim_sm *sm, const struct sim_gang *gang, uint32_t inst);
void sim_watch_shared(struct sim_sm *sm, uint32_t warp, uint32_t from);
void sim_watch_back(struct sim_sm *sm, const struct sim_load *l);
void sim_watch_seen(struct sim_sm *sm, const struct sim_seen *s);

/* ---- seen.c: who wants to hears what the L1D saw in this cycle ---- */

void sim_sm_seen(struct sim_sm *sm, uint64_t now);

/* ---- pick.c: what a scheduler issues in a cycle ---- */

/*
 * Fills the bundle; empty: the class of the cycle is why. can: those that it could choose from,
 * where a warp was ready at all.
 */
enum sim_cycle sim_pick(struct sim_sm *sm, uint32_t sched, struct sim_bits *can,
	struct sim_bundle *b, uint64_t now);
/* The same where every warp that can issue does, warp by warp: the next one from `*from` on. */
enum sim_cycle sim_pick_next(
	struct sim_sm *sm, uint32_t sched, uint32_t *from, struct sim_bundle *b, uint64_t now);

#endif
