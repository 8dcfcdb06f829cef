/*
 * Likely-convergence points (lcp.h) of a profile: how often each way was taken, and the points that
 * follow from it. A policy is handed them in struct sim_front.
 */
#ifndef SIM_WARP_LCP_POINTS_H
#define SIM_WARP_LCP_POINTS_H

#include "libtrace/trace.h"

/*
 * A profile: edges[i] is how often the successor succ_pool[i] was taken. sim_lcp_count adds a
 * CTA's threads to `edges`. sim_lcp_points computes from `edges` the point of each instruction, or
 * TR_NONE, into `lcp`. Both return 1, or TR_E*.
 */
int sim_lcp_count(
	const struct tr_program *p, const struct tr_cta *cta, uint64_t *edges, struct tr_err *err);
int sim_lcp_points(
	const struct tr_program *p, const uint64_t *edges, uint32_t *lcp, struct tr_err *err);

#endif
