/*
 * pathfinder: Rodinia's dynamic programming over the rows of a grid of small costs, `pyramid` rows
 * a launch, in blocks of 256 that overlap by their ghost zones. The default makes the launches of
 * DWR's table 1, 13 of 35 blocks; with the pyramid of 20 that the original's example has, that is
 * 57 million thread instructions, so ours has 16. The last launch has fewer rows, so smaller ghost
 * zones and blocks to spare. The check goes over whole rows, one after the other.
 */
#include "datasets/workloads/input.h"

#define BLOCK 256

static void advance(const int32_t *wall, const int32_t *src, int32_t *dst, uint32_t cols)
{
	for (uint32_t x = 0; x < cols; x++) {
		int32_t least = src[x];

		if (x && src[x - 1] < least)
			least = src[x - 1];
		if (x + 1 < cols && src[x + 1] < least)
			least = src[x + 1];
		dst[x] = least + wall[x];
	}
}

static void run(struct wl *w)
{
	uint32_t cols = (uint32_t)wl_param(w, "cols"), steps = (uint32_t)wl_param(w, "rows") - 1;
	uint32_t pyramid = (uint32_t)wl_param(w, "pyramid"), now = 0;
	size_t cells = (size_t)cols * steps, bytes = cols * sizeof(int32_t);
	struct wl_buf wall = wl_alloc(w, "wall", cells * sizeof(int32_t));
	struct wl_buf cost[2] = {wl_alloc(w, "cost0", bytes), wl_alloc(w, "cost1", bytes)};
	int32_t *want[2] = {wl_host(w, cols, sizeof(int32_t)), wl_host(w, cols, sizeof(int32_t))};
	struct wl_dim grid = wl_dim(wl_ceil_div(cols, BLOCK - 2 * pyramid), 1, 1);
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 0);
	for (uint32_t x = 0; x < cols; x++)
		want[0][x] = cost[0].i[x] = (int32_t)wl_below(&rng, 10);
	for (size_t i = 0; i < cells; i++)
		wall.i[i] = (int32_t)wl_below(&rng, 10);
	wl_upload(w, &wall);
	wl_upload(w, &cost[0]);
	for (uint32_t t = 0; t < steps && !wl_failed(w); t += pyramid, now ^= 1)
		WL_LAUNCH(w, "pathfinder", grid, wl_dim(BLOCK, 1, 1), 0,
			wl_i((int32_t)(pyramid < steps - t ? pyramid : steps - t)), wl_p(&wall),
			wl_p(&cost[now]), wl_p(&cost[now ^ 1]), wl_i((int32_t)cols),
			wl_i((int32_t)t), wl_i((int32_t)pyramid));
	for (uint32_t t = 0; t < steps; t++)
		advance(wall.i + (size_t)t * cols, want[t % 2], want[(t + 1) % 2], cols);
	wl_check_i32(w, &cost[now], want[steps % 2], cols);
}

const struct workload wl_pathfinder = {
	.name = "pathfinder",
	.cls = "-",
	.papers = "dwr,crown",
	.suite = "Rodinia",
	.summary = "dynamic programming over grid rows with ghost zones in shared memory",
	.params =
		{
			{"cols", 7800, 1, 1 << 17, "columns of the grid"},
			{"rows", 200, 2, 4096, "rows of the grid"},
			{"pyramid", 16, 1, 127, "rows a launch"},
		},
	.presets =
		{
			{"dwr", "cols=7560,rows=261,pyramid=20",
				"table 1's 13 x 35 blocks, 58 M of its 64 M"},
		},
	.tiny = "cols=300,rows=4,pyramid=2",
	.run = run,
};
