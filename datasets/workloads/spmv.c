/* The run that the sparse products share; see spmv.h. */
#include "datasets/workloads/spmv.h"

static void make_matrix(struct wl *w, struct wl_matrix *m)
{
	const char *path = wl_matrix_path(w);
	uint32_t rows = (uint32_t)wl_param(w, "rows"), per_row = (uint32_t)wl_param(w, "per_row");

	wl_check_rc(w, path ? wl_matrix_read(m, path, wl_err(w))
			    : wl_matrix_random(m, rows, rows, per_row, wl_seed(w), wl_err(w)));
	if (!wl_failed(w) && (m->nnz > INT32_MAX || m->rows >= INT32_MAX))
		wl_fail(w, "the matrix is too large for 32-bit indices");
}

static void upload(struct wl *w, struct wl_spmv *s)
{
	const struct wl_matrix *m = &s->m;
	struct wl_rng rng;

	s->val = wl_alloc(w, "val", m->nnz * sizeof(float));
	s->col = wl_alloc(w, "col", m->nnz * sizeof(int32_t));
	s->row = wl_alloc(w, "row", (m->rows + 1ull) * sizeof(int32_t));
	s->x = wl_alloc(w, "x", m->cols * sizeof(float));
	s->y = wl_alloc(w, "y", m->rows * sizeof(float));
	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 1);
	for (uint32_t i = 0; i < m->nnz; i++) {
		s->val.f[i] = m->val[i];
		s->col.u[i] = m->col[i];
	}
	for (uint32_t i = 0; i <= m->rows; i++)
		s->row.u[i] = m->row[i];
	for (uint32_t i = 0; i < m->cols; i++)
		s->x.f[i] = wl_unit(&rng);
	wl_upload(w, &s->val);
	wl_upload(w, &s->col);
	wl_upload(w, &s->row);
	wl_upload(w, &s->x);
}

void wl_spmv_run(struct wl *w, void (*launch)(struct wl *w, const struct wl_spmv *s),
	float (*row_times)(const struct wl_matrix *m, uint32_t row, const float *x))
{
	struct wl_spmv s = {0};
	float *want = NULL;

	make_matrix(w, &s.m);
	if (!wl_failed(w)) {
		upload(w, &s);
		want = wl_host(w, s.m.rows, sizeof(*want));
	}
	if (!wl_failed(w)) {
		launch(w, &s);
		for (uint32_t r = 0; r < s.m.rows; r++)
			want[r] = row_times(&s.m, r, s.x.f);
		wl_check_f32(w, &s.y, want, s.m.rows, 0, 0);
	}
	wl_matrix_free(&s.m);
}
