/*
 * coulomb: Parboil's cp, on the papers' grid of 8 x 32 blocks (1024 x 256 points). Atoms beyond the
 * 4000 that fit in constant memory take further launches, which add to the potential. Charges are
 * all positive, so that a relative tolerance means something: the check takes the same differences
 * and sums in the same order, so what is left is the error of the kernel's approximate reciprocal
 * square root (2^-22.4 or better, a rounding or two), and a rounding of the sum for each atom.
 */
#include "datasets/workloads/input.h"
#include <math.h>

#define BLOCK_X 16
#define BLOCK_Y 8
#define EACH 8 /* points of a thread, BLOCK_X apart */
#define SPACING 0.1f

struct atom {
	float x, y, z, charge;
};

static float potential(const struct atom *atoms, uint32_t n, uint32_t x, uint32_t y)
{
	uint32_t nth = x / BLOCK_X % EACH, first = x - nth * BLOCK_X;
	float sum = 0;

	for (uint32_t i = 0; i < n; i++) {
		float dx = SPACING * (float)first - atoms[i].x;
		float dy = SPACING * (float)y - atoms[i].y;

		for (uint32_t k = 0; k < nth; k++)
			dx += SPACING * BLOCK_X;
		sum += atoms[i].charge / sqrtf(dx * dx + (dy * dy + atoms[i].z * atoms[i].z));
	}
	return sum;
}

static void run(struct wl *w)
{
	uint32_t grid_x = (uint32_t)wl_param(w, "grid_x"), grid_y = (uint32_t)wl_param(w, "grid_y");
	uint32_t n = (uint32_t)wl_param(w, "atoms"), batch = (uint32_t)wl_param(w, "batch");
	uint32_t width = grid_x * BLOCK_X * EACH, height = grid_y * BLOCK_Y;
	size_t points = (size_t)width * height;
	struct wl_buf constant = wl_symbol(w, "atoms");
	struct wl_buf energy = wl_alloc(w, "energy", points * sizeof(float));
	struct atom *atoms = wl_host(w, n, sizeof(*atoms));
	float *want = wl_host(w, points, sizeof(*want));
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 0);
	for (uint32_t i = 0; i < n; i++) {
		atoms[i].x = wl_unit(&rng) * SPACING * (float)width;
		atoms[i].y = wl_unit(&rng) * SPACING * (float)height;
		atoms[i].z = 0.5f + 10 * wl_unit(&rng);
		atoms[i].charge = 0.5f + wl_unit(&rng);
	}
	wl_upload(w, &energy);
	for (uint32_t from = 0; from < n && !wl_failed(w); from += batch) {
		uint32_t count = batch < n - from ? batch : n - from;
		struct atom *copy = constant.p;

		for (uint32_t i = 0; i < count; i++) {
			copy[i] = atoms[from + i];
			copy[i].z *= copy[i].z;
		}
		wl_upload(w, &constant);
		WL_LAUNCH(w, "coulomb", wl_dim(grid_x, grid_y, 1), wl_dim(BLOCK_X, BLOCK_Y, 1), 0,
			wl_i((int32_t)count), wl_f(SPACING), wl_p(&energy));
		for (uint32_t y = 0; y < height; y++)
			for (uint32_t x = 0; x < width; x++)
				want[(size_t)y * width + x] += potential(atoms + from, count, x, y);
	}
	wl_check_f32(w, &energy, want, points, 0x1p-21 + n * 0x1p-24, 0);
}

const struct workload wl_coulomb = {
	.name = "coulomb",
	.cls = "COH",
	.papers = "tbc,dwr,crown",
	.suite = "Parboil",
	.summary = "Coulombic potential on a grid, atoms in constant memory",
	.params =
		{
			{"grid_x", 8, 1, 256, "blocks across, 128 points each"},
			{"grid_y", 32, 1, 2048, "blocks down, 8 points each"},
			{"atoms", 24, 1, 100000, "atoms"},
			{"batch", 4000, 1, 4000, "atoms a launch"},
		},
	.presets =
		{
			{"tbc", "grid_x=8,grid_y=32,atoms=66",
				"atoms to make table 1's 126 M instructions"},
			{"dwr", "grid_x=8,grid_y=32,atoms=60",
				"atoms to make table 1's 113 M instructions"},
		},
	.tiny = "grid_x=1,grid_y=2,atoms=7,batch=4",
	.run = run,
};
