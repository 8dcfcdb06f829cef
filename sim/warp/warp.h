/*
 * Who runs together: a warp policy. One policy is one file with one const struct sim_warp_policy
 * and one line in policies.def. It owns the warps of an SM: which threads stand in which lanes, and
 * where they go behind a branch. The SM executes instructions within a basic block by itself and
 * asks at block ends, barriers, exits, and where the policy said that it wants to be asked.
 */
#ifndef SIM_WARP_WARP_H
#define SIM_WARP_WARP_H

#include "sim/base/bits.h"
#include "sim/base/config.h"
#include "sim/base/spec.h"
#include "sim/base/warp.h"

struct sim_sm;    /* sm.h */
struct sim_stats; /* sim/sm/stats.h */

/* What a policy sees of its SM. */
struct sim_warp_env {
	struct sim_sm *sm;
	const struct sim_config *config;
	const struct tr_program *program; /* of the launch that runs */
	const uint32_t *lcp; /* its likely-convergence points by a profile (lcp.h), or NULL */
	struct sim_warp *warps;
	uint32_t nwarps; /* slots */
	struct sim_thread *threads;
	uint32_t nthreads; /* places */
	uint32_t stride;   /* places of one CTA: place p is thread p % stride of CTA p / stride */
};

enum sim_may_issue { SIM_NOT_NOW, SIM_GO_ON, SIM_INSERTS };

/* Services of the SM to a policy (sm.c). */
/* A free slot, state RUN, or SIM_NO_WARP. */
uint32_t sim_sm_warp_new(struct sim_sm *sm, uint32_t cta);
void sim_sm_warp_free(struct sim_sm *sm, uint32_t warp);
void sim_sm_warp_ready(struct sim_sm *sm, uint32_t warp, uint64_t at); /* state RUN from cycle at */
void sim_sm_warp_hold(struct sim_sm *sm, uint32_t warp);               /* state PARTNERS */
void sim_sm_go_on(struct sim_sm *sm, uint32_t warp, uint64_t now); /* behind the barrier it is at */
uint32_t sim_sm_barrier(const struct sim_sm *sm, uint32_t warp);   /* number of that barrier */
int sim_sm_withheld(const struct sim_sm *sm, uint32_t warp); /* the scheduler keeps its load back */
struct sim_stats *sim_sm_stats(const struct sim_sm *sm);     /* of the launch: to count in */

