/*
 * lps: Jacobi steps of the three-dimensional Laplace equation. The papers ran one step over a cube
 * of 100; the default keeps that grid of 4 x 25 blocks, and halves the planes. The check goes over
 * the whole volume in the same order of terms and compares bit by bit.
 */
#include "datasets/workloads/input.h"

#define X 32
#define Y 4

struct volume {
	size_t nx, ny, nz;
};

static void jacobi(const struct volume *v, const float *u, float *out)
{
	size_t row = v->nx, plane = v->nx * v->ny;

	for (size_t z = 0; z < v->nz; z++)
		for (size_t y = 0; y < v->ny; y++)
			for (size_t x = 0; x < v->nx; x++) {
				size_t i = x + y * row + z * plane;
				bool inside = x && x + 1 < v->nx && y && y + 1 < v->ny && z &&
					      z + 1 < v->nz;

				out[i] = u[i];
				if (inside)
					out[i] = 1.0f / 6.0f *
						 (u[i - 1] + u[i + 1] + u[i - row] + u[i + row] +
							 u[i - plane] + u[i + plane]);
			}
}

static void run(struct wl *w)
{
	struct volume v = {
		(size_t)wl_param(w, "nx"), (size_t)wl_param(w, "ny"), (size_t)wl_param(w, "nz")};
	uint32_t steps = (uint32_t)wl_param(w, "steps");
	size_t count = v.nx * v.ny * v.nz;
	struct wl_buf u[2] = {
		wl_alloc(w, "u0", count * sizeof(float)), wl_alloc(w, "u1", count * sizeof(float))};
	float *want[2] = {wl_host(w, count, sizeof(float)), wl_host(w, count, sizeof(float))};
	struct wl_dim grid = wl_dim(wl_ceil_div(v.nx, X), wl_ceil_div(v.ny, Y), 1);
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 0);
	for (size_t i = 0; i < count; i++)
		want[0][i] = u[0].f[i] = wl_unit(&rng);
	wl_upload(w, &u[0]);
	wl_registers(w, 21); /* TBC table 1: 6 blocks of 128 on 16384 registers */
	for (uint32_t t = 0; t < steps && !wl_failed(w); t++) {
		WL_LAUNCH(w, "laplace", grid, wl_dim(X, Y, 1), 0, wl_p(&u[t % 2]),
			wl_p(&u[(t + 1) % 2]), wl_i((int32_t)v.nx), wl_i((int32_t)v.ny),
			wl_i((int32_t)v.nz));
		jacobi(&v, want[t % 2], want[(t + 1) % 2]);
	}
	for (int i = 0; i < 2; i++) /* the last step's input and its output */
		wl_check_f32(w, &u[i], want[i], count, 0, 0);
}

const struct workload wl_lps = {
	.name = "lps",
	.cls = "DIV",
	.papers = "tbc,crown",
	.suite = "Bakhoda",
	.summary = "three-dimensional Laplace solver, three planes at a time in shared memory",
	.params =
		{
			{"nx", 100, 1, 1024, "points along x"},
			{"ny", 100, 1, 1024, "points along y"},
			{"nz", 50, 1, 1024, "points along z"},
			{"steps", 1, 1, 10000, "Jacobi steps, one launch each"},
		},
	.presets =
		{
			{"tbc", "nx=100,ny=100,nz=100",
				"Bakhoda's cube: 47 M of table 1's 81 M instructions"},
		},
	.tiny = "nx=40,ny=6,nz=4",
	.run = run,
};
