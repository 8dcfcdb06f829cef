/*
 * fft: many Fourier transforms of 512 random points, blocks of 64 threads; the thesis prints of its
 * "FFT" only that warp size makes no difference to it. The check computes each transform by its
 * definition, in double precision, and allows what factors of 21 bits make of the mean result.
 */
#include "datasets/workloads/input.h"
#include <math.h>

#define POINTS 512

static void transform(const float *in, float *out, const double *cosine)
{
	for (uint32_t k = 0; k < POINTS; k++) {
		double re = 0, im = 0;

		for (uint32_t n = 0; n < POINTS; n++) {
			double c = cosine[k * n % POINTS];
			double s = -cosine[(k * n + POINTS - POINTS / 4) % POINTS];

			re += in[2 * n] * c - in[2 * n + 1] * s;
			im += in[2 * n] * s + in[2 * n + 1] * c;
		}
		out[2 * k] = (float)re;
		out[2 * k + 1] = (float)im;
	}
}

static void run(struct wl *w)
{
	uint32_t n = (uint32_t)wl_param(w, "transforms");
	size_t values = (size_t)n * POINTS * 2;
	struct wl_buf points = wl_alloc(w, "points", values * sizeof(float));
	float *want = wl_host(w, values, sizeof(float));
	double *cosine = wl_host(w, POINTS, sizeof(*cosine));
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	for (uint32_t k = 0; k < POINTS; k++)
		cosine[k] = cos(2 * acos(-1) * k / POINTS);
	wl_rng_start(&rng, w, 0);
	for (size_t i = 0; i < values; i++)
		points.f[i] = 2 * wl_unit(&rng) - 1;
	for (uint32_t b = 0; b < n; b++)
		transform(points.f + (size_t)b * 2 * POINTS, want + (size_t)b * 2 * POINTS, cosine);
	wl_upload(w, &points);
	WL_LAUNCH(w, "fft512", wl_dim((uint32_t)wl_param(w, "blocks"), 1, 1), wl_dim(64, 1, 1), 0,
		wl_p(&points), wl_i((int32_t)n));
	wl_check_f32(w, &points, want, values, 1e-4, 1e-3);
}

const struct workload wl_fft = {
	.name = "fft",
	.cls = "WSI",
	.papers = "thesis",
	.suite = "HPC",
	.summary = "Fourier transforms of 512 points, radix 8, in registers and shared memory",
	.params =
		{
			{"transforms", 512, 1, 1 << 16, "transforms"},
			{"blocks", 128, 1, 1 << 16, "blocks that take them"},
		},
	.tiny = "transforms=3,blocks=2",
	.run = run,
};
