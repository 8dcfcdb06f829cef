/*
 * Who goes first: a warp scheduler. One policy is one file with one const struct sim_sched and one
 * line in policies.def. The SM tells it what happens and asks which of the ready warps issues; it
 * knows nothing of memory or of how warps are formed. Private state is the policy's, `state_bytes`
 * per scheduler of an SM, allocated zeroed by the caller.
 *
 * An SM with several schedulers gives each its share of the warps. Each of them is told all that
 * happens on the SM; one that remembers its own choices asks whether a warp is its own (sim_mine).
 *
 * A scheduler of one's own stands in a shared object (trace-policies(7)): it includes this header,
 * and is linked with nothing of the simulator.
 *
 * Locality is counted by member. Where warps keep their threads, a member is a warp slot. Where the
 * warp policy regroups threads, a member is the threads of as many consecutive thread slots as a
 * warp has lanes, those that a warp of fixed threads would have: what they have in the cache stays
 * theirs, whichever warps they are in.
 */
#ifndef SIM_SCHED_SCHED_H
#define SIM_SCHED_SCHED_H

#include "sim/base/bits.h"
#include "sim/base/param.h"
#include "sim/base/profile.h"
#include "sim/base/warp.h"
#include <stddef.h>

/* Rises whenever a scheduler that was compiled before would no longer work. */
#define SIM_SCHED_VERSION 3

/*
 * What a policy counts, for the statistics. On an SM with several schedulers number 0 alone counts
 * predictions; lost locality is counted by the scheduler of the warp that has lost it.
 */
struct sim_sched_stats {
	uint64_t vta_hits; /* lost locality: misses on lines that the member had; among them: */
	uint64_t vta_hits_descheduled; /* its loads were withheld since it came into its loops */
	uint64_t vta_hits_withheld;    /* the line was lost while they were, inside a loop */
	uint64_t predictions,
		predicted_lines; /* footprints predicted, and the sum of their lines */
	uint64_t withheld_loads; /* loads that were ready, and that may_load kept from issuing */
};

struct sim_sched_env {
	uint32_t nwarps;                /* slots; bit sets have that many bits */
	uint32_t nmembers;              /* see the head of this file */
	uint32_t nctas;                 /* CTA slots; at most 64 */
	const struct sim_warp *warps;   /* by slot */
	const uint64_t *age;            /* by slot, of warps that can issue: theirs, side by side */
	const uint64_t *waits_changed;  /* rises whenever sim_waits changes for one of them */
	const struct sim_bits *mine;    /* slots of this scheduler */
	uint32_t number, schedulers;    /* this one, and how many there are on the SM */
	uint32_t line_bytes, l1d_lines; /* of the SM's L1D; l1d_lines 0: unbounded */
	uint32_t warp_size;             /* lanes of the widest warp */
	struct sim_sched_stats *stats;
	const struct sim_sched_profile *profile; /* for policies that take one, or NULL */
	uint32_t member; /* thread slots of a member; 0: a member is a warp slot */
};

static inline int sim_mine(const struct sim_sched_env *env, uint32_t warp)
{
	return sim_bits_has(env->mine, warp);
}

/* Lists the members of a warp (at most TR_LANES_MAX, ascending), and says how many there are. */
static inline uint32_t sim_members(const struct sim_sched_env *env, uint32_t warp, uint16_t *list)
{
	const struct sim_warp *w = &env->warps[warp];
	struct sim_bits has;
	uint32_t lane, n = 0;

	if (!env->member) {
		list[0] = (uint16_t)warp;
		return 1;
	}
	sim_bits_init(&has, env->nmembers);
	FOR_LANES(w->lanes, lane)
	sim_bits_set(&has, w->thread[lane] / env->member);
	for (uint32_t m = sim_bits_next(&has, 0); m != UINT32_MAX; m = sim_bits_next(&has, m + 1))
		list[n++] = (uint16_t)m;
	return n;
}

#define SIM_SCHED_PARAMS SIM_PARAMS

/* An access of the L1D, as it was answered: loads, stores and atomics, each transaction of them. */
struct sim_sched_access {
	uint64_t line;
	uint32_t warp;   /* slot */
	uint32_t member; /* that made the transaction: that of its lowest lane */
	uint64_t age;    /* of that member; its slot may have another member by now */
	uint32_t inst;
	uint16_t number, of; /* this is transaction `number`, from 0, of `of` of its instruction */
	uint16_t active;     /* lanes of that instruction */
	uint8_t is_load, hit, merge;
	uint8_t removed; /* a global store or an atomic: the line is not in the L1D (any more),
			    unless the machine's stores keep it */
	uint8_t evicted; /* a valid line was evicted: */
	uint64_t victim; /* its address */
	uint32_t victim_member; /* whose miss had filled it */
	uint64_t victim_age;    /* of that member: by now its number may belong to another */
	uint32_t owner; /* of a hit or merge: the member whose miss filled the line, or will */
	uint64_t owner_age;
};

