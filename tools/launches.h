/*
 * Kernels of the user's own, as trace-gen's command line describes them: launches in order, buffers
 * that are named once and live on between them, files to write at the end.
 */
#ifndef TOOLS_LAUNCHES_H
#define TOOLS_LAUNCHES_H

#include "tools/common.h"

struct launches;

/* Takes the options in the order in which they stand on the command line. */
struct launches *launches_new(void);
void launches_free(struct launches *l);
void launches_entry(struct launches *l, const char *name); /* the next launch */
void launches_grid(struct launches *l, const char *text);
void launches_block(struct launches *l, const char *text);
void launches_shared(struct launches *l, const char *text);
void launches_arg(struct launches *l, const char *spec);
void launches_dump(struct launches *l, const char *spec);

/*
 * Reads FILE.ptx and the arguments' files, opens the dumps, and checks everything that can be
 * checked before a kernel runs. seed is for `rand`.
 */
void launches_prepare(struct launches *l, const char *ptx_path, uint64_t seed);

/* Runs all launches on m into tw: 1 or TR_E*. */
int launches_run(
	struct launches *l, struct ptx_machine *m, struct tr_writer *tw, struct tr_err *err);

/* Writes what --dump asked for. */
void launches_write_dumps(struct launches *l, struct ptx_machine *m);

#endif
