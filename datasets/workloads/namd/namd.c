/*
 * namd: the short-range forces of one step in a box of water, which is not periodic; patches are
 * cubes with the cut-off as their side. As in the original each pair of patches is taken twice,
 * once for the atoms of either. Charges and van der Waals constants are TIP3P's; molecules stand on
 * a jittered grid in random directions. An atom's exclusions are those of its molecule, itself
 * among them. NAMD's own runs have cut-offs of 12 angstroms; 8 keeps patches within 64 atoms. A
 * sixth of the atoms in neighbouring patches are within the cut-off.
 *
 * The check goes over all pairs of atoms of the box, without patches, and adds up in double
 * precision, from the same table.
 */
#include "datasets/workloads/input.h"
#include <math.h>
#include <stdlib.h>

#define THREADS 64
#define GRID 3.1f /* angstroms between molecules */
#define BOND 0.9572f
#define ENTRIES 4096
#define SCALE (ENTRIES / 2.0f) /* so the table begins at half an angstrom */
#define TYPES 2
#define FAR 2 /* most that the numbers of a molecule's atoms differ by */

struct vec4 {
	float x, y, z, w;
};

struct kind {
	int32_t type, number, exclusions, far;
};

struct pair {
	int32_t first, size, other_first, other_size, place;
};

struct box {
	uint32_t natoms, size[3], patches;
	float cutoff;
	struct vec4 *atoms; /* in the order of the patches */
	struct kind *kinds;
	int32_t *first; /* atom of each patch, and one more */
};

static uint32_t patch_of(const struct box *b, const struct vec4 *at)
{
	uint32_t patch = 0;

	for (int d = 2; d >= 0; d--) {
		float k = (&at->x)[d] / b->cutoff, last = (float)(b->size[d] - 1);

		patch = patch * b->size[d] + (uint32_t)(k < 0 ? 0 : k > last ? last : k);
	}
	return patch;
}

/* Oxygen, and two hydrogens in random directions; charges are in units that make forces kcal. */
static void make_molecule(const uint32_t cell[3], struct vec4 atoms[3], struct wl_rng *rng)
{
	float centre[3];

	for (int d = 0; d < 3; d++)
		centre[d] = GRID * ((float)cell[d] + 0.4f + 0.2f * wl_unit(rng));
	for (int i = 0; i < 3; i++) {
		float off[3], square, length;

		do { /* even over the ball, hence over directions */
			for (int d = 0; d < 3; d++)
				off[d] = 2 * wl_unit(rng) - 1;
			square = off[0] * off[0] + off[1] * off[1] + off[2] * off[2];
		} while (square > 1 || square < 0.01f);
		length = i ? BOND / sqrtf(square) : 0;
		atoms[i] = (struct vec4){centre[0] + length * off[0], centre[1] + length * off[1],
			centre[2] + length * off[2], 18.2223f * (i ? 0.417f : -0.834f)};
	}
}

/* By patch; an atom keeps the number that it had before. */
static void sort(struct wl *w, struct box *b, const struct vec4 *atoms)
{
	int32_t *next = wl_host(w, b->patches, sizeof(*next));

	if (wl_failed(w))
		return;
	for (uint32_t i = 0; i < b->natoms; i++)
		b->first[patch_of(b, &atoms[i]) + 1]++;
	for (uint32_t p = 0; p < b->patches; p++)
		b->first[p + 1] += b->first[p];
	for (uint32_t p = 0; p < b->patches; p++)
		next[p] = b->first[p];
	for (uint32_t i = 0; i < b->natoms; i++) {
		int32_t to = next[patch_of(b, &atoms[i])]++;

		b->atoms[to] = atoms[i];
		b->kinds[to] = (struct kind){
			i % 3 ? 1 : 0, (int32_t)i, (int32_t)(i % 3) * (2 * FAR + 1) + FAR, FAR};
	}
}

