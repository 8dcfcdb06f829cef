/*
 * Who runs together: a warp policy. One policy is one file with one const struct sim_warp_policy
 * and one line in policies.def. It owns the warps of an SM: which thread is in which lane of which
 * warp, and where they go after a branch. The SM executes the instructions of a basic block by
 * itself; it calls the policy at the ends of blocks and at the instructions that the policy names
 * in `asks`.
 *
 * A policy sees its SM through struct sim_front alone, and acts on it through the services there.
 * It needs no name of the SM when it is linked, so that one may stand in a shared object
 * (trace-policies(7)).
 */
#ifndef SIM_WARP_WARP_H
#define SIM_WARP_WARP_H

#include "sim/base/bits.h"
#include "sim/base/config.h"
#include "sim/base/param.h"
#include "sim/base/priority.h"
#include "sim/base/warp.h"

/* Rises whenever a policy that was compiled before would no longer work. */
#define SIM_WARP_VERSION 3

struct sim_front;

/* What a policy tells an observer about its warps: see sim_show. */
enum sim_shown {
	SIM_SHOWN_SPLIT,   /* the warp's threads diverge: they go on at different instructions */
	SIM_SHOWN_MERGE,   /* threads that had diverged from the warp run with it again */
	SIM_SHOWN_REGROUP, /* the warp is formed anew, of threads of several warps */
};

/* What a policy can do to its SM. */
struct sim_services {
	/*
	 * Takes the lowest free warp slot, in state RUN, for threads of a CTA (by its slot);
	 * SIM_NO_WARP: none is free. Warp slot w belongs to scheduler w modulo sm.schedulers.
	 */
	uint32_t (*take)(struct sim_front *front, uint32_t cta);
	/* Frees a slot whose warp has no threads left. */
	void (*drop)(struct sim_front *front, uint32_t warp);
	/* The policy has set pc and lanes: the warp runs, and may issue from cycle `at` on. */
	void (*ready)(struct sim_front *front, uint32_t warp, uint64_t at);
	/* The warp is in state HELD until `ready` is called for it. */
	void (*hold)(struct sim_front *front, uint32_t warp);
	/*
	 * `warp` has to wait, too, for the results that warp `from` waits for now: for a policy in
	 * which two warp slots run threads of one warp, and so share registers.
	 */
	void (*inherit)(struct sim_front *front, uint32_t warp, uint32_t from);
	/* For sim_show below; policies call that. */
	void (*show)(struct sim_front *front, enum sim_shown what, uint32_t warp, uint32_t other);
	/*
	 * For a sliced SM (struct sim_shape). After `split` and `join` the warps issue again when
	 * `resume` or `ready` is called for them.
	 *
	 * Makes a new warp of some slices of `from`, which waits for what these wait for; `from`
	 * keeps its other slices. Returns its slot.
	 */
	uint32_t (*split)(struct sim_front *front, uint32_t from, uint32_t slices);
	/* The slices of `from` go to `into`, which is at the same instruction; `from` ends. */
	void (*join)(struct sim_front *front, uint32_t into, uint32_t from);
	/* As `ready`, but the warp keeps waiting for what it waits for already. */
	void (*resume)(struct sim_front *front, uint32_t warp, uint64_t at);
	/*
	 * The policy goes on to read or move how far threads first ... first + n - 1 have read
	 * their records (sim_thread), which those in a row may keep in common: see
	 * sim_shape.columns.
	 */
	void (*settle)(struct sim_front *front, uint32_t first, uint32_t n);
};

/* What a policy sees of its SM. */
struct sim_front {
	const struct sim_services *call;
	const struct sim_config *config;  /* sm.warp_size in it is the lanes of the shape */
	const struct tr_program *program; /* of the launch that runs */
	const uint32_t *lcp; /* its likely-convergence points by a profile (lcp.h), or NULL */
	struct sim_warp *warps;
	uint32_t nwarps; /* warp slots */
	struct sim_thread *threads;
	uint32_t nthreads; /* thread slots */
	uint32_t stride;  /* thread slots of a CTA: slot t is thread t % stride of CTA t / stride */
	uint64_t *counts; /* values of the policy's counters */
	uint64_t *by_inst; /* of counter c at instruction i: element c * program->ninsts + i */
	uint8_t watched;   /* there is an observer (trace-replay --events) */
	uint32_t *levels;  /* present values of the counters that are levels */
	/*
	 * By thread: a number of the round in which it has arrived last at its cluster's barrier.
	 * Who waits there does so for one round: a policy that puts threads together parts those of
	 * several (PTX, barrier.cluster). NULL: the launch has no such barrier.
	 */
	const uint32_t *rounds;
};

