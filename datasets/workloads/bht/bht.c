/*
 * bht: the Barnes-Hut tree of Wang et al. (ISCA 2015, table 4), after Burtscher and Pingali, in two
 * forms: flat, with one thread a body, and dynamic, where threads launch kernels for leaves that
 * they must open. Input: bodies of equal mass anywhere in a cube; leaves of an octree have 64 at
 * most. The tree is built on the host, as the paper's figures are of the part that launches. Blocks
 * of 256 threads, 104 at most (13 SMX of 8). A thread makes many launches, and 131,072 may be
 * pending, so the host launches for a part of the bodies at a time. The check walks the same tree
 * on the CPU with sums in double precision.
 */
#include "datasets/workloads/input.h"
#include <math.h>
#include <string.h>

#define BLOCK 256
#define LEAF 64
#define DEEPEST 16 /* the kernel's stack has room for 7 nodes a level and 8 */
#define SOFT2 1e-4f

struct node {
	float x, y, z, mass, side;
	int32_t first, count, inner;
};

struct body {
	float x, y, z, mass;
};

struct tree {
	struct node *nodes;
	uint32_t n;
	struct body *bodies, *room; /* room: to sort them in */
};

struct device_tree { /* as the kernels have it */
	uint64_t nodes, bodies, acceleration;
	float theta2, soft2;
};

/* Which eighth of a cube a body is in. */
static unsigned octant(const struct body *b, const float centre[3])
{
	return (unsigned)(b->x >= centre[0]) + 2u * (unsigned)(b->y >= centre[1]) +
	       4u * (unsigned)(b->z >= centre[2]);
}

static void weigh(struct node *n, const struct body *b, uint32_t count)
{
	double x = 0, y = 0, z = 0, mass = 0;

	for (uint32_t i = 0; i < count; i++) {
		x += (double)b[i].x * b[i].mass;
		y += (double)b[i].y * b[i].mass;
		z += (double)b[i].z * b[i].mass;
		mass += b[i].mass;
	}
	n->x = (float)(x / mass);
	n->y = (float)(y / mass);
	n->z = (float)(z / mass);
	n->mass = (float)mass;
}

