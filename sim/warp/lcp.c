/*
 * Which likely-convergence point a branch has. The program's are libtrace's (program.h,
 * tr_inst.lcp), the closest enclosing backward taken branch of TBC's footnote 6; a profile's
 * (lcp_points.h) are handed to the policy.
 */
#include "sim/warp/lcp.h"

const char *const sim_lcp_words[] = {
	[SIM_LCP_NONE] = "0", [SIM_LCP_PROGRAM] = "1", [SIM_LCP_PROFILE] = "profile", NULL};

uint32_t sim_lcp_of(struct sim_front *front, enum sim_lcp from, uint32_t branch)
{
	const struct tr_program *p = front->program;
	const uint32_t at = p->insts[branch].lcp;

	if (from == SIM_LCP_PROFILE)
		return front->lcp[branch];
	if (from == SIM_LCP_NONE || at == TR_NONE)
		return TR_NONE;
	return p->blocks[p->insts[at].block].first;
}