/*
 * May two threads be in one warp at a barrier, for a policy that puts threads of several warps
 * together? They are of one CTA; where they wait at a cluster's they have also arrived in the same
 * round. Else who is a round behind would wait for the next one, which cannot fill without it.
 */
static inline int sim_wait_together(
	const struct sim_front *front, const struct tr_inst *barrier, uint32_t a, uint32_t b)
{
	if (a / front->stride != b / front->stride)
		return 0;
	return barrier->disp != TR_BARRIER_CLUSTER || barrier->flags & TR_I_ARRIVE ||
	       front->rounds[a] == front->rounds[b];
}

/* The latest round of its cluster's barrier in which one of a warp's lanes has arrived; 0: none. */
static inline uint32_t sim_latest_round(
	const struct sim_front *front, const struct sim_warp *w, const struct sim_mask *lanes)
{
	uint32_t latest = 0, lane;
	int first = 1;

	if (!front->rounds)
		return 0;
	FOR_LANES(*lanes, lane)
	{
		const uint32_t round = front->rounds[w->thread[lane]];

		if (first || (int32_t)(round - latest) > 0)
			latest = round;
		first = 0;
	}
	return latest;
}

/*
 * A policy calls this where the threads of a warp diverge, where they run together again, and where
 * it forms a warp anew. It changes nothing, and costs one test where there is no observer. other:
 * the slot that threads go to or come from; the warp's own where they stay in it, as on a stack;
 * SIM_NO_WARP where there are several. The SM itself reports warps that come, go, issue and wait,
 * and those that issue as one (struct sim_bundle). A policy may call this before or after the
 * service that does what it tells of, but in the same call, and while the slot has threads.
 */
static inline void sim_show(
	struct sim_front *front, enum sim_shown what, uint32_t warp, uint32_t other)
{
	if (front->watched)
		front->call->show(front, what, warp, other);
}

/* Where a lane of a warp goes after its block: an instruction, or TR_EXIT. */
static inline uint32_t sim_goes(
	const struct sim_warp *w, const struct sim_thread *threads, uint32_t lane)
{
	return w->to != TR_NONE ? w->to : threads[w->thread[lane]].pc;
}

/* What a policy needs of an SM. */
struct sim_shape {
	uint32_t slots, lanes; /* warp slots, and lanes of a warp */
	uint32_t widest; /* lanes that issue as one at most (sim_bundle); 0: those of a warp */
	/*
	 * What a member is, to which locality is counted (sim/sched/sched.h). 0: a warp slot. Else
	 * so many consecutive thread slots: for policies whose threads change warps.
	 */
	uint32_t member;
	uint8_t one_in_flight; /* a warp issues when its last instruction is done, on any machine */
	/*
	 * 1: the policy regroups threads, `member` equals `lanes`, and each thread stays in its
	 * column: the lane that is its slot modulo the lanes. Threads of a member that run as one
	 * warp may then keep in common how far they have read.
	 */
	uint8_t columns;
	uint8_t unlimited; /* every ready warp issues in each cycle */
	/*
	 * Of the threads of a CTA, each access is made once, by the one that comes first
	 * (sim/sm/once.h), and units and the supply of instructions have no limit: for a bound,
	 * whose warps have one thread.
	 */
	uint8_t once;
	uint8_t wants_lcp;  /* it needs a profile's likely-convergence points */
	size_t state_bytes; /* zeroed once; start sets what a launch needs */
	/*
	 * Lanes of a slice; 0: the SM is not sliced. On a sliced SM a thread stays in its lane, a
	 * warp has the slices in sim_warp.slices, and several warps with different slices may issue
	 * in a cycle: `pick` says which. Their memory accesses in that cycle are coalesced as one
	 * access. Each slice has execution units and a scoreboard of its own, and goes on when its
	 * own data have come. Warps split and join by whole slices. `member` must equal `lanes`.
	 */
	uint32_t slice;
	uint8_t partly; /* it wants SIM_TOLD_PARTLY */
};

