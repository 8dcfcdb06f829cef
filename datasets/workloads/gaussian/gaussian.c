/*
 * gaussian: Rodinia's Gaussian elimination of a system with a heavy diagonal, a pair of launches a
 * column: a row of blocks of 512 threads for the multipliers, a square of blocks of 16 x 16 for
 * the matrix, always as many as the whole matrix needs, so that most threads of the later launches
 * leave at once. DWR ran 48 columns with 3 x 3 blocks (table 1): 3 million thread instructions
 * here, so the default has 64 with 4 x 4. Left out: the back substitution, which the original does
 * on the host.
 *
 * The check finishes each row before the next one; every element goes through the same steps in
 * the same order, so it compares bit by bit.
 */
#include "datasets/workloads/input.h"
#include <math.h>
#include <string.h>

static void eliminate(float *m, float *a, float *b, size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t k = 0; k < i; k++) {
			float times = a[i * n + k] / a[k * n + k];

			for (size_t j = k; j < n; j++)
				a[i * n + j] = fmaf(-times, a[k * n + j], a[i * n + j]);
			b[i] = fmaf(-times, b[k], b[i]);
			m[i * n + k] = times;
		}
}

static void run(struct wl *w)
{
	uint32_t n = (uint32_t)wl_param(w, "n"), threads = (uint32_t)wl_param(w, "block");
	uint32_t side = (uint32_t)wl_param(w, "side"), blocks = wl_ceil_div(n, side);
	size_t cells = (size_t)n * n;
	struct wl_buf m = wl_alloc(w, "m", cells * sizeof(float));
	struct wl_buf a = wl_alloc(w, "a", cells * sizeof(float));
	struct wl_buf b = wl_alloc(w, "b", n * sizeof(float));
	float *want_m = wl_host(w, cells, sizeof(float)),
	      *want_a = wl_host(w, cells, sizeof(float));
	float *want_b = wl_host(w, n, sizeof(float));
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 0);
	for (size_t i = 0; i < cells; i++)
		a.f[i] = wl_unit(&rng) - 0.5f + (i / n == i % n ? (float)n : 0.0f);
	for (size_t i = 0; i < n; i++)
		b.f[i] = wl_unit(&rng);
	memcpy(want_a, a.f, cells * sizeof(float));
	memcpy(want_b, b.f, n * sizeof(float));
	wl_upload(w, &m);
	wl_upload(w, &a);
	wl_upload(w, &b);
	for (uint32_t t = 0; t < n - 1 && !wl_failed(w); t++) {
		struct wl_arg size = wl_i((int32_t)n), column = wl_i((int32_t)t);

		WL_LAUNCH(w, "fan1", wl_dim(wl_ceil_div(n, threads), 1, 1), wl_dim(threads, 1, 1),
			0, wl_p(&m), wl_p(&a), size, column);
		WL_LAUNCH(w, "fan2", wl_dim(blocks, blocks, 1), wl_dim(side, side, 1), 0, wl_p(&m),
			wl_p(&a), wl_p(&b), size, column);
	}
	eliminate(want_m, want_a, want_b, n);
	wl_check_f32(w, &m, want_m, cells, 0, 0);
	wl_check_f32(w, &a, want_a, cells, 0, 0);
	wl_check_f32(w, &b, want_b, n, 0, 0);
}

const struct workload wl_gaussian = {
	.name = "gaussian",
	.cls = "-",
	.papers = "dwr,crown",
	.suite = "Rodinia",
	.summary = "Gaussian elimination, two launches a column, rows along the lanes",
	.params =
		{
			{"n", 64, 2, 1024, "rows and columns"},
			{"block", 512, 1, 1024, "threads of a block of the multipliers' kernel"},
			{"side", 16, 1, 32, "threads along each side of a block of the other"},
		},
	.presets =
		{
			{"dwr", "n=48", "table 1's 48 times 3 x 3 blocks, 2.7 M of its 9 M"},
		},
	.tiny = "n=14,block=32,side=4",
	.run = run,
};
