/*
 * comd: the Lennard-Jones forces of CoMD, a proxy application of molecular dynamics; one launch,
 * the force of one step. Copper as the original has it: atoms on a face-centred cubic lattice, each
 * moved a little, potential and cut-off of 2.5 sigma. The original's cube of 20 cells a side
 * (32,000 atoms) is cells=20; the default is 10. A step's other parts, which stream over atoms, are
 * left out.
 *
 * The check goes over all pairs of atoms, without cells, with sums in double precision. It decides
 * by the same floats which pairs are within the cut-off, where the force is not yet zero.
 */
#include "datasets/workloads/input.h"
#include <math.h>

#define THREADS 128
#define PLACES 64
#define SIGMA 2.315f /* of copper, in angstroms */
#define EPSILON 0.167f
#define CUTOFF (2.5f * SIGMA)

struct box {
	uint32_t natoms;
	int32_t side; /* link cells */
	float length;
	int32_t *cell, *place; /* of an atom */
	const float *at[3];    /* by cell and place */
};

static float sixth(float sigma, float r)
{
	float q = sigma / r, cube = q * q * q;

	return cube * cube;
}

/* How far a copy of the other cell's atoms lies from them along one axis. */
static float moved(const struct box *b, int32_t from, int32_t to)
{
	return to - from > 1 ? -b->length : to - from < -1 ? b->length : 0;
}

static void force_on(const struct box *b, uint32_t a, double out[4], float shift)
{
	int32_t stride[3] = {1, b->side, b->side * b->side}, from[3], i, to;

	i = b->cell[a] * PLACES + b->place[a];
	for (int d = 0; d < 3; d++)
		from[d] = b->cell[a] / stride[d] % b->side;
	for (uint32_t c = 0; c < b->natoms; c++) {
		int32_t j = b->cell[c] * PLACES + b->place[c];
		float v[3], r2;
		double r6;

		for (int d = 0; d < 3; d++) {
			to = b->cell[c] / stride[d] % b->side;
			v[d] = b->at[d][i] - moved(b, from[d], to) - b->at[d][j];
		}
		r2 = fmaf(v[2], v[2], fmaf(v[0], v[0], v[1] * v[1]));
		if (a == c || r2 > CUTOFF * CUTOFF)
			continue;
		r6 = sixth(SIGMA, 1) / ((double)r2 * r2 * r2);
		for (int d = 0; d < 3; d++)
			out[d] += 4.0 * EPSILON * r6 * (12 * r6 - 6) / r2 * v[d];
		out[3] += 2.0 * EPSILON * (r6 * (r6 - 1) - shift);
	}
}

/* Puts atom number `a` into its cell; coordinates are in the box. */
static void place(struct wl *w, struct box *b, uint32_t a, const float at[3], int32_t *atoms_in,
	const struct wl_buf to[3])
{
	int32_t cell = 0;

	for (int d = 2; d >= 0; d--) {
		int32_t k = (int32_t)(at[d] / b->length * (float)b->side);

		cell = cell * b->side + (k < b->side ? k : b->side - 1);
	}
	if (atoms_in[cell] == PLACES) {
		wl_fail(w, "comd: more than %d atoms in a cell", PLACES);
		return;
	}
	b->cell[a] = cell;
	b->place[a] = atoms_in[cell]++;
	for (int d = 0; d < 3; d++)
		to[d].f[cell * PLACES + b->place[a]] = at[d];
}

static void fill(struct wl *w, struct box *b, uint32_t cells, float lattice, int32_t *atoms_in,
	const struct wl_buf to[3])
{
	static const float corner[4][3] = {
		{.25f, .25f, .25f}, {.25f, .75f, .75f}, {.75f, .25f, .75f}, {.75f, .75f, .25f}};
	float most = (float)wl_param(w, "displace") / 1000;
	struct wl_rng rng;

	wl_rng_start(&rng, w, 0);
	for (uint32_t a = 0; a < b->natoms && !wl_failed(w); a++) {
		uint32_t k[3] = {a / 4 % cells, a / 4 / cells % cells, a / 4 / cells / cells};
		float at[3];

		for (int d = 0; d < 3; d++)
			at[d] = lattice *
				((float)k[d] + corner[a % 4][d] + most * (2 * wl_unit(&rng) - 1));
		place(w, b, a, at, atoms_in, to);
	}
}

