/*
 * game2: the second of the thesis's four games (chapter 6), of which only the classes are printed:
 * this one is convergent too. The kernel is ours: particles that read their neighbours' lines, as
 * in the cloth of a game, which hangs by two corners and falls. Three buffers take turns as the
 * last, this and the next step. The cloth begins flat, slightly crumpled.
 *
 * The check does the same operations in the same order and compares the particles bit by bit.
 */
#include "datasets/workloads/input.h"
#include <math.h>
#include <string.h>

#define BLOCK_X 32
#define BLOCK_Y 8
#define SPRINGS 12
#define APART 0.05f     /* particles at rest */
#define DAMPING 0.99f   /* of the way of the last step */
#define FALL 0.0002f    /* of a step */
#define STIFFNESS 0.05f /* of the way to a spring's rest, per neighbour */

struct particle {
	float x, y, z, w;
};

struct spring {
	int32_t across, down;
	float length;
	int32_t pad;
};

static void make_springs(struct spring *s)
{
	static const int32_t at[SPRINGS][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, 1},
		{1, -1}, {-1, -1}, {2, 0}, {-2, 0}, {0, 2}, {0, -2}};

	for (int i = 0; i < SPRINGS; i++)
		s[i] = (struct spring){at[i][0], at[i][1],
			APART * sqrtf((float)(at[i][0] * at[i][0] + at[i][1] * at[i][1])), 0};
}

struct cloth {
	int32_t width, height;
	struct spring springs[SPRINGS];
};

static struct particle moved(const struct cloth *c, const struct particle *before,
	const struct particle *now, int32_t x, int32_t y)
{
	struct particle p = now[y * c->width + x], old = before[y * c->width + x];
	float pull_x = 0, pull_y = 0, pull_z = 0;

	for (int s = 0; s < SPRINGS; s++) {
		int32_t nx = x + c->springs[s].across, ny = y + c->springs[s].down;
		const struct particle *q = &now[ny * c->width + nx];
		float dx, dy, dz, length, pull;

		if (nx < 0 || nx >= c->width || ny < 0 || ny >= c->height)
			continue;
		dx = q->x - p.x;
		dy = q->y - p.y;
		dz = q->z - p.z;
		length = sqrtf(fmaf(dz, dz, fmaf(dx, dx, dy * dy)));
		pull = STIFFNESS * (length - c->springs[s].length) / length;
		pull_x = fmaf(pull, dx, pull_x);
		pull_y = fmaf(pull, dy, pull_y);
		pull_z = fmaf(pull, dz, pull_z);
	}
	if (p.w > 0) {
		p.x += fmaf(DAMPING, p.x - old.x, p.w * pull_x);
		p.y += fmaf(DAMPING, p.y - old.y, p.w * pull_y) - FALL;
		p.z += fmaf(DAMPING, p.z - old.z, p.w * pull_z);
	}
	return p;
}

static void hang(struct wl *w, const struct cloth *c, struct particle *p)
{
	struct wl_rng rng;

	wl_rng_start(&rng, w, 0);
	for (int32_t y = 0; y < c->height; y++)
		for (int32_t x = 0; x < c->width; x++, p++) {
			bool pinned = !y && (!x || x == c->width - 1);

			*p = (struct particle){APART * (float)x, -APART * (float)y,
				APART * (wl_unit(&rng) - 0.5f), pinned ? 0 : 0.5f + wl_unit(&rng)};
		}
}

static void run(struct wl *w)
{
	struct cloth c = {(int32_t)wl_param(w, "width"), (int32_t)wl_param(w, "height"), {{0}}};
	uint32_t steps = (uint32_t)wl_param(w, "steps");
	struct wl_dim grid = wl_dim(wl_ceil_div((uint32_t)c.width, BLOCK_X),
		wl_ceil_div((uint32_t)c.height, BLOCK_Y), 1);
	size_t n = (size_t)c.width * (size_t)c.height, bytes = n * sizeof(struct particle);
	struct wl_buf springs = wl_symbol(w, "springs");
	struct wl_buf particles[3] = {wl_alloc(w, "particles", bytes),
		wl_alloc(w, "particles_2", bytes), wl_alloc(w, "particles_3", bytes)};
	struct particle *want[3];

	for (int i = 0; i < 3; i++)
		want[i] = wl_host(w, n, sizeof(**want));
	if (wl_failed(w))
		return;
	make_springs(c.springs);
	memcpy(springs.p, c.springs, sizeof(c.springs));
	wl_upload(w, &springs);
	for (int i = 0; i < 2; i++) {
		hang(w, &c, want[i]);
		memcpy(particles[i].p, want[i], bytes);
		wl_upload(w, &particles[i]);
	}
	for (uint32_t s = 0; s < steps; s++) {
		struct particle *before = want[s % 3], *now = want[(s + 1) % 3];

		WL_LAUNCH(w, "game2_step", grid, wl_dim(BLOCK_X, BLOCK_Y, 1), 0,
			wl_p(&particles[s % 3]), wl_p(&particles[(s + 1) % 3]),
			wl_p(&particles[(s + 2) % 3]), wl_i(c.width), wl_i(c.height), wl_f(DAMPING),
			wl_f(FALL), wl_f(STIFFNESS));
		for (size_t i = 0; i < n; i++)
			want[(s + 2) % 3][i] = moved(&c, before, now,
				(int32_t)(i % (size_t)c.width), (int32_t)(i / (size_t)c.width));
	}
	for (uint32_t i = 0; i < 3; i++)
		wl_check_f32(w, &particles[i], (const float *)want[i], 4 * n, 0, 0);
}

const struct workload wl_game2 = {
	.name = "game2",
	.cls = "WSC",
	.papers = "thesis",
	.suite = "game",
	.summary = "cloth of particles, each pulled by twelve neighbours",
	.params =
		{
			{"width", 128, 2, 8192, "particles across"},
			{"height", 128, 2, 8192, "particles down"},
			{"steps", 4, 1, 10000, "steps, a launch each"},
		},
	.tiny = "width=20,height=10,steps=2",
	.run = run,
};
