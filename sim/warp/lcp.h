/*
 * Likely-convergence points (TBC section 4): where the paths of a divergent branch most often meet
 * before they must, in the innermost loop around the branch. A policy with a reconvergence stack
 * pushes an entry without lanes for it beneath the paths, and a path that comes there is merged
 * with that entry. A point is the first instruction of a block: footnote 6 names the
 * closest enclosing backward branch, and all threads that come to it come to the beginning of its
 * block first, where figure 10 draws the point.
 */
#ifndef SIM_WARP_LCP_H
#define SIM_WARP_LCP_H

#include "sim/warp/warp.h"

/* Where the points come from; the values of the parameter below. */
enum sim_lcp { SIM_LCP_NONE, SIM_LCP_PROGRAM, SIM_LCP_PROFILE };

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif

#endif
