/*
 * Lanes that keep pace: neighbouring threads that have read as many outcomes and values as one
 * another, so that one cursor does for all of them. A warp's running lanes are taken together when
 * they begin a block and are found level, and are let go, each thread brought up to date, as soon
 * as other lanes run or one of them may part from the rest. What it costs and what it saves is time
 * alone: results are the same without.
 */
#ifndef SIM_SM_PACE_H
#define SIM_SM_PACE_H

#include "sim/sm/tape.h"

#define SIM_PACE_LANES TR_GROUP
#define SIM_PATH_FACTOR 0x9e3779b97f4a7c15ull

struct sim_pace {
	uint32_t lanes;         /* taken together; 0: none are */
	uint32_t n;             /* highest of them, plus one */
	uint32_t first;         /* thread place of lane 0 */
	uint32_t stride;        /* of their tape */
	const uint8_t *outcome; /* of lane 0; */
	const uint64_t *value;
	uint32_t outcomes, values;           /* the least that one of them has left; */
	uint32_t outcomes_read, values_read; /* since they were taken together */
	uint64_t mul, add;                   /* what the blocks since did to each path */
	uint8_t skip, patience; /* tries to leave out, and how many after the next failure */
};

/* One block further on a thread's path. */
static inline void sim_path_step(uint64_t *path, uint32_t pc)
{
	*path = (*path + pc) * SIM_PATH_FACTOR;
}

/* A warp begins a block: are its lanes level? Up to SIM_PACE_LANES lanes. */
void sim_pace_try(struct sim_pace *p, const struct sim_warp *w, const struct sim_thread *threads);
/* Brings the threads up to date; they go on one by one. */
void sim_pace_end(struct sim_pace *p, struct sim_thread *threads);

#endif
