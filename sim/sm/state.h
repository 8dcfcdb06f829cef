/*
 * Internal to sim/sm: the state of an SM, and the functions of its parts. sm.c is the core: it
 * calls the others, and none of them calls it. ARCHITECTURE.md has which part may call which.
 */
#ifndef SIM_SM_STATE_H
#define SIM_SM_STATE_H

#include "sim/base/program.h"
#include "sim/base/sink.h"
#include "sim/base/units.h"
#include "sim/sm/cluster.h"
#include "sim/sm/events.h"
#include "sim/sm/lsu.h"
#include "sim/sm/pace.h"
#include "sim/sm/sm.h"
#include "sim/sm/tape.h"

#define SIM_BARRIERS TR_BARRIER_CLUSTER /* of a CTA; the next number is the cluster's */

/* A barrier in shared memory (mbarrier.c). */
struct sim_mbarrier {
	uint64_t at;                /* the cycle from which its latest phase or its init is seen */
	int64_t bytes;              /* to come; below 0: more came than are expected so far */
	uint32_t offset;            /* in the CTA's shared memory */
	uint32_t expected, pending; /* arrivals: of each phase, and that this one lacks */
	uint32_t phase;             /* 0, 1, ... since the init */
	uint8_t used, valid;        /* used: the entry is; valid: between init and inval */
};

struct sim_mbarriers {
	struct sim_mbarrier *v; /* a hash table by offset */
	uint64_t seed;
	uint32_t n, cap;
};

/* What a warp waits for: so many phases of these barriers are to be over. */
struct sim_mbarrier_waits {
	struct sim_mbarrier_wait {
		uint32_t offset, phases;
		uint16_t cta; /* slot */
	} * v;
	uint32_t n, cap;
};

struct sim_deferred;

struct sim_cta {
	struct sim_tape tape;
	struct sim_mbarriers mbarriers;
	uint32_t grid;     /* its launch, of those that are here */
	uint32_t number;   /* in the launch */
	uint32_t first, n; /* first thread slot, and how many */
	uint32_t live;     /* threads that have not exited; 0: the CTA slot is free */
	uint32_t leaving;  /* those of them whose next instruction is an exit */
	/* Threads, and how many a barrier waits for; 0: all of the CTA. */
	uint32_t arrived[SIM_BARRIERS], expected[SIM_BARRIERS];
	uint64_t age;                /* rank of arrival on the SM */
	struct sim_cluster *cluster; /* NULL: none, and no barriers of one */
	uint32_t rank;               /* in it */
};

/* What a CTA that has ended still has of its SM. */
struct sim_place {
	uint64_t until, registers, shared;
	uint32_t first, slots; /* thread slots */
};

/* Accesses of one kind that slices make in one cycle: the memory unit gets them as one. */
struct sim_together {
	const struct sim_inst *x; /* of one of them */
	uint32_t slices, slice_inst[SIM_SLICES];
	uint16_t warp[SIM_SLICES];
	uint64_t lanes, value[64];         /* by lane of the SM */
	uint64_t warp_insts, thread_insts; /* as struct sim_origin has them, of the first of them */
};

/* A sliced SM (struct sim_shape); all of it is empty on an SM that is not. */
struct sim_sliced {
	uint32_t n;           /* slices; 0: it is none */
	uint8_t *lacks;       /* by warp and register: slices that wait for a load's data */
	uint16_t *warp_of;    /* by member and slice: the warp that has it, or SIM_NO_SLOT */
	uint16_t *under_way;  /* by member and slice: loads in flight */
	uint8_t *standing;    /* by warp: the slices for which warp_of names it */
	struct sim_bits some; /* warps of which some slices may have their data, and others not */
	struct sim_together *together;
	uint32_t ntogether;
};
#define SIM_NO_SLOT UINT16_MAX

/* Instruction supply (fetch.c). */
struct sim_buffer {
	uint32_t pc, n;                /* pc of its first instruction; instructions in it */
	uint64_t at[SIM_FETCH_BUFFER]; /* the cycle from which each is decoded */
};

struct sim_l0 { /* fully associative, the latest line first */
	uint32_t *line, n, size;
};

/* What the threads of a warp did when they were counted last. */
struct sim_counted {
	uint8_t cls; /* of the active lanes, enum sim_thread_class */
	uint16_t lanes, inactive, meet;
};

