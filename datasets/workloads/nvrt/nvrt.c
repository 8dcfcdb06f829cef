/*
 * nvrt: Aila and Laine's persistent while-while ray traversal, blocks of 32 x 6 threads, 90 of
 * them: the three that fit on each of TBC's 30 cores (table 1). Persistent threads launch no more
 * than is resident. Kept: nodes that hold both children's boxes, Woop's triangles, rays from a
 * buffer in the order of 8 x 4 pixels a warp, batches of 96 rays. Left out: textures. Rays may end
 * at their first hit, but do not: the way out of the loop is there, as in the original. In place of
 * the Conference scene stands the room of scene.c, seen from near a corner; the rays are the
 * original's second kind, short ones off what the eye sees. The check is in rays.c.
 */
#include "datasets/workloads/nvrt/rays.h"

static void run(struct wl *w)
{
	uint32_t columns = (uint32_t)wl_param(w, "columns"), rows = (uint32_t)wl_param(w, "rows");
	uint32_t n = 32 * columns * rows;
	struct nvrt_scene scene = {0};
	struct wl_buf rays = wl_alloc(w, "rays", n * sizeof(struct nvrt_ray));
	struct wl_buf hits = wl_alloc(w, "hits", n * sizeof(int32_t));
	struct wl_buf distances = wl_alloc(w, "distances", n * sizeof(float));
	struct wl_buf counter = wl_alloc(w, "counter", sizeof(int32_t));
	int32_t *want_hits = wl_host(w, n, sizeof(*want_hits));
	float *want_distances = wl_host(w, n, sizeof(*want_distances));

	nvrt_scene_make(w, &scene, (uint32_t)wl_param(w, "blobs"));
	if (wl_failed(w))
		return;
	nvrt_rays_make(w, &scene, rays.p, columns, rows, (uint32_t)wl_param(w, "reach"));
	wl_upload(w, &rays);
	wl_upload(w, &scene.node);
	wl_upload(w, &scene.triangle);
	wl_upload(w, &counter);
	wl_registers(w, 28); /* TBC table 1: 3 blocks of 192 on 16384 registers */
	WL_LAUNCH(w, "nvrt_trace", wl_dim((uint32_t)wl_param(w, "blocks"), 1, 1), wl_dim(32, 6, 1),
		0, wl_p(&rays), wl_i((int32_t)n), wl_i(0), wl_p(&scene.node), wl_p(&scene.triangle),
		wl_p(&hits), wl_p(&distances), wl_p(&counter), wl_i(0));
	nvrt_rays_trace(w, &scene, rays.p, n, want_hits, want_distances);
	wl_check_i32(w, &hits, want_hits, n);
	wl_check_f32(w, &distances, want_distances, n, 0, 0);
}

const struct workload wl_nvrt = {
	.name = "nvrt",
	.cls = "DIV",
	.papers = "tbc,thesis",
	.suite = "Aila",
	.summary = "ray traversal of a hierarchy of boxes by persistent threads",
	.params =
		{
			{"columns", 44, 1, 1024, "8 pixels each, in a row of the picture"},
			{"rows", 32, 1, 1024, "4 pixels each, in a column of the picture"},
			{"reach", 15, 0, 100,
				"length of rays, in hundredths of the room; 0: from the eye"},
			{"blobs", 20, 0, 1024, "ellipsoids of 512 triangles in the room"},
			{"blocks", 90, 1, 65535, "persistent blocks"},
		},
	.presets =
		{
			{"tbc", "blocks=90",
				"table 1's blocks; 50 M of its 700 M instructions; the default"},
		},
	.tiny = "columns=2,rows=2,blobs=1,blocks=1",
	.run = run,
};
