/*
 * What the threads of a CTA recorded, laid out for the replay: the k-th outcomes and values of
 * neighbouring threads side by side, since warps read them together. Where threads' records differ
 * much in length that would waste memory; then each thread's are contiguous.
 */
#ifndef SIM_SM_TAPE_H
#define SIM_SM_TAPE_H

#include "sim/warp/warp.h"

struct sim_tape {
	uint8_t *outcomes;
	uint64_t *values;
	size_t cap_outcomes, cap_values;
	struct tr_sync_read *sync;
	uint32_t *next_sync; /* by entry of sync: the same reader's next entry, or TR_NONE */
	uint32_t nsync, cap_sync;
	uint32_t *total_values; /* by thread: how many it recorded */
	uint32_t cap_threads;
};

/* Copies a CTA's record and points its threads at their beginnings. 0, or -1 without memory. */
int sim_tape_load(struct sim_tape *tape, const struct tr_cta *cta, struct sim_thread *threads);
void sim_tape_free(struct sim_tape *tape);

/* The next outcome or value of a thread that has one left. */
static inline uint32_t sim_tape_outcome(struct sim_thread *t)
{
	uint32_t outcome = *t->outcome;

	t->outcome += t->stride;
	t->outcomes--;
	return outcome;
}

static inline uint64_t sim_tape_value(struct sim_thread *t)
{
	uint64_t value = *t->value;

	t->value += t->stride;
	__builtin_prefetch(t->value); /* it has gone cold when it is asked for */
	t->values--;
	return value;
}

/*
 * The thread's next value is about to be read: is it a read that got another thread's write while
 * it was recorded, and has not that write been issued yet? threads: of the CTA.
 */
int sim_tape_overtakes(
	const struct sim_tape *tape, const struct sim_thread *threads, struct sim_thread *t);

#endif