struct sim_fetch {
	uint32_t ports;            /* 0: it is perfect, and nothing below is there */
	struct sim_buffer *buffer; /* by warp */
	struct sim_bits wants;     /* warps whose buffer has room for an instruction that follows */
	struct sim_bits *of;       /* of them, in this cycle, by fetch scheduler */
	struct sim_l0 *l0;         /* by slice or scheduler */
	uint32_t nl0, *last;       /* last: by fetch scheduler, the warp that it fetched for last */
};

/* What the counters of a warp's control bits stand at (control.c). */
struct sim_raise;

struct sim_counters {
	struct sim_raise *raises; /* in the order of their issue; some may have ended */
	uint32_t n, cap;
};

/* Instruction caches (code.c). */
#define SIM_CODE_FREE UINT32_MAX        /* a place for a request that has none */
#define SIM_CODE_STALE (UINT32_MAX - 1) /* the request is of a launch that has ended */

struct sim_code_line;

struct sim_code_cache {
	struct sim_code_line *line; /* by line of the program */
	uint32_t *kept, n, size;    /* the lines in it or on their way; size 0: no limit */
};

/* The instruction that a warp stands at, and since when it is there. */
struct sim_code_at {
	uint32_t pc;
	uint64_t at;
};

struct sim_codes {
	struct sim_code_at *has; /* by warp */
	uint8_t *l0_of;          /* by warp: the L0-I that it has its code of */
	int fits;                /* no line ever leaves */
	uint32_t lines;          /* of the launch's program; 0: all code is there */
	uint32_t nl0;            /* 0: there are none */
	struct sim_code_cache *l0, l1;
	uint32_t *line_of;                       /* by warp: the line that it came to last */
	uint32_t *wanted, nwanted, first_wanted; /* a ring of lines that are not asked for yet */
	uint32_t *asked, nasked, room;           /* by request: its line */
	uint32_t *came;                          /* requests with an answer, for sim_lsu_replies */
	uint64_t address;                        /* of the program */
};

/*
 * Ready warps; and those of them whose next instruction is of one of these kinds. HELD: it may be
 * held back by more than the memory unit, for one of the kinds after it.
 */
enum sim_ready {
	SIM_R_READY,
	SIM_R_MEMORY,
	SIM_R_HELD,
	SIM_R_LOAD,
	SIM_R_ASKS,
	SIM_R_SLOW,
	SIM_NR
};

/* A scheduler of the SM. */
struct sim_scheduler {
	void *state; /* of its policy */
	uint64_t busy_until;
	enum sim_cycle last_class; /* what its cycles are while nothing happens */
	uint32_t last_cta;         /* for block priorities */
	uint8_t at_mbarrier;       /* its cycles wait: a warp of its own is at an mbarrier */
	uint32_t oldest_at;        /* its oldest warp's next instruction, if stalls are charged */
	struct sim_bits mine;      /* its warp slots */
	struct sim_sched_env env;
};

#define SIM_UNIT_SETS 16 /* of units: as many as slices or schedulers at most */

