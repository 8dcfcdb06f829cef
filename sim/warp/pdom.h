/*
 * Per-warp reconvergence stacks (PDOM), for policies whose warps keep their threads: the paths of a
 * divergent branch run one after the other and meet at its immediate post-dominator
 * (sim/base/paths.h). The fall-through is pushed first, so the taken path runs first; under
 * sm.first_path = fewer the one of more lanes is.
 *
 * With likely-convergence points (TBC section 4) an entry without lanes stands beneath the paths of
 * a branch that has one, and a path that comes to its point is merged with it.
 *
 * A policy outside of the tree is linked with libwarptrace-policy.a for it.
 */
#ifndef SIM_WARP_PDOM_H
#define SIM_WARP_PDOM_H

#include "sim/warp/lcp.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sim_pdom {
	uint32_t depth;
	enum sim_lcp lcp;       /* none, unless the policy sets it */
	struct sim_path *path;  /* entries, the top last; in the policy's storage */
	struct sim_mask *lanes; /* of each entry; likewise */
};

/* Bytes of n stacks for warps of so many lanes; and lays them out in so many zeroed bytes. */
size_t sim_pdom_bytes(uint32_t n, uint32_t lanes);
void sim_pdom_init(struct sim_pdom *stacks, uint32_t n, uint32_t lanes);

/*
 * Makes a warp of the first `lanes`, or fewer, of the n threads of a CTA from thread slot `first`
 * on. Returns its warp slot; it is not yet ready.
 */
uint32_t sim_pdom_warp(struct sim_pdom *stacks, struct sim_front *front, uint32_t cta,
	uint32_t first, uint32_t n, uint32_t lanes);

/*
 * A warp's block is done: how many ways its lanes go, where these lead and whose they are, in the
 * order of the program; those that exit apart.
 */
unsigned sim_ways(const struct sim_front *front, const struct sim_warp *w,
	uint32_t to[TR_LANES_MAX], struct sim_mask lanes[TR_LANES_MAX], struct sim_mask *gone);

/* Of the n ways of sim_ways that with the fewest lanes comes last, of equals the fall-through. */
void sim_fewest_last(unsigned n, uint32_t *to, struct sim_mask *lanes);

/*
 * A slot for a path of a warp: of the scheduler of slot `warp`, if one of these is among the first
 * `tries` that are free, since schedulers have the slots in turn. SIM_NO_WARP where none is free.
 */
uint32_t sim_take_beside(struct sim_front *front, uint32_t warp, uint32_t tries);

/* Fills in of a warp what its stack says: the top entry is what it runs. */
void sim_pdom_show(const struct sim_pdom *s, struct sim_warp *w);

/* The warp's block is done: it goes on with what is on top. 1, or 0: all its threads have ended. */
int sim_pdom_next(struct sim_pdom *s, struct sim_front *front, struct sim_warp *w);
/* The same for a warp that has no slot of its own: w is not one of the front's. */
int sim_pdom_walk(struct sim_pdom *s, struct sim_front *front, struct sim_warp *w);

#ifdef __cplusplus
}
#endif

#endif
