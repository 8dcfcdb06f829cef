/*
 * Nodal elements on the tetrahedron. The basis are the Lagrange polynomials of an even lattice,
 * which are products of one polynomial of each barycentric coordinate (Silvester 1969), so that
 * derivatives need no matrix inverted; the mass matrix is integrated by Gauss's rule on the
 * collapsed cube and solved by Cholesky's decomposition. gpuDG has nodes that suit high orders
 * better (Warburton 2006); of how the kernels run that changes nothing.
 */
#include "datasets/workloads/dg/element.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 8 /* of Gauss's rule: exact for degree 15, where 14 are asked for */

/* The m-th polynomial of a coordinate: 1 at m / order, 0 at the lattice's points below. */
static double factor(uint32_t order, uint32_t m, double x)
{
	double product = 1;

	for (uint32_t s = 0; s < m; s++)
		product *= (order * x - s) / (s + 1);
	return product;
}

static double factor_slope(uint32_t order, uint32_t m, double x)
{
	double sum = 0;

	for (uint32_t skip = 0; skip < m; skip++) {
		double product = (double)order / (skip + 1);

		for (uint32_t s = 0; s < m; s++)
			if (s != skip)
				product *= (order * x - s) / (s + 1);
		sum += product;
	}
	return sum;
}

static double basis(const struct dg_element *e, uint32_t m, const double *x)
{
	double product = 1;

	for (int v = 0; v < 4; v++)
		product *= factor(e->order, e->at[m][v], x[v]);
	return product;
}

/* By coordinate v, the other three held. */
static double slope(const struct dg_element *e, uint32_t m, int v, const double *x)
{
	double product = factor_slope(e->order, e->at[m][v], x[v]);

	for (int u = 0; u < 4; u++)
		if (u != v)
			product *= factor(e->order, e->at[m][u], x[u]);
	return product;
}

/* Gauss's rule on 0 to 1: roots of Legendre's polynomial by Newton's method. */
static void gauss(double *x, double *weight)
{
	for (int i = 0; i < POINTS; i++) {
		double z = cos(3.14159265358979323846 * (i + 0.75) / (POINTS + 0.5)), slope_z = 1;

		for (int step = 0; step < 20; step++) {
			double p = z, before = 1;

			for (int k = 2; k <= POINTS; k++) {
				double next = ((2 * k - 1) * z * p - (k - 1) * before) / k;

				before = p;
				p = next;
			}
			slope_z = POINTS * (z * p - before) / (z * z - 1);
			z -= p / slope_z;
		}
		x[i] = (1 + z) / 2;
		weight[i] = 1 / ((1 - z * z) * slope_z * slope_z);
	}
}

static void place_nodes(struct dg_element *e)
{
	uint32_t order = e->order, end = 0;

	e->nodes = 0;
	for (uint32_t c = 0; c <= order; c++)
		for (uint32_t b = 0; b + c <= order; b++)
			for (uint32_t a = 0; a + b + c <= order; a++) {
				uint32_t *at = e->at[e->nodes++];

				at[0] = order - a - b - c;
				at[1] = a;
				at[2] = b;
				at[3] = c;
			}
	for (int f = 0; f < 4; f++)
		for (uint32_t n = 0; n < e->nodes; n++)
			if (e->at[n][f] == 0)
				e->end_node[end++] = n;
	e->ends = end;
	e->face = end / 4;
}

static void derive(struct dg_element *e)
{
	for (uint32_t n = 0; n < e->nodes; n++)
		for (uint32_t m = 0; m < e->nodes; m++) {
			double x[4];

			for (int v = 0; v < 4; v++)
				x[v] = (double)e->at[n][v] / e->order;
			for (int c = 0; c < 3; c++)
				e->derive[c][n][m] = slope(e, m, c + 1, x) - slope(e, m, 0, x);
		}
}

