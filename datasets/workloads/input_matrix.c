/*
 * Sparse matrices from a seed, row by row straight into CSR. Left out: blocks, symmetric matrices,
 * and values with any meaning: they are drawn from (0, 1].
 */
#include "input.h"
#include <stdlib.h>

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

/* Fills m->row with the counts of rows * per_row entries thrown on rows that are not full. */
static uint64_t thrown_lengths(struct wl_matrix *m, uint32_t per_row, struct wl_rng *rng)
{
	uint64_t nnz = 0;

	for (uint64_t i = (uint64_t)m->rows * per_row; i; i--) {
		uint32_t *n = &m->row[1 + wl_below(rng, m->rows)];
		*n += *n < m->cols;
	}
	for (uint32_t r = 0; r < m->rows; r++) {
		nnz += m->row[r + 1];
		m->row[r + 1] = (uint32_t)nnz;
	}
	return nnz;
}

static void fill_rows(struct wl_matrix *m, uint32_t *mark, struct wl_rng *rng)
{
	for (uint32_t r = 0; r < m->rows; r++) {
		const uint32_t count = m->row[r + 1] - m->row[r];

		sample(m->col + m->row[r], count, m->cols, mark, r + 1, rng);
		for (uint32_t i = 0; i < count; i++)
			m->val[m->row[r] + i] = 1.0f - wl_unit(rng);
	}
}

int wl_matrix_random(struct wl_matrix *m, uint32_t rows, uint32_t cols, uint32_t per_row,
	uint64_t seed, struct tr_err *err)
{
	struct wl_rng rng;

	*m = (struct wl_matrix){.rows = rows, .cols = cols};
	if (!rows || !cols || rows == UINT32_MAX || cols == UINT32_MAX)
		return tr_fail(err, TR_EUSAGE, 0, "a matrix cannot have %u rows and %u columns",
			rows, cols);
	if ((uint64_t)rows * per_row > UINT32_MAX)
		return tr_fail(err, TR_EUSAGE, 0,
			"a matrix of %u rows of %u has more non-zeros than %u", rows, per_row,
			UINT32_MAX);
	wl_rng_seed(&rng, seed, 0);
	m->row = calloc((size_t)rows + 1, sizeof(*m->row));
	uint32_t *mark = calloc(cols, sizeof(*mark));
	if (!m->row || !mark)
		goto no_memory;
	m->nnz = (uint32_t)thrown_lengths(m, per_row, &rng);
	m->col = malloc((size_t)m->nnz * sizeof(*m->col) + 1);
	m->val = malloc((size_t)m->nnz * sizeof(*m->val) + 1);
	if (!m->col || !m->val)
		goto no_memory;
	fill_rows(m, mark, &rng);
	free(mark);
	return 1;
no_memory:
	free(mark);
	wl_matrix_free(m);
	return tr_fail(
		err, TR_EMEM, 0, "no memory for a matrix of %u rows and %u columns", rows, cols);
}

void wl_matrix_free(struct wl_matrix *m)
{
	free(m->row);
	free(m->col);
	free(m->val);
	*m = (struct wl_matrix){0};
}
