/*
 * The grid of cfd: cubes cut in six tetrahedra each (Kuhn's), a solid body in the middle, corners
 * shaken, elements numbered out of order as they are in files of real grids.
 */
#include "datasets/workloads/cfd/mesh.h"
#include <math.h>

#define WINDOW 2048 /* elements are numbered anew within so many */

/* A tetrahedron goes from its cube's low corner to the high one along the axes in this order. */
static const int path[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

static int path_of(int a, int b)
{
	for (int p = 0; p < 6; p++)
		if (path[p][0] == a && path[p][1] == b)
			return p;
	return 0;
}

/* The tetrahedron across the face opposite vertex v; or the border it is. */
static int across(const struct cfd_mesh *m, const int cube[3], int p, int v)
{
	int a = path[p][0], b = path[p][1], c = path[p][2], to[3] = {cube[0], cube[1], cube[2]}, q;

	switch (v) {
	case 0:
		to[a]++;
		q = path_of(b, c);
		break;
	case 1:
		q = path_of(b, a);
		break;
	case 2:
		q = path_of(a, c);
		break;
	default:
		to[c]--;
		q = path_of(c, a);
		break;
	}
	for (int d = 0; d < 3; d++)
		if (to[d] < 0 || to[d] >= m->side)
			return CFD_FAR_FIELD;
	q = m->id[6 * ((to[2] * m->side + to[1]) * m->side + to[0]) + q];
	return q < 0 ? CFD_WING : q;
}

/* Half the cross product of two sides, away from `inside`. */
static void face_normal(
	float out[3], const float *p, const float *q, const float *r, const float *inside)
{
	float a[3], b[3], away = 0;

	for (int d = 0; d < 3; d++) {
		a[d] = q[d] - p[d];
		b[d] = r[d] - p[d];
	}
	for (int d = 0; d < 3; d++) {
		out[d] = 0.5f * (a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3]);
		away += out[d] * (p[d] - inside[d]);
	}
	for (int d = 0; d < 3 && away < 0; d++)
		out[d] = -out[d];
}

static void make_element(struct cfd_mesh *m, const int cube[3], int p, int e)
{
	int at[3] = {cube[0], cube[1], cube[2]}, s = m->side + 1;
	const float *vertex[4];
	float surface = 0;

	for (int v = 0; v < 4; v++) {
		vertex[v] = m->corner[(at[2] * s + at[1]) * s + at[0]];
		if (v < 3)
			at[path[p][v]]++;
	}
	for (int v = 0; v < CFD_FACES; v++) {
		float normal[3];

		face_normal(normal, vertex[(v + 1) % 4], vertex[(v + 2) % 4], vertex[(v + 3) % 4],
			vertex[v]);
		m->neighbours.i[e + v * m->padded] = across(m, cube, p, v);
		for (int d = 0; d < 3; d++)
			m->normals.f[e + (v + d * CFD_FACES) * m->padded] = normal[d];
		surface += sqrtf(
			normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
	}
	m->areas.f[e] = surface * surface;
}

static bool in_body(const struct cfd_mesh *m, const int cube[3])
{
	int width = (2 * m->side + 3) / 5, low = (m->side - width) / 2, high = low + width;

	for (int d = 0; d < 3; d++)
		if (cube[d] < low || cube[d] >= high)
			return false;
	return true;
}

/* Numbers the elements outside the body, each window of them in random order. */
static void number(struct wl *w, struct cfd_mesh *m)
{
	int tets = 6 * m->side * m->side * m->side, *order = wl_host(w, (size_t)tets, sizeof(int));
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 0);
	for (int t = 0; t < tets; t++) {
		int c = t / 6,
		    cube[3] = {c % m->side, c / m->side % m->side, c / m->side / m->side};

		m->id[t] = -1;
		if (!in_body(m, cube)) {
			int window = m->n % WINDOW, j = (int)wl_below(&rng, (uint32_t)window + 1);

			order[m->n] = order[m->n - window + j];
			order[m->n - window + j] = t;
			m->n++;
		}
	}
	for (int e = 0; e < m->n; e++)
		m->id[order[e]] = e;
}

void cfd_mesh_make(struct wl *w, struct cfd_mesh *m, int side, int block)
{
	int tets = 6 * side * side * side, corners = (side + 1) * (side + 1) * (side + 1);
	struct wl_rng rng;

	*m = (struct cfd_mesh){.side = side};
	m->id = wl_host(w, (size_t)tets, sizeof(*m->id));
	m->corner = wl_host(w, (size_t)corners, sizeof(*m->corner));
	number(w, m);
	m->padded = (m->n + block - 1) / block * block;
	m->neighbours =
		wl_alloc(w, "neighbours", (uint64_t)m->padded * CFD_FACES * sizeof(int32_t));
	m->normals = wl_alloc(w, "normals", (uint64_t)m->padded * CFD_FACES * 3 * sizeof(float));
	m->areas = wl_alloc(w, "areas", (uint64_t)m->padded * sizeof(float));
	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 1);
	for (int i = 0; i < corners; i++) {
		int at[3] = {
			i % (side + 1), i / (side + 1) % (side + 1), i / (side + 1) / (side + 1)};

		for (int d = 0; d < 3; d++)
			m->corner[i][d] = (float)at[d] + 0.2f * (wl_unit(&rng) - 0.5f);
	}
	for (int t = 0; t < tets; t++) {
		int c = t / 6, cube[3] = {c % side, c / side % side, c / side / side};

		if (m->id[t] >= 0)
			make_element(m, cube, t % 6, m->id[t]);
	}
	for (int e = m->n; e < m->padded; e++) { /* as the original: copies of the last element */
		for (int f = 0; f < CFD_FACES; f++)
			m->neighbours.i[e + f * m->padded] =
				m->neighbours.i[m->n - 1 + f * m->padded];
		for (int f = 0; f < 3 * CFD_FACES; f++)
			m->normals.f[e + f * m->padded] = m->normals.f[m->n - 1 + f * m->padded];
		m->areas.f[e] = m->areas.f[m->n - 1];
	}
}