/* What every cycle touches stands together, for the processor's cache. */
struct sim_sm {
	const struct sim_shared *sh;
	uint64_t accounted;    /* cycles before this one are counted */
	uint64_t passed;       /* schedulers have been told of the cycles before this one */
	uint64_t events;       /* rises with whatever happens: stays the same during a sleep */
	int forces;            /* 1: in its next step barriers open that only warps could fill */
	uint64_t policy_next;  /* the next cycle that its tick wants */
	uint64_t unit_awaited; /* the first cycle in which a unit is free that a ready warp needs */
	struct sim_watch *watch; /* of the observer; NULL: there is none */
	struct sim_scheduler *sched;
	const struct sim_inst *insts; /* of the program */
	int failed;
	/* 1: in this launch a warp has inherited another's loads, so one load may wake several. */
	int shares;
	/* 1: the operands of a warp whose wake-up is due have to be looked at again, since they
	 * may be later by now. */
	int may_change;
	/* 1: one scheduler picks, nobody looks on, instructions need not be fetched, there are no
	 * slices, and a warp has one instruction in flight. Then much need not be asked. */
	uint8_t simple;
	/* On a simple SM: the cycle in which it picks next, which a warp that may issue then need
	 * not be woken for. 0: each one is woken, as where the threads of each cycle are counted.
	 */
	uint64_t picks_at;
	int tells;         /* schedulers hear of issues */
	int names_threads; /* a barrier of the program says how many threads it waits for */
	uint32_t live_ctas;
	uint32_t warps_here;  /* of the policy's size, with threads, in however many slots */
	uint32_t nlevels;     /* of the policy; 0: it has none */
	uint32_t ready_words; /* in use */
	uint32_t nregs;       /* 0 also where a warp has one instruction in flight */
	uint64_t ready[SIM_BITS_WORDS][SIM_NR]; /* warps: enum sim_ready, 64 in a word */
	struct sim_shape shape;
	struct sim_sliced sliced;
	struct sim_fetch fetch;
	struct sim_codes code;
	struct sim_wheel wake; /* warps */
	struct sim_lsu lsu;
	/* warps */
	struct sim_warp *warps;
	uint64_t *ready_at; /* scoreboard, nregs a warp: the cycle; SIM_NEVER: after a load */
	uint64_t *age;      /* by warp: sim_warp.age since it was made ready last */
	uint32_t *group;    /* by warp: groups of copies committed; NULL: not followed */
	struct sim_counters *counters; /* by warp; NULL: control bits are not followed */
	struct sim_pace *pace; /* by warp, or by member (sim_shape.columns); one more: of none */
	uint32_t npaces, column_bits;
	uint32_t *block_of;   /* by warp: the block it was in last, for loops */
	uint32_t *barrier_of; /* by warp: the barrier it waits at */
	uint32_t *round_of;   /* by warp: at a cluster's, the stamp of the round */
	/* Barriers in shared memory: by warp, NULL where the launch has none; the arrivals that
	 * wait for copies, in their order, and the latest number that one got. */
	struct sim_mbarrier_waits *mbarrier_waits;
	struct sim_deferred *deferred;
	uint32_t ndeferred, cap_deferred, last_mark;
	uint32_t nwarps, nlanes; /* slots, lanes of the widest */
	uint32_t widest;         /* lanes of a warp of the access stream */
	uint32_t number;         /* of the SM */
	uint16_t *thread_of;     /* storage of sim_warp.thread */
	uint64_t waits_changed;  /* rises whenever sim_waits changes for one of them */
	struct sim_bits vacant;  /* slots without a warp */
	uint8_t clusters;        /* some CTAs of this launch may be in clusters of several */
	uint8_t keeps_pace;      /* lanes may share cursors in this launch (pace.h) */
	/* members */
	uint32_t nmembers, *trips; /* trip number by member and loop */
	uint32_t *inside;          /* by member and loop: threads if they are regrouped, else 1 */
	uint32_t *standing;        /* by member: the loops that it is inside of */
	uint64_t *member_age;
	uint64_t next_age, next_cta_age;
	/* threads and CTAs */
	struct sim_thread *threads;
	uint32_t nthreads, used_threads; /* slots; those below which there have been CTAs */
	uint32_t *stamp; /* by thread: of the cluster's barrier; NULL: there is none */
	uint16_t *came;  /* by thread: barriers for some at which it has arrived, a bit each */
	struct sim_cta *ctas;
	uint32_t nctas, stride; /* stride: thread slots of a CTA; 0: of different launches */
	uint32_t granule;       /* thread slots are given out in so many, */
	uint8_t *cta_at;        /* and whose they are: SIM_NO_CTA: nobody's */
	uint16_t *alive;        /* how many threads of each have not ended */
	uint64_t used_registers, used_shared;
	struct sim_place resting[SIM_CTAS_MAX]; /* a ring: places of CTAs that have ended */
	uint32_t first_resting, nresting;
	uint64_t begun; /* CTAs of the launch, and of those beside it */
	/* policies */
	void *policy;
	struct sim_front front;
	uint32_t levels[SIM_COUNTERS];
	uint64_t unit_free[SIM_UNIT_SETS][SIM_NPIPES];
	/* What threads do (--stats=threads, threads.c). */
	uint64_t threads_counted; /* they are counted in the cycles before it */
	struct sim_bits changed;  /* warps whose threads may do something else than in `counted` */
	/* Of those that wait for where they go, these have been asked about: their threads may be
	 * taken out. */
	struct sim_bits asked;
	struct sim_counted *counted;                 /* by warp */
	uint64_t threads_doing[SIM_NTHREAD_CLASSES]; /* the sum of `counted` */
	/* What the policy says of the others, and whether it may say something else by now. */
	uint64_t threads_beside[SIM_NTHREAD_CLASSES];
	int policy_ran;
	int filed; /* the policy has sent a warp on since this was 0 */
};

