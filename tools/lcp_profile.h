/*
 * Likely-convergence points of the programs of a trace, from the ways that its threads took (TBC
 * section 4): what --warp ...,lcp=profile asks for.
 */
#ifndef TOOLS_LCP_PROFILE_H
#define TOOLS_LCP_PROFILE_H

#include "tools/common.h"

struct lcp_profile {
	uint32_t nprograms;
	uint32_t **lcp; /* by program of the stream, then by instruction; NULL: it has no launch */
};

/*
 * Reads that part of `in`, and leaves it at its beginning. Dies with a sentence about `name` where
 * it cannot be read, or not twice.
 */
void lcp_profile_make(
	struct lcp_profile *p, FILE *in, const char *name, const struct tr_part *part);
void lcp_profile_free(struct lcp_profile *p);

#endif
