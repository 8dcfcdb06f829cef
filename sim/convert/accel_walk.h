/*
 * Internal: a warp's lanes go on along their records under a reconvergence stack (PDOM), for
 * accel_export.c, which writes what it issues, and accel_merge.c, which counts it.
 */
#ifndef SIM_CONVERT_ACCEL_WALK_H
#define SIM_CONVERT_ACCEL_WALK_H

#include "libtrace/trace.h"
#include "sim/base/stack.h"

/* The running lanes of s go on from instruction i where their walks say. */
static inline void accel_go_on(
	const struct tr_program *p, struct warp_stack *s, uint32_t i, const struct tr_walk *walks)
{
	struct warp_path path[TR_GROUP];
	uint32_t leaving = 0;
	unsigned n = 0;

	for (uint32_t left = warp_stack_mask(s); left;) {
		const uint32_t pc = walks[__builtin_ctz(left)].next;
		uint32_t same = 0;

		for (uint32_t m = left; m; m &= m - 1)
			if (walks[__builtin_ctz(m)].next == pc)
				same |= m & -m;
		left &= ~same;
		if (pc == TR_EXIT)
			leaving = same;
		else
			path[n++] =
				(struct warp_path){pc, same, p->blocks[p->insts[pc].block].rank};
	}
	if (leaving)
		warp_stack_exit(s, leaving, n == 1 ? path[0].pc : i);
	if (n > 1)
		warp_stack_branch(s, p->insts[i].ipdom, path, n);
	else if (n == 1 && !leaving)
		warp_stack_advance(s, path[0].pc);
}

#endif
