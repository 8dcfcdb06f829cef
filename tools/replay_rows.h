/*
 * What trace-replay prints: the row of a launch, with groups of further columns on demand, and the
 * splits of a launch by instruction, by source line and by allocation.
 */
#ifndef TOOLS_REPLAY_ROWS_H
#define TOOLS_REPLAY_ROWS_H

#include "sim/launch/replay.h"
#include "tools/places.h"
#include "tools/split.h"

/* Groups of --stats. The last four are tables of their own. */
enum stats_group {
	STATS_IPC,
	STATS_STALLS,
	STATS_UNIT,
	STATS_LANES,
	STATS_L1D,
	STATS_MEMORY,
	STATS_DIVERGENCE,
	STATS_THREADS,
	STATS_SYNC,
	STATS_FETCH,
	STATS_POLICY,
	STATS_ENERGY,
	STATS_LAUNCH,
	STATS_CLUSTER,
	STATS_PC,
	STATS_LINE,
	STATS_BUFFER,
	STATS_STORAGE,
	STATS_LAUNCHES,
	STATS_NGROUPS
};

const char *stats_group_name(enum stats_group g); /* NULL beyond the last */
const char *stats_group_help(enum stats_group g);

/* Reads "stalls,lanes" or "all" into a set of bits; ends the program with the reason. */
unsigned stats_groups(const char *list);

/*
 * Columns of the main table for these groups, with what else a warp policy (NULL: none) counts: n
 * of them and room for one; caller frees.
 */
struct column *replay_columns(unsigned groups, const struct sim_counter *counters, unsigned *n);
const struct column *split_columns(enum stats_group split, unsigned *n);
/* Those that a group adds, or of its own table; caller frees. */
struct column *stats_group_columns(enum stats_group g, unsigned *n);

/* What a row says of its run. */
struct replay_row {
	const char *kernel, *scheduler, *warp, *machine; /* kernel: "total" in the last row */
	const char *settings;                            /* every --set; "-": there is none */
	const struct tr_launch *launch;                  /* NULL: the total */
	const struct sim_config *config;    /* with warps of the size of the warp policy's */
	const struct sim_counter *counters; /* of the warp policy */
};

void replay_row(
	struct table *t, unsigned groups, const struct replay_row *row, const struct sim_stats *s);

/*
 * Rows of instructions or of source lines, of each launch or of all of a kernel. The replay has
 * charged cycles to instructions. split_end(&s->split) makes the last of the rows.
 */
struct inst_split {
	struct table *t;
	struct split split;
	uint64_t stalls; /* of all that the rows at hand are of */
};
void inst_split_start(struct inst_split *s, struct table *t, enum stats_group split, bool total);
void inst_split_launch(struct inst_split *s, const struct tr_launch *l, const struct tr_program *p,
	const struct sim_stats *st);

/* A row of --stats=launches: cycles count from `start`, that of the host's launch. */
void launches_row(struct table *t, const struct sim_kernel *k, uint64_t start);

/* What the L1Ds saw of each allocation of a launch; the last one is for all other addresses. */
struct buffers {
	struct places places;
	char **names; /* of the launch's allocations */
	uint32_t n, line_bytes;
	struct buffer_stats {
		uint64_t accesses, hits, misses, merges;
	} * stats; /* n + 1 */
};
void buffers_start(struct buffers *b, const struct tr_launch *l, uint32_t line_bytes);
void buffers_again(struct buffers *b); /* the same ones, for a launch that has none of its own */
void buffers_count(struct buffers *b, const struct tr_access *a);
void buffers_rows(struct table *t, const struct replay_row *row, const struct buffers *b);
void buffers_free(struct buffers *b);

#endif
