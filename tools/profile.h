/*
 * Profiles for schedulers (thesis 4.2.1): trace-locality writes one, trace-replay hands it to daws.
 * In between it is a TSV table, a row for each load of a loop.
 */
#ifndef TOOLS_PROFILE_H
#define TOOLS_PROFILE_H

#include "sim/access/profile.h"
#include "sim/sched/table.h"
#include "tools/table.h"

#define PROFILE_COLUMNS 10
extern const struct column profile_columns[PROFILE_COLUMNS];

/* The rows of a program, from what was counted as an_profile has it. */
void profile_rows(struct table *t, const struct tr_program *p, const struct an_counts *counts,
	struct an_divergence *const *loads, uint32_t line_bytes);

struct profile {
	struct sim_sched_profile table; /* what the scheduler is handed */
	char *path;
	char *text; /* of the file: kernels' names lie in it */
	struct sim_profile_kernel *kernels;
	struct sim_profile_load *loads;
	uint32_t nloads;
	char **unnamed; /* kernels with loops that it does not name, as far as they have come */
	uint32_t nunnamed;
};

/*
 * spec without its profile=FILE, where its policy (NULL: there is none) takes one; *path is the
 * FILE, which may be "", or NULL. The caller frees both.
 */
char *profile_take(const struct sim_sched *policy, const char *spec, char **path);
/* Reads a profile; path belongs to *p from then on. */
void profile_read(struct profile *p, char *path);
/* Ends the program if the profile is of another one; warns, once, if it does not name this one. */
void profile_check(struct profile *p, const struct tr_program *program, bool quiet);
void profile_free(struct profile *p);

#endif
