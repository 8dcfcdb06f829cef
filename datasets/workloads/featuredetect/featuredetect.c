/*
 * featuredetect: Harris corners over a window of 7 x 7. The thesis names a FeatureDetect among the
 * convergent applications of its chapter 6, which prefer wide warps since their accesses coalesce,
 * and prints no more of it. This one is ours: Harris and Stephens (1988) as image libraries do it,
 * with Sobel gradients and a box window, in three kernels, between the last two of which the host
 * takes the largest response: a corner needs a part of it. Nothing is staged in shared memory, so
 * the lines that neighbours share pass through the L1D. Image: smooth noise and shapes. The check
 * does the same sums in the same order over the whole image and compares bit by bit.
 */
#include "datasets/workloads/input.h"
#include <math.h>

#define BLOCK_X 32
#define BLOCK_Y 8
#define REACH 3       /* of the window, to each side */
#define K 0.05f       /* of the trace's square: Harris's 0.04 to 0.06 */
#define QUALITY 0.01f /* of a corner: the part of the image's largest response that it needs */

struct picture {
	int32_t width, height;
	float threshold; /* of a corner's response */
	float *image, *across, *down, *response;
	uint8_t *corner;
};

static int32_t clamp(int32_t at, int32_t size)
{
	return at < 0 ? 0 : at >= size ? size - 1 : at;
}

static float at(const struct picture *p, const float *a, int32_t x, int32_t y)
{
	return a[(size_t)clamp(y, p->height) * (size_t)p->width + (size_t)clamp(x, p->width)];
}

static void gradient(struct picture *p, int32_t x, int32_t y)
{
	float side[2], middle[2];
	size_t i = (size_t)y * (size_t)p->width + (size_t)x;

	for (int s = 0; s < 2; s++) {
		side[s] = at(p, p->image, x + 1, y + 2 * s - 1) -
			  at(p, p->image, x - 1, y + 2 * s - 1);
		middle[s] = at(p, p->image, x + 2 * s - 1, y + 1) -
			    at(p, p->image, x + 2 * s - 1, y - 1);
	}
	/* Twice a number is exact, so these add up as fused. */
	p->across[i] =
		side[0] + 2.0f * (at(p, p->image, x + 1, y) - at(p, p->image, x - 1, y)) + side[1];
	p->down[i] = middle[0] + 2.0f * (at(p, p->image, x, y + 1) - at(p, p->image, x, y - 1)) +
		     middle[1];
}

static float response(const struct picture *p, int32_t x, int32_t y)
{
	float xx = 0, xy = 0, yy = 0, trace;

	for (int32_t dy = -REACH; dy <= REACH; dy++)
		for (int32_t dx = -REACH; dx <= REACH; dx++) {
			float gx = at(p, p->across, x + dx, y + dy);
			float gy = at(p, p->down, x + dx, y + dy);

			xx = fmaf(gx, gx, xx);
			xy = fmaf(gx, gy, xy);
			yy = fmaf(gy, gy, yy);
		}
	trace = xx + yy;
	return fmaf(-trace, K * trace, fmaf(xx, yy, -(xy * xy)));
}

static uint8_t is_corner(const struct picture *p, int32_t x, int32_t y)
{
	float here = at(p, p->response, x, y);
	uint8_t is = here > p->threshold;

	for (int32_t dy = -1; dy <= 1; dy++)
		for (int32_t dx = -1; dx <= 1; dx++)
			if ((dx || dy) && at(p, p->response, x + dx, y + dy) >= here)
				is = 0;
	return is;
}

static void respond(struct picture *p)
{
	for (int32_t y = 0; y < p->height; y++)
		for (int32_t x = 0; x < p->width; x++)
			gradient(p, x, y);
	for (int32_t y = 0; y < p->height; y++)
		for (int32_t x = 0; x < p->width; x++)
			p->response[(size_t)y * (size_t)p->width + (size_t)x] = response(p, x, y);
	for (size_t i = 0; i < (size_t)p->width * (size_t)p->height; i++)
		if (p->response[i] * QUALITY > p->threshold)
			p->threshold = p->response[i] * QUALITY;
}

static void pick(struct picture *p)
{
	for (int32_t y = 0; y < p->height; y++)
		for (int32_t x = 0; x < p->width; x++)
			p->corner[(size_t)y * (size_t)p->width + (size_t)x] = is_corner(p, x, y);
}

static void run(struct wl *w)
{
	uint32_t width = (uint32_t)wl_param(w, "width"), height = (uint32_t)wl_param(w, "height");
	struct wl_dim grid = wl_dim(wl_ceil_div(width, BLOCK_X), wl_ceil_div(height, BLOCK_Y), 1);
	struct wl_dim block = wl_dim(BLOCK_X, BLOCK_Y, 1);
	struct wl_arg size[2] = {wl_i((int32_t)width), wl_i((int32_t)height)};
	size_t n = (size_t)width * height;
	struct wl_buf image = wl_alloc(w, "image", n * sizeof(float));
	struct wl_buf across = wl_alloc(w, "across", n * sizeof(float));
	struct wl_buf down = wl_alloc(w, "down", n * sizeof(float));
	struct wl_buf strength = wl_alloc(w, "response", n * sizeof(float));
	struct wl_buf corner = wl_alloc(w, "corner", n);
	struct picture p = {.width = (int32_t)width, .height = (int32_t)height, .image = image.f};

	p.across = wl_host(w, n, sizeof(float));
	p.down = wl_host(w, n, sizeof(float));
	p.response = wl_host(w, n, sizeof(float));
	p.corner = wl_host(w, n, 1);
	if (wl_failed(w))
		return;
	wl_image(image.f, width, height, wl_seed(w));
	wl_upload(w, &image);
	WL_LAUNCH(w, "feature_gradient", grid, block, 0, wl_p(&image), wl_p(&across), wl_p(&down),
		size[0], size[1]);
	WL_LAUNCH(w, "feature_response", grid, block, 0, wl_p(&across), wl_p(&down),
		wl_p(&strength), size[0], size[1], wl_f(K));
	wl_download(w, &strength);
	respond(&p);
	WL_LAUNCH(w, "feature_pick", grid, block, 0, wl_p(&strength), wl_p(&corner), size[0],
		size[1], wl_f(p.threshold));
	pick(&p);
	wl_check_f32(w, &across, p.across, n, 0, 0);
	wl_check_f32(w, &down, p.down, n, 0, 0);
	wl_check_f32(w, &strength, p.response, n, 0, 0);
	wl_check_u8(w, &corner, p.corner, n);
}

const struct workload wl_featuredetect = {
	.name = "featuredetect",
	.cls = "WSC",
	.papers = "thesis",
	.suite = "vision",
	.summary =
		"Harris corners: gradients, response over 7 x 7 pixels, the largest of neighbours",
	.params =
		{
			{"width", 224, 1, 8192, "pixels of a row"},
			{"height", 128, 1, 8192, "rows"},
		},
	.tiny = "width=20,height=10",
	.run = run,
};
