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

/* What slices ask of the memory unit in one cycle: those of one kind together. */
struct sim_together {
	const struct sim_inst *x; /* of one of them */
	uint32_t slices, slice_inst[SIM_SLICES];
	uint16_t warp[SIM_SLICES];
	uint64_t lanes, value[64]; /* by lane of the SM */
};

/* An SM in slices (struct sim_shape); all of it is empty on another. */
struct sim_sliced {
	uint32_t n;           /* slices; 0: it is none */
	uint8_t *lacks;       /* by warp and register: slices whose data a load will bring */
	uint16_t *warp_of;    /* by member and slice: the warp that has it, or SIM_NO_SLOT */
	uint16_t *under_way;  /* likewise: loads */
	uint8_t *standing;    /* by warp: its slices as warp_of has them */
	struct sim_bits some; /* warps whose slices may not all wait for the same */
	struct sim_together *together;
	uint32_t ntogether;
};
#define SIM_NO_SLOT UINT16_MAX

/* Instruction supply (fetch.c). */
struct sim_buffer {
	uint32_t pc, n;                /* of the first instruction in it; how many */
	uint64_t at[SIM_FETCH_BUFFER]; /* the cycle from which each is there */
};

struct sim_l0 { /* fully associative, the latest line first */
	uint32_t *line, n, size;
};

