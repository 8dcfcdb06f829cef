/*
 * Any bytes as a graph file and as a matrix file: refused with a sentence, or read into a CSR that
 * holds together.
 */
#include "datasets/workloads/input_parts.h"

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_csr(
	const uint32_t *row, const uint32_t *col, uint32_t rows, uint32_t cols, uint32_t count)
{
	check(!row[0] && row[rows] == count);
	for (uint32_t i = 0; i < rows; i++) {
		check(row[i] <= row[i + 1]);
		for (uint32_t k = row[i]; k < row[i + 1]; k++)
			check(col[k] < cols && (k == row[i] || col[k - 1] <= col[k]));
	}
}

static FILE *open_bytes(const uint8_t *data, size_t size)
{
	FILE *f = size ? fmemopen((void *)data, size, "r") : fopen("/dev/null", "r");

	check(f);
	return f;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tr_err err = {0};
	struct wl_graph g;
	struct wl_matrix m;

	FILE *f = open_bytes(data, size);
	if (wl_graph_parse(&g, f, "fuzz", &err) > 0) {
		check_csr(g.row, g.col, g.n, g.n, g.m);
		for (uint32_t k = 0; k < g.m; k++)
			check(g.weight[k] >= 1);
	} else {
		check(err.code == TR_EDATA && !strncmp(err.msg, "fuzz:", 5));
	}
	wl_graph_free(&g);
	fclose(f);

	err = (struct tr_err){0};
	f = open_bytes(data, size);
	if (wl_matrix_parse(&m, f, "fuzz", &err) > 0)
		check_csr(m.row, m.col, m.rows, m.cols, m.nnz);
	else
		check(err.code == TR_EDATA && !strncmp(err.msg, "fuzz:", 5));
	wl_matrix_free(&m);
	fclose(f);
	return 0;
}
