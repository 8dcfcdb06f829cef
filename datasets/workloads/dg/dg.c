/*
 * dg: gpuDG of Bakhoda's benchmarks, Maxwell's equations by discontinuous Galerkin elements of
 * order 6: 84 nodes, padded to 96. Kept: its three kernels, blocks of 84, 112 and 256 threads, an
 * element a block, the layout of all arrays, indices that pass through floats, fluxes in double
 * precision, and the branch to the values of other processes, which one process never takes.
 * Departures: the mesh is a box of cubes cut into tetrahedra, 120 of them in place of 268 from a
 * file: two waves of the first kernel would be 360, and 150 M thread instructions. Nodes are evenly
 * spaced. One stage of the five of a Runge-Kutta step is taken (stages=5 makes a step). Arrays in
 * shared memory have the largest order's strides at any order, so that these are in the code as
 * they were.
 *
 * TBC's table 1 has 4, 5 and 6 blocks on a core. Six of 256 threads are more than a core holds, so
 * this takes the table to mean the other order: 6 of 84, which is what shared memory allows, 5 of
 * 112, 4 of 256.
 *
 * The check does it all in double precision, each element as sums over its nodes and ends.
 */
#include "datasets/workloads/dg/element.h"
#include <math.h>
#include <string.h>

#define FIELDS 6
#define STEP_THREADS 256
#define ROWS 7 /* of what a surface's ends know */
#define DT 0.001f

/* Carpenter and Kennedy's low-storage scheme (1994), as the original's. */
static const double scheme[5][2] = {{0.0, 1432997174477.0 / 9575080441755.0},
	{-567301805773.0 / 1357537059087.0, 5161836677717.0 / 13612068292357.0},
	{-2404267990393.0 / 2016746695238.0, 1720146321549.0 / 2090206949498.0},
	{-3550918686646.0 / 2091501179385.0, 3134564353537.0 / 4481467310338.0},
	{-1275806237668.0 / 842570457699.0, 2277821191437.0 / 14882151754819.0}};

struct problem {
	struct dg_element element;
	struct dg_mesh mesh;
	uint32_t padded;
	size_t values; /* of all fields */
	double *q, *rhs, *residual;
};

static size_t value_at(const struct problem *p, uint32_t element, uint32_t field, uint32_t node)
{
	return ((size_t)element * FIELDS + field) * p->padded + node;
}

/* ---- the plain computation ---- */

/* Of a field by x, y, z at a node, in out[0..2]. */
static void gradient(
	const struct problem *p, uint32_t k, uint32_t field, uint32_t node, double *out)
{
	double by[3] = {0};

	for (int c = 0; c < 3; c++)
		for (uint32_t m = 0; m < p->element.nodes; m++)
			by[c] += p->element.derive[c][node][m] * p->q[value_at(p, k, field, m)];
	for (int d = 0; d < 3; d++) {
		out[d] = 0;
		for (int c = 0; c < 3; c++)
			out[d] += by[c] * p->mesh.cells[k].gradient[c + 1][d];
	}
}

static void face_of(
	const struct problem *p, uint32_t k, uint32_t end, double *normal, double *scale)
{
	const double *g = p->mesh.cells[k].gradient[end / p->element.face];
	double size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);

	for (int d = 0; d < 3; d++)
		normal[d] = -g[d] / size;
	*scale = size / 2;
}