/*
 * Counts an access that found its own tag among the victims (thesis 4.4.1). Its loads were withheld
 * since its member came into a loop, or as the line went. Of several schedulers all see the access,
 * and the warp's own one counts it.
 */
static inline void sim_sched_lost(const struct sim_sched_env *env, const struct sim_sched_access *a,
	int descheduled, int withheld)
{
	if (!sim_mine(env, a->warp))
		return;
	env->stats->vta_hits++;
	env->stats->vta_hits_descheduled += (unsigned)descheduled;
	env->stats->vta_hits_withheld += (unsigned)withheld;
}

/*
 * The version, and in the low bits how large the structs are that a scheduler and its SM share: one
 * that was compiled when they were others is refused. Each size has a factor of its own, so that
 * changes of two do not cancel.
 */
#define SIM_SCHED_ABI_SIZES                                                                        \
	((uint32_t)(sizeof(struct sim_sched_env) * 101u + sizeof(struct sim_sched_stats) * 211u +  \
		    sizeof(struct sim_sched_access) * 307u +                                       \
		    sizeof(struct sim_sched_profile) * 401u +                                      \
		    sizeof(struct sim_profile_kernel) * 503u +                                     \
		    sizeof(struct sim_profile_load) * 601u + SIM_ABI_SIZES) &                      \
		0xfffff)
#define SIM_SCHED_ABI ((uint32_t)SIM_SCHED_VERSION << 20 | SIM_SCHED_ABI_SIZES)

struct sim_sched {
	uint32_t abi, bytes; /* SIM_SCHED_ABI, sizeof(struct sim_sched) */
	const char *name, *help;
	struct sim_param params[SIM_SCHED_PARAMS]; /* ends at name == NULL */
	int takes_profile;                         /* its name may have profile=FILE after it */
	size_t state_bytes; /* of private state, where state_size is NULL; else that says it */
	size_t (*state_size)(const struct sim_sched_env *env, const int64_t *params);
	/* All but pick may be NULL. env stays valid, params are copied if they are wanted later. */
	void (*start)(void *s, const struct sim_sched_env *env, const int64_t *params);
	/* A launch begins: the program has changed, and the L1D is empty. */
	void (*launch)(void *s, const struct tr_program *program);
	/* A warp has come to its slot, or is about to leave it: env describes it in both calls. */
	void (*arrive)(void *s, uint32_t warp);
	void (*leave)(void *s, uint32_t warp);
	/* The threads of a member have come, or have ended. age: smaller is older. */
	void (*member_arrive)(void *s, uint32_t member, uint64_t age);
	void (*member_leave)(void *s, uint32_t member);
	/*
	 * One of `ready` (not empty, all of them this scheduler's), or SIM_NO_WARP to withhold all
	 * of them. The warp may not issue after all: a policy learns in `issued` what did.
	 */
	uint32_t (*pick)(void *s, const struct sim_bits *ready, uint64_t now);
	/*
	 * May this ready warp, whose next instruction is a load from global or local memory, issue
	 * it? Asked for each such warp in each cycle that the SM is awake; a no counts as withheld.
	 */
	int (*may_load)(void *s, uint32_t warp, uint32_t inst, uint64_t now);
	/* Not called where the warp policy picks, if there is no may_load. */
	void (*issued)(void *s, uint32_t warp, uint32_t inst, uint64_t now);
	/* A warp that joined the one in `issued`: the two issue as one (struct sim_bundle). */
	void (*issued_joined)(void *s, uint32_t warp, uint32_t inst, uint64_t now);
	void (*access)(void *s, const struct sim_sched_access *a, uint64_t now);
	/*
	 * Loops of the members. active: the threads that are in the loop now. Where threads are
	 * regrouped they enter and leave one after the other: loop_begin is called again, with the
	 * new count, when more have entered. A
	 * loop ends when none of the member's threads is left in it; out: in no other one either.
	 */
	void (*loop_begin)(void *s, uint32_t member, uint32_t loop, uint32_t active, uint64_t now);
	void (*loop_iterate)(
		void *s, uint32_t member, uint32_t loop, uint32_t active, uint64_t now);
	void (*loop_end)(void *s, uint32_t member, uint32_t loop, int out, uint64_t now);
	/*
	 * Time goes from cycle `from` (the last call's `to`) to `to`, and nothing was reported
	 * between. It is the first call in a cycle. A policy whose
	 * answers change with time alone (CCWS's decay) says in `until` up to which cycle they stay
	 * the same; the SM wakes then. NULL: never.
	 */
	void (*pass)(void *s, uint64_t from, uint64_t to);
	uint64_t (*until)(void *s, uint64_t now);
};

/* What a shared object calls its scheduler. */
#ifdef __cplusplus
extern "C" {
#endif
extern const struct sim_sched warptrace_sched __attribute__((visibility("default")));
#ifdef __cplusplus
}
#endif

#endif
