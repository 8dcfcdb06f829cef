/*
 * game3: the third of the thesis's four games (chapter 6), of which only the classes are printed:
 * this one does not care about the size of warps. The kernel is ours: shading with much arithmetic
 * and next to no memory, here a sky of clouds by noise, marched through in a fixed number of steps
 * as games do. The check does the same operations and compares all pixels exactly.
 */
#include "datasets/workloads/input.h"
#include <math.h>

#define BLOCK 16
#define OCTAVES 3

/* In 65535ths. */
static float lattice(int32_t x, int32_t y, int32_t z)
{
	uint32_t h =
		(uint32_t)x * 0x8da6b343u ^ (uint32_t)y * 0xd8163841u ^ (uint32_t)z * 0xcb1ab31fu;

	h ^= h >> 13;
	h *= 0x5bd1e995u;
	h ^= h >> 15;
	return (float)(h & 0xffff);
}

static float mix(float a, float b, float t)
{
	return fmaf(b - a, t, a);
}

/* The same of two points of the lattice. */
static float mix_points(float a, float b, float t)
{
	const float unit = 1.0f / 65535.0f;

	return fmaf(fmaf(b, unit, -(a * unit)), t, a * unit);
}

static float noise(const float *at)
{
	float t[3], plane[2], row[2];
	int32_t i[3];

	for (int d = 0; d < 3; d++) {
		float whole = floorf(at[d]);

		i[d] = (int32_t)whole;
		t[d] = at[d] - whole;
		t[d] = t[d] * t[d] * (3.0f - 2.0f * t[d]);
	}
	for (int z = 0; z < 2; z++) {
		for (int y = 0; y < 2; y++)
			row[y] = mix_points(lattice(i[0], i[1] + y, i[2] + z),
				lattice(i[0] + 1, i[1] + y, i[2] + z), t[0]);
		plane[z] = mix(row[0], row[1], t[1]);
	}
	return mix(plane[0], plane[1], t[2]);
}

static uint32_t channel(float light)
{
	return (uint32_t)(255.0f * (light < 1.0f ? light : 1.0f));
}

static uint32_t shade(float dx, float dy, int32_t steps, float wind)
{
	float scale = 1.0f / sqrtf(fmaf(dx, dx, dy * dy) + 1.0f), light = 0, through = 1;

	for (int32_t i = 0; i < steps; i++) {
		float way = fmaf(0.75f, (float)i, 4.0f), density = 0, weight = 0.5f, passes;
		float at[3] = {fmaf(dx * scale, way, wind), dy * scale * way, scale * way};

		for (int octave = 0; octave < OCTAVES; octave++) {
			density = fmaf(weight, noise(at), density);
			weight *= 0.5f;
			for (int d = 0; d < 3; d++)
				at[d] *= 2.0f;
		}
		density = density - 0.4f > 0 ? density - 0.4f : 0;
		passes = 1.0f / fmaf(3.0f, density, 1.0f);
		light = fmaf(through * (1.0f - passes), fmaf(-0.5f, density, 1.0f), light);
		through *= passes;
	}
	return 0xff000000u | channel(fmaf(through, 0.9f, light)) << 16 |
	       channel(fmaf(through, 0.4f, light)) << 8 | channel(fmaf(through, 0.2f, light));
}

static void run(struct wl *w)
{
	uint32_t width = (uint32_t)wl_param(w, "width"), height = (uint32_t)wl_param(w, "height");
	int32_t steps = (int32_t)wl_param(w, "steps");
	size_t n = (size_t)width * height;
	struct wl_dim grid = wl_dim(wl_ceil_div(width, BLOCK), wl_ceil_div(height, BLOCK), 1);
	struct wl_buf picture = wl_alloc(w, "picture", n * sizeof(uint32_t));
	uint32_t *want = wl_host(w, n, sizeof(*want));
	struct wl_rng rng;
	float wind;

	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 0);
	wind = 100 * wl_unit(&rng);
	WL_LAUNCH(w, "game3_sky", grid, wl_dim(BLOCK, BLOCK, 1), 0, wl_p(&picture),
		wl_i((int32_t)width), wl_i((int32_t)height), wl_i(steps), wl_f(wind));
	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++)
			want[(size_t)y * width + x] = shade(((float)x + 0.5f) / (float)width - 0.5f,
				((float)y + 0.5f) / (float)height, steps, wind);
	wl_check_u32(w, &picture, want, n);
}

const struct workload wl_game3 = {
	.name = "game3",
	.cls = "WSI",
	.papers = "thesis",
	.suite = "game",
	.summary = "sky of noise clouds, marched through in a fixed number of steps",
	.params =
		{
			{"width", 96, 1, 8192, "pixels of a row"},
			{"height", 64, 1, 8192, "rows"},
			{"steps", 8, 1, 1024, "steps of a pixel's ray"},
		},
	.tiny = "width=10,height=6,steps=1",
	.run = run,
};
