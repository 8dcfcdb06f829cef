/*
 * lighting: tiled deferred lighting, of which the thesis prints that it is a game's and divergent,
 * and how gangs decay to single warps (figure 6.17). Ours: a floor before a wall with spheres on
 * it, seen by rays on the host, which gives what a first pass would have drawn: depth, bumpy
 * normals, albedo. Lights hang near the surfaces that are seen, every other one a spotlight.
 *
 * The check adds up all lights for each pixel, without tiles, and decides by the same floats which
 * of them reach it. Sums come in another order, and powers from the device's own approximation.
 */
#include "datasets/workloads/input.h"
#include <math.h>

#define TILE 16
#define SLOPE_X 0.8f /* half the width of what is seen, at depth 1 */
#define FLOOR (-1.5f)
#define WALL 24.0f
#define SPHERES 200
#define STEPS 8 /* these three as in the kernel */
#define BIAS 0.02f
#define THICK 0.5f

struct vec4 {
	float x, y, z, w;
};

struct light {
	struct vec4 at, colour, cone;
};

struct picture {
	uint32_t width, height, nlights;
	float slope_y;
	float *depth;
	struct vec4 *normal, *albedo;
	struct light *lights;
};

static struct vec4 unit(float x, float y, float z)
{
	float length = sqrtf(x * x + y * y + z * z);

	return (struct vec4){x / length, y / length, z / length, 0};
}

/* The ray through a pixel, at depth 1. */
static void ray(const struct picture *p, uint32_t px, uint32_t py, float *x, float *y)
{
	*x = fmaf((float)px + 0.5f, 2.0f * SLOPE_X / (float)p->width, -SLOPE_X);
	*y = fmaf((float)py + 0.5f, 2.0f * p->slope_y / (float)p->height, -p->slope_y);
}

/* What the eye sees at a pixel: the depth, and the normal of the surface. */
static float see(const struct picture *p, const struct vec4 *spheres, uint32_t px, uint32_t py,
	struct vec4 *normal)
{
	float x, y, z = WALL;

	ray(p, px, py, &x, &y);
	*normal = (struct vec4){0, 0, -1, 0};
	if (y * z < FLOOR) {
		z = FLOOR / y;
		*normal = (struct vec4){0, 1, 0, 0};
	}
	for (int i = 0; i < SPHERES; i++) {
		const struct vec4 *s = &spheres[i];
		float a = x * x + y * y + 1, b = x * s->x + y * s->y + s->z;
		float c = s->x * s->x + s->y * s->y + s->z * s->z - s->w * s->w;
		float root = b * b - a * c, near;

		if (root <= 0)
			continue;
		near = (b - sqrtf(root)) / a;
		if (near > 0 && near < z) {
			z = near;
			*normal = unit(x * z - s->x, y * z - s->y, z - s->z);
		}
	}
	return z;
}

static void draw(struct wl *w, struct picture *p, float *texture)
{
	struct vec4 spheres[SPHERES];
	struct wl_rng rng;

	wl_rng_start(&rng, w, 0);
	wl_image(texture, p->width, p->height, wl_seed(w));
	for (int i = 0; i < SPHERES; i++) {
		float z = 4 + 18 * wl_unit(&rng), r = 0.1f + 0.5f * wl_unit(&rng);

		spheres[i] = (struct vec4){SLOPE_X * z * (2 * wl_unit(&rng) - 1), FLOOR + r, z, r};
	}
	for (uint32_t y = 0; y < p->height; y++)
		for (uint32_t x = 0; x < p->width; x++) {
			size_t i = (size_t)y * p->width + x;
			size_t right = x + 1 < p->width ? i + 1 : i;
			size_t below = y + 1 < p->height ? i + p->width : i;
			float bump_x = texture[right] - texture[i];
			float bump_y = texture[below] - texture[i];
			struct vec4 n;

			bump_x += 0.1f * (2 * wl_unit(&rng) - 1);
			bump_y += 0.1f * (2 * wl_unit(&rng) - 1);
			p->depth[i] = see(p, spheres, x, y, &n);
			p->normal[i] = unit(n.x + 2 * bump_x, n.y + 2 * bump_y, n.z);
			p->normal[i].w = 24;
			p->albedo[i] = (struct vec4){
				texture[i], 0.5f * texture[i] + 0.3f, 1 - texture[i], 0.4f};
		}
}

static void hang(struct wl *w, struct picture *p, float reach)
{
	struct wl_rng rng;

	wl_rng_start(&rng, w, 1);
	for (uint32_t i = 0; i < p->nlights; i++) {
		uint32_t px = wl_below(&rng, p->width), py = wl_below(&rng, p->height);
		size_t pixel = (size_t)py * p->width + px;
		float z = p->depth[pixel], off = 0.3f + 1.2f * wl_unit(&rng), x, y;
		const struct vec4 *n = &p->normal[pixel];
		struct light *l = &p->lights[i];
		struct vec4 aslant;

		ray(p, px, py, &x, &y);
		l->at = (struct vec4){x * z + off * n->x, y * z + off * n->y, z + off * n->z,
			reach * (0.5f + wl_unit(&rng))};
		l->colour.w = 1;
		for (int k = 0; k < 3; k++) {
			(&l->colour.x)[k] = wl_unit(&rng);
			(&aslant.x)[k] = wl_unit(&rng) - 0.5f;
		}
		l->cone.w = -1;
		if (i % 2) { /* towards that pixel, aslant */
			l->cone = unit(aslant.x - n->x, aslant.y - n->y, aslant.z - n->z);
			l->cone.w = 0.6f + 0.35f * wl_unit(&rng);
		}
	}
}

