/*
 * What the sparse matrix-vector products share: CSR and a vector on the device, and the check of
 * y = A x. How a kernel divides a row among threads, and so the order of its sums, is its own.
 */
#ifndef SPMV_H
#define SPMV_H

#include "datasets/workloads/input.h"

struct wl_spmv {
	struct wl_matrix m;
	struct wl_buf val, col, row, x, y;
};

/*
 * Takes the user's matrix, or makes a random square one of the parameters `rows` and `per_row`, and
 * a vector between 0 and 1; uploads them, launches, and compares every element of y bit by bit with
 * row_times(m, row, x).
 */
void wl_spmv_run(struct wl *w, void (*launch)(struct wl *w, const struct wl_spmv *s),
	float (*row_times)(const struct wl_matrix *m, uint32_t row, const float *x));

#endif
