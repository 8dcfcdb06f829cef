/*
 * imageproc: a separable filter over an image; the thesis prints of its "Image Proc." only that
 * warp size makes no difference to it. Taps are binomial, as for smoothing. The check filters whole
 * rows and columns with sums in the same order, and compares bit by bit.
 */
#include "datasets/workloads/input.h"
#include <math.h>

#define RADIUS 8
#define TAPS (2 * RADIUS + 1)
#define RESULTS 8

static size_t clamped(size_t at, size_t tap, size_t n)
{
	return at + tap < RADIUS ? 0 : at + tap - RADIUS >= n ? n - 1 : at + tap - RADIUS;
}

static void filter(const float *taps, const float *image, float *rows, float *both, size_t width,
	size_t height)
{
	for (size_t y = 0; y < height; y++)
		for (size_t x = 0; x < width; x++)
			for (size_t k = 0; k < TAPS; k++)
				rows[y * width + x] =
					fmaf(taps[k], image[y * width + clamped(x, k, width)],
						rows[y * width + x]);
	for (size_t y = 0; y < height; y++)
		for (size_t x = 0; x < width; x++)
			for (size_t k = 0; k < TAPS; k++)
				both[y * width + x] =
					fmaf(taps[k], rows[clamped(y, k, height) * width + x],
						both[y * width + x]);
}

static void run(struct wl *w)
{
	uint32_t width = (uint32_t)wl_param(w, "width"), height = (uint32_t)wl_param(w, "height");
	size_t pixels = (size_t)width * height;
	struct wl_buf taps = wl_symbol(w, "taps");
	struct wl_buf image = wl_alloc(w, "image", pixels * sizeof(float));
	struct wl_buf rows = wl_alloc(w, "rows", pixels * sizeof(float));
	struct wl_buf both = wl_alloc(w, "both", pixels * sizeof(float));
	float *want_rows = wl_host(w, pixels, sizeof(float));
	float *want_both = wl_host(w, pixels, sizeof(float));
	float choose = 1; /* 2 * RADIUS over k */

	if (wl_failed(w))
		return;
	for (int k = 0; k < TAPS; k++) {
		taps.f[k] = choose / (float)(1 << (TAPS - 1));
		choose = choose * (float)(TAPS - 1 - k) / (float)(k + 1);
	}
	wl_image(image.f, width, height, wl_seed(w));
	wl_upload(w, &taps);
	wl_upload(w, &image);
	WL_LAUNCH(w, "filter_rows",
		wl_dim(wl_ceil_div(width, 16 * RESULTS), wl_ceil_div(height, 4), 1),
		wl_dim(16, 4, 1), 0, wl_p(&rows), wl_p(&image), wl_i((int32_t)width),
		wl_i((int32_t)height));
	WL_LAUNCH(w, "filter_columns",
		wl_dim(wl_ceil_div(width, 16), wl_ceil_div(height, 8 * RESULTS), 1),
		wl_dim(16, 8, 1), 0, wl_p(&both), wl_p(&rows), wl_i((int32_t)width),
		wl_i((int32_t)height));
	filter(taps.f, image.f, want_rows, want_both, width, height);
	wl_check_f32(w, &rows, want_rows, pixels, 0, 0);
	wl_check_f32(w, &both, want_both, pixels, 0, 0);
}

const struct workload wl_imageproc = {
	.name = "imageproc",
	.cls = "WSI",
	.papers = "thesis",
	.suite = "vision",
	.summary = "separable filter of 17 taps, rows and then columns, in shared memory",
	.params =
		{
			{"width", 512, 1, 8192, "pixels in a row of the image"},
			{"height", 192, 1, 8192, "rows of the image"},
		},
	.tiny = "width=20,height=18",
	.run = run,
};
