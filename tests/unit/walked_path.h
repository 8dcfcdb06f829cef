/* The hash that the replay makes of a thread's path, by walking the thread alone. */
#ifndef WALKED_PATH_H
#define WALKED_PATH_H

#include "libtrace/trace.h"

static inline uint64_t walked_path(const struct tr_program *p, const struct tr_thread *t)
{
	struct tr_walk w;
	uint64_t path = 0;

	tr_walk_start(&w, p, t);
	while (tr_walk_next(&w) > 0) {
		const struct tr_block *b = &p->blocks[p->insts[w.inst].block];

		if (w.inst == b->first + b->n - 1)
			path = (path + w.next) * 0x9e3779b97f4a7c15ull;
	}
	return path;
}

#endif
