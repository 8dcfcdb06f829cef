/* The unstructured grid of cfd: tetrahedra with their neighbours, by index. */
#ifndef CFD_MESH_H
#define CFD_MESH_H

#include "datasets/workloads/input.h"

#define CFD_FACES 4
#define CFD_WING -1      /* as a neighbour: the solid body */
#define CFD_FAR_FIELD -2 /* and the end of the grid */

struct cfd_mesh {
	int side, n, padded;      /* cubes along each side, elements, and rounded up to blocks */
	int *id;                  /* number of tetrahedron 6 * cube + path; -1 in the body */
	float (*corner)[3];       /* of cubes */
	struct wl_buf neighbours; /* [face][element] */
	struct wl_buf normals;    /* [axis][face][element], as long as the face is large */
	struct wl_buf areas;      /* the square of an element's surface, which makes steps stable */
};

/*
 * Makes the grid in device memory. As in the original the elements that fill the last block are
 * copies of the last one. On failure wl_failed() is true.
 */
void cfd_mesh_make(struct wl *w, struct cfd_mesh *m, int side, int block);

#endif