/* Over the tetrahedron, in which r, s, t from 0 up add up to at most 1. */
static void integrate_mass(const struct dg_element *e, double mass[DG_NODES_MAX][DG_NODES_MAX])
{
	double g[POINTS], weight[POINTS], at[DG_NODES_MAX];

	gauss(g, weight);
	memset(mass, 0, DG_NODES_MAX * sizeof(*mass));
	for (int p = 0; p < POINTS * POINTS * POINTS; p++) {
		double u = g[p % POINTS], v = g[p / POINTS % POINTS], t = g[p / POINTS / POINTS];
		double x[4] = {0, u, v * (1 - u), t * (1 - u) * (1 - v)};
		double dv = weight[p % POINTS] * weight[p / POINTS % POINTS] *
			    weight[p / POINTS / POINTS] * (1 - u) * (1 - u) * (1 - v);

		x[0] = 1 - x[1] - x[2] - x[3];
		for (uint32_t n = 0; n < e->nodes; n++)
			at[n] = basis(e, n, x);
		for (uint32_t n = 0; n < e->nodes; n++)
			for (uint32_t m = 0; m <= n; m++)
				mass[n][m] += dv * at[n] * at[m];
	}
}

/* lift[n][end] = the integral over end's face of the polynomials of node n and of the end. */
static void integrate_faces(struct dg_element *e)
{
	double g[POINTS], weight[POINTS];

	gauss(g, weight);
	for (int p = 0; p < POINTS * POINTS; p++) {
		double u = g[p % POINTS], v = g[p / POINTS] * (1 - u);
		double da = weight[p % POINTS] * weight[p / POINTS] * (1 - u);

		for (uint32_t f = 0; f < 4; f++) {
			double x[4], at[DG_FACE_MAX];

			x[f] = 0;
			x[(f + 1) % 4] = u;
			x[(f + 2) % 4] = v;
			x[(f + 3) % 4] = 1 - u - v;
			for (uint32_t j = 0; j < e->face; j++)
				at[j] = basis(e, e->end_node[f * e->face + j], x);
			for (uint32_t i = 0; i < e->face; i++)
				for (uint32_t j = 0; j < e->face; j++)
					e->lift[e->end_node[f * e->face + i]][f * e->face + j] +=
						da * at[i] * at[j];
		}
	}
}

/* mass's lower half becomes L with L L' = mass; each column of lift is solved for. */
static void solve(struct dg_element *e, double mass[DG_NODES_MAX][DG_NODES_MAX])
{
	uint32_t n = e->nodes;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j <= i; j++) {
			double sum = mass[i][j];

			for (uint32_t k = 0; k < j; k++)
				sum -= mass[i][k] * mass[j][k];
			mass[i][j] = i == j ? sqrt(sum) : sum / mass[j][j];
		}
	for (uint32_t end = 0; end < e->ends; end++) {
		for (uint32_t i = 0; i < n; i++) {
			for (uint32_t k = 0; k < i; k++)
				e->lift[i][end] -= mass[i][k] * e->lift[k][end];
			e->lift[i][end] /= mass[i][i];
		}
		for (uint32_t i = n; i-- > 0;) {
			for (uint32_t k = i + 1; k < n; k++)
				e->lift[i][end] -= mass[k][i] * e->lift[k][end];
			e->lift[i][end] /= mass[i][i];
		}
	}
}

void dg_element_make(struct dg_element *e, uint32_t order)
{
	static double mass[DG_NODES_MAX][DG_NODES_MAX];

	memset(e, 0, sizeof(*e));
	e->order = order;
	place_nodes(e);
	derive(e);
	integrate_mass(e, mass);
	integrate_faces(e);
	solve(e, mass);
}

/* ---- the mesh ---- */

struct face {
	int32_t corner[3][3]; /* ascending */
	uint32_t element, number;
};

static int compare_corners(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(int32_t[3]));
}

static int compare_faces(const void *a, const void *b)
{
	const struct face *f = a, *g = b;
	int by = memcmp(f->corner, g->corner, sizeof(f->corner));

	return by ? by : (f->element > g->element) - (f->element < g->element);
}

