/*
 * spmv-vector: SHOC's CSR product with one row a warp. Input: a random matrix of the thesis's shape
 * (5.1: 8k rows, 82 non-zeros a row), or the user's. The check adds 32 strided sums and then halves
 * of them, in the kernel's order, and compares bit by bit.
 */
#include "datasets/workloads/spmv.h"
#include <math.h>

#define WARP 32

static float row_times(const struct wl_matrix *m, uint32_t r, const float *x)
{
	float sum[WARP] = {0};

	for (uint32_t j = m->row[r]; j < m->row[r + 1]; j++) {
		float *mine = &sum[(j - m->row[r]) % WARP];

		*mine = fmaf(m->val[j], x[m->col[j]], *mine);
	}
	for (uint32_t half = WARP / 2; half; half /= 2)
		for (uint32_t i = 0; i < half; i++)
			sum[i] += sum[i + half];
	return sum[0];
}

static void launch(struct wl *w, const struct wl_spmv *s)
{
	uint32_t threads = WARP * (uint32_t)wl_param(w, "warps");

	WL_LAUNCH(w, "spmv_vector", wl_dim(wl_ceil_div(s->m.rows, threads / WARP), 1, 1),
		wl_dim(threads, 1, 1), 0, wl_p(&s->val), wl_p(&s->col), wl_p(&s->row), wl_p(&s->x),
		wl_p(&s->y), wl_i((int32_t)s->m.rows));
}

static void run(struct wl *w)
{
	wl_spmv_run(w, launch, row_times);
}

const struct workload wl_spmv_vector = {
	.name = "spmv-vector",
	.cls = "CI",
	.papers = "thesis",
	.suite = "SHOC",
	.summary = "CSR matrix-vector product, one row a warp, reduced without a barrier",
	.takes_matrix = true,
	.params =
		{
			{"rows", 8192, 1, 1 << 20, "rows and columns of the generated matrix"},
			{"per_row", 82, 1, 1024, "mean of non-zeros in a row"},
			{"warps", 4, 1, 32, "warps of a block"},
		},
	.tiny = "rows=45,per_row=40",
	.run = run,
};
