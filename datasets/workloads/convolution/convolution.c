/*
 * convolution: a filter of 9 x 9 over an image, in shared memory; the thesis prints of its
 * "Convolution" only that warp size makes no difference to it. The filter is random. The check adds
 * up the products of each pixel in the same order, and compares bit by bit.
 */
#include "datasets/workloads/input.h"
#include <math.h>

#define TILE 16
#define RADIUS 4
#define SIDE (2 * RADIUS + 1)

static uint32_t clamped(uint32_t at, uint32_t tap, uint32_t n)
{
	return at + tap < RADIUS ? 0 : at + tap - RADIUS >= n ? n - 1 : at + tap - RADIUS;
}

static void convolve(
	const float *filter, const float *image, float *out, uint32_t width, uint32_t height)
{
	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++)
			for (uint32_t k = 0; k < SIDE * SIDE; k++) {
				uint32_t from_x = clamped(x, k % SIDE, width);
				uint32_t from_y = clamped(y, k / SIDE, height);
				float *sum = &out[(size_t)y * width + x];

				*sum = fmaf(
					filter[k], image[(size_t)from_y * width + from_x], *sum);
			}
}

static void run(struct wl *w)
{
	uint32_t width = (uint32_t)wl_param(w, "width"), height = (uint32_t)wl_param(w, "height");
	size_t pixels = (size_t)width * height;
	struct wl_buf filter = wl_symbol(w, "filter");
	struct wl_buf image = wl_alloc(w, "image", pixels * sizeof(float));
	struct wl_buf out = wl_alloc(w, "out", pixels * sizeof(float));
	float *want = wl_host(w, pixels, sizeof(float));
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 1);
	for (int k = 0; k < SIDE * SIDE; k++)
		filter.f[k] = wl_unit(&rng) - 0.5f;
	wl_image(image.f, width, height, wl_seed(w));
	wl_upload(w, &filter);
	wl_upload(w, &image);
	WL_LAUNCH(w, "convolution", wl_dim(wl_ceil_div(width, TILE), wl_ceil_div(height, TILE), 1),
		wl_dim(TILE, TILE, 1), 0, wl_p(&image), wl_p(&out), wl_i((int32_t)width),
		wl_i((int32_t)height));
	convolve(filter.f, image.f, want, width, height);
	wl_check_f32(w, &out, want, pixels, 0, 0);
}

const struct workload wl_convolution = {
	.name = "convolution",
	.cls = "WSI",
	.papers = "thesis",
	.suite = "vision",
	.summary = "convolution of an image with a filter of 9 x 9, in shared memory",
	.params =
		{
			{"width", 256, 1, 8192, "pixels in a row of the image"},
			{"height", 160, 1, 8192, "rows of the image"},
		},
	.tiny = "width=18,height=7",
	.run = run,
};
