/*
 * game4: the last of the thesis's four games (chapter 6), of which only the classes are printed:
 * this one does not care about the size of warps. The kernel is ours: the lighting of deferred
 * shading in its plain form, every lamp for every pixel, which is arithmetic over one read of what
 * the first pass wrote. (The workload `lighting`, which is divergent, has tiles with lists of
 * lamps.) Surfaces: depth and normals of a height map of smooth noise and shapes, random materials
 * in patches of 32 pixels. The check does the same operations and compares all pixels exactly.
 */
#include "datasets/workloads/input.h"
#include <math.h>
#include <string.h>

#define BLOCK 16
#define PATCH 32
#define LAMPS_MAX 64

struct lamp {
	float x, y, z, power;
};

struct texel {
	float depth;
	uint32_t normal, material, metal;
};

struct vec {
	float x, y, z;
};

static float dot(struct vec a, struct vec b)
{
	return fmaf(a.z, b.z, fmaf(a.x, b.x, a.y * b.y));
}

static struct vec times(struct vec a, float by)
{
	return (struct vec){a.x * by, a.y * by, a.z * by};
}

static float at_least(float v, float least)
{
	return v > least ? v : least;
}

static uint32_t channel(float light)
{
	return (uint32_t)(255.0f * (light / (1.0f + light)));
}

static uint32_t shade(
	const struct texel *t, float sx, float sy, const struct lamp *lamps, int32_t nlamps)
{
	float metal = (float)t->metal * (1.0f / 255.0f);
	float byte = (float)(t->material >> 24), rough = byte * (1.0f / 255.0f);
	float a2 = fmaf(rough * rough * rough, rough, 0.001f);
	float rougher = fmaf(byte, 1.0f / 255.0f, 1.0f), k = rougher * rougher * 0.125f, nv, plain;
	float diffuse = 0, glossy = 0, grazing = 0;
	struct vec at = {sx * t->depth, sy * t->depth, t->depth}, n, v;
	uint32_t rgb[3];

	n.x = (float)(t->normal & 0xffff) * (1.0f / 32768.0f) - 1.0f;
	n.y = (float)(t->normal >> 16) * (1.0f / 32768.0f) - 1.0f;
	n.z = -sqrtf(at_least(fmaf(-n.y, n.y, fmaf(-n.x, n.x, 1.0f)), 0));
	v = times(at, -(1.0f / sqrtf(dot(at, at))));
	nv = at_least(dot(n, v), 0.001f);
	for (int32_t i = 0; i < nlamps; i++) {
		struct vec l = {lamps[i].x - at.x, lamps[i].y - at.y, lamps[i].z - at.z}, h;
		float square = dot(l, l), scale = 1.0f / sqrtf(square);
		float nl, nh, vh, d, half, facing, fourth, light, gloss;

		h = (struct vec){
			fmaf(l.x, scale, v.x), fmaf(l.y, scale, v.y), fmaf(l.z, scale, v.z)};
		l = times(l, scale);
		half = 1.0f / sqrtf(dot(h, h) + 1e-6f);
		nl = at_least(dot(n, l), 0);
		nh = at_least(dot(n, h) * half, 0);
		vh = at_least(dot(v, h) * half, 0);
		d = fmaf(nh * nh, a2 - 1.0f, 1.0f);
		facing = at_least(1.0f - vh, 0);
		fourth = facing * facing * facing * facing;
		light = lamps[i].power * nl / (square + 1.0f);
		gloss = light * a2 / (4.0f * d * d * fmaf(nl, 1.0f - k, k) * fmaf(nv, 1.0f - k, k));
		diffuse = fmaf(light, 1.0f - metal, diffuse);
		glossy = fmaf(gloss, fmaf(-fourth, facing, 1.0f), glossy);
		grazing = fmaf(gloss, fourth * facing, grazing);
	}
	plain = 0.04f * (1.0f - metal);
	for (int c = 0; c < 3; c++) {
		float colour = (float)(t->material >> 8 * c & 255) * (1.0f / 255.0f);

		rgb[c] = channel(
			fmaf(colour, fmaf(metal, glossy, diffuse), plain * glossy) + grazing);
	}
	return 0xff000000u | rgb[2] << 16 | rgb[1] << 8 | rgb[0];
}

static void make_surface(struct wl *w, struct texel *t, uint32_t width, uint32_t height)
{
	float *map = wl_host(w, (size_t)width * height, sizeof(*map));
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	wl_image(map, width, height, wl_seed(w));
	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++, t++) {
			const float *h = map + (size_t)y * width + x;
			float dx = x ? h[0] - h[-1] : 0, dy = y ? h[0] - h[-(ptrdiff_t)width] : 0;
			float scale = 4 / sqrtf(16 * dx * dx + 16 * dy * dy + 1);

			wl_rng_start(&rng, w, (uint64_t)(y / PATCH) << 32 | x / PATCH);
			t->depth = 10 - 2 * h[0];
			t->normal = (uint32_t)(32768 + 32767 * dx * scale) |
				    (uint32_t)(32768 + 32767 * dy * scale) << 16;
			t->material = (uint32_t)(wl_u64(&rng) >> 32) | 0x20000000;
			t->metal = wl_below(&rng, 2) * 255;
		}
}

static void run(struct wl *w)
{
	uint32_t width = (uint32_t)wl_param(w, "width"), height = (uint32_t)wl_param(w, "height");
	int32_t nlamps = (int32_t)wl_param(w, "lamps");
	size_t n = (size_t)width * height;
	struct wl_dim grid = wl_dim(wl_ceil_div(width, BLOCK), wl_ceil_div(height, BLOCK), 1);
	struct wl_buf lamps = wl_symbol(w, "lamps");
	struct wl_buf surface = wl_alloc(w, "surface", n * sizeof(struct texel));
	struct wl_buf picture = wl_alloc(w, "picture", n * sizeof(uint32_t));
	uint32_t *want = wl_host(w, n, sizeof(*want));
	const struct texel *t = surface.p;
	struct lamp *lamp = lamps.p;
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, UINT64_MAX);
	for (int32_t i = 0; i < nlamps; i++)
		lamp[i] = (struct lamp){8 * wl_unit(&rng) - 4, 8 * wl_unit(&rng) - 4,
			4 + 4 * wl_unit(&rng), 4 + 8 * wl_unit(&rng)};
	make_surface(w, surface.p, width, height);
	wl_upload(w, &lamps);
	wl_upload(w, &surface);
	WL_LAUNCH(w, "game4_shade", grid, wl_dim(BLOCK, BLOCK, 1), 0, wl_p(&surface),
		wl_p(&picture), wl_i((int32_t)width), wl_i((int32_t)height), wl_i(nlamps));
	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++, t++)
			want[(size_t)y * width + x] =
				shade(t, ((float)x + 0.5f) / (float)width - 0.5f,
					((float)y + 0.5f) / (float)height - 0.5f, lamp, nlamps);
	wl_check_u32(w, &picture, want, n);
}

const struct workload wl_game4 = {
	.name = "game4",
	.cls = "WSI",
	.papers = "thesis",
	.suite = "game",
	.summary = "deferred shading, every lamp for every pixel, by a microfacet model",
	.params =
		{
			{"width", 192, 1, 8192, "pixels of a row"},
			{"height", 128, 1, 8192, "rows"},
			{"lamps", 8, 1, LAMPS_MAX, "lamps"},
		},
	.tiny = "width=20,height=10,lamps=2",
	.run = run,
};
