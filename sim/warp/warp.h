/*
 * Who runs together: a warp policy. One policy is one file with one const struct sim_warp_policy
 * and one line in policies.def. It owns the warps of an SM: which threads stand in which lanes, and
 * where they go after a branch. The SM executes the instructions of a basic block by itself; it
 * asks the policy at the ends of blocks and at the instructions that the policy names in `asks`.
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

/* Counts up whenever a policy that was compiled before would not work. */
#define SIM_WARP_VERSION 1

struct sim_front;

/* What a policy says of its warps to somebody who looks on: see sim_show. */
enum sim_shown {
	SIM_SHOWN_SPLIT,   /* the warp's threads part: they go on at different places */
	SIM_SHOWN_MERGE,   /* threads that ran apart from the warp join it */
	SIM_SHOWN_REGROUP, /* the warp is made anew, of threads of several */
};

/* What a policy can do to its SM. */
struct sim_services {
	/*
	 * The lowest free warp slot for threads of a CTA, in state RUN; SIM_NO_WARP: there is none.
	 * Slot w is that of scheduler w modulo sm.schedulers.
	 */
	uint32_t (*take)(struct sim_front *front, uint32_t cta);
	/* A slot has no threads any more. */
	void (*drop)(struct sim_front *front, uint32_t warp);
	/* The policy has set pc and lanes: the warp runs, and may issue from cycle `at` on. */
	void (*ready)(struct sim_front *front, uint32_t warp, uint64_t at);
	/* The warp stands in state HELD until it is made ready. */
	void (*hold)(struct sim_front *front, uint32_t warp);
	/*
	 * Registers that warp `from` waits for now are waited for by `warp`, too, as long as the
	 * same values are on their way: for a policy whose warps share their registers.
	 */
	void (*inherit)(struct sim_front *front, uint32_t warp, uint32_t from);
	/* See sim_show, by which it is called. */
	void (*show)(struct sim_front *front, enum sim_shown what, uint32_t warp, uint32_t other);
	/* Of a sliced SM (struct sim_shape). Both leave it to `resume` or `ready` when to go on. */
	/* A new warp of some slices of `from`, with what these wait for: the rest stays. */
	uint32_t (*part)(struct sim_front *front, uint32_t from, uint32_t slices);
	/* `from` ends in `into`, at whose instruction it stands. */
	void (*join)(struct sim_front *front, uint32_t into, uint32_t from);
	/* As ready, but not before the cycle that the warp is to wait for anyway. */
	void (*resume)(struct sim_front *front, uint32_t warp, uint64_t at);
};

/* What a policy sees of its SM. */
struct sim_front {
	const struct sim_services *call;
	const struct sim_config *config;  /* its sm.warp_size is the lanes of the shape */
	const struct tr_program *program; /* of the launch that runs */
	const uint32_t *lcp; /* its likely-convergence points by a profile (lcp.h), or NULL */
	struct sim_warp *warps;
	uint32_t nwarps; /* slots */
	struct sim_thread *threads;
	uint32_t nthreads; /* places */
	uint32_t stride;   /* places of one CTA: place p is thread p % stride of CTA p / stride */
	uint64_t *counts;  /* of its counters; and of each by instruction: */
	uint64_t *by_inst; /* counter c of instruction i is c * program->ninsts + i */
	uint8_t watched;   /* somebody looks on (trace-replay --events) */
	uint32_t *levels;  /* of its counters that are levels, now */
};

/*
 * A policy calls this where it parts the threads of a warp, where it puts together what had parted,
 * and where it forms a warp anew; it changes nothing, and costs a test where nobody looks on.
 * other: the slot that threads go to or come from; the warp's own where they stay in it, as on a
 * stack; SIM_NO_WARP where there are several. Warps that come, go, issue and wait are seen by
 * themselves, and so are those that issue as one (struct sim_bundle): a policy says nothing of
 * them. Whether before or after the service that does it does not matter, as long as it is in the
 * same call and the slot has threads.
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
	uint32_t slots, lanes; /* warps, and lanes of each */
	uint32_t widest;       /* lanes of its widest instructions; 0: as a warp */
	/*
	 * Whose locality is one (sim/sched/sched.h): 0: each warp's, by its slot; else that of so
	 * many threads side by side, whichever warps they are in: for policies whose threads change
	 * warps.
	 */
	uint32_t member;
	uint8_t one_in_flight; /* one instruction of a warp at a time, whatever the machine does */
	/*
	 * Threads leave their warp, by its ready or its drop, before another one is made ready with
	 * them: for policies whose threads change warps.
	 */
	uint8_t leaves_first;
	uint8_t unlimited;  /* every ready warp issues in each cycle */
	uint8_t wants_lcp;  /* it needs a profile's likely-convergence points */
	size_t state_bytes; /* zeroed once; start sets what a launch needs */
	/*
	 * Lanes of a slice; 0: the SM is one. Else a thread stays in its lane, so that a warp has
	 * the slices in sim_warp.slices to itself, and several of different slices may issue in a
	 * cycle: `pick` says which. What they ask of the memory unit then is one access. Operands
	 * and units are a slice's, and so are data, which come to each as they come. Warps part and
	 * join by slices; `member` is the lanes.
	 */
	uint32_t slice;
	uint8_t partly; /* it is told when slices of a warp have their data and others have not */
};

/* At which instructions a policy wants to be asked, besides next at the ends of blocks. */
enum sim_asks {
	SIM_ASK_MAY = 1,  /* may, before it issues */
	SIM_ASK_FORM = 2, /* form, when it was picked */
	SIM_ASK_NEXT = 4, /* next, though it is not the last of its block */
	SIM_ASK_TOLD = 8, /* told, of its issue (SIM_TOLD_ISSUED) */
};

