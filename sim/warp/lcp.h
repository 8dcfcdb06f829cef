/*
 * Likely-convergence points (TBC section 4): where the paths of a divergent branch most often meet
 * before they must, in the innermost loop around the branch. A policy with a reconvergence stack
 * pushes an entry without lanes for it beneath the paths, and a path that comes there is merged
 * with that entry. A point is the first instruction of its block: who comes to the closest
 * enclosing backward branch of footnote 6 comes to the beginning of its block first, and that is
 * where figure 10 draws it.
 */
#ifndef SIM_WARP_LCP_H
#define SIM_WARP_LCP_H

#include "sim/warp/warp.h"

/* Where the points come from; the values of the parameter below. */
enum sim_lcp { SIM_LCP_NONE, SIM_LCP_PROGRAM, SIM_LCP_PROFILE };

extern const char *const sim_lcp_words[];

/* A line of sim_warp_policy.params: "lcp=0", "lcp=1", "lcp=profile". */
#define SIM_LCP_PARAM                                                                              \
	{                                                                                          \
		"lcp", SIM_LCP_NONE, SIM_LCP_NONE, SIM_LCP_PROFILE,                                \
			"likely-convergence points: none, the program's, or a profile's",          \
			sim_lcp_words                                                              \
	}

/* The point of a branch, the first instruction of a block, or TR_NONE. Asked at divergence only. */
uint32_t sim_lcp_of(struct sim_front *front, enum sim_lcp from, uint32_t branch);

/*
 * A profile: how often each successor was taken, by its place in succ_pool. sim_lcp_count adds a
 * CTA's threads to `edges`. sim_lcp_points makes the points of all instructions of them: into
 * `lcp`, one each, TR_NONE for those without. Each 1, or TR_E*.
 */
int sim_lcp_count(
	const struct tr_program *p, const struct tr_cta *cta, uint64_t *edges, struct tr_err *err);
int sim_lcp_points(
	const struct tr_program *p, const uint64_t *edges, uint32_t *lcp, struct tr_err *err);

#endif
