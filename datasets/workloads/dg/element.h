/*
 * The reference tetrahedron of nodal elements and a box of such tetrahedra: what dg's kernels need
 * of both, made on the host.
 */
#ifndef DG_ELEMENT_H
#define DG_ELEMENT_H

#include "datasets/workloads/workload.h"

#define DG_ORDER_MAX 6
#define DG_NODES_MAX 84
#define DG_FACE_MAX 28 /* nodes of a face */
#define DG_ENDS_MAX (4 * DG_FACE_MAX)

/*
 * Nodes on an even lattice: node n has barycentric coordinates at[n][v] / order. Face f is opposite
 * to vertex f; end f * face + j is the j-th of its nodes.
 */
struct dg_element {
	uint32_t order, nodes, face, ends;
	uint32_t at[DG_NODES_MAX][4];
	uint32_t end_node[DG_ENDS_MAX];
	/* derive[c][n][m]: what node m adds to the derivative by coordinate 1 + c at node n. */
	double derive[3][DG_NODES_MAX][DG_NODES_MAX];
	double lift[DG_NODES_MAX][DG_ENDS_MAX]; /* inverse mass matrix times faces' mass matrices */
};

void dg_element_make(struct dg_element *e, uint32_t order);

/* A tetrahedron of the mesh: its vertices, and how its barycentric coordinates change by x, y, z.
 */
struct dg_cell {
	int32_t vertex[4][3]; /* in whole units */
	double gradient[4][3];
};

/* The neighbour at each end: element * nodes + node; itself where the box ends. */
struct dg_mesh {
	uint32_t n;
	struct dg_cell *cells;
	uint32_t *other; /* [element][end] */
};

/* nx x ny x nz unit cubes, each cut into six tetrahedra. Memory is the run's. */
void dg_mesh_make(struct wl *w, struct dg_mesh *mesh, const struct dg_element *e, uint32_t nx,
	uint32_t ny, uint32_t nz);

#endif