enum sim_may {
	SIM_NOT_NOW, /* the policy has put the warp on hold, or has said from when it is ready */
	SIM_GO,
	SIM_OWN, /* an instruction of the policy's own comes first: nobody is asked if it may load
		  */
};

/*
 * What a scheduler issues in a cycle: instructions of warps, one after the other. A warp that
 * `joins` issues the same instruction as the one before it, as if the two were one wide warp.
 */
struct sim_bundle {
	uint32_t n;
	uint32_t cycles; /* that each instruction of it takes; 0: as its warps have lanes */
	uint8_t own; /* an instruction of the policy's: the warp stays, the policy has moved it */
	struct {
		uint16_t warp;
		uint8_t joins;
	} beat[SIM_GANG];
};

enum sim_what {
	SIM_TOLD_ISSUED = 1,   /* an instruction with SIM_ASK_TOLD */
	SIM_TOLD_WITHHELD = 2, /* the scheduler keeps the load back that is next; once a load */
	SIM_TOLD_DATA = 4,     /* data of one of its loads are there */
	SIM_TOLD_RELEASED = 8, /* its barrier opens: it goes on after this */
	SIM_TOLD_MISSED = 16,  /* a load of its has found no data in an L1; once a transaction */
	SIM_TOLD_PARTLY = 32,  /* if its shape says so: it waits for a load, and some of its slices
				  do not any more */
};

struct sim_told {
	enum sim_what what;
	uint32_t warp, inst;
	uint64_t now;
	uint32_t slices; /* SIM_TOLD_PARTLY: those that could go on */
};

/* What a policy counts, for the statistics. */
struct sim_counter {
	const char *name, *help;
	uint8_t by_inst; /* also for each instruction; or SIM_LEVEL */
};
#define SIM_LEVEL 2 /* how many there are (sim_front.levels), summed up over cycles */
#define SIM_COUNTERS 16

/*
 * The version, and in the low bits how large the structs are that a policy and its SM share: one
 * that was compiled when they were others is refused.
 */
#define SIM_WARP_ABI                                                                               \
	((uint32_t)SIM_WARP_VERSION << 20 |                                                        \
		(uint32_t)(sizeof(struct sim_services) + sizeof(struct sim_front) +                \
			   sizeof(struct sim_config) + sizeof(struct sim_warp) +                   \
			   sizeof(struct sim_path) + sizeof(struct sim_thread) +                   \
			   sizeof(struct sim_bits) + sizeof(struct sim_shape) +                    \
			   sizeof(struct sim_bundle) + sizeof(struct sim_told) +                   \
			   sizeof(struct tr_program) + sizeof(struct tr_inst) +                    \
			   sizeof(struct tr_block) + sizeof(struct tr_loop)))

struct sim_warp_policy {
	uint32_t abi, bytes; /* SIM_WARP_ABI, sizeof(struct sim_warp_policy) */
	const char *name, *help;
	struct sim_param params[SIM_PARAMS];           /* ends at name == NULL */
	struct sim_counter counters[SIM_COUNTERS + 1]; /* likewise */
	uint8_t priority; /* of CTAs, where nobody says another: enum sim_priority */
	uint8_t hears;    /* enum sim_what: of what it is told */
	/* What it needs on a machine. 1, or TR_EUSAGE: the machine cannot be. */
	int (*shape)(const struct sim_config *c, const int64_t *params, struct sim_shape *shape,
		struct tr_err *err);
	/* A launch begins, the first or a further one: no warps. */
	void (*start)(void *p, struct sim_front *front, const int64_t *params);
	/* enum sim_asks of an instruction; asked once a launch. NULL: none. */
	uint32_t (*asks)(void *p, const struct sim_front *front, uint32_t inst);
	/* Threads at places first ... first + n - 1 of a CTA are there: makes warps of them. */
	void (*arrive)(void *p, struct sim_front *front, uint32_t cta, uint32_t first, uint32_t n,
		uint64_t now);
	/*
	 * A warp's block is done (or an instruction with SIM_ASK_NEXT): its lanes go where sim_goes
	 * says, TR_EXIT where a thread ends. The policy moves them: it sets pc and lanes of this
	 * warp and of others, drops warps without threads, makes ready what may run.
	 */
	void (*next)(void *p, struct sim_front *front, uint32_t warp, uint64_t now);
	/* May a ready warp at an instruction with SIM_ASK_MAY issue it? NULL: SIM_GO. */
	enum sim_may (*may)(void *p, struct sim_front *front, uint32_t warp, uint64_t now);
	/*
	 * A warp was picked whose instruction has SIM_ASK_FORM. It stands in the bundle; the policy
	 * adds those that join it, or makes it an instruction of its own. NULL: nothing.
	 */
	void (*form)(void *p, struct sim_front *front, uint32_t warp, struct sim_bundle *bundle,
		uint64_t now);
	/*
	 * Its own pick, in place of a scheduler's (one beside it may keep loads back, and no more):
	 * fills the empty bundle from the warps that can issue. NULL: the scheduler picks, one
	 * warp.
	 */
	void (*pick)(void *p, struct sim_front *front, const struct sim_bits *can,
		struct sim_bundle *bundle, uint64_t now);
	/* What it hears of. NULL where `hears` is 0 and no instruction has SIM_ASK_TOLD. */
	void (*told)(void *p, struct sim_front *front, const struct sim_told *told);
	/* A cycle begins: data and results are there, and nobody has issued. NULL: nothing. */
	void (*begin)(void *p, struct sim_front *front, uint64_t now);
	/*
	 * A cycle ends: hardware of its own goes on. Returns the next cycle in which the SM must be
	 * awake for it, or SIM_NEVER; it is called in every cycle in which the SM is. NULL: never.
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
