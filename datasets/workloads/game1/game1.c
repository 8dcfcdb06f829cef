/*
 * game1: the first of the thesis's four games (chapter 6), of which only the classes are printed:
 * this one is convergent, and loses when small warps part its accesses. The kernel is ours: the
 * blur of ambient occlusion that games do for every picture, two passes of a bilateral filter of 9
 * taps over 32-bit texels, along rows and along columns. Depth: smooth noise and shapes with edges;
 * occlusion: noise of every pixel, which is what such a blur removes.
 *
 * The check does the same operations and compares all texels exactly.
 */
#include "datasets/workloads/input.h"
#include <math.h>

#define BLOCK 16
#define REACH 4
#define DEPTH_MAX 0xffffffu
#define SHARPNESS 0x1p-14f /* weight halves where depths are a 1024th of the range apart */

struct texture {
	int32_t width, height;
	uint32_t *texel;
};

static int32_t clamp(int32_t at, int32_t size)
{
	return at < 0 ? 0 : at >= size ? size - 1 : at;
}

static uint32_t blurred(
	const struct texture *t, const float *taper, int32_t x, int32_t y, int32_t dx, int32_t dy)
{
	uint32_t here = t->texel[y * t->width + x];
	float sum = 0, weights = 0;

	for (int32_t tap = -REACH; tap <= REACH; tap++) {
		int32_t row = clamp(y + tap * dy, t->height), col = clamp(x + tap * dx, t->width);
		uint32_t texel = t->texel[row * t->width + col];
		float apart = fabsf((float)(texel >> 8) - (float)(here >> 8));
		float weight = taper[tap + REACH] / fmaf(SHARPNESS, apart, 1.0f);

		sum = fmaf(weight, (float)(texel & 255), sum);
		weights += weight;
	}
	return (here & ~255u) | (uint32_t)(sum / weights + 0.5f);
}

static void blur(const struct texture *in, uint32_t *out, const float *taper, bool down)
{
	for (int32_t y = 0; y < in->height; y++)
		for (int32_t x = 0; x < in->width; x++)
			out[y * in->width + x] = blurred(in, taper, x, y, !down, down);
}

static void run(struct wl *w)
{
	/* Binomial: 70, 56, 28, 8, 1. */
	static const float weights[2 * REACH + 1] = {1, 8, 28, 56, 70, 56, 28, 8, 1};
	uint32_t width = (uint32_t)wl_param(w, "width"), height = (uint32_t)wl_param(w, "height");
	struct wl_dim grid = wl_dim(wl_ceil_div(width, BLOCK), wl_ceil_div(height, BLOCK), 1);
	size_t n = (size_t)width * height;
	struct wl_buf taper = wl_symbol(w, "taper");
	struct wl_buf in = wl_alloc(w, "picture", n * sizeof(uint32_t));
	struct wl_buf across = wl_alloc(w, "blurred_across", n * sizeof(uint32_t));
	struct wl_buf out = wl_alloc(w, "blurred", n * sizeof(uint32_t));
	float *depth = wl_host(w, n, sizeof(*depth));
	uint32_t *want[2] = {wl_host(w, n, sizeof(**want)), wl_host(w, n, sizeof(**want))};
	struct texture t = {(int32_t)width, (int32_t)height, in.u};
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 0);
	wl_image(depth, width, height, wl_seed(w));
	for (size_t i = 0; i < n; i++)
		in.u[i] = (uint32_t)(depth[i] * DEPTH_MAX) << 8 | wl_below(&rng, 256);
	for (int i = 0; i <= 2 * REACH; i++)
		taper.f[i] = weights[i];
	wl_upload(w, &taper);
	wl_upload(w, &in);
	WL_LAUNCH(w, "game1_blur", grid, wl_dim(BLOCK, BLOCK, 1), 0, wl_p(&in), wl_p(&across),
		wl_i(t.width), wl_i(t.height), wl_i(1), wl_i(0), wl_f(SHARPNESS));
	WL_LAUNCH(w, "game1_blur", grid, wl_dim(BLOCK, BLOCK, 1), 0, wl_p(&across), wl_p(&out),
		wl_i(t.width), wl_i(t.height), wl_i(0), wl_i(1), wl_f(SHARPNESS));
	blur(&t, want[0], weights, false);
	t.texel = want[0];
	blur(&t, want[1], weights, true);
	wl_check_u32(w, &across, want[0], n);
	wl_check_u32(w, &out, want[1], n);
}

const struct workload wl_game1 = {
	.name = "game1",
	.cls = "WSC",
	.papers = "thesis",
	.suite = "game",
	.summary = "bilateral blur of ambient occlusion, 9 taps along rows, then along columns",
	.params =
		{
			{"width", 320, 1, 8192, "pixels of a row"},
			{"height", 180, 1, 8192, "rows"},
		},
	.tiny = "width=20,height=18",
	.run = run,
};
