/*
 * Internal to input*.c and its tests: the entries of a graph or a sparse matrix in the order in
 * which they were made or read, the step that turns them into CSR, and the readers behind
 * wl_graph_read and wl_matrix_read, which take any FILE.
 */
#ifndef INPUT_PARTS_H
#define INPUT_PARTS_H

#include "input.h"
#include "libtrace/buf.h"
#include <stdio.h>

/* An edge (row -> col) or a non-zero. */
struct wl_entry {
	uint32_t row, col;
	union {
		int32_t weight;
		float val;
	};
};

/* Entries lie in a tr_buf. 1, TR_EMEM, or TR_EUSAGE where a 32-bit count does not hold them. */
int wl_entries_add(struct tr_buf *entries, struct wl_entry e, struct tr_err *err);
size_t wl_entries_count(const struct tr_buf *entries);

struct wl_csr {
	uint32_t *row; /* rows + 1 */
	uint32_t *col; /* ascending within a row; equal ones in the order of the entries */
	void *val;     /* the entries' weight or val */
};

/* Sorts entries into CSR; every row is below `rows`, every col below `cols`. Frees the entries. */
int wl_csr_build(struct wl_csr *csr, struct tr_buf *entries, uint32_t rows, uint32_t cols,
	struct tr_err *err);
/* The same, as a graph of n nodes. */
int wl_graph_build(struct wl_graph *g, struct tr_buf *entries, uint32_t n, struct tr_err *err);

/* Read f to its end; `path` is for errors. */
int wl_graph_parse(struct wl_graph *g, FILE *f, const char *path, struct tr_err *err);
int wl_matrix_parse(struct wl_matrix *m, FILE *f, const char *path, struct tr_err *err);

#endif