/* Ordered pairs of neighbouring patches that both have atoms; returns how many. */
static uint32_t find_pairs(
	const struct box *b, struct pair *pairs, int32_t *first_pair, int32_t *places)
{
	const uint32_t *s = b->size;
	uint32_t n = 0;

	*places = 0;
	for (uint32_t p = 0; p < b->patches; p++) {
		int32_t x = (int32_t)(p % s[0]), y = (int32_t)(p / s[0] % s[1]);
		int32_t z = (int32_t)(p / s[0] / s[1]), size = b->first[p + 1] - b->first[p];

		first_pair[p] = (int32_t)n;
		for (uint32_t q = 0; q < b->patches; q++) {
			if (abs(x - (int32_t)(q % s[0])) > 1 ||
				abs(y - (int32_t)(q / s[0] % s[1])) > 1 ||
				abs(z - (int32_t)(q / s[0] / s[1])) > 1)
				continue;
			pairs[n++] = (struct pair){b->first[p], size, b->first[q],
				b->first[q + 1] - b->first[q], *places};
			*places += size;
		}
	}
	first_pair[b->patches] = (int32_t)n;
	return n;
}

/* By the inverse of the distance: force over distance, of charges and of both van der Waals terms.
 */
static void make_table(struct vec4 *table)
{
	for (int i = 0; i < ENTRIES; i++) {
		double r1 = (i + 0.5) / SCALE, r2 = r1 * r1, r6 = r2 * r2 * r2;

		table[i] = (struct vec4){(float)(r1 * r2), (float)(6 * r6 * r2),
			(float)(12 * r6 * r6 * r2), (float)r1};
	}
}

static void force_on(const struct box *b, uint32_t i, const struct vec4 *table, const float *vdw,
	double sum[4], double size[4])
{
	const struct vec4 *p = &b->atoms[i];

	for (uint32_t j = 0; j < b->natoms; j++) {
		const struct vec4 *q = &b->atoms[j], *f;
		float dx = p->x - q->x, dy = p->y - q->y, dz = p->z - q->z;
		float r2 = fmaf(dz, dz, fmaf(dx, dx, dy * dy)), entry;
		const float *ab = vdw + 2 * (b->kinds[i].type * TYPES + b->kinds[j].type);
		double force, charges = (double)p->w * q->w, term[4];

		if (r2 >= b->cutoff * b->cutoff || b->kinds[i].number / 3 == b->kinds[j].number / 3)
			continue;
		entry = SCALE / sqrtf(r2);
		f = &table[entry < ENTRIES - 1 ? (uint32_t)entry : ENTRIES - 1];
		force = charges * f->x - ab[1] * f->y + ab[0] * f->z;
		term[0] = force * dx;
		term[1] = force * dy;
		term[2] = force * dz;
		term[3] = 0.5 * (charges * f->w + r2 * (ab[0] * f->z / 12 - ab[1] * f->y / 6));
		for (int d = 0; d < 4; d++) {
			sum[d] += term[d];
			size[d] += fabs(term[d]);
		}
	}
}

/* What is added up cancels: the allowance is relative to the sum of sizes. */
static void check(struct wl *w, const struct box *b, const struct wl_buf *forces,
	const struct vec4 *table, const float *vdw)
{
	wl_output(w, forces, WL_F32, 4ull * b->natoms);
	for (uint32_t i = 0; i < b->natoms && !wl_failed(w); i++) {
		double sum[4] = {0}, size[4] = {0};

		force_on(b, i, table, vdw, sum, size);
		for (int d = 0; d < 4; d++) {
			double got = forces->f[4 * i + d];

			if (!(fabs(got - sum[d]) <= 1e-5 * size[d]))
				wl_fail(w, "namd: forces[%u] is %.9g, the CPU says %.9g", 4 * i + d,
					got, sum[d]);
		}
	}
}

