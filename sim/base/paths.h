/*
 * The entries of a reconvergence stack, apart from the lanes, of which each stack has masks of its
 * own width beside them: a warp of up to 64 lanes (stack.h), a warp of the replay with likely
 * convergence (sim/warp/pdom.h), a CTA (sim/warp/tbc.c). What a branch does to the entries is here,
 * once for all of them; the masks follow.
 *
 * The rule is GPGPU-Sim's: where paths part, the entry on top stays to wait at the reconvergence
 * point, and the paths are pushed above it; one that begins at that point is not. A branch whose
 * point is the top entry's own, or that has none, leaves nobody waiting: its paths take the place
 * of the entry, so that loops do not deepen the stack.
 *
 * How threads that exit leave the stack is each one's own, for two ways are right. The stack of a
 * warp closes the gap at once: it is the warp that moves, so no place of an entry is in use. In a
 * CTA other warps are filling entries above the top meanwhile, so an entry without threads keeps
 * its place until it comes to the top.
 */
#ifndef SIM_BASE_PATHS_H
#define SIM_BASE_PATHS_H

#include "libtrace/program.h"

struct sim_path {
	uint32_t pc, rpc; /* rpc: where it meets the rest; TR_EXIT: nowhere */
	uint32_t meets;   /* 1: not a path, but where paths will meet */
	uint32_t likely;  /* 1 + place of the path to merge with at its pc (LPos); 0: none */
};

/* Does somebody wait at the reconvergence point of a branch on a path that meets at `outer`? */
static inline int sim_paths_wait(uint32_t rpc, uint32_t outer)
{
	return rpc != outer && rpc != TR_EXIT;
}

/* A branch whose ways are being pushed. */
struct sim_parting {
	uint32_t rpc;
	uint32_t likely; /* 1 + place of the entry that they may merge with (sim_path.likely) */
	uint32_t empty;  /* place of an entry that has no lanes yet, or TR_NONE */
};

/*
 * The path on top parts, and its ways meet at rpc. What waits is left on the stack. lcp: a
 * likely-convergence point, or TR_NONE; an entry for it has no lanes yet.
 */
static inline struct sim_parting sim_paths_part(
	struct sim_path *path, uint32_t *depth, uint32_t rpc, uint32_t lcp)
{
	struct sim_path *top = &path[*depth - 1];
	struct sim_parting p = {.rpc = rpc, .likely = top->likely, .empty = TR_NONE};

	if (sim_paths_wait(rpc, top->rpc)) {
		top->pc = rpc;
		top->meets = 1;
		p.likely = 0;
	} else {
		--*depth;
	}
	if (lcp != TR_NONE && (!p.likely || path[p.likely - 1].pc != lcp)) {
		p.empty = (*depth)++;
		path[p.empty] =
			(struct sim_path){.pc = lcp, .rpc = rpc, .meets = 1, .likely = p.likely};
		p.likely = p.empty + 1;
	}
	return p;
}

/*
 * A way of that branch begins at pc. The entry that gets its lanes: a new one, then on top, or that
 * of a likely-convergence point; TR_NONE: it begins where the ways meet, and who waits has them.
 */
static inline uint32_t sim_paths_way(
	struct sim_path *path, uint32_t *depth, uint32_t pc, const struct sim_parting *p)
{
	if (pc == p->rpc)
		return TR_NONE;
	if (p->likely && pc == path[p->likely - 1].pc)
		return p->likely - 1;
	path[*depth] = (struct sim_path){.pc = pc, .rpc = p->rpc, .meets = 0, .likely = p->likely};
	return (*depth)++;
}

enum sim_path_end {
	SIM_PATH_GOES_ON,
	SIM_PATH_MEETS,  /* who waits has its lanes */
	SIM_PATH_MERGES, /* entry likely - 1 gets its lanes */
};

/* Does the path at a place end where it goes next, at pc? */
static inline enum sim_path_end sim_path_ends(const struct sim_path *path, uint32_t at, uint32_t pc)
{
	const struct sim_path *e = &path[at];

	if (e->likely && pc == path[e->likely - 1].pc)
		return SIM_PATH_MERGES;
	return pc == e->rpc ? SIM_PATH_MEETS : SIM_PATH_GOES_ON;
}

#endif
