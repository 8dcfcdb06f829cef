/*
 * From a warp's memory instruction to its accesses: lanes are split by the space that they access,
 * offsets in local memory become addresses (local.h), and the lanes of each space are coalesced.
 * And counts of these.
 */
#ifndef SIM_ACCESS_REQUESTS_H
#define SIM_ACCESS_REQUESTS_H

#include "sim/access/coalesce.h"
#include "sim/access/local.h"
#include "sim/access/warps.h"

/*
 * Bound on the accesses of one instruction: 16 words of local memory for each lane, each of which
 * may lie in two segments.
 */
#define SIM_REQUESTS_MAX (2 * 16 * SIM_WARPS_LANES_MAX)

struct sim_requests {
	unsigned n;
	struct tr_access access[SIM_REQUESTS_MAX]; /* of all spaces that leave the SM */
	/* For each space, and in all: its accesses, or for sector32 the sectors of these. */
	unsigned transactions[TR_NSPACES], all_transactions;
	unsigned lanes[TR_NSPACES]; /* that reach it, also for shared memory */
};

/* Fills *r with what instruction `in` of w's program becomes. */
void sim_requests_make(struct sim_requests *r, const struct sim_coalescer *c, unsigned warp_size,
	const struct tr_inst *in, const struct sim_warp_access *w);

/* ---- counting ---- */

/* Transactions of one instruction: 1, 2, up to 4, 8, 16, 32, and more. */
#define AN_TX_CLASSES 7

struct an_requests {
	uint64_t insts;        /* warp instructions */
	uint64_t thread_insts; /* lanes of them */
	uint64_t transactions;
	uint64_t classes[AN_TX_CLASSES];
};

/* Counts one more: of `lanes` lanes that became `transactions`. */
void an_requests_count(struct an_requests *a, unsigned lanes, unsigned transactions);
void an_requests_add(struct an_requests *sum, const struct an_requests *a);

/* Does an access to this space leave the SM? Shared memory does not, nor do parameters. */
static inline int sim_leaves_sm(enum tr_space s)
{
	return s == TR_S_GLOBAL || s == TR_S_LOCAL || s == TR_S_CONST || s == TR_S_TEXTURE;
}

#endif
