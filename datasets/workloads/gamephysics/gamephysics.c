/*
 * gamephysics: of what its "GamePhysics" is the thesis shows only that all gangs split in two, one
 * half exits and the other goes on in lockstep (figure 6.17), and that it is faster with smaller
 * warps (6.1), whose threads never change slices (6.2.1): so it is not the same half of every gang
 * that exits. Ours does so: of each 32 bodies, the 16 that move have contacts to solve, the 16 that
 * belong to the level have none, and which of them come first is each island's own. Islands are
 * spheres above a bed of larger ones; a body's contacts are its four nearest of either kind, found
 * on the host once, as from the frame before. One launch a step.
 *
 * The check computes the same steps body by body and compares bit by bit.
 */
#include "datasets/workloads/input.h"
#include <math.h>

#define THREADS 128
#define ISLAND 32
#define MOVING 16
#define CONTACTS 8
#define GRAVITY 9.8f
#define FRICTION 0.2f
#define DT (1.0f / 60)

struct vec4 {
	float x, y, z, w;
};

struct world {
	uint32_t n;
	int32_t rounds;
	struct vec4 *at, *speed;
	int32_t *partner; /* [contact][body] */
	uint32_t *near;
};

static float length2(float x, float y, float z)
{
	return fmaf(z, z, fmaf(x, x, y * y));
}

/* A body of the level has no inverse mass. */
static int moves(const struct world *k, uint32_t body)
{
	return k->speed[body].w > 0;
}

static void make_island(struct world *k, uint32_t first, struct wl_rng *rng)
{
	const uint32_t level = wl_below(rng, 2) ? MOVING : 0; /* where its bodies begin */

	for (uint32_t i = 0; i < ISLAND; i++) {
		struct vec4 *at = &k->at[first + i], *speed = &k->speed[first + i];
		float v[6];

		for (int d = 0; d < 6; d++)
			v[d] = wl_unit(rng);
		if (i - level >= MOVING) {
			*at = (struct vec4){4 * v[0], 1 + 3 * v[1], 4 * v[2], 0.3f + 0.3f * v[3]};
			*speed = (struct vec4){v[4] - 0.5f, -2 * v[5], v[4] - v[5], 1 / at->w};
		} else {
			*at = (struct vec4){(float)(i % 4) + v[0], -1.5f + 0.5f * v[1],
				(float)(i / 4 % 4) + v[2], 1.5f};
			*speed = (struct vec4){0, 0, 0, 0};
		}
	}
}

/* The nearest bodies of an island from `from` on that are no contacts yet. */
static void take_nearest(struct world *k, uint32_t body, uint32_t from, int first, int last)
{
	uint32_t island = body - body % ISLAND, taken = 1u << body % ISLAND;
	const struct vec4 *p = &k->at[body];

	for (int c = first; c < last; c++) {
		uint32_t best = from;
		float least = INFINITY;

		for (uint32_t j = from; j < from + MOVING; j++) {
			const struct vec4 *q = &k->at[island + j];
			float far = length2(p->x - q->x, p->y - q->y, p->z - q->z);

			if (!(taken >> j & 1) && far < least) {
				least = far;
				best = j;
			}
		}
		taken |= 1u << best;
		k->partner[(size_t)c * k->n + body] = (int32_t)best;
	}
}

static void find_near(struct world *k, uint32_t body)
{
	uint32_t island = body - body % ISLAND;
	const struct vec4 *p = &k->at[body], *v = &k->speed[body];
	float reach = fmaf(DT, sqrtf(length2(v->x, v->y, v->z)), p->w);

	k->near[body] = 0;
	for (uint32_t j = 0; j < ISLAND; j++) {
		const struct vec4 *q = &k->at[island + j], *u = &k->speed[island + j];
		float both = fmaf(DT, sqrtf(length2(u->x, u->y, u->z)), reach + q->w);

		if (island + j != body &&
			length2(p->x - q->x, p->y - q->y, p->z - q->z) < both * both)
			k->near[body] |= 1u << j;
	}
}

/* A body's velocity after a round, from those before it. */
static struct vec4 solve(const struct world *k, uint32_t body)
{
	uint32_t island = body - body % ISLAND;
	const struct vec4 *p = &k->at[body];
	struct vec4 v = k->speed[body], add = {0};

