/*
 * Several schedulers on one decoding of a trace, as many replays at a time as there are jobs. A
 * list of schedulers may name best-swl: all limits of static warp limiting, of which the fastest
 * counts (Rogers, thesis 3.4.1, Best-SWL).
 */
#ifndef TOOLS_COMPARE_H
#define TOOLS_COMPARE_H

#include "sim/launch/replay.h"
#include "tools/profile.h"

struct compare_run {
	char *scheduler; /* as its row has it */
	struct sim_replay opt;
	struct profile profile; /* of a scheduler that takes one and was given one */
	struct sim_result res;
	struct tr_err err;
	int rc;
};

struct compare {
	struct compare_run *runs;
	unsigned n;
	/* A row is of the fastest of runs first to first + n - 1; of equals, the last. */
	struct compare_row {
		unsigned first, n;
	} * rows;
	unsigned nrows;
};

/*
 * Makes the runs of a list, each as `like` but for its scheduler. In the list schedulers stand
 * between commas; a piece NAME=VALUE belongs to the scheduler before it. limits: those of best-swl,
 * nlimits of them, rising. Ends the program with the reason where the list is no good.
 */
void compare_make(struct compare *c, const char *list, const struct sim_replay *like,
	const uint32_t *limits, unsigned nlimits);

/* Ends the program if a run's profile is of another program; see profile_check. */
void compare_check(const struct compare *c, const struct sim_record *record, bool quiet);

/* Runs all; done is called after each run, by one thread at a time. */
void compare_run_all(struct compare *c, const struct sim_record *record, unsigned jobs,
	void (*done)(void *arg, const struct sim_result *res), void *arg);

/* The run that a row is of. */
const struct compare_run *compare_best(const struct compare *c, unsigned row);
void compare_free(struct compare *c);

#endif
