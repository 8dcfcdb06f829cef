/*
 * Sparse matrices from a seed, row by row straight into CSR. Left out: blocks, symmetric matrices,
 * and values with any meaning: they are drawn from (0, 1].
 */
#include "input.h"
#include <stdlib.h>

static uint32_t least(uint64_t a, uint64_t b)
{
	return (uint32_t)(a < b ? a : b);
}

/* The columns of row r that lie within `band` of the diagonal: `width` of them from `first` on. */
static uint32_t window(uint32_t cols, uint32_t r, uint32_t band, uint32_t *first)
{
	*first = least(r > band ? r - band : 0, cols);
	return least((uint64_t)r + band + 1, cols) - *first;
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/*
 * `count` different numbers below `width`, each set equally likely (Floyd's sample; Bentley and
 * Floyd, CACM 1987), ascending. A number is taken when mark[it] == tag.
 */
static void sample(uint32_t *out, uint32_t count, uint32_t width, uint32_t *mark, uint32_t tag,
	struct wl_rng *rng)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t top = width - count + i;
		uint32_t pick = wl_below(rng, top + 1);
		if (mark[pick] == tag)
			pick = top;
		mark[pick] = tag;
		out[i] = pick;
	}
	qsort(out, count, sizeof(*out), compare_u32);
}

/* Fills m->row with row lengths drawn from shortest ... longest, added up. */
static uint64_t draw_lengths(
	struct wl_matrix *m, uint64_t shortest, uint64_t longest, uint32_t band, struct wl_rng *rng)
{
	uint64_t nnz = 0;

	for (uint32_t r = 0; r < m->rows; r++) {
		uint32_t first, width = window(m->cols, r, band, &first);
		uint32_t lo = least(shortest, width), hi = least(longest, width);
		nnz += lo + wl_below(rng, hi - lo + 1);
		m->row[r + 1] = (uint32_t)nnz;
	}
	return nnz;
}

static void fill_rows(struct wl_matrix *m, uint32_t *mark, uint32_t band, struct wl_rng *rng)
{
	for (uint32_t r = 0; r < m->rows; r++) {
		uint32_t first, width = window(m->cols, r, band, &first);
		uint32_t *col = m->col + m->row[r];
		uint32_t count = m->row[r + 1] - m->row[r];
		sample(col, count, width, mark, r + 1, rng);
		for (uint32_t i = 0; i < count; i++) {
			col[i] += first;
			m->val[m->row[r] + i] = 1.0f - wl_unit(rng);
		}
	}
}

static int make(struct wl_matrix *m, uint32_t rows, uint32_t cols, uint64_t shortest,
	uint64_t longest, uint32_t band, uint64_t seed, struct tr_err *err)
{
	struct wl_rng rng;

	*m = (struct wl_matrix){.rows = rows, .cols = cols};
	if (!rows || !cols || rows == UINT32_MAX || cols == UINT32_MAX)
		return tr_fail(err, TR_EUSAGE, 0, "a matrix cannot have %u rows and %u columns",
			rows, cols);
	wl_rng_seed(&rng, seed, 0);
	m->row = calloc((size_t)rows + 1, sizeof(*m->row));
	uint32_t *mark = calloc(cols, sizeof(*mark));
	if (!m->row || !mark)
		goto no_memory;
	uint64_t nnz = draw_lengths(m, shortest, longest, band, &rng);
	if (nnz > UINT32_MAX) {
		free(mark);
		wl_matrix_free(m);
		return tr_fail(err, TR_EUSAGE, 0, "a matrix of %llu non-zeros has more than %u",
			(unsigned long long)nnz, UINT32_MAX);
	}
	m->nnz = (uint32_t)nnz;
	m->col = malloc((size_t)nnz * sizeof(*m->col) + 1);
	m->val = malloc((size_t)nnz * sizeof(*m->val) + 1);
	if (!m->col || !m->val)
		goto no_memory;
	fill_rows(m, mark, band, &rng);
	free(mark);
	return 1;
no_memory:
	free(mark);
	wl_matrix_free(m);
	return tr_fail(
		err, TR_EMEM, 0, "no memory for a matrix of %u rows and %u columns", rows, cols);
}

int wl_matrix_random(struct wl_matrix *m, uint32_t rows, uint32_t cols, uint32_t per_row,
	uint64_t seed, struct tr_err *err)
{
	uint32_t spread = per_row / 2;

	return make(
		m, rows, cols, per_row - spread, (uint64_t)per_row + spread, UINT32_MAX, seed, err);
}

int wl_matrix_banded(struct wl_matrix *m, uint32_t rows, uint32_t per_row, uint32_t band,
	uint64_t seed, struct tr_err *err)
{
	return make(m, rows, rows, per_row, per_row, band, seed, err);
}

void wl_matrix_free(struct wl_matrix *m)
{
	free(m->row);
	free(m->col);
	free(m->val);
	*m = (struct wl_matrix){0};
}
