/*
 * Kernels of the user's own, as trace-gen's command line or a script describes them: launches in
 * order, buffers that are named once and live on between them, files to write at the end.
 */
#ifndef TOOLS_LAUNCHES_H
#define TOOLS_LAUNCHES_H

#include "tools/arguments.h"
#include "tools/common.h"

/* The device that the kernels run on, and what is on it. */
struct kernels {
	const char *path; /* FILE.ptx */
	struct ptx_module *module;
	struct buffers buffers;
	struct ptx_machine *machine; /* while they run */
	struct tr_writer *writer;
	char **symbols; /* names of the variables that were written, to warn of the others */
	unsigned nsymbols;
};

#define LAUNCH_ARGS_MAX 64

/* A launch. What its arguments make is made when it runs. */
struct launch {
	const char *entry;
	uint32_t grid[3], block[3];
	uint32_t cluster[3]; /* 0, 0, 0: as the kernel says */
	uint32_t shared;
	struct argument args[LAUNCH_ARGS_MAX];
	uint32_t nargs;
	const struct ptx_kernel *kernel; /* once it is checked */
};
/* "X[,Y[,Z]]"; what names it in the sentence. */
void launch_shape(uint32_t shape[3], const char *text, const char *what);
uint32_t launch_shared(const char *text, const char *what);
void launch_arg(struct launch *at, struct buffers *b, const char *spec);
/* The kernel is there and takes these arguments, or the program ends with a sentence. */
void launch_check(struct launch *at, const struct kernels *k);
int launch_run(struct launch *at, struct kernels *k, struct tr_err *err); /* 1 or TR_E* */
void launch_free(struct launch *at);

/* A variable of the module's, "NAME=CONTENTS". */
struct symbol {
	char *name;
	struct contents contents;
};
void symbol_parse(struct symbol *s, const struct buffers *b, const char *spec);
int symbol_write(struct symbol *s, struct kernels *k, struct tr_err *err); /* 1 or TR_E* */
void symbol_free(struct symbol *s);

/* ---- the command line's ---- */

struct launches;

/* Takes the options in the order in which they stand on the command line. */
struct launches *launches_new(void);
void launches_free(struct launches *l);
void launches_entry(struct launches *l, const char *name); /* the next launch */
void launches_grid(struct launches *l, const char *text);
void launches_block(struct launches *l, const char *text);
void launches_cluster(struct launches *l, const char *text);
void launches_shared(struct launches *l, const char *text);
void launches_arg(struct launches *l, const char *spec);
void launches_buffer(struct launches *l, const char *spec);
void launches_symbol(struct launches *l, const char *spec);
void launches_dump(struct launches *l, const char *spec);
/* Instead of all of the above. */
void launches_script(struct launches *l, const char *path);
/* The first entry, the script's path, or NULL. */
const char *launches_name(const struct launches *l);

/*
 * Reads the n texts of PTX and the arguments' files, opens the dumps, and checks everything that
 * can be checked before a kernel runs. seed is for `rand`.
 */
void launches_prepare(struct launches *l, const char *const *paths, unsigned n, uint64_t seed);

/* Whether the addresses of what was prepared have 32 bits: m's have, too. */
bool launches_narrow(const struct launches *l);

/* Runs all launches on m into tw: 1 or TR_E*. */
int launches_run(
	struct launches *l, struct ptx_machine *m, struct tr_writer *tw, struct tr_err *err);

/* Writes what --dump asked for. */
void launches_write_dumps(struct launches *l, struct ptx_machine *m);

#endif
