/*
 * wp: a step of the weather model WRF's microphysics WSM5, as the papers ran it: blocks of 8 x 8
 * columns (TBC, table 1), 9 x 8 of them by default, less than fills the machine; one launch a step.
 * Kept: the scheme's processes, the bounds on what each may take, and the parts into which a step
 * is cut for what falls; [level][y][x] fields, the species in one array; local arrays. Left out:
 * the rest of WRF. The air is made: a sounding that gets colder towards the north, and storms where
 * smooth noise is high, so that neighbours are alike.
 *
 * The check takes each column through column.c and compares every field bit by bit; that file's
 * result also has to have the water that there was before, as no process makes or loses any.
 */
#include "datasets/workloads/input.h"
#include "datasets/workloads/wp/column.h"
#include <math.h>

#define BLOCK 8
#define SPECIES 5
#define FALLEN 4     /* of struct wp_ground */
#define TOP 12000.0f /* metres */
#define WARM 292.0f  /* at the ground in the south */
#define COLD 270.0f  /* and in the north */
#define CLOSE 1e-5   /* of a column's water: what rounding may lose or make in a step */

struct domain {
	int nx, ny, levels, steps;
	float dt;
	struct wl_buf t, moist, den, exner, p, depth, fallen;
	float *want_t, *want_moist, *want_fallen;
};

static float above(float x, float least)
{
	return x > least ? x - least : 0;
}

/* The air above one place; `storm` is 0 in fair weather and 1 in its middle. */
static void make_column(struct wp_level *l, int n, float storm, float ground_t, struct wl_rng *rng)
{
	float z = 0, p = 100000, wet = above(storm, 0.5f) * 2, falling = above(storm, 0.6f) * 2.5f;

	for (int k = 0; k < n; k++) {
		float t, patchy = 0.9f + 0.2f * wl_unit(rng), half, rh;

		l[k].depth =
			TOP * (float)(n + 2 * k) / (float)(n * (2 * n - 1)); /* thicker above */
		t = fmaxf(ground_t - 0.0065f * (z + l[k].depth / 2), 215);
		half = 9.81f * l[k].depth / (4 * 287 * t); /* hydrostatic, to the layer's middle */
		l[k].p = p * (1 - half) / (1 + half);
		p = l[k].p * (1 - half) / (1 + half);
		z += l[k].depth;
		rh = (0.75f - 0.4f * z / TOP + 0.45f * storm) * patchy;
		l[k].q = fminf(rh, 1.05f) * wp_saturated(t, l[k].p);
		l[k].den = l[k].p / (287 * t * (1 + 0.608f * l[k].q));
		l[k].exner = wp_power(l[k].p / 100000, 2.0f / 7);
		l[k].t = t / l[k].exner;
		if (t > 225 && t < 288)
			l[k].qc = 1.2e-3f * wet * patchy;
		if (t < 272)
			l[k].qi = 2e-4f * wet * patchy;
		if (t > 266)
			l[k].qr = 2e-3f * falling * patchy;
		if (t < 278)
			l[k].qs = 1.5e-3f * falling * patchy;
	}
}

static double water(const struct wp_level *l, int n)
{
	double sum = 0;

	for (int k = 0; k < n; k++)
		sum += ((double)l[k].q + l[k].qc + l[k].qi + l[k].qr + l[k].qs) * l[k].den *
		       l[k].depth;
	return sum;
}

static void lay_species(float *moist, size_t cells, const struct wp_level *l)
{
	moist[0] = l->q;
	moist[cells] = l->qc;
	moist[2 * cells] = l->qi;
	moist[3 * cells] = l->qr;
	moist[4 * cells] = l->qs;
}

/* Makes a column, lays it into the fields, and takes it through the steps. */
static void column(struct wl *w, struct domain *d, size_t place, float storm, struct wl_rng *rng)
{
	struct wp_level l[WP_LEVELS_MAX] = {{0}};
	struct wp_ground g = {0};
	size_t plane = (size_t)d->nx * (size_t)d->ny, cells = plane * (size_t)d->levels;
	size_t y = place / (size_t)d->nx;
	double before, after;

	make_column(l, d->levels, storm, WARM + (COLD - WARM) * (float)y / (float)d->ny, rng);
	for (int k = 0; k < d->levels; k++) {
		size_t at = (size_t)k * plane + place;

		d->t.f[at] = l[k].t;
		d->den.f[at] = l[k].den;
		d->exner.f[at] = l[k].exner;
		d->p.f[at] = l[k].p;
		d->depth.f[at] = l[k].depth;
		lay_species(d->moist.f + at, cells, &l[k]);
	}
	before = water(l, d->levels);
	for (int step = 0; step < d->steps; step++)
		wp_column(l, d->levels, d->dt, &g);
	after = water(l, d->levels) + (double)g.rain;
	if (fabs(after - before) > CLOSE * d->steps * before)
		wl_fail(w, "wp: column %zu had %.9g kg of water and has %.9g", place, before,
			after);
	for (int k = 0; k < d->levels; k++) {
		size_t at = (size_t)k * plane + place;

		d->want_t[at] = l[k].t;
		lay_species(d->want_moist + at, cells, &l[k]);
	}
	d->want_fallen[place] = g.rain_now;
	d->want_fallen[plane + place] = g.rain;
	d->want_fallen[2 * plane + place] = g.snow;
	d->want_fallen[3 * plane + place] = g.snow_share;
}

