/*
 * Rays into nvrt's scene, and what they hit. The check walks the hierarchy by plain recursion, with
 * the kernels' float operations, so that it compares bit by bit; of some rays it also tests every
 * triangle, which a wrong hierarchy would not survive.
 */
#include "datasets/workloads/nvrt/rays.h"
#include <math.h>

#define SAMPLE 251 /* of so many rays, one is tested against every triangle */

struct walk {
	const struct nvrt_node *nodes;
	const struct nvrt_triangle *triangles;
	const struct nvrt_ray *ray;
	float inverse[3], scaled[3]; /* 1 / direction, and the origin times that */
	float t;
	int32_t hit;
};

static float dot(const float *a, const float *b)
{
	return fmaf(a[2], b[2], fmaf(a[0], b[0], a[1] * b[1]));
}

/* An affine map's value at a point. */
static float at_point(const float *map, const float *p)
{
	return fmaf(p[2], map[2], fmaf(p[1], map[1], fmaf(p[0], map[0], map[3])));
}

static void test_triangle(struct walk *k, int32_t i)
{
	const struct nvrt_triangle *tri = &k->triangles[i];
	const float *o = k->ray->origin, *d = k->ray->direction;
	const float *p = tri->plane, *a = tri->u, *b = tri->v;
	float away[3] = {-o[0], -o[1], -o[2]}, t = at_point(p, away) / dot(d, p), u, v;

	if (!(t > k->ray->t_min && t < k->t))
		return;
	u = fmaf(t, dot(d, a), at_point(a, o));
	v = fmaf(t, dot(d, b), at_point(b, o));
	if (u >= 0 && v >= 0 && u + v <= 1) {
		k->t = t;
		k->hit = i;
	}
}

/* Where the ray enters a box in *in; whether it does so before the nearest hit. */
static bool test_box(
	const struct walk *k, const float *x, const float *y, const float *z, float *in)
{
	const float *slab[3] = {x, y, z};
	float out = k->t;

	*in = k->ray->t_min;
	for (int d = 0; d < 3; d++) {
		float a = fmaf(slab[d][0], k->inverse[d], -k->scaled[d]);
		float b = fmaf(slab[d][1], k->inverse[d], -k->scaled[d]);

		*in = fmaxf(*in, fminf(a, b));
		out = fminf(out, fmaxf(a, b));
	}
	return out >= *in;
}

static void descend(struct walk *k, int32_t at)
{
	const struct nvrt_node *node = k->nodes + at;
	float in0, in1;
	bool hit0, hit1;

	if (at < 0) {
		for (int32_t i = 0; i <= ~at % NVRT_LEAF; i++)
			test_triangle(k, ~at / NVRT_LEAF + i);
		return;
	}
	hit0 = test_box(k, node->x0, node->y0, node->z0, &in0);
	hit1 = test_box(k, node->x1, node->y1, node->z1, &in1);
	if (hit0 && hit1) {
		descend(k, node->child[in1 < in0]);
		descend(k, node->child[in1 >= in0]);
	} else if (hit0 || hit1) {
		descend(k, node->child[hit1]);
	}
}

static struct walk start(const struct nvrt_scene *s, const struct nvrt_ray *ray)
{
	struct walk k = {.nodes = s->node.p,
		.triangles = s->triangle.p,
		.ray = ray,
		.t = ray->t_max,
		.hit = -1};

	for (int d = 0; d < 3; d++) {
		float x = ray->direction[d];

		k.inverse[d] = 1.0f / (fabsf(x) > 1e-20f ? x : 1e-20f);
		k.scaled[d] = ray->origin[d] * k.inverse[d];
	}
	return k;
}

void nvrt_rays_trace(struct wl *w, const struct nvrt_scene *s, const struct nvrt_ray *rays,
	uint32_t n, int32_t *hits, float *distances)
{
	for (uint32_t r = 0; r < n && !wl_failed(w); r++) {
		struct walk k = start(s, rays + r);

		descend(&k, 0);
		hits[r] = k.hit;
		distances[r] = k.t;
		if (r % SAMPLE)
			continue;
		k.t = rays[r].t_max;
		for (int32_t i = 0; i < s->triangles; i++)
			test_triangle(&k, i);
		if (k.t != distances[r])
			wl_fail(w, "the hierarchy hides what ray %u hits", r);
	}
}

/* Turns a ray into one from what it hits, in a random direction off that surface. */
static void bounce(
	const struct nvrt_scene *s, struct nvrt_ray *ray, float reach, struct wl_rng *rng)
{
	struct walk k = start(s, ray);
	float d[3], square, side;
	const float *normal;

	descend(&k, 0);
	if (k.hit < 0)
		return;
	normal = k.triangles[k.hit].plane;
	side = dot(normal, ray->direction);
	do { /* even over the ball, hence over directions */
		for (int a = 0; a < 3; a++)
			d[a] = 2 * wl_unit(rng) - 1;
		square = dot(d, d);
	} while (square > 1 || square < 1e-4f);
	for (int a = 0; a < 3; a++) {
		ray->origin[a] += (k.t - 1e-3f) * ray->direction[a];
		ray->direction[a] = d[a] / sqrtf(square);
	}
	for (int a = 0; a < 3 && side * dot(normal, d) > 0; a++)
		ray->direction[a] = -ray->direction[a];
	ray->t_max = reach;
}

void nvrt_rays_make(struct wl *w, const struct nvrt_scene *s, struct nvrt_ray *rays,
	uint32_t columns, uint32_t rows, uint32_t percent)
{
	float eye = NVRT_ROOM / 16, reach = (float)percent * NVRT_ROOM / 100;
	struct wl_rng rng;

	wl_rng_start(&rng, w, 1);
	for (uint32_t i = 0; i < 32 * columns * rows; i++) {
		uint32_t px = i / 32 % columns * 8 + i % 8, py = i / 32 / columns * 4 + i / 8 % 4;
		float x = ((float)px + wl_unit(&rng)) / (8 * (float)columns) - 0.5f;
		float y = ((float)py + wl_unit(&rng)) / (4 * (float)rows) - 0.5f;
		float d[3] = {1 - x - y, 1 + x - y, 1 + 1.5f * y}, length = sqrtf(dot(d, d));

		rays[i] = (struct nvrt_ray){{eye, eye, eye}, 0, {0}, 4 * NVRT_ROOM};
		for (int a = 0; a < 3; a++)
			rays[i].direction[a] = d[a] / length;
		if (reach > 0)
			bounce(s, &rays[i], reach, &rng);
	}
}
