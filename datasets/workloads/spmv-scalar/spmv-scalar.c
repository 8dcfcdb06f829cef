/*
 * spmv-scalar: SHOC's CSR product with one row a thread. Input: a random matrix of the thesis's
 * shape (3.4: 8k rows, 82 non-zeros a row), or the user's. The check adds in the same order and
 * compares bit by bit.
 */
#include "datasets/workloads/spmv.h"
#include <math.h>

static float row_times(const struct wl_matrix *m, uint32_t r, const float *x)
{
	float sum = 0;

	for (uint32_t j = m->row[r]; j < m->row[r + 1]; j++)
		sum = fmaf(m->val[j], x[m->col[j]], sum);
	return sum;
}

static void launch(struct wl *w, const struct wl_spmv *s)
{
	uint32_t threads = (uint32_t)wl_param(w, "block");

	WL_LAUNCH(w, "spmv_scalar", wl_dim(wl_ceil_div(s->m.rows, threads), 1, 1),
		wl_dim(threads, 1, 1), 0, wl_p(&s->val), wl_p(&s->col), wl_p(&s->row), wl_p(&s->x),
		wl_p(&s->y), wl_i((int32_t)s->m.rows));
}

static void run(struct wl *w)
{
	wl_spmv_run(w, launch, row_times);
}

const struct workload wl_spmv_scalar = {
	.name = "spmv-scalar",
	.cls = "HCS",
	.papers = "thesis",
	.suite = "SHOC",
	.summary = "CSR matrix-vector product, one row a thread",
	.takes_matrix = true,
	.params =
		{
			{"rows", 8192, 1, 1 << 26, "rows and columns of the generated matrix"},
			{"per_row", 82, 1, 65536, "mean of non-zeros in a row"},
			{"block", 128, 32, 1024, "threads of a block"},
		},
	.tiny = "rows=200,per_row=9",
	.run = run,
};