/* Whether something that is seen stands between a point and a light, d away. */
static bool hidden(const struct picture *p, const float at[3], const float d[3])
{
	float step_x = 2.0f * SLOPE_X / (float)p->width;
	float step_y = 2.0f * p->slope_y / (float)p->height;

	for (int step = 1; step < STEPS; step++) {
		float t = (float)step / STEPS;
		float z = fmaf(t, d[2], at[2]);
		float u = (fmaf(t, d[0], at[0]) / z + SLOPE_X) / step_x;
		float v = (fmaf(t, d[1], at[1]) / z + p->slope_y) / step_y;

		if (u >= 0 && v >= 0 && u < (float)p->width && v < (float)p->height) {
			float over = z - p->depth[(uint32_t)v * p->width + (uint32_t)u];

			if (over > BIAS && over < THICK)
				return true;
		}
	}
	return false;
}

static void add_light(const struct picture *p, struct vec4 *sum, const struct light *l,
	const struct vec4 *n, float x, float y, float z)
{
	float dx = l->at.x - x, dy = l->at.y - y, dz = l->at.z - z;
	float r2 = fmaf(dz, dz, fmaf(dx, dx, dy * dy));
	float facing = fmaf(n->z, dz, fmaf(n->x, dx, n->y * dy));
	float inverse = 1.0f / sqrtf(r2), fade = 1.0f - r2 / (l->at.w * l->at.w);
	float cosine = -fmaf(l->cone.z, dz, fmaf(l->cone.y, dy, l->cone.x * dx)) * inverse;
	float eye = sqrtf(x * x + y * y + z * z);
	float hx = dx * inverse - x / eye, hy = dy * inverse - y / eye, hz = dz * inverse - z / eye;
	float half = (n->x * hx + n->y * hy + n->z * hz) / sqrtf(hx * hx + hy * hy + hz * hz);

	if (r2 >= l->at.w * l->at.w || facing <= 0 || (l->cone.w > -1 && cosine <= l->cone.w))
		return;
	if (l->cone.w > -1 && hidden(p, (float[]){x, y, z}, (float[]){dx, dy, dz}))
		return;
	if (l->cone.w > -1)
		fade *= (cosine - l->cone.w) / (1 - l->cone.w);
	sum->x += l->colour.x * fade * facing * inverse;
	sum->y += l->colour.y * fade * facing * inverse;
	sum->z += l->colour.z * fade * facing * inverse;
	sum->w += half > 0 ? fade * powf(half, n->w) : 0;
}

static void light_up(const struct picture *p, struct vec4 *out)
{
	for (uint32_t py = 0; py < p->height; py++)
		for (uint32_t px = 0; px < p->width; px++) {
			size_t i = (size_t)py * p->width + px;
			const struct vec4 *a = &p->albedo[i];
			struct vec4 sum = {0};
			float x, y, z = p->depth[i];

			ray(p, px, py, &x, &y);
			for (uint32_t l = 0; l < p->nlights; l++)
				add_light(p, &sum, &p->lights[l], &p->normal[i], x * z, y * z, z);
			out[i] = (struct vec4){a->x * sum.x + a->w * sum.w,
				a->y * sum.y + a->w * sum.w, a->z * sum.z + a->w * sum.w, 1};
		}
}

static void run(struct wl *w)
{
	uint32_t across = (uint32_t)wl_param(w, "across"), down = (uint32_t)wl_param(w, "down");
	struct picture p = {.width = across * TILE,
		.height = down * TILE,
		.nlights = (uint32_t)wl_param(w, "lights")};
	size_t pixels = (size_t)p.width * p.height;
	struct wl_buf depth = wl_alloc(w, "depth", pixels * sizeof(float));
	struct wl_buf normal = wl_alloc(w, "normal", pixels * sizeof(struct vec4));
	struct wl_buf albedo = wl_alloc(w, "albedo", pixels * sizeof(struct vec4));
	struct wl_buf lights = wl_alloc(w, "lights", p.nlights * sizeof(struct light));
	struct wl_buf out = wl_alloc(w, "out", pixels * sizeof(struct vec4));
	struct vec4 *want = wl_host(w, pixels, sizeof(*want));
	float *texture = wl_host(w, pixels, sizeof(*texture));

	if (wl_failed(w))
		return;
	p.slope_y = SLOPE_X * (float)p.height / (float)p.width;
	p.depth = depth.f;
	p.normal = normal.p;
	p.albedo = albedo.p;
	p.lights = lights.p;
	draw(w, &p, texture);
	hang(w, &p, (float)wl_param(w, "radius") / 100);
	wl_upload(w, &depth);
	wl_upload(w, &normal);
	wl_upload(w, &albedo);
	wl_upload(w, &lights);
	WL_LAUNCH(w, "lighting", wl_dim(across, down, 1), wl_dim(TILE, TILE, 1), 0, wl_p(&depth),
		wl_p(&normal), wl_p(&albedo), wl_p(&lights), wl_i((int32_t)p.nlights), wl_p(&out),
		wl_i((int32_t)p.width), wl_i((int32_t)p.height), wl_f(SLOPE_X), wl_f(p.slope_y));
	light_up(&p, want);
	wl_check_f32(w, &out, &want->x, 4 * pixels, 1e-3, 1e-4);
}

const struct workload wl_lighting = {
	.name = "lighting",
	.cls = "WSD",
	.papers = "thesis",
	.suite = "game",
	.summary = "tiled deferred lighting: each tile's list of lights, gone over by its pixels",
	.params =
		{
			{"across", 10, 1, 256, "tiles of 16 x 16 pixels in a row of the picture"},
			{"down", 8, 1, 256, "tiles in a column"},
			{"lights", 512, 1, 1024, "lights in the scene"},
			{"radius", 150, 1, 10000, "mean reach of a light, in hundredths"},
		},
	.tiny = "across=2,down=2,lights=12",
	.run = run,
};