static double turn(const double *a, const double *b, int d)
{
	return a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

/* Upwind fluxes of H and E through an end; the box is a perfect conductor. */
static void flux(const struct problem *p, uint32_t k, uint32_t end, double *out)
{
	const struct dg_element *e = &p->element;
	uint32_t mine = k * e->nodes + e->end_node[end];
	uint32_t other = p->mesh.other[k * e->ends + end];
	double normal[3], scale, jump[FIELDS], along_h = 0, along_e = 0;

	face_of(p, k, end, normal, &scale);
	for (uint32_t f = 0; f < FIELDS; f++) {
		double here = p->q[value_at(p, k, f, e->end_node[end])];
		double there = p->q[value_at(p, other / e->nodes, f, other % e->nodes)];

		jump[f] = scale * ((f >= 3 && mine == other ? -there : there) - here);
	}
	for (int d = 0; d < 3; d++) {
		along_h += normal[d] * jump[d];
		along_e += normal[d] * jump[3 + d];
	}
	for (int d = 0; d < 3; d++) {
		out[d] = -turn(normal, jump + 3, d) + jump[d] - along_h * normal[d];
		out[3 + d] = turn(normal, jump, d) + jump[3 + d] - along_e * normal[d];
	}
}

static void right_hand_side(const struct problem *p, uint32_t k)
{
	const struct dg_element *e = &p->element;
	double fluxes[DG_ENDS_MAX][FIELDS];

	for (uint32_t end = 0; end < e->ends; end++)
		flux(p, k, end, fluxes[end]);
	for (uint32_t n = 0; n < e->nodes; n++) {
		double d[FIELDS][3];

		for (uint32_t f = 0; f < FIELDS; f++)
			gradient(p, k, f, n, d[f]);
		for (int c = 0; c < 3; c++) {
			int u = (c + 1) % 3, v = (c + 2) % 3;

			p->rhs[value_at(p, k, (uint32_t)c, n)] = -(d[3 + v][u] - d[3 + u][v]);
			p->rhs[value_at(p, k, (uint32_t)c + 3, n)] = d[v][u] - d[u][v];
		}
		for (uint32_t f = 0; f < FIELDS; f++)
			for (uint32_t end = 0; end < e->ends; end++)
				p->rhs[value_at(p, k, f, n)] += e->lift[n][end] * fluxes[end][f];
	}
}

static void advance(const struct problem *p, double a, double b)
{
	for (uint32_t k = 0; k < p->mesh.n; k++)
		right_hand_side(p, k);
	for (size_t i = 0; i < p->values; i++) {
		p->residual[i] = a * p->residual[i] + (double)DT * p->rhs[i];
		p->q[i] += b * p->residual[i];
	}
}

/* ---- the device's arrays ---- */

static struct wl_buf make_derivatives(struct wl *w, const struct problem *p)
{
	const struct dg_element *e = &p->element;
	struct wl_buf b = wl_alloc(w, "derivatives", p->padded * p->padded * 4 * sizeof(float));

	for (uint32_t m = 0; m < e->nodes; m++)
		for (uint32_t n = 0; n < e->nodes; n++)
			for (uint32_t c = 0; c < 3; c++)
				b.f[4 * (n + m * p->padded) + c] = (float)e->derive[c][n][m];
	wl_upload(w, &b);
	return b;
}

static struct wl_buf make_lift(struct wl *w, const struct dg_element *e)
{
	struct wl_buf b = wl_alloc(w, "lift", (size_t)e->ends * e->nodes * sizeof(float));

	for (uint32_t end = 0; end < e->ends; end++)
		for (uint32_t n = 0; n < e->nodes; n++)
			b.f[4 * (n + end / 4 * e->nodes) + end % 4] = (float)e->lift[n][end];
	wl_upload(w, &b);
	return b;
}

static struct wl_buf make_geometry(struct wl *w, const struct dg_mesh *mesh)
{
	struct wl_buf b = wl_alloc(w, "geometry", (size_t)mesh->n * 12 * sizeof(float));

	for (uint32_t k = 0; k < mesh->n; k++)
		for (uint32_t i = 0; i < 9; i++)
			b.f[12 * k + i / 3 * 4 + i % 3] =
				(float)mesh->cells[k].gradient[1 + i / 3][i % 3];
	wl_upload(w, &b);
	return b;
}

static struct wl_buf make_surface(struct wl *w, const struct problem *p)
{
	const struct dg_element *e = &p->element;
	struct wl_buf b =
		wl_alloc(w, "surface", (size_t)p->mesh.n * ROWS * e->ends * sizeof(float));

	for (uint32_t k = 0; k < p->mesh.n; k++)
		for (uint32_t end = 0; end < e->ends; end++) {
			uint32_t other = p->mesh.other[k * e->ends + end];
			float *row = b.f + (size_t)k * ROWS * e->ends + end;
			double normal[3], scale;

			face_of(p, k, end, normal, &scale);
			row[0] = (float)value_at(p, k, 0, e->end_node[end]);
			row[e->ends] = (float)value_at(p, other / e->nodes, 0, other % e->nodes);
			row[2 * e->ends] = (float)scale;
			row[3 * e->ends] = other == k * e->nodes + e->end_node[end] ? -1 : 1;
			for (uint32_t d = 0; d < 3; d++)
				row[(4 + d) * e->ends] = (float)normal[d];
		}
	wl_upload(w, &b);
	return b;
}

/* Each field a polynomial of second degree of the place in the box. */
static struct wl_buf make_fields(struct wl *w, const struct problem *p, uint32_t longest)
{
	struct wl_buf b = wl_alloc(w, "fields", p->values * sizeof(float));
	double unit = 1.0 / (p->element.order * longest);
	float by[FIELDS][10];
	struct wl_rng rng;

	wl_rng_start(&rng, w, 0);
	for (int i = 0; i < FIELDS * 10; i++)
		by[i / 10][i % 10] = 2 * wl_unit(&rng) - 1;
	for (uint32_t k = 0; k < p->mesh.n; k++)
		for (uint32_t n = 0; n < p->element.nodes; n++) {
			double x[4] = {1, 0, 0, 0};

			for (int d = 0; d < 3; d++)
				for (int v = 0; v < 4; v++)
					x[d + 1] += unit * p->element.at[n][v] *
						    p->mesh.cells[k].vertex[v][d];
			for (uint32_t f = 0; f < FIELDS; f++) {
				size_t at = value_at(p, k, f, n);
				int term = 0;

				for (int i = 0; i < 4; i++)
					for (int j = 0; j <= i; j++)
						b.f[at] += by[f][term++] * (float)(x[i] * x[j]);
				p->q[at] = (double)b.f[at];
			}
		}
	wl_upload(w, &b);
	return b;
}

static void check(struct wl *w, const struct wl_buf *b, const double *want, size_t n, float *copy)
{
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		copy[i] = (float)want[i];
		most = fmax(most, fabs(want[i]));
	}
	wl_check_f32(w, b, copy, n, 1e-3, 1e-5 * most);
}