	for (int c = 0; c < CONTACTS; c++) {
		uint32_t other = island + (uint32_t)k->partner[(size_t)c * k->n + body];
		const struct vec4 *q = &k->at[other], *u = &k->speed[other];
		float nx = p->x - q->x, ny = p->y - q->y, nz = p->z - q->z;
		float distance = sqrtf(length2(nx, ny, nz));
		float inverse = 1.0f / distance, gap = distance - p->w - q->w;
		float rx = v.x - u->x, ry = v.y - u->y, rz = v.z - u->z;
		float leaving, share, push, rub;

		nx *= inverse;
		ny *= inverse;
		nz *= inverse;
		leaving = fmaf(rz, nz, fmaf(rx, nx, ry * ny));
		share = 0.5f * v.w / (v.w + u->w);
		push = share * fmaxf(-(leaving + gap / DT), 0.0f);
		rub = fminf(FRICTION * push, share);
		add.x += fmaf(push, nx, -(rub * fmaf(-leaving, nx, rx)));
		add.y += fmaf(push, ny, -(rub * fmaf(-leaving, ny, ry)));
		add.z += fmaf(push, nz, -(rub * fmaf(-leaving, nz, rz)));
	}
	return (struct vec4){v.x + add.x, v.y + add.y, v.z + add.z, v.w};
}

static void step(struct world *k, struct vec4 *next)
{
	for (uint32_t i = 0; i < k->n; i++)
		find_near(k, i);
	for (uint32_t i = 0; i < k->n; i++)
		if (moves(k, i))
			k->speed[i].y = fmaf(-GRAVITY, DT, k->speed[i].y);
	for (int round = 0; round < k->rounds; round++) {
		for (uint32_t i = 0; i < k->n; i++)
			next[i] = moves(k, i) ? solve(k, i) : k->speed[i];
		for (uint32_t i = 0; i < k->n; i++)
			k->speed[i] = next[i];
	}
	for (uint32_t i = 0; i < k->n; i++)
		if (moves(k, i)) {
			k->at[i].x = fmaf(DT, k->speed[i].x, k->at[i].x);
			k->at[i].y = fmaf(DT, k->speed[i].y, k->at[i].y);
			k->at[i].z = fmaf(DT, k->speed[i].z, k->at[i].z);
		}
}

static void run(struct wl *w)
{
	uint32_t blocks = (uint32_t)wl_param(w, "blocks"), steps = (uint32_t)wl_param(w, "steps");
	struct world k = {.n = blocks * THREADS, .rounds = (int32_t)wl_param(w, "rounds")};
	struct wl_buf at = wl_alloc(w, "at", k.n * sizeof(struct vec4));
	struct wl_buf speed = wl_alloc(w, "speed", k.n * sizeof(struct vec4));
	struct wl_buf partner = wl_alloc(w, "partner", (uint64_t)CONTACTS * k.n * sizeof(int32_t));
	struct wl_buf near = wl_alloc(w, "near", k.n * sizeof(uint32_t));
	struct vec4 *next = wl_host(w, k.n, sizeof(*next));
	struct wl_rng rng;

	k.at = wl_host(w, k.n, sizeof(*k.at));
	k.speed = wl_host(w, k.n, sizeof(*k.speed));
	k.near = wl_host(w, k.n, sizeof(*k.near));
	if (wl_failed(w))
		return;
	k.partner = partner.i;
	wl_rng_start(&rng, w, 0);
	for (uint32_t i = 0; i < k.n; i += ISLAND)
		make_island(&k, i, &rng);
	for (uint32_t i = 0; i < k.n; i++) {
		const uint32_t moving = moves(&k, i - i % ISLAND) ? 0 : MOVING;

		take_nearest(&k, i, moving, 0, CONTACTS / 2);
		take_nearest(&k, i, MOVING - moving, CONTACTS / 2, CONTACTS);
		((struct vec4 *)at.p)[i] = k.at[i];
		((struct vec4 *)speed.p)[i] = k.speed[i];
	}
	wl_upload(w, &at);
	wl_upload(w, &speed);
	wl_upload(w, &partner);
	for (uint32_t s = 0; s < steps && !wl_failed(w); s++) {
		WL_LAUNCH(w, "gamephysics", wl_dim(blocks, 1, 1), wl_dim(THREADS, 1, 1), 0,
			wl_p(&at), wl_p(&speed), wl_p(&partner), wl_p(&near), wl_i((int32_t)k.n),
			wl_i(k.rounds), wl_f(DT));
		step(&k, next);
	}
	wl_check_f32(w, &at, &k.at->x, 4 * (uint64_t)k.n, 0, 0);
	wl_check_f32(w, &speed, &k.speed->x, 4 * (uint64_t)k.n, 0, 0);
	wl_check_u32(w, &near, k.near, k.n);
}

const struct workload wl_gamephysics = {
	.name = "gamephysics",
	.cls = "WSD",
	.papers = "thesis",
	.suite = "game",
	.summary = "contacts of rigid spheres, which half of each warp has none of",
	.params =
		{
			{"blocks", 64, 1, 4096, "blocks of 128 bodies"},
			{"rounds", 4, 0, 100, "rounds over the contacts in a step"},
			{"steps", 2, 1, 1000, "steps of a sixtieth of a second, one launch each"},
		},
	.tiny = "blocks=1,rounds=1,steps=1",
	.run = run,
};
