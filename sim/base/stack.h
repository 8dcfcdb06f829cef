/*
 * The reconvergence stack of a warp: instruction numbers and lane masks, nothing else. The paths of
 * a divergent branch run one after the other and meet at the branch's immediate post-dominator
 * (paths.h). Left out: likely-convergence points and every other mechanism that lets lanes meet
 * elsewhere.
 *
 * A warp has up to 32 lanes, or up to 64 in a source file that defines WARP_LANES as 64 before it
 * includes this. So a struct warp_stack does not pass from one source file to another.
 *
 * Two rules keep it small: that of paths.h for loops, and that an exit removes its lanes from every
 * entry, and entries without lanes from the stack. So the entries that are paths have no lane in
 * common, and an entry that waits at a reconvergence point has all lanes of the entries above it.
 */
#ifndef SIM_BASE_STACK_H
#define SIM_BASE_STACK_H

#include "sim/base/paths.h"
#include <assert.h>

#ifndef WARP_LANES
#define WARP_LANES 32
#endif
#if WARP_LANES > 32
typedef uint64_t warp_mask;
#else
typedef uint32_t warp_mask;
#endif

#define WARP_STACK_MAX (2 * WARP_LANES)

struct warp_path {
	uint32_t pc;
	warp_mask mask;
	uint32_t rank; /* the path of the lowest rank runs first */
};

struct warp_stack {
	uint32_t depth; /* 0: all lanes have exited */
	struct sim_path path[WARP_STACK_MAX];
	warp_mask mask[WARP_STACK_MAX];
};

static inline void warp_stack_init(struct warp_stack *s, uint32_t pc, warp_mask mask)
{
	s->depth = mask != 0;
	s->path[0] = (struct sim_path){.pc = pc, .rpc = TR_EXIT, .meets = 0, .likely = 0};
	s->mask[0] = mask;
}

static inline uint32_t warp_stack_pc(const struct warp_stack *s)
{
	return s->path[s->depth - 1].pc;
}

static inline uint32_t warp_stack_rpc(const struct warp_stack *s)
{
	return s->path[s->depth - 1].rpc;
}

static inline warp_mask warp_stack_mask(const struct warp_stack *s)
{
	return s->depth ? s->mask[s->depth - 1] : 0;
}

/* The lanes that have not exited, running or not. */
static inline warp_mask warp_stack_live(const struct warp_stack *s)
{
	warp_mask live = 0;
	for (uint32_t k = 0; k < s->depth; k++)
		live |= s->mask[k];
	return live;
}

/* The running lanes go on at pc, or wait there for the others if it is where they meet. */
static inline void warp_stack_advance(struct warp_stack *s, uint32_t pc)
{
	s->path[s->depth - 1].pc = pc;
	while (s->depth > 1 && s->path[s->depth - 1].pc == s->path[s->depth - 1].rpc)
		s->depth--;
}

/*
 * The running lanes part over n paths of different PCs, none of them empty, together all of the
 * running lanes. They meet at rpc, which may be TR_EXIT. Sorts the paths.
 */
static inline void warp_stack_branch(
	struct warp_stack *s, uint32_t rpc, struct warp_path *path, unsigned n)
{
	struct sim_parting parting;

	if (n == 1) {
		warp_stack_advance(s, path[0].pc);
		return;
	}
	for (unsigned i = 1; i < n; i++) { /* the highest rank first: the top runs first */
		const struct warp_path p = path[i];
		unsigned k = i;
		for (; k && path[k - 1].rank < p.rank; k--)
			path[k] = path[k - 1];
		path[k] = p;
	}
	parting = sim_paths_part(s->path, &s->depth, rpc, TR_NONE);
	for (unsigned i = 0; i < n; i++) {
		uint32_t at;

		assert(s->depth < WARP_STACK_MAX);
		at = sim_paths_way(s->path, &s->depth, path[i].pc, &parting);
		if (at != TR_NONE)
			s->mask[at] = path[i].mask;
	}
}

/* `lanes` of the running lanes exit; the rest of them goes on at pc. */
static inline void warp_stack_exit(struct warp_stack *s, warp_mask lanes, uint32_t pc)
{
	uint32_t kept = 0;

	s->path[s->depth - 1].pc = pc;
	for (uint32_t k = 0; k < s->depth; k++) {
		s->path[kept] = s->path[k];
		s->mask[kept] = s->mask[k] & ~lanes;
		kept += s->mask[kept] != 0;
	}
	s->depth = kept;
	if (kept)
		warp_stack_advance(s, warp_stack_pc(s));
}

#endif