static void run(struct wl *w)
{
	static const float constants[2 * TYPES * TYPES] = {582000, 595}; /* of two oxygens */
	struct box b = {.size = {(uint32_t)wl_param(w, "nx"), (uint32_t)wl_param(w, "ny"),
				(uint32_t)wl_param(w, "nz")},
		.cutoff = (float)wl_param(w, "cutoff") / 10};
	uint32_t n[3], m = 0, npairs;
	struct wl_buf atoms, kinds, pairs, first_pair, exclusions, vdw, table, parts, forces;
	struct vec4 *molecules;
	struct wl_rng rng;
	int32_t places;

	b.patches = b.size[0] * b.size[1] * b.size[2];
	for (int d = 0; d < 3; d++)
		n[d] = (uint32_t)((float)b.size[d] * b.cutoff / GRID);
	b.natoms = 3 * n[0] * n[1] * n[2];
	atoms = wl_alloc(w, "atoms", b.natoms * sizeof(struct vec4));
	kinds = wl_alloc(w, "kinds", b.natoms * sizeof(struct kind));
	pairs = wl_alloc(w, "pairs", 27ull * b.patches * sizeof(struct pair));
	first_pair = wl_alloc(w, "first_pair", (b.patches + 1) * sizeof(int32_t));
	exclusions = wl_alloc(w, "exclusions", sizeof(uint32_t));
	vdw = wl_alloc(w, "vdw", sizeof(constants));
	table = wl_alloc(w, "table", ENTRIES * sizeof(struct vec4));
	forces = wl_alloc(w, "forces", b.natoms * sizeof(struct vec4));
	molecules = wl_host(w, b.natoms, sizeof(*molecules));
	b.first = wl_host(w, b.patches + 1, sizeof(*b.first));
	if (wl_failed(w))
		return;
	b.atoms = atoms.p;
	b.kinds = kinds.p;
	wl_rng_start(&rng, w, 0);
	for (uint32_t z = 0; z < n[2]; z++)
		for (uint32_t y = 0; y < n[1]; y++)
			for (uint32_t x = 0; x < n[0]; x++)
				make_molecule((uint32_t[]){x, y, z}, molecules + 3 * m++, &rng);
	sort(w, &b, molecules);
	npairs = find_pairs(&b, pairs.p, first_pair.i, &places);
	parts = wl_alloc(w, "parts", (uint64_t)places * sizeof(struct vec4));
	make_table(table.p);
	for (int i = 0; i < 2 * TYPES * TYPES; i++)
		vdw.f[i] = constants[i];
	for (int i = 0; i < 3; i++) /* atom i of a molecule: those from -i to 2 - i away */
		*exclusions.u |= 7u << (i * (2 * FAR + 1) + FAR - i);
	wl_upload(w, &atoms);
	wl_upload(w, &kinds);
	wl_upload(w, &pairs);
	wl_upload(w, &first_pair);
	wl_upload(w, &exclusions);
	wl_upload(w, &vdw);
	wl_upload(w, &table);
	wl_registers(w, 36); /* TBC table 1: 7 blocks of 64 on 16384 registers */
	WL_LAUNCH(w, "namd_pairs", wl_dim(npairs, 1, 1), wl_dim(THREADS, 1, 1), 0, wl_p(&pairs),
		wl_p(&atoms), wl_p(&kinds), wl_p(&exclusions), wl_p(&vdw), wl_i(TYPES),
		wl_p(&table), wl_i(ENTRIES), wl_f(SCALE), wl_f(b.cutoff * b.cutoff), wl_p(&parts));
	WL_LAUNCH(w, "namd_sum", wl_dim(b.patches, 1, 1), wl_dim(THREADS, 1, 1), 0, wl_p(&pairs),
		wl_p(&first_pair), wl_p(&parts), wl_p(&forces));
	check(w, &b, &forces, table.p, vdw.f);
}

const struct workload wl_namd = {
	.name = "namd",
	.cls = "DIV",
	.papers = "tbc",
	.suite = "NAMD",
	.summary = "short-range forces between the atoms of neighbouring patches",
	.params =
		{
			{"nx", 3, 1, 32, "patches along x"},
			{"ny", 4, 1, 32, "patches along y"},
			{"nz", 3, 1, 32, "patches along z"},
			{"cutoff", 80, 35, 120, "cut-off in tenths of angstroms, a patch's side"},
		},
	.tiny = "nx=2,ny=1,nz=1,cutoff=45",
	.run = run,
};
