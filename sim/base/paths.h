/*
 * The entries of a reconvergence stack, apart from the lanes, of which each stack has masks of its
 * own width beside them: a warp of up to 64 lanes (stack.h), a warp of the replay with likely
 * convergence (sim/warp/pdom.h), a CTA (sim/warp/tbc.c). What a branch does to the entries is here,
 * once for all of them; the masks follow.
 *
 * The rule is GPGPU-Sim's. Where paths part, the entry on top stays, its pc set to the branch's
 * reconvergence point, and an entry for each path is pushed above it; a path that begins at the
 * reconvergence point is not pushed. A branch that has no reconvergence point, or that of the top
 * entry, needs no entry that waits: its paths replace the top entry, so that loops do not deepen
 * the stack.
 *
 * How threads that exit leave the stack differs between the users, and both ways are right. The
 * stack of a warp removes an entry without threads at once: the warp itself is at its end, so
 * nobody refers to an entry by its index. In a CTA other warps may at that moment be filling
 * entries above, so an entry without threads stays until it is on top.
 */
#ifndef SIM_BASE_PATHS_H
#define SIM_BASE_PATHS_H

#include "libtrace/program.h"

struct sim_path {
	uint32_t pc, rpc; /* rpc: reconvergence point; TR_EXIT: there is none */
	uint32_t meets;   /* 1: no path runs here; threads wait for others at pc */
	uint32_t likely;  /* 1 + index of the entry to merge with at its pc (LPos); 0: none */
};

/* Does a branch need an entry that waits at `rpc`, on a path whose own is `outer`? */
static inline int sim_paths_wait(uint32_t rpc, uint32_t outer)
{
	return rpc != outer && rpc != TR_EXIT;
}

/* A branch whose ways are being pushed. */
struct sim_parting {
	uint32_t rpc;
	uint32_t likely; /* 1 + index of the entry that they may merge with (sim_path.likely) */
	uint32_t empty;  /* index of an entry that has no lanes yet, or TR_NONE */
};

/*
 * The path on top diverges; its ways meet at rpc. The entry that waits there, if one is needed, is
 * left on the stack. lcp: a likely-convergence point, or TR_NONE; its entry has no lanes yet.
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
 * One way of that branch begins at pc. Returns the index of the entry that gets its lanes: a new
 * one on top, or that of a likely-convergence point. TR_NONE: it begins at the reconvergence point,
 * and the entry that waits there has its lanes already.
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
	SIM_PATH_MEETS,  /* it has come to its reconvergence point; that entry has its lanes */
	SIM_PATH_MERGES, /* entry likely - 1 gets its lanes */
};

/* Does the path of entry `at` end at pc, where it goes next? */
static inline enum sim_path_end sim_path_ends(const struct sim_path *path, uint32_t at, uint32_t pc)
{
	const struct sim_path *e = &path[at];

	if (e->likely && pc == path[e->likely - 1].pc)
		return SIM_PATH_MERGES;
	return pc == e->rpc ? SIM_PATH_MEETS : SIM_PATH_GOES_ON;
}

#endif
