/*
 * nqueens: counts the ways to place n queens, as Bakhoda and others' NQU does. The host places the
 * first rows, only the left half of the first row as the rest is its mirror image, and hands out
 * what is left of each such start to a thread, up to 256 blocks of 96 threads a launch (DWR, table
 * 1).
 *
 * The check counts each start's solutions by recursion over plain lists of columns.
 */
#include "datasets/workloads/input.h"
#include <string.h>

#define BLOCKS 256
#define THREADS 96
#define STARTS (BLOCKS * THREADS)
#define N_MAX 16
#define ROWS_MAX 10

struct search {
	struct wl *w;
	int n, placed; /* board, and rows that the host fills */
	struct wl_buf columns, lefts, rights, counts;
	uint32_t starts, want[BLOCKS];
};

static bool safe(const int *queens, int row, int column)
{
	for (int r = 0; r < row; r++)
		if (queens[r] == column || queens[r] - column == row - r ||
			column - queens[r] == row - r)
			return false;
	return true;
}

static uint32_t count(int n, int *queens, int row)
{
	uint32_t ways = 0;

	if (row == n)
		return 1;
	for (queens[row] = 0; queens[row] < n; queens[row]++)
		if (safe(queens, row, queens[row]))
			ways += count(n, queens, row + 1);
	return ways;
}

static void flush(struct search *s)
{
	struct wl *w = s->w;
	uint32_t blocks = wl_ceil_div(s->starts, THREADS);

	if (!s->starts || wl_failed(w))
		return;
	wl_upload(w, &s->columns);
	wl_upload(w, &s->lefts);
	wl_upload(w, &s->rights);
	WL_LAUNCH(w, "nqueens_count", wl_dim(blocks, 1, 1), wl_dim(THREADS, 1, 1), 0,
		wl_p(&s->columns), wl_p(&s->lefts), wl_p(&s->rights), wl_p(&s->counts),
		wl_u(s->starts), wl_u((1u << s->n) - 1), wl_i(s->n - s->placed));
	wl_check_u32(w, &s->counts, s->want, blocks);
	memset(s->want, 0, sizeof(s->want));
	s->starts = 0;
}

static void place(struct search *s, int *queens, int row)
{
	int first = row ? s->n : (s->n + 1) / 2;

	if (row < s->placed) {
		for (int column = 0; column < first && !wl_failed(s->w); column++)
			if (safe(queens, row, column)) {
				queens[row] = column;
				place(s, queens, row + 1);
			}
		return;
	}
	s->columns.u[s->starts] = s->lefts.u[s->starts] = s->rights.u[s->starts] = 0;
	for (int r = 0; r < row; r++) {
		s->columns.u[s->starts] |= 1u << queens[r];
		s->lefts.u[s->starts] |= (uint32_t)(1ull << (queens[r] + row - r));
		s->rights.u[s->starts] |= (1u << queens[r]) >> (row - r);
	}
	s->want[s->starts / THREADS] += count(s->n, queens, row);
	if (++s->starts == STARTS)
		flush(s);
}

static void run(struct wl *w)
{
	struct search s = {.w = w, .n = (int)wl_param(w, "n")};
	int rows = (int)wl_param(w, "rows"), queens[N_MAX];

	if (rows >= s.n) {
		wl_fail(w, "nqueens: rows=%d leaves none of n=%d to the host", rows, s.n);
		return;
	}
	s.placed = s.n - rows;
	s.columns = wl_alloc(w, "columns", STARTS * sizeof(uint32_t));
	s.lefts = wl_alloc(w, "lefts", STARTS * sizeof(uint32_t));
	s.rights = wl_alloc(w, "rights", STARTS * sizeof(uint32_t));
	s.counts = wl_alloc(w, "counts", BLOCKS * sizeof(uint32_t));
	place(&s, queens, 0);
	flush(&s);
}

const struct workload wl_nqueens = {
	.name = "nqueens",
	.cls = "B",
	.papers = "dwr,crown",
	.suite = "Bakhoda",
	.summary = "n queens by backtracking with stacks in shared memory",
	.params =
		{
			{"n", 12, 4, N_MAX, "queens"},
			{"rows", 6, 1, ROWS_MAX, "rows that a thread searches"},
		},
	.presets =
		{
			{"dwr", "n=10", "1.0 M of table 1's 1.2 M instructions, in fewer blocks"},
		},
	.tiny = "n=6,rows=4",
	.run = run,
};
