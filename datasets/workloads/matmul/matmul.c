/*
 * matmul: tiled matrix product of the CUDA SDK. The check multiplies in the same order of terms, so
 * that it compares bit by bit.
 */
#include "datasets/workloads/input.h"
#include <math.h>

#define TILE 16

static void run(struct wl *w)
{
	uint32_t n = TILE * (uint32_t)wl_param(w, "tiles"),
		 depth = TILE * (uint32_t)wl_param(w, "depth");
	size_t side = (size_t)n * depth;
	struct wl_buf a = wl_alloc(w, "a", side * sizeof(float));
	struct wl_buf b = wl_alloc(w, "b", side * sizeof(float));
	struct wl_buf c = wl_alloc(w, "c", (size_t)n * n * sizeof(float));
	float *want = wl_host(w, (size_t)n * n, sizeof(*want));
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 0);
	for (size_t i = 0; i < side; i++) {
		a.f[i] = wl_unit(&rng);
		b.f[i] = wl_unit(&rng);
	}
	wl_upload(w, &a);
	wl_upload(w, &b);
	WL_LAUNCH(w, "matmul", wl_dim(n / TILE, n / TILE, 1), wl_dim(TILE, TILE, 1), 0, wl_p(&a),
		wl_p(&b), wl_p(&c), wl_i((int32_t)depth), wl_i((int32_t)n));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < depth; k++)
			for (size_t j = 0; j < n; j++)
				want[i * n + j] =
					fmaf(a.f[i * depth + k], b.f[k * n + j], want[i * n + j]);
	wl_check_f32(w, &c, want, (uint64_t)n * n, 0, 0);
}

const struct workload wl_matmul = {
	.name = "matmul",
	.cls = "WSC",
	.papers = "dwr,crown,thesis",
	.suite = "CUDA SDK",
	.summary = "tiled matrix product in shared memory",
	.params =
		{
			{"tiles", 16, 1, 1024, "16 x 16 tiles along each side of the product"},
			{"depth", 3, 1, 1024, "tiles along the sum"},
		},
	.presets =
		{
			{"dwr", "tiles=6,depth=3", "36 blocks for table 1's 40, 5.2 M for 2.4 M"},
		},
	.tiny = "tiles=2,depth=2",
	.run = run,
};
