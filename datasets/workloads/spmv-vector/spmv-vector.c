/*
 * spmv-vector: SHOC's CSR product with one row a warp. Input: a random matrix of the thesis's shape
 * (5.1: 8k rows, 82 non-zeros a row), or the user's. The original reads x through a texture; here
 * it is in global memory. The check adds 32 strided sums and then halves of them, in the kernel's
 * order, and compares bit by bit.
 */
#include "datasets/workloads/input.h"

#define WARP 32

static float row_times(const struct wl_matrix *m, uint32_t r, const float *x)
{
	float sum[WARP] = {0};

	for (uint32_t j = m->row[r]; j < m->row[r + 1]; j++)
		sum[(j - m->row[r]) % WARP] += m->val[j] * x[m->col[j]];
	for (uint32_t half = WARP / 2; half; half /= 2)
		for (uint32_t i = 0; i < half; i++)
			sum[i] += sum[i + half];
	return sum[0];
}

static void launch(struct wl *w, const struct wl_matrix *m)
{
	uint32_t threads = WARP * (uint32_t)wl_param(w, "warps");
	struct wl_buf val = wl_alloc(w, "val", m->nnz * sizeof(float));
	struct wl_buf col = wl_alloc(w, "col", m->nnz * sizeof(int32_t));
	struct wl_buf row = wl_alloc(w, "row", (m->rows + 1ull) * sizeof(int32_t));
	struct wl_buf x = wl_alloc(w, "x", m->cols * sizeof(float));
	struct wl_buf y = wl_alloc(w, "y", m->rows * sizeof(float));
	float *want = wl_host(w, m->rows, sizeof(*want));
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	if (m->nnz > INT32_MAX || m->rows >= INT32_MAX) {
		wl_fail(w, "spmv-vector: the matrix is too large for 32-bit indices");
		return;
	}
	wl_rng_start(&rng, w, 1);
	for (uint32_t i = 0; i < m->nnz; i++) {
		val.f[i] = m->val[i];
		col.u[i] = m->col[i];
	}
	for (uint32_t i = 0; i <= m->rows; i++)
		row.u[i] = m->row[i];
	for (uint32_t i = 0; i < m->cols; i++)
		x.f[i] = wl_unit(&rng);
	wl_upload(w, &val);
	wl_upload(w, &col);
	wl_upload(w, &row);
	wl_upload(w, &x);
	WL_LAUNCH(w, "spmv_vector", wl_dim(wl_ceil_div(m->rows, threads / WARP), 1, 1),
		wl_dim(threads, 1, 1), 0, wl_p(&val), wl_p(&col), wl_p(&row), wl_p(&x), wl_p(&y),
		wl_i((int32_t)m->rows));
	for (uint32_t r = 0; r < m->rows; r++)
		want[r] = row_times(m, r, x.f);
	wl_check_f32(w, &y, want, m->rows, 0, 0);
}

static void run(struct wl *w)
{
	struct wl_matrix m = {0};

	if (wl_matrix_path(w))
		wl_check_rc(w, wl_matrix_read(&m, wl_matrix_path(w), wl_err(w)));
	else
		wl_check_rc(w, wl_matrix_random(&m, (uint32_t)wl_param(w, "rows"),
				       (uint32_t)wl_param(w, "rows"),
				       (uint32_t)wl_param(w, "per_row"), wl_seed(w), wl_err(w)));
	if (!wl_failed(w))
		launch(w, &m);
	wl_matrix_free(&m);
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