static void cross(const double *a, const double *b, double *out)
{
	for (int d = 0; d < 3; d++)
		out[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

/* Coordinate v rises from 0 on the face opposite to vertex v to 1 at that vertex. */
static void take_gradients(struct dg_cell *c)
{
	for (int v = 0; v < 4; v++) {
		const int32_t *o = c->vertex[(v + 1) % 4];
		double a[3], b[3], up[3], normal[3], height = 0;

		for (int d = 0; d < 3; d++) {
			a[d] = c->vertex[(v + 2) % 4][d] - o[d];
			b[d] = c->vertex[(v + 3) % 4][d] - o[d];
			up[d] = c->vertex[v][d] - o[d];
		}
		cross(a, b, normal);
		for (int d = 0; d < 3; d++)
			height += normal[d] * up[d];
		for (int d = 0; d < 3; d++)
			c->gradient[v][d] = normal[d] / height;
	}
}

/* Each way from one corner to the opposite one along the axes is a tetrahedron (Kuhn). */
static void cut_cube(struct dg_cell *cells, int32_t x, int32_t y, int32_t z)
{
	static const int ways[6][3] = {
		{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

	for (int way = 0; way < 6; way++) {
		int32_t at[3] = {x, y, z};

		memcpy(cells[way].vertex[0], at, sizeof(at));
		for (int step = 0; step < 3; step++) {
			at[ways[way][step]]++;
			memcpy(cells[way].vertex[step + 1], at, sizeof(at));
		}
		take_gradients(&cells[way]);
	}
}

/* The place of a node, in 1 / order units. */
static void place_of(
	const struct dg_element *e, const struct dg_cell *c, uint32_t node, int32_t *place)
{
	for (int d = 0; d < 3; d++) {
		place[d] = 0;
		for (int v = 0; v < 4; v++)
			place[d] += (int32_t)e->at[node][v] * c->vertex[v][d];
	}
}

static void join(struct dg_mesh *mesh, const struct dg_element *e, const struct face *f,
	const struct face *g)
{
	for (uint32_t i = 0; i < e->face; i++) {
		uint32_t end = f->number * e->face + i;
		int32_t here[3], there[3];

		place_of(e, &mesh->cells[f->element], e->end_node[end], here);
		for (uint32_t j = 0; j < e->face; j++) {
			uint32_t node = e->end_node[g->number * e->face + j];

			place_of(e, &mesh->cells[g->element], node, there);
			if (memcmp(here, there, sizeof(here)) == 0)
				mesh->other[f->element * e->ends + end] =
					g->element * e->nodes + node;
		}
	}
}

void dg_mesh_make(struct wl *w, struct dg_mesh *mesh, const struct dg_element *e, uint32_t nx,
	uint32_t ny, uint32_t nz)
{
	struct face *faces;

	mesh->n = 6 * nx * ny * nz;
	mesh->cells = wl_host(w, mesh->n, sizeof(*mesh->cells));
	mesh->other = wl_host(w, (size_t)mesh->n * e->ends, sizeof(*mesh->other));
	faces = wl_host(w, 4 * (size_t)mesh->n, sizeof(*faces));
	if (wl_failed(w))
		return;
	for (uint32_t i = 0; i < nx * ny * nz; i++)
		cut_cube(mesh->cells + 6 * (size_t)i, (int32_t)(i % nx), (int32_t)(i / nx % ny),
			(int32_t)(i / nx / ny));
	for (uint32_t k = 0; k < mesh->n; k++)
		for (uint32_t f = 0; f < 4; f++) {
			struct face *face = &faces[4 * (size_t)k + f];

			face->element = k;
			face->number = f;
			for (uint32_t v = 0; v < 3; v++)
				memcpy(face->corner[v], mesh->cells[k].vertex[(f + 1 + v) % 4],
					sizeof(face->corner[v]));
			qsort(face->corner, 3, sizeof(face->corner[0]), compare_corners);
			for (uint32_t i = f * e->face; i < (f + 1) * e->face; i++)
				mesh->other[k * e->ends + i] = k * e->nodes + e->end_node[i];
		}
	qsort(faces, 4 * (size_t)mesh->n, sizeof(*faces), compare_faces);
	for (size_t i = 0; i + 1 < 4 * (size_t)mesh->n; i++)
		if (memcmp(faces[i].corner, faces[i + 1].corner, sizeof(faces[i].corner)) == 0) {
			join(mesh, e, &faces[i], &faces[i + 1]);
			join(mesh, e, &faces[i + 1], &faces[i]);
		}
}
