/*
 * srad: Rodinia's srad_v2 over a random image: each iteration takes the speckle's statistics of a
 * corner of the image on the host, then launches two kernels. The arrays have a row to spare before
 * and after the image, where the kernels, as the original's, read values that they do not use. The
 * check goes over the whole image in the same order of terms and compares bit by bit, the
 * derivatives and coefficients of the last iteration included.
 */
#include "datasets/workloads/input.h"
#include <math.h>

#define BLOCK 16
#define LAMBDA 0.5f
#define REGION 128 /* the original's region of interest: rows and columns 0 to 127 */

enum array { IMAGE, COEFFICIENT, NORTH, SOUTH, WEST, EAST, ARRAYS };
static const char *const names[ARRAYS] = {"image", "coefficient", "north", "south", "west", "east"};

struct picture {
	uint32_t rows, cols;
	float *a[ARRAYS]; /* with the spare rows */
};

static float speckle(const struct picture *p)
{
	uint32_t rows = p->rows < REGION ? p->rows : REGION;
	uint32_t cols = p->cols < REGION ? p->cols : REGION;
	float sum = 0, squares = 0, size = (float)(rows * cols), mean, variance;

	for (uint32_t y = 0; y < rows; y++)
		for (uint32_t x = 0; x < cols; x++) {
			float v = p->a[IMAGE][(size_t)(y + 1) * p->cols + x];

			sum += v;
			squares += v * v;
		}
	mean = sum / size;
	variance = squares / size - mean * mean;
	return variance / (mean * mean);
}

static float coefficient(float j, float n, float s, float w, float e, float q0)
{
	float gradient = fmaf(e, e, fmaf(w, w, fmaf(n, n, s * s))) / (j * j);
	float laplacian = (n + s + w + e) / j;
	float den = fmaf(0.25f, laplacian, 1.0f);
	float q = fmaf(0.5f, gradient, -0.0625f * (laplacian * laplacian)) / (den * den);
	float c = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));

	return c < 0 ? 0 : c > 1 ? 1 : c;
}

/* One iteration; a pixel beyond the edge is the edge's own. */
static void diffuse(const struct picture *p, float q0)
{
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t y = 0; y < p->rows; y++)
			for (uint32_t x = 0; x < p->cols; x++) {
				size_t i = (size_t)(y + 1) * p->cols + x;
				size_t n = y ? i - p->cols : i,
				       s = y + 1 < p->rows ? i + p->cols : i;
				size_t w = x ? i - 1 : i, e = x + 1 < p->cols ? i + 1 : i;
				float *c = p->a[COEFFICIENT], *image = p->a[IMAGE], j = image[i];

				if (pass) {
					float into =
						fmaf(c[i], p->a[NORTH][i], c[s] * p->a[SOUTH][i]);

					into = fmaf(c[e], p->a[EAST][i],
						fmaf(c[i], p->a[WEST][i], into));
					image[i] = fmaf(0.25f * LAMBDA, into, j);
					continue;
				}
				p->a[NORTH][i] = image[n] - j;
				p->a[SOUTH][i] = image[s] - j;
				p->a[WEST][i] = image[w] - j;
				p->a[EAST][i] = image[e] - j;
				c[i] = coefficient(j, p->a[NORTH][i], p->a[SOUTH][i], p->a[WEST][i],
					p->a[EAST][i], q0);
			}
}

static void run(struct wl *w)
{
	uint32_t across = (uint32_t)wl_param(w, "across"), down = (uint32_t)wl_param(w, "down");
	struct picture p = {.rows = BLOCK * down, .cols = BLOCK * across};
	size_t pixels = (size_t)p.rows * p.cols, count = pixels + 2 * p.cols;
	struct wl_dim grid = wl_dim(across, down, 1), block = wl_dim(BLOCK, BLOCK, 1);
	struct wl_arg at[ARRAYS], cols = wl_i((int32_t)p.cols);
	struct wl_buf b[ARRAYS];

	for (int i = 0; i < ARRAYS; i++) {
		b[i] = wl_alloc(w, names[i], count * sizeof(float));
		at[i] = wl_l((int64_t)(b[i].dev + p.cols * sizeof(float)));
		p.a[i] = wl_host(w, count, sizeof(float));
	}
	if (wl_failed(w))
		return;
	wl_image(b[IMAGE].f + p.cols, p.cols, p.rows, wl_seed(w));
	for (size_t i = p.cols; i < p.cols + pixels; i++)
		p.a[IMAGE][i] = b[IMAGE].f[i] = 1.0f + 1.7f * b[IMAGE].f[i];
	for (int64_t i = 0; i < wl_param(w, "iterations") && !wl_failed(w); i++) {
		float q0 = speckle(&p);

		if (!(q0 > 0)) {
			wl_fail(w, "srad: the image has no speckle");
			return;
		}
		wl_upload(w, &b[IMAGE]);
		WL_LAUNCH(w, "srad_coefficient", grid, block, 0, at[EAST], at[WEST], at[NORTH],
			at[SOUTH], at[IMAGE], at[COEFFICIENT], cols, wl_f(q0));
		WL_LAUNCH(w, "srad_diffuse", grid, block, 0, at[EAST], at[WEST], at[NORTH],
			at[SOUTH], at[IMAGE], at[COEFFICIENT], cols, wl_f(LAMBDA));
		wl_download(w, &b[IMAGE]);
		diffuse(&p, q0);
	}
	for (int i = 0; i < ARRAYS; i++)
		wl_check_f32(w, &b[i], p.a[i], count, 0, 0);
}

const struct workload wl_srad = {
	.name = "srad",
	.cls = "CI",
	.papers = "thesis,crown",
	.suite = "Rodinia",
	.summary = "speckle-reducing anisotropic diffusion, two kernels an iteration",
	.params =
		{
			{"across", 16, 2, 1024, "16 x 16 blocks across the image"},
			{"down", 16, 2, 1024, "16 x 16 blocks down the image"},
			{"iterations", 2, 1, 10000, "iterations"},
		},
	.tiny = "across=2,down=2,iterations=1",
	.run = run,
};