struct sim_warp_policy {
	const char *name, *help;
	struct sim_param params[SIM_PARAMS]; /* ends at name == NULL */
	/* Properties that the SM asks for. */
	uint8_t looks_at_to; /* next asks sim_warp.to before it asks the threads' pcs */
	uint8_t regroups;    /* threads change warps: one instruction of a warp in flight */
	/*
	 * next is asked behind every instruction, not only the last one of a block; sim_warp.to
	 * says where all lanes go, and only behind a block the threads' pcs say it, too.
	 */
	uint8_t each;
	uint8_t owns_pick;    /* a --scheduler beside it is refused */
	uint8_t unlimited;    /* every ready warp issues in each cycle */
	uint8_t mixes;        /* a warp may have threads of several CTAs, except at a barrier */
	uint8_t starts_clean; /* start needs no zeroed state */
	uint8_t priority;     /* of CTAs, where nobody says another: enum sim_priority (sched.h) */
	/* Does it need a profile's likely-convergence points (lcp.h)? NULL: never. */
	int (*wants_profile)(const int64_t *params);
	/* Slots and lanes that an SM needs, and bytes of private state. */
	void (*shape)(const struct sim_config *c, const int64_t *params, uint32_t *slots,
		uint32_t *lanes, size_t *state_bytes);
	/* Lanes of the widest warp that a gang makes, of threads side by side. NULL: of a warp. */
	uint32_t (*widest)(const struct sim_config *c, const int64_t *params);
	/* A launch begins, the first or a further one: no warps, zeroed state (starts_clean). */
	void (*start)(void *p, const struct sim_warp_env *env, const int64_t *params);
	/* Threads first ... first + n - 1 of a CTA stand at instruction 0: make warps of them. */
	void (*arrive)(void *p, const struct sim_warp_env *env, uint32_t cta, uint32_t first,
		uint32_t n, uint64_t now);
	/*
	 * The warp's block is done: each of its lanes' thread has its next pc (TR_EXIT: it ended).
	 * The policy moves them on: it sets pc and lanes of this warp and of others, frees warps
	 * without threads, and calls sim_sm_warp_ready for what may run.
	 */
	void (*next)(void *p, const struct sim_warp_env *env, uint32_t warp, uint64_t now);
	/* Lanes of the warp that do not run stand in one of these blocks. NULL: all lanes run. */
	int (*stands_in)(const void *p, const struct sim_warp_env *env, uint32_t warp,
		const uint8_t *blocks);
	/*
	 * All threads that the barrier waits for have come: let the warps of the CTA that stand in
	 * state BARRIER at this barrier go on (sim_sm_go_on for each, or later). NULL: all at once.
	 */
	void (*release)(void *p, const struct sim_warp_env *env, uint32_t cta, uint32_t barrier,
		uint64_t now);
	/* Instructions that may_issue wants to see; asked once per program. NULL: none. */
	int (*watches)(void *p, const struct sim_warp_env *env, uint32_t inst);
	/*
	 * A watched instruction is next: SIM_GO_ON; SIM_NOT_NOW: the policy has put the warp on
	 * hold, or has said from when it is ready; SIM_INSERTS: if it is picked, insert puts
	 * another before it, so that nobody is asked yet whether it may load.
	 */
	enum sim_may_issue (*may_issue)(
		void *p, const struct sim_warp_env *env, uint32_t warp, uint64_t now);
	/*
	 * The warp's next instruction is a watched load, and the scheduler keeps it back; said once
	 * for each load. May be NULL.
	 */
	void (*withheld)(void *p, const struct sim_warp_env *env, uint32_t warp, uint64_t now);
	/*
	 * A watched instruction was picked. 1: an instruction of the policy's own issues in its
	 * place and takes the issue slot of the warp, which stays where it is: the policy has said
	 * what becomes of it (hold, or ready from a later cycle). 0: the instruction itself issues.
	 * NULL: 0.
	 */
	int (*insert)(void *p, const struct sim_warp_env *env, uint32_t warp, uint64_t now);
	/*
	 * A watched instruction issues: lists the warps that issue it together with this one as if
	 * they were one wide warp (this one left out, all of the same pc and width and able to
	 * issue), and says how many there are, up to SIM_GANG - 1. NULL: none.
	 */
	uint32_t (*gang)(void *p, const struct sim_warp_env *env, uint32_t warp, uint16_t *with,
		uint64_t now);
	/* It has issued, with its gang; called for watched instructions only. */
	void (*issued)(void *p, const struct sim_warp_env *env, uint32_t warp, uint64_t now);
	/* Lanes whose load came back. May be NULL. */
	void (*loaded)(void *p, const struct sim_warp_env *env, uint32_t warp, uint64_t now);
	/* Own pick among the ready warps (owns_pick). */
	uint32_t (*pick)(void *p, const struct sim_warp_env *env, const struct sim_bits *ready,
		uint64_t now);
	/* Hardware with a throughput of its own: a cycle ends, that of until at the latest. */
	void (*tick)(void *p, const struct sim_warp_env *env, uint64_t now);
	uint64_t (*until)(void *p, const struct sim_warp_env *env, uint64_t now);
	/* A CTA has ended (all its threads exited). */
	void (*leave)(void *p, const struct sim_warp_env *env, uint32_t cta);
};

const struct sim_warp_policy *sim_warp_policy_at(unsigned i);
const struct sim_warp_policy *sim_warp_policy_find(const char *name);
/* Lanes of its widest instructions: as wide are the warps of an access stream. */
uint32_t sim_warp_policy_widest(
	const struct sim_warp_policy *policy, const struct sim_config *c, const int64_t *params);
/* "fixed:32", "dwr:max=64,ilt=32": a bare number is the first parameter. 1 or TR_EUSAGE. */
int sim_warp_policy_parse(const char *spec, const struct sim_warp_policy **policy, int64_t *params,
	struct tr_err *err);

#endif