/* What is called at an instruction, besides `next` at the ends of blocks. */
enum sim_asks {
	SIM_ASK_MAY = 1,  /* `may`, before it issues */
	SIM_ASK_FORM = 2, /* `form`, when a warp that is at it was picked */
	SIM_ASK_NEXT = 4, /* `next`, though it is not the last of its block */
	SIM_ASK_TOLD = 8, /* `told`, of its issue (SIM_TOLD_ISSUED) */
};

enum sim_may {
	SIM_NOT_NOW, /* the policy has called `hold`, or `ready` with a later cycle, for the warp */
	SIM_GO,      /* it may issue */
	SIM_OWN,     /* the policy puts an instruction of its own before it; the scheduler cannot
			withhold that */
};

/*
 * What a scheduler issues in a cycle: instructions of warps, one after the other. A warp that
 * `joins` issues the same instruction as the one before it, as if the two were one wide warp.
 */
struct sim_bundle {
	uint32_t n;
	uint32_t cycles; /* that each instruction of it takes; 0: by the lanes of its warps */
	uint8_t own; /* 1: an instruction that the policy inserts; the warp's own stays its next */
	struct {
		uint16_t warp;
		uint8_t joins;
	} beat[SIM_WIDE_WARPS];
};

enum sim_what {
	SIM_TOLD_ISSUED = 1,   /* an instruction with SIM_ASK_TOLD */
	SIM_TOLD_WITHHELD = 2, /* the scheduler withholds the load that is next; once for a load */
	SIM_TOLD_DATA = 4,     /* the data of one of the warp's loads have come */
	SIM_TOLD_RELEASED = 8, /* the barrier where the warp waits opens; it goes on after this */
	SIM_TOLD_MISSED = 16,  /* a transaction of one of its loads has missed in an L1 */
	SIM_TOLD_PARTLY = 32,  /* (sim_shape.partly) it waits for the data of a load, which some of
				  its slices have */
};

struct sim_told {
	enum sim_what what;
	uint32_t warp, inst;
	uint64_t now;
	uint32_t slices; /* SIM_TOLD_PARTLY: the slices that have their data */
};

/* What a policy counts, for the statistics. */
struct sim_counter {
	const char *name, *help;
	uint8_t by_inst; /* 1: also counted for each instruction; or SIM_LEVEL */
};
#define SIM_LEVEL 2 /* the sum over cycles of how many there are (sim_front.levels) */
#define SIM_COUNTERS 16

/*
 * The version, and in the low bits how large the structs are that a policy and its SM share: one
 * that was compiled when they were others is refused. Each size has a factor of its own, so that
 * changes of two do not cancel.
 */
#define SIM_WARP_ABI_SIZES                                                                         \
	((uint32_t)(sizeof(struct sim_services) * 101u + sizeof(struct sim_front) * 211u +         \
		    sizeof(struct sim_shape) * 307u + sizeof(struct sim_bundle) * 401u +           \
		    sizeof(struct sim_told) * 503u + sizeof(struct sim_counter) * 601u +           \
		    sizeof(struct sim_config) * 701u + sizeof(struct sim_geometry) * 809u +        \
		    sizeof(struct sim_thread) * 907u + SIM_ABI_SIZES) &                            \
		0xfffff)
#define SIM_WARP_ABI ((uint32_t)SIM_WARP_VERSION << 20 | SIM_WARP_ABI_SIZES)

