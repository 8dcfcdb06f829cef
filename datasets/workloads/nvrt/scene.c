/*
 * A box-shaped room full of ellipsoids, in place of the Conference scene, and its hierarchy, by the
 * surface area heuristic over all splits along each axis. Leaves out the split triangles of the
 * original's builder.
 */
#include "datasets/workloads/nvrt/scene.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS 3 /* an octahedron's faces are cut in four so often */
#define BLOB (8 << 2 * LEVELS)
#define WALLS 12
#define DEEP 32
#define PAD 1e-3f /* boxes are larger than their triangles by more than any rounding */

struct face {
	float v[3][3];
};

struct box {
	float low[3], high[3];
};

struct build {
	struct nvrt_scene *s;
	struct face *faces;
	float *cost; /* one a face */
};

static void add(struct build *to, const float *a, const float *b, const float *c)
{
	struct face *t = &to->faces[to->s->triangles++];

	memcpy(t->v[0], a, sizeof(t->v[0]));
	memcpy(t->v[1], b, sizeof(t->v[1]));
	memcpy(t->v[2], c, sizeof(t->v[2]));
}

static void add_walls(struct build *to)
{
	for (int d = 0; d < 3; d++)
		for (int side = 0; side < 2; side++) {
			float corner[4][3];

			for (int i = 0; i < 4; i++) {
				corner[i][d] = side ? NVRT_ROOM : 0;
				corner[i][(d + 1) % 3] = i & 1 ? NVRT_ROOM : 0;
				corner[i][(d + 2) % 3] = i & 2 ? NVRT_ROOM : 0;
			}
			add(to, corner[0], corner[1], corner[2]);
			add(to, corner[1], corner[3], corner[2]);
		}
}

struct blob {
	float centre[3], radius[3];
};

