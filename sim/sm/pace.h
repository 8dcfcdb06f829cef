/*
 * Lanes that keep pace: neighbouring threads that have read as many outcomes and values as one
 * another, so that one cursor serves all of them. When the active lanes of a warp begin a block and
 * have read equally much, they share a cursor. As soon as other lanes become active, or one of
 * these may diverge, each thread gets its own position back. This saves time and changes no result.
 */
#ifndef SIM_SM_PACE_H
#define SIM_SM_PACE_H

#include "sim/sm/tape.h"

#define SIM_PACE_LANES TR_GROUP
#define SIM_PATH_FACTOR 0x9e3779b97f4a7c15ull

/* A line of the processor's cache. */
struct sim_pace {
	uint32_t lanes;         /* lanes that share the cursor, a bit each; 0: none do */
	uint32_t stride;        /* of their tape */
	const uint8_t *outcome; /* of lane 0, likewise value */
	const uint64_t *value;
	uint32_t outcomes, values;           /* the least that one of the threads has left */
	uint32_t outcomes_read, values_read; /* since they share the cursor */
	uint64_t mul, add;                   /* what the blocks since did to each path's hash */
	uint32_t first;                      /* thread slot of lane 0 */
	uint8_t n;                           /* the highest of the lanes, plus one */
	uint8_t skip,
		patience; /* blocks before the next try; what skip is set to when that fails */
} __attribute__((aligned(64)));

/* One block further on a thread's path. */
static inline void sim_path_step(uint64_t *path, uint32_t pc)
{
	*path = (*path + pc) * SIM_PATH_FACTOR;
}

/* A warp of up to SIM_PACE_LANES lanes begins a block: shares a cursor if they keep pace. */
void sim_pace_try(struct sim_pace *p, const struct sim_warp *w, const struct sim_thread *threads);
/* Gives each thread its own position back. */
void sim_pace_end(struct sim_pace *p, struct sim_thread *threads);

#endif