struct sim_warp_policy {
	uint32_t abi, bytes; /* SIM_WARP_ABI, sizeof(struct sim_warp_policy) */
	const char *name, *help;
	struct sim_param params[SIM_PARAMS];           /* ends at name == NULL */
	struct sim_counter counters[SIM_COUNTERS + 1]; /* likewise */
	uint8_t priority; /* of CTAs, unless --priority names one: enum sim_priority */
	uint8_t hears;    /* what `told` is called for: bits of enum sim_what */
	/*
	 * CTAs of several kernels may be there at once: it begins threads where sim_thread.pc says,
	 * and does without front->stride, which is 0 then.
	 */
	uint8_t many;
	/* Fills in what it needs on a machine. 1, or TR_EUSAGE: it cannot run on this machine. */
	int (*shape)(const struct sim_config *c, const int64_t *params, struct sim_shape *shape,
		struct tr_err *err);
	/* A launch begins, the first or a later one: the SM has no warps. */
	void (*start)(void *p, struct sim_front *front, const int64_t *params);
	/* What is called at an instruction: bits of enum sim_asks; asked once a launch. NULL: 0. */
	uint32_t (*asks)(void *p, const struct sim_front *front, uint32_t inst);
	/* A CTA has come, its threads in slots first ... first + n - 1: makes warps of them. */
	void (*arrive)(void *p, struct sim_front *front, uint32_t cta, uint32_t first, uint32_t n,
		uint64_t now);
	/*
	 * A warp's block is done (or an instruction with SIM_ASK_NEXT): its lanes go where sim_goes
	 * says, TR_EXIT where a thread ends. The policy moves them: it sets pc and lanes of this
	 * warp and of others, drops warps without threads, and makes ready those that may run.
	 */
	void (*next)(void *p, struct sim_front *front, uint32_t warp, uint64_t now);
	/* May a ready warp at an instruction with SIM_ASK_MAY issue it? NULL: SIM_GO. */
	enum sim_may (*may)(void *p, struct sim_front *front, uint32_t warp, uint64_t now);
	/*
	 * The warps that go before all others of a scheduler in this cycle, where they can issue:
	 * sets *first and returns how many there are, or 0. NULL: there are none.
	 */
	uint32_t (*first)(void *p, const struct sim_front *front, uint32_t scheduler,
		const uint16_t **first, uint64_t now);
	/*
	 * A warp was picked whose instruction has SIM_ASK_FORM. It is in the bundle. The policy
	 * adds the warps that join it, or puts an instruction of its own there. NULL: it does
	 * neither.
	 */
	void (*form)(void *p, struct sim_front *front, uint32_t warp, struct sim_bundle *bundle,
		uint64_t now);
	/*
	 * Its own pick, instead of the scheduler's, which may then do no more than withhold loads:
	 * fills the empty bundle from the warps that can issue. NULL: the scheduler picks, one
	 * warp.
	 */
	void (*pick)(void *p, struct sim_front *front, const struct sim_bits *can,
		struct sim_bundle *bundle, uint64_t now);
	/* Something of `hears`, or an issue with SIM_ASK_TOLD, has happened. NULL: it hears none.
	 */
	void (*told)(void *p, struct sim_front *front, const struct sim_told *told);
	/* A cycle begins: its data and results have come, and no warp has issued. NULL: nothing. */
	void (*begin)(void *p, struct sim_front *front, uint64_t now);
	/*
	 * A cycle ends: hardware that the policy models makes its step. Called in every cycle in
	 * which the SM is awake; returns the next cycle in which it must be, or SIM_NEVER. NULL:
	 * nothing.
	 */
	uint64_t (*tick)(void *p, struct sim_front *front, uint64_t now);
	/*
	 * What threads do, for whom somebody counts them (trace-replay --stats=threads): adds those
	 * that are in the lanes of no warp, or of one that is held. NULL: they are the inactive and
	 * waiting lanes of the warps, and held ones wait where paths meet.
	 */
	void (*classes)(
		void *p, const struct sim_front *front, uint64_t threads[SIM_NTHREAD_CLASSES]);
};

/* What a shared object calls its warp policy. */
#ifdef __cplusplus
extern "C" {
#endif
extern const struct sim_warp_policy warptrace_warp __attribute__((visibility("default")));
#ifdef __cplusplus
}
#endif

#endif
