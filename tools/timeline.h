/*
 * The timeline of a replay: a TSV row for each interval of a launch. The launch's last interval is
 * as long as what is left of it. Counts of the rows add up to those of the launch; what the warp
 * policy has levels of (gangs by size) is a mean over the interval. By SM there is a row for each
 * of them, in their order. In a file whose name ends in .json the intervals are counters for
 * Perfetto, and launches slices.
 */
#ifndef TOOLS_TIMELINE_H
#define TOOLS_TIMELINE_H

#include "sim/launch/replay.h"
#include "tools/chrome.h"
#include "tools/table.h"

#define TIMELINE_COLUMNS (12 + SIM_NCYCLES)
void timeline_columns(struct column columns[TIMELINE_COLUMNS]);

struct timeline {
	struct output out;
	bool json;
	struct chrome chrome;
	char *kernel;  /* of the launch that runs */
	uint64_t base; /* cycles of the launches before this one */
	struct table table;
	struct column *columns;
	unsigned ncolumns;                     /* without the levels */
	uint32_t nsms;                         /* by SM: how many; else 0 */
	struct sim_stats *before;              /* as the interval began: by SM, or of all */
	uint64_t cycle, last;                  /* of the launch: likewise, and as it ended */
	unsigned nlevels, level[SIM_COUNTERS]; /* places among the policy's counters */
	const struct sim_counter *counters;
};

/*
 * counters: of the warp policy; those that are levels have columns of their own. nsms: rows by SM,
 * 0: for all of them together.
 */
void timeline_open(struct timeline *t, const char *path, const char *provenance,
	const struct sim_counter *counters, uint32_t nsms);
void timeline_launch(
	struct timeline *t, const char *kernel); /* a launch begins: its counters are zero */
void timeline_sample(struct timeline *t, const struct sim_sample *s);
void timeline_close(struct timeline *t);

#endif