static void solve(struct wl *w, struct problem *p, uint32_t stages, uint32_t longest)
{
	const struct dg_element *e = &p->element;
	struct wl_buf q = make_fields(w, p, longest), geometry = make_geometry(w, &p->mesh);
	struct wl_buf derivatives = make_derivatives(w, p), lift = make_lift(w, e);
	struct wl_buf surface = make_surface(w, p), remote = wl_alloc(w, "remote", sizeof(float));
	struct wl_buf rhs = wl_alloc(w, "rhs", p->values * sizeof(float));
	struct wl_buf residual = wl_alloc(w, "residual", p->values * sizeof(float));
	struct wl_arg nodes = wl_i((int32_t)e->nodes), padded = wl_i((int32_t)p->padded);
	struct wl_dim grid = wl_dim(p->mesh.n, 1, 1), threads = wl_dim(STEP_THREADS, 1, 1);
	float *copy = wl_host(w, p->values, sizeof(*copy));

	for (uint32_t s = 0; s < stages && !wl_failed(w); s++) {
		const double *by = scheme[s % 5];

		wl_registers(w, 32); /* 6 blocks of 84 on 16384 registers */
		WL_LAUNCH(w, "dg_volume", grid, wl_dim(e->nodes, 1, 1), 0, wl_p(&q),
			wl_p(&derivatives), wl_p(&geometry), wl_p(&rhs), nodes, padded);
		wl_registers(w, 28); /* 5 of 112 */
		WL_LAUNCH(w, "dg_surface", grid,
			wl_dim(e->ends > e->nodes ? e->ends : e->nodes, 1, 1), 0, wl_p(&q),
			wl_p(&remote), wl_p(&surface), wl_p(&lift), wl_p(&rhs), nodes, padded,
			wl_i((int32_t)e->ends));
		wl_registers(w, 16); /* 4 of 256 */
		WL_LAUNCH(w, "dg_step", wl_dim(wl_ceil_div(p->values, STEP_THREADS), 1, 1), threads,
			0, wl_i((int32_t)p->values), wl_p(&residual), wl_p(&rhs), wl_p(&q),
			wl_f((float)by[0]), wl_f((float)by[1]), wl_f(DT));
		advance(p, by[0], by[1]);
	}
	if (wl_failed(w))
		return;
	check(w, &rhs, p->rhs, p->values, copy);
	check(w, &residual, p->residual, p->values, copy);
	check(w, &q, p->q, p->values, copy);
}

static void run(struct wl *w)
{
	uint32_t x = (uint32_t)wl_param(w, "x"), y = (uint32_t)wl_param(w, "y");
	uint32_t z = (uint32_t)wl_param(w, "z"), longest = x > y ? x : y;
	struct problem *p = wl_host(w, 1, sizeof(*p));

	if (wl_failed(w))
		return;
	dg_element_make(&p->element, (uint32_t)wl_param(w, "order"));
	dg_mesh_make(w, &p->mesh, &p->element, x, y, z);
	p->padded = (p->element.nodes + 15) / 16 * 16;
	p->values = (size_t)p->mesh.n * FIELDS * p->padded;
	/* Places of values pass through floats. */
	if (p->values > 1 << 24)
		wl_fail(w, "dg: %u elements have places that a float does not hold", p->mesh.n);
	p->q = wl_host(w, p->values, sizeof(*p->q));
	p->rhs = wl_host(w, p->values, sizeof(*p->rhs));
	p->residual = wl_host(w, p->values, sizeof(*p->residual));
	if (!wl_failed(w))
		solve(w, p, (uint32_t)wl_param(w, "stages"), longest > z ? longest : z);
}

const struct workload wl_dg = {
	.name = "dg",
	.cls = "COH",
	.papers = "tbc",
	.suite = "Bakhoda",
	.summary = "Maxwell's equations by discontinuous Galerkin elements on tetrahedra",
	.params =
		{
			{"order", 6, 1, DG_ORDER_MAX, "of the elements' polynomials"},
			{"x", 5, 1, 32, "cubes of six elements along x"},
			{"y", 2, 1, 32, "along y"},
			{"z", 2, 1, 32, "along z"},
			{"stages", 1, 1, 1000, "of Runge-Kutta steps, which have five"},
		},
	.tiny = "order=2,x=2,y=1,z=1,stages=2",
	.run = run,
};
