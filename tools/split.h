/*
 * Figures of instructions as rows: one for each instruction or for each line of the source, of each
 * launch or of all launches of a kernel together. A figure is a number that adds up.
 */
#ifndef TOOLS_SPLIT_H
#define TOOLS_SPLIT_H

#include "tools/table.h"

/* A row: an instruction, or the line that it stands for. */
struct split_row {
	const struct tr_program *p;
	uint32_t inst;
	uint32_t launch; /* TR_NONE: all launches */
	const uint64_t *figures;
};

struct split {
	bool by_line; /* else by instruction */
	bool total;   /* a kernel's launches together */
	unsigned n;   /* figures of an instruction */
	void (*row)(void *arg, const struct split_row *row);
	void *arg;
	struct split_kernel {
		const struct tr_program *p; /* NULL: no launch of it yet */
		uint64_t *figures;
	} * kernels; /* by number; where launches are taken together */
	uint32_t nkernels;
};

/*
 * A launch of the program of that number, with figures[inst * n + k]. Its rows come now, or at the
 * end; so programs have to stay where they are until then.
 */
void split_launch(struct split *s, uint32_t launch, uint32_t number, const struct tr_program *p,
	const uint64_t *figures);
void split_end(struct split *s);

/* Cells that such rows share; file: "-" where the compiler named none. */
void split_put_launch(struct table *t, const struct split_row *r);
const char *split_file(const struct tr_program *p, uint32_t inst);
void split_put_inst(struct table *t, const struct split_row *r); /* the instruction as text */

#endif