static void make(struct wl *w, struct domain *d, float *image)
{
	size_t places = (size_t)d->nx * (size_t)d->ny;
	float least = INFINITY, most = -INFINITY;
	struct wl_rng rng;

	wl_image(image, (uint32_t)d->nx, (uint32_t)d->ny, wl_seed(w));
	for (size_t i = 0; i < places; i++) {
		least = fminf(least, image[i]);
		most = fmaxf(most, image[i]);
	}
	wl_rng_start(&rng, w, 1);
	for (size_t i = 0; i < places && !wl_failed(w); i++)
		column(w, d, i, most > least ? (image[i] - least) / (most - least) : 1, &rng);
}

static void run(struct wl *w)
{
	struct domain d = {.nx = (int)wl_param(w, "nx"),
		.ny = (int)wl_param(w, "ny"),
		.levels = (int)wl_param(w, "levels"),
		.steps = (int)wl_param(w, "steps"),
		.dt = (float)wl_param(w, "dt")};
	size_t places = (size_t)d.nx * (size_t)d.ny, cells = places * (size_t)d.levels;
	struct wl_buf *all[] = {&d.t, &d.moist, &d.den, &d.exner, &d.p, &d.depth, &d.fallen};
	float *image = wl_host(w, places, sizeof(float));

	d.t = wl_alloc(w, "t", cells * sizeof(float));
	d.moist = wl_alloc(w, "moist", SPECIES * cells * sizeof(float));
	d.den = wl_alloc(w, "den", cells * sizeof(float));
	d.exner = wl_alloc(w, "exner", cells * sizeof(float));
	d.p = wl_alloc(w, "p", cells * sizeof(float));
	d.depth = wl_alloc(w, "depth", cells * sizeof(float));
	d.fallen = wl_alloc(w, "fallen", FALLEN * places * sizeof(float));
	d.want_t = wl_host(w, cells, sizeof(float));
	d.want_moist = wl_host(w, SPECIES * cells, sizeof(float));
	d.want_fallen = wl_host(w, FALLEN * places, sizeof(float));
	if (wl_failed(w))
		return;
	make(w, &d, image);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		wl_upload(w, all[i]);
	wl_registers(w, 64); /* TBC table 1: 4 blocks of 64 on 16384 registers */
	for (int step = 0; step < d.steps && !wl_failed(w); step++)
		WL_LAUNCH(w, "wsm5",
			wl_dim(wl_ceil_div((uint64_t)d.nx, BLOCK),
				wl_ceil_div((uint64_t)d.ny, BLOCK), 1),
			wl_dim(BLOCK, BLOCK, 1), 0, wl_p(&d.t), wl_p(&d.moist), wl_p(&d.den),
			wl_p(&d.exner), wl_p(&d.p), wl_p(&d.depth), wl_p(&d.fallen), wl_f(d.dt),
			wl_i(d.nx), wl_i(d.ny), wl_i(d.levels));
	wl_check_f32(w, &d.t, d.want_t, cells, 0, 0);
	wl_check_f32(w, &d.moist, d.want_moist, SPECIES * cells, 0, 0);
	wl_check_f32(w, &d.fallen, d.want_fallen, FALLEN * places, 0, 0);
}

const struct workload wl_wp = {
	.name = "wp",
	.cls = "MCS COH",
	.papers = "thesis,tbc",
	.suite = "Bakhoda",
	.summary = "weather prediction: cloud microphysics WSM5, one column of air a thread",
	.params =
		{
			{"nx", 72, 1, 1024, "columns from west to east"},
			{"ny", 64, 1, 1024, "columns from south to north"},
			{"levels", 16, 1, WP_LEVELS_MAX, "levels of a column"},
			{"dt", 60, 1, 1000, "seconds of a step"},
			{"steps", 1, 1, 1000, "steps, one launch each"},
		},
	.presets =
		{
			{"tbc", "nx=72,ny=64",
				"table 1's blocks, 9 x 8: 48 M of its 216 M; the default"},
		},
	.tiny = "nx=9,ny=2,levels=7,dt=200",
	.run = run,
};
