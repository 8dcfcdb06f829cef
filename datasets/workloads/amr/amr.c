/*
 * amr: the adaptive mesh refinement of Wang et al. (ISCA 2015, table 4), in two forms: flat, with a
 * launch a level and one thread a cell, and dynamic, where the threads of a kernel that cuts a cell
 * launch it for the parts. As in the dynamic workloads' source of 2014: one cell of up to 6,000
 * degrees to begin with, cells of 100 degrees and more are cut into 32, 4 times deep. Polynomials
 * and shares are our own. The check computes the cells on the CPU in the order of names, with
 * operations that round as the kernel's, and compares them sorted by name, since their order is
 * that of the blocks and launches.
 */
#include "datasets/workloads/input.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 256
#define PARTS 32

struct cell {
	uint32_t name;
	float temperature;
};

struct mesh { /* as the kernels have it */
	uint64_t cells, size;
	float limit;
	int32_t deepest;
};

/* Of a cell, over its temperature: as the kernel's, each product but the last adds up in one step.
 */
static float heat(float t)
{
	return fmaf(fmaf(1.5e-9f, t, -2e-6f), t, 0.02f);
}

static float slope(float t)
{
	return fmaf(fmaf(4.5e-9f, t, -4e-6f), t, 0.02f);
}

static float chance(uint32_t v)
{
	v ^= v >> 16;
	v *= 0x7feb352du;
	v ^= v >> 15;
	v *= 0x846ca68bu;
	v ^= v >> 16;
	return (float)(v >> 8) * (1.0f / 16777216.0f);
}

static struct cell part(const struct cell *whole, uint32_t place)
{
	const uint32_t name = PARTS * whole->name + 1 + place;
	const float share = chance(name), t0 = whole->temperature;
	const float want = heat(t0) * t0 * share * share;
	float t = t0;

	for (int i = 0; i < 20; i++) {
		const float off = fmaf(heat(t), t, -want);

		if (fabsf(off) < 0.01f)
			break;
		t = t - off / slope(t);
	}
	return (struct cell){name, t};
}

/* All cells of the mesh, level by level; out NULL: how many there will be. */
static uint64_t cut(
	const struct mesh *m, const struct cell *c, int32_t depth, struct cell *out, uint64_t n)
{
	if (out)
		out[n] = *c;
	n++;
	if (c->temperature >= m->limit && depth < m->deepest)
		for (uint32_t i = 0; i < PARTS; i++) {
			const struct cell p = part(c, i);

			n = cut(m, &p, depth + 1, out, n);
		}
	return n;
}

static int by_name(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return (x->temperature > y->temperature) - (x->temperature < y->temperature);
}

static struct wl_arg argument(const struct mesh *m)
{
	struct wl_arg arg = {.size = sizeof(*m)};

	memcpy(arg.bytes, m, sizeof(*m));
	return arg;
}

static void check(struct wl *w, const struct wl_buf *cells, struct cell *want, uint32_t n)
{
	struct cell *got = wl_host(w, n, sizeof(*got));

	/* Names and temperatures alternate: four bytes each, compared bit by bit. */
	wl_output(w, cells, WL_U32, 2ull * n);
	if (wl_failed(w))
		return;
	memcpy(got, cells->p, n * sizeof(*got));
	qsort(got, n, sizeof(*got), by_name);
	qsort(want, n, sizeof(*want), by_name);
	for (uint32_t i = 0; i < n && !wl_failed(w); i++)
		if (memcmp(&got[i], &want[i], sizeof(*got)))
			wl_fail(w,
				"amr: cell %u in order is %u of %.9g degrees, the CPU says %u of "
				"%.9g",
				i, got[i].name, (double)got[i].temperature, want[i].name,
				(double)want[i].temperature);
}

static void run(struct wl *w)
{
	const uint32_t most = (uint32_t)wl_param(w, "blocks");
	const uint32_t block = BLOCK;
	const float hottest = (float)wl_param(w, "hottest");
	struct mesh m = {
		.limit = (float)wl_param(w, "limit"), .deepest = (int32_t)wl_param(w, "depth")};
	struct cell first = {0};
	struct wl_rng rng;
	struct cell *want;
	int32_t from = 0, end = 1;
	uint64_t n;

	wl_rng_start(&rng, w, 0);
	first.temperature = hottest * (0.5f + 0.5f * wl_unit(&rng));
	n = cut(&m, &first, 0, NULL, 0);
	want = wl_host(w, n, sizeof(*want));

	struct wl_buf cells = wl_alloc(w, "cells", n * sizeof(struct cell));
	struct wl_buf size = wl_alloc(w, "size", sizeof(int32_t));

	if (wl_failed(w))
		return;
	m.cells = cells.dev;
	m.size = size.dev;
	*(struct cell *)cells.p = first;
	*size.i = 1;
	wl_upload(w, &cells);
	wl_upload(w, &size);
	if (wl_param(w, "form"))
		WL_LAUNCH(w, "amr_level_dyn", wl_dim(1, 1, 1), wl_dim(block, 1, 1), 0, argument(&m),
			wl_i(1));
	else
		for (int32_t depth = 0; depth < m.deepest && from < end && !wl_failed(w); depth++) {
			const uint32_t blocks = wl_ceil_div((uint64_t)(end - from), BLOCK);

			WL_LAUNCH(w, "amr_level", wl_dim(blocks < most ? blocks : most, 1, 1),
				wl_dim(block, 1, 1), 0, argument(&m), wl_i(from), wl_i(end),
				wl_i(depth));
			wl_download(w, &size);
			from = end;
			end = *size.i;
		}
	wl_download(w, &size);
	if (!wl_failed(w) && (uint64_t)*size.i != n)
		wl_fail(w, "amr: %d cells, the CPU says %llu", *size.i, (unsigned long long)n);
	if (wl_failed(w))
		return;
	cut(&m, &first, 0, want, 0);
	check(w, &cells, want, (uint32_t)n);
}

const struct workload wl_amr = {
	.name = "amr",
	.cls = "DIV DYN",
	.papers = "dtbl",
	.suite = "Kuhl",
	.summary =
		"adaptive mesh refinement, flat or with kernels launched by threads, recursively",
	.params =
		{
			{"form", 0, 0, 1, "flat, or dyn: threads launch kernels"},
			{"depth", 4, 0, 5, "how often cells are cut"},
			{"hottest", 6000, 1, 6000,
				"most degrees of the first cell, half of it the least"},
			{"limit", 100, 1, 6000, "degrees from which on a cell is cut"},
			{"blocks", 104, 1, 1 << 20, "blocks of a launch, at most"},
		},
	.names = {{"form", "flat,dyn"}},
	.tiny = "depth=2",
	.run = run,
};
