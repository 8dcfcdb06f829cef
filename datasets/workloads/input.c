/*
 * From a list of entries to CSR: two stable counting passes, by column and then by row, so time and
 * memory are linear in rows, columns and entries, whatever their distribution. Repeated entries
 * stay.
 */
#include "input_parts.h"

int wl_entries_add(struct tr_buf *entries, struct wl_entry e, struct tr_err *err)
{
	if (wl_entries_count(entries) == UINT32_MAX)
		return tr_fail(err, TR_EUSAGE, 0, "more than %u entries", UINT32_MAX);
	if (tr_buf_put(entries, &e, sizeof(e)))
		return tr_fail(err, TR_EMEM, 0, "no memory for more than %zu entries",
			wl_entries_count(entries));
	return 1;
}

size_t wl_entries_count(const struct tr_buf *entries)
{
	return entries->len / sizeof(struct wl_entry);
}

/* Turns counts, each one place above its key, into where the entries of a key begin. */
static void accumulate(uint32_t *start, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		start[k + 1] += start[k];
}

static int sort_by_col(
	struct wl_entry *to, const struct wl_entry *from, size_t count, uint32_t cols)
{
	uint32_t *start = calloc((size_t)cols + 1, sizeof(*start));

	if (!start)
		return -1;
	for (size_t i = 0; i < count; i++)
		start[from[i].col + 1]++;
	accumulate(start, cols);
	for (size_t i = 0; i < count; i++)
		to[start[from[i].col]++] = from[i];
	free(start);
	return 0;
}

static void sort_by_row(
	struct wl_csr *csr, const struct wl_entry *from, size_t count, uint32_t rows)
{
	uint32_t *row = csr->row;

	for (size_t i = 0; i < count; i++)
		row[from[i].row + 1]++;
	accumulate(row, rows);
	for (size_t i = 0; i < count; i++) {
		uint32_t at = row[from[i].row]++;
		csr->col[at] = from[i].col;
		memcpy((char *)csr->val + at * sizeof(float), &from[i].val, sizeof(float));
	}
	/* Each row's start has moved to its end, which is the start of the next. */
	memmove(row + 1, row, (size_t)rows * sizeof(*row));
	row[0] = 0;
}

int wl_csr_build(struct wl_csr *csr, struct tr_buf *entries, uint32_t rows, uint32_t cols,
	struct tr_err *err)
{
	size_t count = wl_entries_count(entries);
	struct wl_entry *by_col = malloc(count * sizeof(*by_col) + 1);
	int rc = by_col ? sort_by_col(by_col, (struct wl_entry *)entries->p, count, cols) : -1;

	tr_buf_free(entries); /* early: at its peak this step decides a workload's memory */
	*csr = (struct wl_csr){0};
	if (!rc) {
		csr->row = calloc((size_t)rows + 1, sizeof(*csr->row));
		csr->col = malloc(count * sizeof(*csr->col) + 1);
		csr->val = malloc(count * sizeof(float) + 1);
		rc = csr->row && csr->col && csr->val ? 0 : -1;
	}
	if (!rc) {
		sort_by_row(csr, by_col, count, rows);
	} else {
		free(csr->row);
		free(csr->col);
		free(csr->val);
		*csr = (struct wl_csr){0};
	}
	free(by_col);
	if (rc)
		return tr_fail(err, TR_EMEM, 0, "no memory for %u rows, %u columns, %zu entries",
			rows, cols, count);
	return 1;
}
