/*
 * The scene of nvrt: triangles in a hierarchy of bounding boxes, as the kernel reads them.
 */
#ifndef NVRT_SCENE_H
#define NVRT_SCENE_H

#include "datasets/workloads/input.h"

#define NVRT_LEAF 4 /* most triangles of a leaf */
#define NVRT_ROOM 16.0f

/*
 * The boxes and the numbers of two children; each pair of floats is low and high. A child >= 0 is a
 * node, another ~(first triangle * NVRT_LEAF + triangles - 1).
 */
struct nvrt_node {
	float x0[2], y0[2], x1[2], y1[2], z0[2], z1[2];
	int32_t child[2], unused[2];
};

/*
 * The map to the unit triangle, as rows of an affine matrix: the distance from the plane, with the
 * sign of its constant turned, and both coordinates within it.
 */
struct nvrt_triangle {
	float plane[4], u[4], v[4];
};

struct nvrt_scene {
	int32_t triangles, nodes; /* the root is node 0 */
	struct wl_buf node, triangle;
};

/* A room with so many ellipsoids of 512 triangles each. On failure wl_failed() is true. */
void nvrt_scene_make(struct wl *w, struct nvrt_scene *s, uint32_t blobs);

#endif
