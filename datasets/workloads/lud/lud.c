/*
 * lud: Rodinia's blocked LU decomposition without pivoting of a matrix with a heavy diagonal. The
 * host launches as the original does, three kernels for each 16 columns: one block of 16 threads,
 * a row of blocks of 32, a square of blocks of 16 x 16; the last step has the first alone. The
 * original's default, 256 x 256, is tiles=16: 73 million thread instructions. Ours is a bit
 * smaller.
 *
 * The check computes each element of L and U on its own, row by row. The kernels sum what a block
 * of 16 contributes before they subtract it, so it does likewise, and compares bit by bit.
 */
#include "datasets/workloads/input.h"
#include <math.h>
#include <string.h>

#define TILE 16

static void decompose(float *m, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			size_t terms = i < j ? i : j, whole = terms / TILE * TILE;
			float *v = &m[i * n + j];

			for (size_t b = 0; b < whole; b += TILE) {
				float sum = 0;

				for (size_t k = b; k < b + TILE; k++)
					sum = fmaf(m[i * n + k], m[k * n + j], sum);
				*v -= sum;
			}
			for (size_t k = whole; k < terms; k++)
				*v = fmaf(-m[i * n + k], m[k * n + j], *v);
			if (i > j)
				*v /= m[j * n + j];
		}
}

static void run(struct wl *w)
{
	uint32_t tiles = (uint32_t)wl_param(w, "tiles");
	size_t n = (size_t)tiles * TILE;
	struct wl_buf m = wl_alloc(w, "m", n * n * sizeof(float));
	float *want = wl_host(w, n * n, sizeof(*want));
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 0);
	for (size_t i = 0; i < n * n; i++)
		m.f[i] = wl_unit(&rng) - 0.5f + (i / n == i % n ? (float)n : 0.0f);
	memcpy(want, m.f, n * n * sizeof(*want));
	wl_upload(w, &m);
	for (uint32_t t = 0; t < tiles; t++) {
		uint32_t rest = tiles - t - 1;
		struct wl_arg size = wl_i((int32_t)n), offset = wl_i((int32_t)(t * TILE));

		WL_LAUNCH(w, "lud_diagonal", wl_dim(1, 1, 1), wl_dim(TILE, 1, 1), 0, wl_p(&m), size,
			offset);
		if (!rest)
			break;
		WL_LAUNCH(w, "lud_perimeter", wl_dim(rest, 1, 1), wl_dim(2 * TILE, 1, 1), 0,
			wl_p(&m), size, offset);
		WL_LAUNCH(w, "lud_internal", wl_dim(rest, rest, 1), wl_dim(TILE, TILE, 1), 0,
			wl_p(&m), size, offset);
	}
	decompose(want, n);
	wl_check_f32(w, &m, want, n * n, 0, 0);
}

const struct workload wl_lud = {
	.name = "lud",
	.cls = "CI",
	.papers = "thesis",
	.suite = "Rodinia",
	.summary = "LU decomposition by 16 x 16 blocks: diagonal, perimeter, internal",
	.params =
		{
			{"tiles", 14, 1, 256, "blocks of 16 along each side of the matrix"},
		},
	.tiny = "tiles=2",
	.run = run,
};