/* The threads' atoms: those of a cell, then those of the next. */
static void list(struct box *b, const int32_t *atoms_in)
{
	uint32_t a = 0;

	for (int32_t cell = 0; a < b->natoms; cell++)
		for (int32_t i = 0; i < atoms_in[cell]; i++, a++) {
			b->cell[a] = cell;
			b->place[a] = i;
		}
}

static void run(struct wl *w)
{
	static const char *const names[] = {"x", "y", "z", "fx", "fy", "fz", "energy"};
	uint32_t cells = (uint32_t)wl_param(w, "cells"), n = 4 * cells * cells * cells, places;
	float lattice = (float)wl_param(w, "lattice") / 1000;
	float shift = sixth(SIGMA, CUTOFF) * (sixth(SIGMA, CUTOFF) - 1);
	struct box b = {.natoms = n, .length = (float)cells * lattice};
	struct wl_buf buf[7], cell_of, place_of, atoms_in;
	float *want[4];

	b.side = (int32_t)(b.length / CUTOFF);
	if (b.side < 3) {
		wl_fail(w, "comd: a box of %u cells has no three cut-offs a side", cells);
		return;
	}
	places = (uint32_t)(b.side * b.side * b.side) * PLACES;
	for (int i = 0; i < 7; i++)
		buf[i] = wl_alloc(w, names[i], places * sizeof(float));
	for (int i = 0; i < 4; i++)
		want[i] = wl_host(w, places, sizeof(float));
	cell_of = wl_alloc(w, "cell_of", n * sizeof(int32_t));
	place_of = wl_alloc(w, "place_of", n * sizeof(int32_t));
	atoms_in = wl_alloc(w, "atoms_in", places / PLACES * sizeof(int32_t));
	if (wl_failed(w))
		return;
	b.cell = cell_of.i;
	b.place = place_of.i;
	for (int d = 0; d < 3; d++)
		b.at[d] = buf[d].f;
	fill(w, &b, cells, lattice, atoms_in.i, buf);
	if (wl_failed(w))
		return;
	list(&b, atoms_in.i);
	for (int d = 0; d < 3; d++)
		wl_upload(w, &buf[d]);
	wl_upload(w, &cell_of);
	wl_upload(w, &place_of);
	wl_upload(w, &atoms_in);
	WL_LAUNCH(w, "comd_force", wl_dim(wl_ceil_div(n, THREADS), 1, 1), wl_dim(THREADS, 1, 1), 0,
		wl_p(&cell_of), wl_p(&place_of), wl_i((int32_t)n), wl_p(&atoms_in), wl_p(&buf[0]),
		wl_p(&buf[1]), wl_p(&buf[2]), wl_p(&buf[3]), wl_p(&buf[4]), wl_p(&buf[5]),
		wl_p(&buf[6]), wl_i(b.side), wl_f(b.length), wl_f(CUTOFF * CUTOFF),
		wl_f(sixth(SIGMA, 1)), wl_f(EPSILON), wl_f(shift));
	for (uint32_t a = 0; a < n; a++) {
		double out[4] = {0};

		force_on(&b, a, out, shift);
		for (int i = 0; i < 4; i++)
			want[i][b.cell[a] * PLACES + b.place[a]] = (float)out[i];
	}
	for (int i = 0; i < 4; i++)
		wl_check_f32(w, &buf[3 + i], want[i], places, 1e-4, 1e-4);
}

const struct workload wl_comd = {
	.name = "comd",
	.cls = "WSD",
	.papers = "thesis",
	.suite = "proxy app",
	.summary = "Lennard-Jones forces over link cells, one thread an atom",
	.params =
		{
			{"cells", 10, 1, 40, "cells of the lattice a side, four atoms each"},
			{"lattice", 3615, 1000, 100000,
				"its constant, in thousandths of angstroms"},
			{"displace", 50, 0, 200,
				"most that an atom is moved, in thousandths of that"},
		},
	.tiny = "cells=2,lattice=9000",
	.run = run,
};