static inline void sim_tell(struct sim_sm *sm, const struct sim_told *told)
{
	sm->policy_ran = 1;
	sm->sh->warp->told(sm->policy, &sm->front, told);
}

static inline int sim_ready_has(const struct sim_sm *sm, enum sim_ready what, uint32_t warp)
{
	return sm->ready[warp / 64][what] >> (warp % 64) & 1;
}

static inline const struct sim_inst *sim_next_inst(const struct sim_sm *sm, uint32_t warp)
{
	return &sm->insts[sm->warps[warp].pc];
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

/* The sets of units that a warp issues to, a bit each: its slices', or its scheduler's. */
static inline uint32_t sim_unit_sets(const struct sim_sm *sm, uint32_t warp)
{
	const struct sim_config *c = sm->sh->config;

	return c->sm.split_units && !sm->sliced.n ? 1u << warp % c->sm.schedulers
						  : sim_slices(sm, warp);
}

/* The first cycle in which a set of units takes an instruction. */
static inline uint64_t sim_set_free(const uint64_t *unit_free, const struct sim_inst *x)
{
	const uint64_t at = unit_free[x->pipe], other = unit_free[x->other];

	return (at < other) == x->both ? other : at;
}

/* The sets of units that a warp's instruction takes. */
static inline uint32_t sim_sets_of(const struct sim_sm *sm, uint32_t warp, const struct sim_inst *x)
{
	return x->of_sm ? 1 : sim_unit_sets(sm, warp);
}

/* The first cycle in which all sets of a warp have the unit of its next instruction free. */
static inline uint64_t sim_unit_free(const struct sim_sm *sm, uint32_t warp)
{
	const struct sim_inst *x = sim_next_inst(sm, warp);
	uint64_t at = 0;

	for (uint32_t m = sim_sets_of(sm, warp, x); m; m &= m - 1) {
		const uint64_t set = sim_set_free(sm->unit_free[__builtin_ctz(m)], x);

		at = set > at ? set : at;
	}
	return at;
}

/* The lanes that a warp issues with. */
static inline uint32_t sim_width(const struct sim_sm *sm, uint32_t warp)
{
	const uint32_t slices = sm->warps[warp].slices;

	if (!sm->sliced.n)
		return sm->warps[warp].nlanes;
	return slices & (slices - 1) ? sim_nslices(slices) * sm->shape.slice : sm->shape.slice;
}

/* Where a warp has one instruction in flight. */
static inline int sim_one_in_flight(const struct sim_sm *sm)
{
	return sm->shape.one_in_flight; /* the policy says so, or the machine */
}

#define SIM_NO_CTA UINT8_MAX
#define SIM_CTA_GONE (UINT8_MAX - 1) /* that of one which has ended, and whose place rests */

/* The CTA of a thread, by its slot. */
static inline struct sim_cta *sim_cta_of(struct sim_sm *sm, uint32_t thread)
{
	return &sm->ctas[sm->cta_at[thread / sm->granule]];
}

/* A cursor is no longer shared: its threads have their own positions back. */
static inline void sim_settle(struct sim_sm *sm, uint32_t pace)
{
	if (sm->pace[pace].lanes)
		sim_pace_end(&sm->pace[pace], sm->threads);
}

/* A record ends too early, or goes on too long, for what the warp policy does: the run fails. */
void sim_lost(struct sim_sm *sm, const struct sim_thread *t, const char *what);

/* ---- cta.c: CTA slots, and threads that have come to barriers. It knows no warps. ---- */

/* How many CTAs of a launch an SM holds: the least of four limits. */
uint32_t sim_cta_occupancy(const struct sim_config *c, const struct tr_launch *l, uint32_t stride);
/* Ways that the L1D has in the launch: with l1d.carved what its shared memory leaves, one at least.
 */
uint32_t sim_cta_l1d_ways(const struct sim_sm *sm);
/* Is there a slot for a CTA of a grid, with its registers and shared memory? For how many of them?
 */
int sim_cta_room(const struct sim_sm *sm, uint32_t grid);
uint32_t sim_cta_rooms(const struct sim_sm *sm, uint32_t grid);
/* The first one takes a CTA's record: its number on the SM. TR_EMEM: no memory. */
int64_t sim_cta_take(struct sim_sm *sm, const struct tr_cta *cta, uint32_t grid);
/* A CTA has ended: its slot is free, and its threads, registers and shared memory once they have
 * rested. */
void sim_cta_leave(struct sim_sm *sm, uint32_t slot, uint64_t now);
/* Places that have rested since their CTA ended are free again. */
void sim_cta_rested(struct sim_sm *sm, uint64_t now);
/*
 * The threads of a warp's lanes have come to the end of a block: counts those that exit, or are at
 * an exit, in their CTAs. Returns the CTA slots, a bit each, in which something has changed.
 */
uint64_t sim_cta_exits(struct sim_sm *sm, const struct sim_warp *w);
/* May any barrier open that waits for all threads? */
int sim_cta_may_open(const struct sim_cta *c);
/*
 * A warp comes to a barrier that waits for `expected` threads, 0: for all that have not ended; and
 * does it open?
 */
void sim_cta_arrives(
	struct sim_sm *sm, const struct sim_warp *w, uint32_t barrier, uint32_t expected);
int sim_cta_opens(const struct sim_sm *sm, struct sim_cta *c, uint32_t barrier);
/* It is as if nobody had come to it. */
void sim_cta_opened(const struct sim_sm *sm, struct sim_cta *c, uint32_t barrier);
/*
 * waits: of each thread of the CTA, whether it waits at a barrier. Would that open if each warp of
 * 32 had come with the first of its threads (PTX, bar, below sm_70), and not without that?
 */
int sim_cta_by_warps(const struct sim_sm *sm, const struct sim_cta *c, const uint8_t *waits);

/* ---- members.c: members (sim/sched/sched.h), and the loops that they are in ---- */

int sim_members_init(struct sim_sm *sm);   /* 0, or -1 without memory */
int sim_members_launch(struct sim_sm *sm); /* likewise */
void sim_members_free(struct sim_sm *sm);
void sim_member_arrive(struct sim_sm *sm, uint32_t member, uint64_t age);
void sim_member_leave(struct sim_sm *sm, uint32_t member);
/* Where warps keep their threads: a warp begins block b. */
void sim_loops_follow(struct sim_sm *sm, uint32_t warp, uint32_t b, uint64_t now);
/* Where threads are regrouped: those of a warp diverge, which share a cursor if `pace` has lanes;
 * those of a CTA come and end. */
void sim_loops_part(struct sim_sm *sm, uint32_t warp, const struct sim_pace *pace, uint64_t now);
void sim_members_arrive(struct sim_sm *sm, uint32_t first, uint32_t n, uint64_t now);
void sim_members_leave(struct sim_sm *sm, uint32_t first, uint32_t n);

/* ---- issue.c: what the lanes of an instruction do, by their threads' records ---- */

struct sim_lanes {
	struct sim_mask truth; /* lanes whose guard is true; those of the warps side by side */
	uint32_t done;         /* how many these are */
	uint32_t active, inactive, waiting;
	uint64_t value[TR_LANES_MAX]; /* addresses, or members of a collective */
	uint64_t
		operand[TR_LANES_MAX]; /* of an instruction with an operand's row (sim_inst.rows) */
};

/*
 * Looks what cursor the threads of a warp share, which has become ready: which pace that is, for
 * sim_warp.pace_of, which is SIM_NO_SLOT before.
 */
uint32_t sim_issue_level(struct sim_sm *sm, uint32_t warp);

/* The cursor that a warp's threads share (pace.h); its lanes are 0 if they share none. */
static inline struct sim_pace *sim_issue_pace(struct sim_sm *sm, uint32_t warp)
{
	const uint32_t known = sm->warps[warp].pace_of;
	const uint32_t at = known != SIM_NO_SLOT ? known : sim_issue_level(sm, warp);

	/* Others of its member may share one by now. */
	return &sm->pace[sm->pace[at].lanes == (uint32_t)sm->warps[warp].lanes.w[0] ? at
										    : sm->npaces];
}

/* Reads outcomes and values of a wide warp's instruction. sm->failed: the records do not fit it. */
void sim_issue_records(struct sim_sm *sm, const struct sim_wide *wide, const struct sim_inst *x,
	struct sim_lanes *lanes);

/* Reads the rows of operands before an instruction, into lanes->operand; instruction `pc` is the
 * first of them. */
void sim_issue_operands(
	struct sim_sm *sm, const struct sim_wide *wide, uint32_t pc, struct sim_lanes *lanes);

/* As sim_issue_records; short for the many instructions that read no record. */
static inline void sim_issue_read(struct sim_sm *sm, const struct sim_wide *wide,
	const struct sim_inst *x, struct sim_lanes *lanes)
{
	const struct sim_warp *w = &sm->warps[wide->warp[0]];

	if (!x->plain || wide->n != 1) {
		sim_issue_records(sm, wide, x, lanes);
		return;
	}
	lanes->truth = sim_active(w);
	lanes->done = lanes->active = w->active;
	lanes->inactive = w->inactive;
	lanes->waiting = w->waiting;
}

static inline void sim_issue_count(
	struct sim_sm *sm, uint32_t inst, const struct sim_lanes *l, uint32_t nlanes)
{
	struct sim_stats *s = sm->sh->stats;
	struct sim_inst_stats *in = &s->insts[inst];

	s->warp_insts++;
	s->thread_insts += l->done;
	s->active_lanes += l->active;
	s->issue_lanes += nlanes;
	s->inactive_lanes += l->inactive;
	s->waiting_lanes += l->waiting;
	s->fetches += !sm->fetch.ports;
	in->warp_insts++;
	in->thread_insts += l->done;
	in->active_lanes += l->active;
	in->issue_lanes += nlanes;
}

/* Hands a memory instruction to the memory unit. 0, or -1 without memory. */
int sim_issue_access(
	struct sim_sm *sm, const struct sim_wide *wide, uint32_t inst, struct sim_lanes *lanes);
/* Tells it where the data of a copy go, whose store this is (sim_lsu_tell). */
void sim_issue_tell(struct sim_sm *sm, const struct sim_wide *wide, uint32_t inst,
	const struct sim_lanes *lanes);

/* ---- watch.c: events, for an observer; all but the first are called where there is one ---- */

struct sim_watch;
int sim_watch_new(struct sim_sm *sm); /* if there is an observer. 0, or -1 without memory */
void sim_watch_free(struct sim_sm *sm);
/*
 * Scheduler s has picked a warp, or found none, and nothing has issued yet. can: the warps that it
 * could have picked; NULL: it did not look for any, since its last instruction is still issuing, or
 * since all warps issue that can.
 */
void sim_watch_turn(struct sim_sm *sm, uint32_t s, const struct sim_bits *can, enum sim_cycle why);
/* Under unlimited issue, after all issues of scheduler s: reports its other warps as waiting. */
void sim_watch_left(struct sim_sm *sm, uint32_t s);
/* The cycle is over, but for what the policy does at its end. */
void sim_watch_end(struct sim_sm *sm);
/* Events of warps and of CTAs (other: see sim/sm/events.h). */
void sim_watch_warp(struct sim_sm *sm, enum sim_event_kind kind, uint32_t warp, uint32_t other);
void sim_watch_cta(struct sim_sm *sm, enum sim_event_kind kind, uint32_t slot);
struct sim_lanes;
void sim_watch_issue(struct sim_sm *sm, const struct sim_wide *wide, uint32_t inst,
	const struct sim_lanes *lanes, uint32_t cycles);
void sim_watch_own(struct sim_sm *sm, uint32_t warp, uint32_t cycles);
/* A wide warp's memory instruction goes to the memory unit; `warp` waits for the loads of `from`,
 * too; the data of a load have come. */
void sim_watch_out(struct sim_sm *sm, const struct sim_wide *wide, uint32_t inst);
void sim_watch_shared(struct sim_sm *sm, uint32_t warp, uint32_t from);
void sim_watch_back(struct sim_sm *sm, const struct sim_load *l);
/* The same for some slices of a warp: the load is back when the last of them has its data. */
void sim_watch_out_slices(struct sim_sm *sm, uint32_t warp, uint32_t inst, uint32_t slices);
void sim_watch_back_slices(
	struct sim_sm *sm, uint32_t warp, const struct sim_load *l, uint32_t slices);
void sim_watch_seen(struct sim_sm *sm, const struct sim_seen *s);

/*
 * What an access of the L1D came to, for streams and events. Stores to an L1D that does not
 * allocate for them are no accesses of it, whatever l1d.store_hit does with the line: they pass it
 * by.
 */
static inline enum tr_access_result sim_seen_result(
	const struct sim_sm *sm, const struct sim_seen *s)
{
	static const enum tr_access_result results[] = {
		[SIM_L1_HIT] = TR_A_HIT, [SIM_L1_MISS] = TR_A_MISS, [SIM_L1_MERGED] = TR_A_MERGE};
	const int passes = s->op == TR_A_WRITE && s->job->space != TR_S_LOCAL &&
			   sm->sh->config->l1d.write == TR_W_EVICT;

	return s->removed || passes ? TR_A_BYPASS : results[s->answer.outcome];
}

void sim_watch_far(struct sim_sm *sm, const struct sim_far_seen *s);

/*
 * On a sliced SM the accesses of a cycle are collected and go to the memory unit as one. Does that
 * of a warp's next instruction fit those collected so far? Adds it. Hands all over: 0, or -1
 * without memory.
 */
int sim_issue_fits(const struct sim_sm *sm, uint32_t warp);
void sim_issue_together(
	struct sim_sm *sm, uint32_t warp, uint32_t inst, const struct sim_lanes *lanes);
int sim_issue_accesses(struct sim_sm *sm);

/* ---- slices.c: warps that split and join by slices, and data that come by slices ---- */

int sim_slices_init(struct sim_sm *sm);   /* 0, or -1 without memory */
int sim_slices_launch(struct sim_sm *sm); /* likewise */
void sim_slices_free(struct sim_sm *sm);
void sim_slices_arrive(struct sim_sm *sm, uint32_t member);
/* The slices of a warp have changed, or it has none any more. */
void sim_slices_changed(struct sim_sm *sm, uint32_t warp);
/* A warp's load was put to the memory unit for some of its slices. */
void sim_slices_wait(
	struct sim_sm *sm, uint32_t warp, const struct sim_inst *x, uint32_t slices, int waits);
/*
 * The data of a load have come for l->slices. Takes the slices of one warp at a time out of these;
 * SIM_NO_WARP: none are left.
 */
uint32_t sim_slices_done(struct sim_sm *sm, struct sim_load *l, uint32_t *slices, uint64_t now);
/* Of a warp that waits for loads, the slices that have their data. */
uint32_t sim_slices_ready(const struct sim_sm *sm, uint32_t warp);
/*
 * A warp that was split off gets a copy of what `from` waits for; a warp that is joined waits for
 * what either waits for.
 */
void sim_slices_split(struct sim_sm *sm, uint32_t warp, uint32_t from);
void sim_slices_join(struct sim_sm *sm, uint32_t into, uint32_t from);

/* ---- fetch.c: instruction supply ---- */

int sim_fetch_init(struct sim_sm *sm); /* 0, or -1 without memory */
void sim_fetch_launch(struct sim_sm *sm);
void sim_fetch_free(struct sim_sm *sm);
/* The cycle from which a warp's next instruction is decoded; SIM_NEVER: nobody has fetched it. */
uint64_t sim_fetch_decoded(const struct sim_sm *sm, uint32_t warp);
void sim_fetch_changed(struct sim_sm *sm, uint32_t warp); /* its pc has changed, or it ended */
void sim_fetch_issued(struct sim_sm *sm, uint32_t warp);  /* the instruction at its pc */
void sim_fetch_split(struct sim_sm *sm, uint32_t warp, uint32_t from);
void sim_fetch_join(struct sim_sm *sm, uint32_t into, uint32_t from);
/* Fetches for a cycle. first: the warps that got their next instruction. 1: some got none. */
int sim_fetch_step(struct sim_sm *sm, struct sim_bits *first, uint64_t now);

/* ---- control.c: dependences by control bits; all but the first two where sm->counters is ---- */

int sim_control_launch(struct sim_sm *sm); /* 0, or -1 without memory */
void sim_control_free(struct sim_sm *sm);
void sim_control_arrive(struct sim_sm *sm, uint32_t warp); /* a new warp */
/* The first cycle from `at` on in which counters let a warp's next instruction issue, or SIM_NEVER:
 * it waits for the memory. Its bits are known. */
uint64_t sim_control_earliest(struct sim_sm *sm, uint32_t warp, uint64_t at);
/* An instruction with bits has issued in so many cycles; memory: the memory unit has it. */
void sim_control_issued(struct sim_sm *sm, uint32_t warp, const struct sim_inst *x, int memory,
	uint32_t cycles, uint64_t now);
/* The data of a warp's access have come; the memory unit has begun with it. */
void sim_control_done(struct sim_sm *sm, uint32_t warp, const struct sim_inst *x, uint64_t now);
void sim_control_read(struct sim_sm *sm, uint32_t warp, const struct sim_inst *x, uint64_t now);
/* A warp waits from now on for what another one waits for, whose loads are its own by now. */
void sim_control_inherit(struct sim_sm *sm, uint32_t warp, uint32_t from, uint64_t now);
uint64_t sim_control_hash(const struct sim_sm *sm, uint32_t warp, uint64_t now, uint64_t seed);

/* ---- mbarrier.c: barriers in shared memory; all but the first two where sm->mbarrier_waits is */

void sim_mbarriers_clear(struct sim_mbarriers *b);
void sim_mbarriers_free(struct sim_mbarriers *b);
/*
 * One lane's operation on a barrier of a CTA slot, whose change is seen from cycle `at` on; what
 * the operand is says enum tr_mbarrier. 1: a phase has ended or begun, for which warps may wait.
 * Arrivals that the phase does not lack: sm->failed, and 0.
 */
int sim_mbarrier_act(struct sim_sm *sm, uint32_t cta, uint64_t address, enum tr_mbarrier op,
	uint32_t operand, uint64_t at);
/* A warp waits for nothing; it also waits until so many phases of a barrier are over: 0, or -1. */
void sim_mbarrier_waits(struct sim_sm *sm, uint32_t warp);
int sim_mbarrier_wait(
	struct sim_sm *sm, uint32_t warp, uint32_t cta, uint64_t address, uint32_t phases);
/* The cycle from which all that a warp waits for is over, or SIM_NEVER; and what is missing. */
uint64_t sim_mbarrier_over(const struct sim_sm *sm, uint32_t warp);
void sim_mbarrier_missing(const struct sim_sm *sm, uint32_t warp, char *text, size_t size);
/*
 * A lane each arrives at a barrier, when the copies of its warp that are under way have come. 1: it
 * will; 0: there are none, so it may at once; -1: no memory.
 */
int sim_mbarrier_defer(
	struct sim_sm *sm, uint32_t warp, const uint16_t *cta, const uint64_t *address, uint32_t n);
/* A copy has come that has a mark: arrivals that waited for it. As sim_mbarrier_act. */
int sim_mbarrier_copied(struct sim_sm *sm, const struct sim_load *l, uint64_t at);
void sim_deferred_free(struct sim_sm *sm);
uint64_t sim_mbarrier_hash(const struct sim_sm *sm, uint64_t seed);

/* ---- code.c: instruction caches; all but the first two where sm->code.lines is ---- */

int sim_code_launch(struct sim_sm *sm); /* 0, or -1 without memory */
void sim_code_free(struct sim_sm *sm);
/* The cycle from which a warp's next instruction is there; SIM_NEVER: it comes from the memory. */
uint64_t sim_code_there(struct sim_sm *sm, uint32_t warp, uint64_t now);

/* Can a line be asked for that is not yet? */
static inline int sim_code_sends(const struct sim_sm *sm)
{
	return sm->code.nwanted && sim_mem_room(sm->sh->mem, sm->number);
}

/* Asks the memory for a line, if one is wanted and there is room. */
void sim_code_send(struct sim_sm *sm, uint64_t now);
/* The memory has answered a request: its line, and the schedulers that wait for it, a bit each. */
uint32_t sim_code_came(struct sim_sm *sm, uint32_t request, uint64_t now, uint32_t *line);

/* ---- seen.c: reports what the L1D did in this cycle to schedulers and the access stream ---- */

void sim_sm_seen(struct sim_sm *sm, uint64_t now);

/* ---- threads.c: what threads do ---- */

/* Counts the cycles from the last one counted to before `now`, in which nothing has changed. */
void sim_threads_count(struct sim_sm *sm, uint64_t now);

/* ---- pick.c: what a scheduler issues in a cycle ---- */

/* The class of a cycle in which no warp is fetched (sm.fetch_beats): a ready one is idle. */
enum sim_cycle sim_pick_none(const struct sim_sm *sm, uint32_t sched);
/*
 * Fills the bundle and returns the class of the cycle, which says why if the bundle stays empty.
 * can: the warps that the scheduler could choose from, if one was ready.
 */
enum sim_cycle sim_pick(struct sim_sm *sm, uint32_t sched, struct sim_bits *can,
	struct sim_bundle *b, uint64_t now);
/* The same where every warp that can issue does, warp by warp: the next one from `*from` on. */
enum sim_cycle sim_pick_next(
	struct sim_sm *sm, uint32_t sched, uint32_t *from, struct sim_bundle *b, uint64_t now);

#endif
