/*
 * needle: Rodinia's Needleman-Wunsch scores of two random sequences. The host launches as the
 * original does, one kernel an anti-diagonal of blocks: 63 launches of up to 32 blocks for its 512
 * letters (DWR, table 1). Kept: the similarities looked up by the host beforehand, one a cell; the
 * borders. Left out: the trace-back, which the original does on the host; its substitution matrix
 * is replaced by a random symmetric one of the same range.
 */
#include "datasets/workloads/input.h"
#include <string.h>

#define TILE 16
#define LETTERS 24

static void make_input(
	struct wl *w, int32_t *similarity, int32_t *scores, size_t columns, int32_t penalty)
{
	uint8_t *row = wl_host(w, columns, 1), *column = wl_host(w, columns, 1);
	int32_t score[LETTERS][LETTERS];
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 0);
	for (int a = 0; a < LETTERS; a++) {
		for (int b = 0; b < a; b++)
			score[a][b] = score[b][a] = (int32_t)wl_below(&rng, 8) - 4;
		score[a][a] = 4 + (int32_t)wl_below(&rng, 8);
	}
	for (size_t i = 0; i < columns; i++) {
		row[i] = (uint8_t)wl_below(&rng, LETTERS);
		column[i] = (uint8_t)wl_below(&rng, LETTERS);
		scores[i] = scores[i * columns] = -(int32_t)i * penalty;
	}
	for (size_t i = 1; i < columns; i++)
		for (size_t j = 1; j < columns; j++)
			similarity[i * columns + j] = score[column[i]][row[j]];
}

static int32_t larger(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

static void run(struct wl *w)
{
	int32_t tiles = (int32_t)wl_param(w, "tiles"), penalty = (int32_t)wl_param(w, "penalty");
	size_t columns = (size_t)tiles * TILE + 1, cells = columns * columns;
	struct wl_buf similarity = wl_alloc(w, "similarity", cells * sizeof(int32_t));
	struct wl_buf scores = wl_alloc(w, "scores", cells * sizeof(int32_t));
	int32_t *want = wl_host(w, cells, sizeof(*want));

	if (wl_failed(w))
		return;
	make_input(w, similarity.i, scores.i, columns, penalty);
	memcpy(want, scores.i, cells * sizeof(*want));
	wl_upload(w, &similarity);
	wl_upload(w, &scores);
	for (int32_t length = 1; length <= tiles; length++)
		WL_LAUNCH(w, "needle_grow", wl_dim((uint32_t)length, 1, 1), wl_dim(TILE, 1, 1), 0,
			wl_p(&similarity), wl_p(&scores), wl_i((int32_t)columns), wl_i(penalty),
			wl_i(length));
	for (int32_t length = tiles - 1; length >= 1; length--)
		WL_LAUNCH(w, "needle_shrink", wl_dim((uint32_t)length, 1, 1), wl_dim(TILE, 1, 1), 0,
			wl_p(&similarity), wl_p(&scores), wl_i((int32_t)columns), wl_i(penalty),
			wl_i(length), wl_i(tiles));
	for (size_t i = 1; i < columns; i++)
		for (size_t j = 1; j < columns; j++) {
			int32_t *cell = want + i * columns + j;
			int32_t gap = larger(cell[-1], *(cell - columns)) - penalty;

			*cell = larger(
				cell[-1 - (ptrdiff_t)columns] + similarity.i[i * columns + j], gap);
		}
	wl_check_i32(w, &scores, want, cells);
}

const struct workload wl_needle = {
	.name = "needle",
	.cls = "CI",
	.papers = "thesis,dwr,crown",
	.suite = "Rodinia",
	.summary = "Needleman-Wunsch scores, anti-diagonals of 16 x 16 blocks in shared memory",
	.params =
		{
			{"tiles", 32, 1, 1024, "blocks of 16 letters in each sequence"},
			{"penalty", 10, 0, 1000, "cost of a gap"},
		},
	.presets =
		{
			{"dwr", "tiles=32", "table 1's 63 launches, 14 M for 12 M; the default"},
		},
	.tiny = "tiles=3",
	.run = run,
};