struct sim_fetch {
	uint32_t ports;            /* 0: it is perfect, and nothing below is there */
	struct sim_buffer *buffer; /* by warp */
	struct sim_bits wants;     /* warps with room in theirs, and a next instruction */
	struct sim_l0 *l0;         /* by slice or scheduler */
	uint32_t nl0, *last;       /* the warp that each of them, and the gangs, fetched for last */
	uint32_t turn;             /* which of them begins */
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
	uint64_t policy_next; /* the next cycle that its tick wants */
	int shares;           /* some warps have inherited what others wait for */
	int may_change;       /* what a filed warp waits for may be there later than it seemed */
	struct sim_sliced sliced;
	struct sim_fetch fetch;
	uint32_t levels[SIM_COUNTERS], nlevels; /* of the policy; 0: it has none */
	struct sim_sched_env *sched_env;        /* by scheduler */
	struct sim_bits *mine;
	void **sched;
	uint64_t *busy_until; /* by scheduler */
	uint32_t *last_cta;   /* by scheduler: for block priorities */
	uint64_t unit_free[SIM_SLICES][TR_NCLASSES];
	uint64_t unit_awaited; /* when the first unit comes free that kept a ready warp back */
	struct sim_lsu lsu;
	/* accounting */
	enum sim_cycle *last_class; /* by scheduler: what its cycles are while nothing happens */
	uint32_t *oldest_at; /* by scheduler: its oldest warp's instruction, where it is charged */
	uint64_t accounted;  /* cycles before this one are counted */
	uint64_t threads_counted; /* what threads did in the cycles before this one is, too */
	uint64_t passed;          /* schedulers know of the cycles before this one */
	uint64_t events;          /* things that happened: a sleeper's must not move */
	struct sim_watch *watch;  /* somebody looks on; NULL: nobody */
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

/* The lanes of some slices. */
static inline uint64_t sim_slice_lanes(const struct sim_sm *sm, uint32_t slices)
{
	const uint64_t one = UINT64_MAX >> (64 - sm->shape.slice);
	uint64_t lanes = 0;

	for (; slices; slices &= slices - 1)
		lanes |= one << ((uint32_t)__builtin_ctz(slices) * sm->shape.slice);
	return lanes;
}

/* The slices of a warp, a bit each: on an SM that has none, the first. */
static inline uint32_t sim_slices(const struct sim_sm *sm, uint32_t warp)
{
	return sm->sliced.n ? sm->warps[warp].slices : 1;
}

/* When the unit of a warp's next instruction is free in all of its slices. */
static inline uint64_t sim_unit_free(const struct sim_sm *sm, uint32_t warp)
{
	const uint32_t cls = sim_next_inst(sm, warp)->cls;
	uint64_t at = 0;

	for (uint32_t m = sim_slices(sm, warp); m; m &= m - 1)
		if (sm->unit_free[__builtin_ctz(m)][cls] > at)
			at = sm->unit_free[__builtin_ctz(m)][cls];
	return at;
}

/* The lanes that a warp issues with. */
static inline uint32_t sim_width(const struct sim_sm *sm, uint32_t warp)
{
	return sm->sliced.n ? (uint32_t)__builtin_popcount(sm->warps[warp].slices) * sm->shape.slice
			    : sm->warps[warp].nlanes;
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
void sim_issue_records(struct sim_sm *sm, const struct sim_gang *gang, const struct sim_inst *x,
	struct sim_lanes *lanes);

/* The same; most instructions have nothing to read. */
static inline void sim_issue_read(struct sim_sm *sm, const struct sim_gang *gang,
	const struct sim_inst *x, struct sim_lanes *lanes)
{
	const struct sim_warp *w = &sm->warps[gang->warp[0]];

	if (!x->plain || gang->n != 1) {
		sim_issue_records(sm, gang, x, lanes);
		return;
	}
	lanes->truth = w->lanes;
	lanes->done = lanes->active = w->active;
	lanes->inactive = w->inactive;
	lanes->waiting = w->waiting;
}

void sim_issue_count(struct sim_sm *sm, uint32_t inst, const struct sim_lanes *l, uint32_t nlanes);
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
/* The same of some slices of a warp: it is said to be back with the last of them. */
void sim_watch_out_slices(struct sim_sm *sm, uint32_t warp, uint32_t inst, uint32_t slices);
void sim_watch_back_slices(
	struct sim_sm *sm, uint32_t warp, const struct sim_load *l, uint32_t slices);
void sim_watch_seen(struct sim_sm *sm, const struct sim_seen *s);

/*
 * On a sliced SM: would the access of a warp's next instruction find room beside those that are put
 * together already? One is put to them; all go to the memory unit. 0, or -1 without memory.
 */
int sim_issue_fits(const struct sim_sm *sm, uint32_t warp);
void sim_issue_together(
	struct sim_sm *sm, uint32_t warp, uint32_t inst, const struct sim_lanes *lanes);
int sim_issue_accesses(struct sim_sm *sm);

/* ---- slices.c: warps that part and join by slices, and data that come by slices ---- */

int sim_slices_init(struct sim_sm *sm);   /* 0, or -1 without memory */
int sim_slices_launch(struct sim_sm *sm); /* likewise */
void sim_slices_free(struct sim_sm *sm);
void sim_slices_arrive(struct sim_sm *sm, uint32_t member);
/* A warp stands with its slices, or has none any more. */
void sim_slices_stand(struct sim_sm *sm, uint32_t warp);
/* A warp's load was put to the memory unit for some of its slices. */
void sim_slices_wait(
	struct sim_sm *sm, uint32_t warp, const struct sim_inst *x, uint32_t slices, int waits);
/* Data of a load are there: takes one warp at a time out of l->slices, or SIM_NO_WARP: none is
 * left.
 */
uint32_t sim_slices_done(struct sim_sm *sm, struct sim_load *l, uint32_t *slices, uint64_t now);
/* Slices of a warp that waits for loads, which do not. */
uint32_t sim_slices_ready(const struct sim_sm *sm, uint32_t warp);
/* What a new warp, or one that takes another one in, has to wait for. */
void sim_slices_part(struct sim_sm *sm, uint32_t warp, uint32_t from);
void sim_slices_join(struct sim_sm *sm, uint32_t into, uint32_t from);

/* ---- fetch.c: instruction supply ---- */

int sim_fetch_init(struct sim_sm *sm); /* 0, or -1 without memory */
void sim_fetch_launch(struct sim_sm *sm);
void sim_fetch_free(struct sim_sm *sm);
/* The cycle from which a warp's next instruction is decoded; SIM_NEVER: nobody has fetched it. */
uint64_t sim_fetch_there(const struct sim_sm *sm, uint32_t warp);
void sim_fetch_stands(struct sim_sm *sm, uint32_t warp); /* at its pc; or it has ended */
void sim_fetch_issued(struct sim_sm *sm, uint32_t warp); /* the one at its pc */
void sim_fetch_part(struct sim_sm *sm, uint32_t warp, uint32_t from);
void sim_fetch_join(struct sim_sm *sm, uint32_t into, uint32_t from);
/* Fetches of a cycle; `first`: warps that got their next instruction. 1: some got none. */
int sim_fetch_step(struct sim_sm *sm, struct sim_bits *first, uint64_t now);

/* ---- seen.c: schedulers and the access stream hear what the L1D saw in this cycle ---- */

void sim_sm_seen(struct sim_sm *sm, uint64_t now);

/* ---- threads.c: what threads do ---- */

/* Counts the cycles from the last one counted to before `now`, in which nothing has changed. */
void sim_threads_count(struct sim_sm *sm, uint64_t now);

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