static void middle(float out[3], const float *a, const float *b)
{
	float length;

	for (int d = 0; d < 3; d++)
		out[d] = a[d] + b[d];
	length = sqrtf(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
	for (int d = 0; d < 3; d++)
		out[d] /= length;
}

static void add_face(struct build *to, const struct blob *b, const float *p, const float *q,
	const float *r, int levels)
{
	float pq[3], qr[3], rp[3];

	if (levels) {
		middle(pq, p, q);
		middle(qr, q, r);
		middle(rp, r, p);
		add_face(to, b, p, pq, rp, levels - 1);
		add_face(to, b, q, qr, pq, levels - 1);
		add_face(to, b, r, rp, qr, levels - 1);
		add_face(to, b, pq, qr, rp, levels - 1);
		return;
	}
	for (int d = 0; d < 3; d++) {
		pq[d] = b->centre[d] + b->radius[d] * p[d];
		qr[d] = b->centre[d] + b->radius[d] * q[d];
		rp[d] = b->centre[d] + b->radius[d] * r[d];
	}
	add(to, pq, qr, rp);
}

static void add_blob(struct build *to, struct wl_rng *rng)
{
	struct blob b;

	for (int d = 0; d < 3; d++) {
		b.radius[d] = 0.5f + wl_unit(rng);
		b.centre[d] = 2.0f + (NVRT_ROOM - 4.0f) * wl_unit(rng);
	}
	for (int octant = 0; octant < 8; octant++) {
		float axis[3][3] = {{0}};

		for (int d = 0; d < 3; d++)
			axis[d][d] = octant >> d & 1 ? -1.0f : 1.0f;
		add_face(to, &b, axis[0], axis[1], axis[2], LEVELS);
	}
}

static int by_centre(const void *a, const void *b, void *axis)
{
	const struct face *p = a, *q = b;
	int d = *(const int *)axis;
	float x = p->v[0][d] + p->v[1][d] + p->v[2][d], y = q->v[0][d] + q->v[1][d] + q->v[2][d];

	if (x != y)
		return x < y ? -1 : 1;
	return memcmp(p, q, sizeof(*p));
}

static const struct box nowhere = {
	{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void enclose(struct box *b, const struct face *f)
{
	for (int i = 0; i < 9; i++) {
		b->low[i % 3] = fminf(b->low[i % 3], f->v[i / 3][i % 3] - PAD);
		b->high[i % 3] = fmaxf(b->high[i % 3], f->v[i / 3][i % 3] + PAD);
	}
}

static struct box bounds(const struct face *f, int32_t n)
{
	struct box b = nowhere;

	for (int32_t i = 0; i < n; i++)
		enclose(&b, f + i);
	return b;
}

/* Half the surface of a box, which the chance that a ray meets it grows with. */
static float surface(const struct box *b)
{
	float x = b->high[0] - b->low[0], y = b->high[1] - b->low[1], z = b->high[2] - b->low[2];

	return x * y + y * z + z * x;
}

/* The split of n faces in this order with the least surface times faces; returns that cost. */
static float best_split(const struct build *to, const struct face *f, int32_t n, int32_t *at)
{
	struct box b = nowhere;
	float least = INFINITY;

	for (int32_t i = 0; i < n; i++) {
		enclose(&b, f + i);
		to->cost[i] = surface(&b) * (float)(i + 1);
	}
	b = nowhere;
	for (int32_t i = n - 1; i > 0; i--) {
		float cost;

		enclose(&b, f + i);
		cost = to->cost[i - 1] + surface(&b) * (float)(n - i);
		if (cost < least) {
			least = cost;
			*at = i;
		}
	}
	return least;
}

/*
 * Splits by the surface heuristic, and beyond DEEP levels in the middle, which keeps the kernel's
 * stack within bounds. Orders the faces as it goes; returns the child as its parent names it.
 */
static int32_t build(struct build *to, int32_t first, int32_t n, int level)
{
	struct face *f = to->faces + first;
	int32_t half = n / 2, split = half, at;
	struct nvrt_node *node;
	struct box b[2];
	float least = INFINITY;
	int axis = 0;

	if (n <= NVRT_LEAF)
		return ~(first * NVRT_LEAF + n - 1);
	for (int d = 0; d < 3 && level < DEEP; d++) {
		float cost;

		qsort_r(f, (size_t)n, sizeof(*f), by_centre, &d);
		cost = best_split(to, f, n, &split);
		if (cost < least) {
			least = cost;
			half = split;
			axis = d;
		}
	}
	qsort_r(f, (size_t)n, sizeof(*f), by_centre, &axis);
	b[0] = bounds(f, half);
	b[1] = bounds(f + half, n - half);
	at = to->s->nodes++;
	node = (struct nvrt_node *)to->s->node.p + at;
	*node = (struct nvrt_node){
		.x0 = {b[0].low[0], b[0].high[0]},
		.y0 = {b[0].low[1], b[0].high[1]},
		.x1 = {b[1].low[0], b[1].high[0]},
		.y1 = {b[1].low[1], b[1].high[1]},
		.z0 = {b[0].low[2], b[0].high[2]},
		.z1 = {b[1].low[2], b[1].high[2]},
	};
	node->child[0] = build(to, first, half, level + 1);
	node->child[1] = build(to, first + half, n - half, level + 1);
	return at;
}

static void cross(double out[3], const double *a, const double *b)
{
	for (int d = 0; d < 3; d++)
		out[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

/* Woop's form of a face, relative to its third vertex. */
static void unit_map(struct nvrt_triangle *t, const struct face *f)
{
	double a[3], b[3], normal[3], u[3], v[3], square = 0, constant[3] = {0};

	for (int d = 0; d < 3; d++) {
		a[d] = (double)f->v[0][d] - f->v[2][d];
		b[d] = (double)f->v[1][d] - f->v[2][d];
	}
	cross(normal, a, b);
	cross(u, b, normal);
	cross(v, normal, a);
	for (int d = 0; d < 3; d++)
		square += normal[d] * normal[d];
	for (int d = 0; d < 3; d++) {
		t->plane[d] = (float)(normal[d] / square);
		t->u[d] = (float)(u[d] / square);
		t->v[d] = (float)(v[d] / square);
		constant[0] += normal[d] / square * f->v[2][d];
		constant[1] -= u[d] / square * f->v[2][d];
		constant[2] -= v[d] / square * f->v[2][d];
	}
	t->plane[3] = (float)constant[0];
	t->u[3] = (float)constant[1];
	t->v[3] = (float)constant[2];
}

void nvrt_scene_make(struct wl *w, struct nvrt_scene *s, uint32_t blobs)
{
	uint32_t n = WALLS + blobs * BLOB;
	struct build to = {s, wl_host(w, n, sizeof(struct face)), wl_host(w, n, sizeof(float))};
	struct wl_rng rng;

	s->node = wl_alloc(w, "nodes", n * sizeof(struct nvrt_node));
	s->triangle = wl_alloc(w, "triangles", n * sizeof(struct nvrt_triangle));
	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 0);
	add_walls(&to);
	for (uint32_t i = 0; i < blobs; i++)
		add_blob(&to, &rng);
	build(&to, 0, s->triangles, 0);
	for (int32_t i = 0; i < s->triangles; i++)
		unit_map((struct nvrt_triangle *)s->triangle.p + i, &to.faces[i]);
}
