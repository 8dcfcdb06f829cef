/*
 * Rays into nvrt's scene, made from a seed, and the plain computation of what they hit.
 */
#ifndef NVRT_RAYS_H
#define NVRT_RAYS_H

#include "datasets/workloads/nvrt/scene.h"

struct nvrt_ray {
	float origin[3], t_min, direction[3], t_max;
};

/*
 * One ray for a random point of each pixel of a screen, 8 x 4 pixels after another, `columns` of
 * these in a row: 32 * columns * rows rays from the eye, near a corner of the room. With a reach,
 * in hundredths of the room, each is then followed to what it hits, and replaced by a short one
 * from there in a random direction.
 */
void nvrt_rays_make(struct wl *w, const struct nvrt_scene *s, struct nvrt_ray *rays,
	uint32_t columns, uint32_t rows, uint32_t reach);

/* For each ray the nearest triangle, or -1, and its distance. */
void nvrt_rays_trace(struct wl *w, const struct nvrt_scene *s, const struct nvrt_ray *rays,
	uint32_t n, int32_t *hits, float *distances);

#endif
