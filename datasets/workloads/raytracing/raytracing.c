/*
 * raytracing: one ray a thread, no persistent threads (the thesis's "Raytracing", of which it
 * prints only the name and that it is divergent). Ours: nvrt's scene and rays, blocks of 128
 * threads, the rays of a warp off 8 x 4 neighbouring pixels. The default's rays are those off what
 * the eye sees, up to a length of the whole room; reach=0 has those from the eye, which stay
 * together longer.
 */
#include "datasets/workloads/nvrt/rays.h"

#define THREADS 128

static void run(struct wl *w)
{
	uint32_t columns = (uint32_t)wl_param(w, "columns"), rows = (uint32_t)wl_param(w, "rows");
	uint32_t n = 32 * columns * rows;
	struct nvrt_scene scene = {0};
	struct wl_buf rays = wl_alloc(w, "rays", n * sizeof(struct nvrt_ray));
	struct wl_buf hits = wl_alloc(w, "hits", n * sizeof(int32_t));
	struct wl_buf distances = wl_alloc(w, "distances", n * sizeof(float));
	int32_t *want_hits = wl_host(w, n, sizeof(*want_hits));
	float *want_distances = wl_host(w, n, sizeof(*want_distances));

	nvrt_scene_make(w, &scene, (uint32_t)wl_param(w, "blobs"));
	if (wl_failed(w))
		return;
	nvrt_rays_make(w, &scene, rays.p, columns, rows, (uint32_t)wl_param(w, "reach"));
	wl_upload(w, &rays);
	wl_upload(w, &scene.node);
	wl_upload(w, &scene.triangle);
	WL_LAUNCH(w, "raytracing", wl_dim(wl_ceil_div(n, THREADS), 1, 1), wl_dim(THREADS, 1, 1), 0,
		wl_p(&rays), wl_i((int32_t)n), wl_i(0), wl_p(&scene.node), wl_p(&scene.triangle),
		wl_p(&hits), wl_p(&distances));
	nvrt_rays_trace(w, &scene, rays.p, n, want_hits, want_distances);
	wl_check_i32(w, &hits, want_hits, n);
	wl_check_f32(w, &distances, want_distances, n, 0, 0);
}

const struct workload wl_raytracing = {
	.name = "raytracing",
	.cls = "WSD",
	.papers = "thesis",
	.suite = "render",
	.summary = "ray traversal of a hierarchy of boxes, one ray a thread",
	.params =
		{
			{"columns", 16, 1, 1024, "8 pixels each, in a row of the picture"},
			{"rows", 24, 1, 1024, "4 pixels each, in a column of the picture"},
			{"reach", 100, 0, 100,
				"length of rays, in hundredths of the room; 0: from the eye"},
			{"blobs", 20, 0, 1024, "ellipsoids of 512 triangles in the room"},
		},
	.tiny = "columns=2,rows=2,blobs=1",
	.run = run,
};
