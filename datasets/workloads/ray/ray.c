/*
 * ray: the ray tracer of Bakhoda's benchmarks: a plane and three spheres, up to
 * five hits a ray, shadows. TBC and CROWN ran 256 x 256 pixels in blocks of 16 x 8; the default is
 * 192 blocks, about two for each that fits on TBC's 30 cores. Left out: the display, and its moving
 * camera. The spheres stand where the seed puts them.
 *
 * The check follows each pixel's ray by recursion, in the same single precision, and compares all
 * bits: where a hit is in doubt a rounding would decide it.
 */
#include "datasets/workloads/input.h"
#include <math.h>

#define OBJECTS 4
#define HITS 5 /* these as in the kernel */
#define FAR 1e4f
#define NEAR 1e-3f

struct vec {
	float x, y, z;
};

struct object {
	float x, y, z, radius, r, g, b, mirror;
};

struct scene {
	const struct object *objects;
	struct vec light;
};

static struct vec plus(struct vec a, float t, struct vec b)
{
	return (struct vec){fmaf(t, b.x, a.x), fmaf(t, b.y, a.y), fmaf(t, b.z, a.z)};
}

static float dot(struct vec a, struct vec b)
{
	return fmaf(a.z, b.z, fmaf(a.x, b.x, a.y * b.y));
}

static struct vec unit(struct vec a)
{
	float by = 1.0f / sqrtf(dot(a, a));

	return (struct vec){a.x * by, a.y * by, a.z * by};
}

static float distance(const struct object *o, struct vec from, struct vec along)
{
	struct vec to = plus((struct vec){o->x, o->y, o->z}, -1.0f, from);
	float b = dot(to, along), inside = fmaf(b, b, -dot(to, to)), t;

	inside = fmaf(o->radius, o->radius, inside);

	if (o->radius == 0.0f)
		t = (o->y - from.y) / along.y;
	else if (inside < 0.0f)
		return FAR;
	else
		t = b - sqrtf(inside) > NEAR ? b - sqrtf(inside) : b + sqrtf(inside);
	return t > NEAR ? t : FAR;
}

/* What a ray shows that has hit something `before` times. */
static struct vec look(const struct scene *s, struct vec from, struct vec along, int before)
{
	const struct object *o = NULL;
	struct vec at, normal = {0, 1, 0}, to_light, mirrored, colour = {0.2f, 0.3f, 0.5f};
	float nearest = FAR, shine = 0, bright = 0.1f;
	bool shadow = false;

	for (int i = 0; i < OBJECTS; i++) {
		float t = distance(&s->objects[i], from, along);

		if (t < nearest) {
			nearest = t;
			o = &s->objects[i];
		}
	}
	if (!o || before == HITS)
		return colour;
	at = plus(from, nearest, along);
	if (o->radius != 0.0f)
		normal = unit(plus(at, -1.0f, (struct vec){o->x, o->y, o->z}));
	to_light = unit(plus(s->light, -1.0f, at));
	for (int i = 0; i < OBJECTS; i++)
		shadow |= distance(&s->objects[i], at, to_light) < FAR;
	mirrored = plus(along, -2.0f * dot(along, normal), normal);
	if (!shadow) {
		bright = fmaf(0.9f, fmaxf(dot(normal, to_light), 0.0f), bright);
		shine = fmaxf(dot(mirrored, to_light), 0.0f);
		for (int i = 0; i < 4; i++)
			shine *= shine;
	}
	colour = look(s, at, mirrored, before + 1);
	return (struct vec){fmaf(o->mirror, colour.x, fmaf(o->r, bright, shine)),
		fmaf(o->mirror, colour.y, fmaf(o->g, bright, shine)),
		fmaf(o->mirror, colour.z, fmaf(o->b, bright, shine))};
}

static uint32_t channel(float c)
{
	return (uint32_t)fmaf(fminf(fmaxf(c, 0.0f), 1.0f), 255.0f, 0.5f);
}

static void run(struct wl *w)
{
	uint32_t width = (uint32_t)wl_param(w, "width"), height = (uint32_t)wl_param(w, "height");
	uint32_t n = width * height;
	struct wl_buf objects = wl_symbol(w, "objects"), light = wl_symbol(w, "light");
	struct wl_buf picture = wl_alloc(w, "picture", n * sizeof(uint32_t));
	uint32_t *want = wl_host(w, n, sizeof(*want));
	float pixel = 2.0f / (float)(width < height ? width : height);
	struct object *o = objects.p;
	struct scene scene = {o, {4, 8, -6}};
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 0);
	o[0] = (struct object){0, 0, 0, 0, 0.5f, 0.5f, 0.5f, 0.3f};
	for (int i = 1; i < OBJECTS; i++) {
		float radius = 0.6f + 0.3f * wl_unit(&rng);

		o[i] = (struct object){1.6f * (float)(i - 2) + 0.3f * wl_unit(&rng), radius,
			0.8f * wl_unit(&rng), radius, 0.2f + 0.6f * (i == 1),
			0.2f + 0.6f * (i == 2), 0.2f + 0.6f * (i == 3), 0.5f};
	}
	light.f[0] = scene.light.x;
	light.f[1] = scene.light.y;
	light.f[2] = scene.light.z;
	wl_upload(w, &objects);
	wl_upload(w, &light);
	wl_registers(w, 42); /* TBC table 1: 3 blocks of 128 on 16384 registers */
	WL_LAUNCH(w, "ray", wl_dim(wl_ceil_div(width, 16), wl_ceil_div(height, 8), 1),
		wl_dim(16, 8, 1), 0, wl_p(&picture), wl_i((int32_t)width), wl_i((int32_t)height));
	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++) {
			struct vec along = {((float)x + 0.5f - 0.5f * (float)width) * pixel,
				(0.5f * (float)height - (float)y - 0.5f) * pixel, 2};
			struct vec c = look(&scene, (struct vec){0, 1, -4}, unit(along), 0);

			want[y * width + x] =
				channel(c.x) | channel(c.y) << 8 | channel(c.z) << 16 | 0xff000000u;
		}
	wl_check_u32(w, &picture, want, n);
}

const struct workload wl_ray = {
	.name = "ray",
	.cls = "COH",
	.papers = "tbc,crown",
	.suite = "Bakhoda",
	.summary = "rays that are reflected by a plane and three spheres, a pixel a thread",
	.params =
		{
			{"width", 192, 1, 4096, "pixels"},
			{"height", 128, 1, 4096, "pixels"},
		},
	.presets =
		{
			{"crown", "width=256,height=256", "slide 46's RAY"},
			{"tbc", "width=256,height=256",
				"as large as Bakhoda's: 38 M of table 1's 65 M instructions"},
		},
	.tiny = "width=36,height=18",
	.run = run,
};