/* Makes node `at` of the bodies from `first` on, in the cube around `centre`. */
static void build(struct tree *t, uint32_t at, uint32_t first, uint32_t count,
	const float centre[3], float side, int depth)
{
	uint32_t sizes[8] = {0}, to[8], children = t->n, next;

	weigh(&t->nodes[at], t->bodies + first, count);
	t->nodes[at].side = side;
	if (count <= LEAF || depth == DEEPEST) {
		t->nodes[at].first = (int32_t)first;
		t->nodes[at].count = (int32_t)count;
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		sizes[octant(&t->bodies[first + i], centre)]++;
	for (unsigned o = 0, sum = 0; o < 8; sum += sizes[o++]) {
		to[o] = sum;
		t->n += sizes[o] > 0;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct body *b = &t->bodies[first + i];

		t->room[to[octant(b, centre)]++] = *b;
	}
	memcpy(t->bodies + first, t->room, count * sizeof(*t->bodies));
	t->nodes[at].first = (int32_t)children;
	t->nodes[at].count = (int32_t)(t->n - children);
	t->nodes[at].inner = 1;
	next = children;
	for (unsigned o = 0; o < 8; o++) {
		const float quarter = side / 4;
		const float c[3] = {centre[0] + (o & 1 ? quarter : -quarter),
			centre[1] + (o & 2 ? quarter : -quarter),
			centre[2] + (o & 4 ? quarter : -quarter)};

		if (sizes[o])
			build(t, next++, first, sizes[o], c, side / 2, depth + 1);
		first += sizes[o];
	}
}

/* The square rounds as the kernel's, so that both open the same nodes. */
static float away(const float from[3], const struct body *body, float d[3])
{
	d[0] = from[0] - body->x;
	d[1] = from[1] - body->y;
	d[2] = from[2] - body->z;
	return fmaf(d[2], d[2], fmaf(d[0], d[0], d[1] * d[1])) + SOFT2;
}

static void attract(double a[3], const float d[3], float r2, float mass)
{
	const double f = mass / ((double)r2 * sqrt(r2));

	for (int i = 0; i < 3; i++)
		a[i] += d[i] * f;
}

static void walk(
	const struct tree *t, uint32_t at, const struct body *body, float theta2, double a[3])
{
	const struct node *n = &t->nodes[at];
	float d[3], r2 = away((const float[]){n->x, n->y, n->z}, body, d);

	if (n->side * n->side < theta2 * r2) {
		attract(a, d, r2, n->mass);
		return;
	}
	for (int32_t i = n->first; i < n->first + n->count; i++) {
		const struct body *o = &t->bodies[i];

		if (n->inner) {
			walk(t, (uint32_t)i, body, theta2, a);
			continue;
		}
		r2 = away((const float[]){o->x, o->y, o->z}, body, d);
		attract(a, d, r2, o->mass);
	}
}

static struct wl_arg argument(const struct device_tree *t)
{
	struct wl_arg arg = {.size = sizeof(*t)};

	memcpy(arg.bytes, t, sizeof(*t));
	return arg;
}

static void launch(struct wl *w, const struct tree *t, uint32_t n)
{
	const char *force = wl_param(w, "form") ? "bht_force_dyn" : "bht_force";
	const uint32_t most = (uint32_t)wl_param(w, "blocks");
	const uint32_t step = (uint32_t)wl_param(w, "at-once");
	const float theta = (float)wl_param(w, "theta") / 100;
	struct wl_buf nodes = wl_alloc(w, "nodes", t->n * sizeof(struct node));
	struct wl_buf bodies = wl_alloc(w, "bodies", n * sizeof(struct body));
	struct wl_buf acceleration = wl_alloc(w, "acceleration", 3ull * n * sizeof(float));
	struct device_tree d = {.nodes = nodes.dev,
		.bodies = bodies.dev,
		.acceleration = acceleration.dev,
		.theta2 = theta * theta,
		.soft2 = SOFT2};
	float *want = wl_host(w, 3ull * n, sizeof(*want));

	if (wl_failed(w))
		return;
	memcpy(nodes.p, t->nodes, t->n * sizeof(struct node));
	memcpy(bodies.p, t->bodies, n * sizeof(struct body));
	wl_upload(w, &nodes);
	wl_upload(w, &bodies);
	wl_upload(w, &acceleration);
	for (uint32_t from = 0; from < n && !wl_failed(w); from += step) {
		const uint32_t end = n - from < step ? n : from + step;
		const uint32_t blocks = wl_ceil_div(end - from, BLOCK);

		WL_LAUNCH(w, force, wl_dim(blocks < most ? blocks : most, 1, 1),
			wl_dim(BLOCK, 1, 1), 0, argument(&d), wl_i((int32_t)from),
			wl_i((int32_t)end));
	}
	for (uint32_t i = 0; i < n && !wl_failed(w); i++) {
		double a[3] = {0, 0, 0};

		walk(t, 0, &t->bodies[i], d.theta2, a);
		for (int k = 0; k < 3; k++)
			want[3 * i + (uint32_t)k] = (float)a[k];
	}
	wl_check_f32(w, &acceleration, want, 3ull * n, 1e-3, 1e-4);
}

static void run(struct wl *w)
{
	const uint32_t n = (uint32_t)wl_param(w, "bodies");
	/* Every inner node has more bodies than a leaf, and there are at most DEEPEST levels. */
	const uint32_t nodes = 1 + 8 * DEEPEST * (n / LEAF + 1);
	struct tree t = {.nodes = wl_host(w, nodes, sizeof(*t.nodes)),
		.n = 1,
		.bodies = wl_host(w, n, sizeof(*t.bodies)),
		.room = wl_host(w, n, sizeof(*t.room))};
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 0);
	for (uint32_t i = 0; i < n; i++) {
		t.bodies[i].x = wl_unit(&rng);
		t.bodies[i].y = wl_unit(&rng);
		t.bodies[i].z = wl_unit(&rng);
		t.bodies[i].mass = 1 / (float)n;
	}
	build(&t, 0, 0, n, (const float[]){0.5f, 0.5f, 0.5f}, 1, 0);
	launch(w, &t, n);
}

const struct workload wl_bht = {
	.name = "bht",
	.cls = "DIV DYN",
	.papers = "dtbl",
	.suite = "Burtscher",
	.summary = "Barnes-Hut tree, flat or with kernels launched by threads",
	.params =
		{
			{"form", 0, 0, 1, "flat, or dyn: threads launch kernels"},
			{"bodies", 2048, 1, 1 << 22, "bodies"},
			{"theta", 50, 1, 200, "a node is far from side / theta on, in hundredths"},
			{"at-once", 2048, 1, 1 << 22, "bodies of a launch, at most"},
			{"blocks", 104, 1, 1 << 20, "blocks of a launch, at most"},
		},
	.names = {{"form", "flat,dyn"}},
	.tiny = "bodies=220,theta=200",
	.run = run,
};
