/*
 * What the tables of policies take of a chip: bits by the papers' own formulas, and area by that of
 * Rogers's thesis, 6.4.7, for all of them, so that they compare.
 */
#ifndef TOOLS_STORAGE_H
#define TOOLS_STORAGE_H

#include "sim/sched/table.h"
#include "sim/warp/table.h"
#include "tools/table.h"

#define STORAGE_COLUMNS 10
extern const struct column storage_columns[STORAGE_COLUMNS];

/* A policy as it was named: its tables are rows; of the others all with their defaults, if `all`.
 */
struct storage {
	const struct sim_config *config;
	const struct sim_sched *sched;
	const struct sim_warp_policy *warp;
	const int64_t *sched_params, *warp_params;
	bool all;
};
void storage_rows(struct table *t, const struct storage *s);

#endif
