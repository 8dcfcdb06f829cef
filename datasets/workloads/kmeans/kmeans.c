/*
 * kmeans: Rodinia's k-means, as the thesis ran it (3.3): features in global memory, in place of
 * texture and constant memory, and read point by point, so that a warp touches 32 rows. 34 features
 * as in the KDD Cup data; the points are evenly random. The host moves the centres and launches
 * again until no point changes its cluster, as the original does. With invert=1 the features are
 * first laid out feature by feature, as Rodinia's own assignment step reads them. The check assigns
 * every point of every round on the CPU, with sums in the same order, so it compares exactly.
 */
#include "datasets/workloads/input.h"
#include <math.h>

#define THREADS 256

struct shape {
	uint32_t points, features, clusters;
};

static int32_t nearest(const struct shape *s, const float *point, const float *centres)
{
	int32_t best = -1;
	float least = INFINITY;

	for (uint32_t c = 0; c < s->clusters; c++) {
		float sum = 0;

		for (uint32_t f = 0; f < s->features; f++) {
			float d = point[f] - centres[c * s->features + f];

			sum = fmaf(d, d, sum);
		}
		if (sum < least) {
			least = sum;
			best = (int32_t)c;
		}
	}
	return best;
}

/* A centre becomes the mean of its points; one without points stays. */
static void move_centres(const struct shape *s, const float *features, const int32_t *membership,
	float *centres, float *sums, uint32_t *counts)
{
	for (uint32_t i = 0; i < s->clusters * s->features; i++)
		sums[i] = 0;
	for (uint32_t c = 0; c < s->clusters; c++)
		counts[c] = 0;
	for (uint32_t p = 0; p < s->points; p++) {
		float *sum = sums + (uint32_t)membership[p] * s->features;

		counts[membership[p]]++;
		for (uint32_t f = 0; f < s->features; f++)
			sum[f] += features[p * s->features + f];
	}
	for (uint32_t c = 0; c < s->clusters; c++)
		for (uint32_t f = 0; counts[c] && f < s->features; f++)
			centres[c * s->features + f] = sums[c * s->features + f] / (float)counts[c];
}

static void invert(struct wl *w, const struct shape *s, const struct wl_buf *features,
	const struct wl_buf *inverted)
{
	float *want = wl_host(w, (size_t)s->points * s->features, sizeof(*want));

	if (wl_failed(w))
		return;
	WL_LAUNCH(w, "invert_mapping", wl_dim(wl_ceil_div(s->points, THREADS), 1, 1),
		wl_dim(THREADS, 1, 1), 0, wl_p(features), wl_p(inverted), wl_i((int32_t)s->points),
		wl_i((int32_t)s->features));
	for (uint32_t p = 0; p < s->points; p++)
		for (uint32_t f = 0; f < s->features; f++)
			want[f * s->points + p] = features->f[p * s->features + f];
	wl_check_f32(w, inverted, want, (uint64_t)s->points * s->features, 0, 0);
}

static void run(struct wl *w)
{
	struct shape s = {(uint32_t)wl_param(w, "points"), (uint32_t)wl_param(w, "features"),
		(uint32_t)wl_param(w, "clusters")};
	bool inverts = wl_param(w, "invert");
	uint32_t values = s.points * s.features, moved, side = 1;
	struct wl_buf features = wl_alloc(w, "features", values * sizeof(float));
	struct wl_buf inverted = wl_alloc(w, "inverted", inverts ? values * sizeof(float) : 4);
	struct wl_buf centres = wl_alloc(w, "centres", s.clusters * s.features * sizeof(float));
	struct wl_buf membership = wl_alloc(w, "membership", s.points * sizeof(int32_t));
	int32_t *want = wl_host(w, s.points, sizeof(*want)),
		*old = wl_host(w, s.points, sizeof(*old));
	float *sums = wl_host(w, s.clusters * s.features, sizeof(*sums));
	uint32_t *counts = wl_host(w, s.clusters, sizeof(*counts));
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	if (s.clusters > s.points) {
		wl_fail(w, "kmeans: %u clusters need as many points, not %u", s.clusters, s.points);
		return;
	}
	wl_rng_start(&rng, w, 0);
	for (uint32_t i = 0; i < values; i++)
		features.f[i] = wl_unit(&rng);
	for (uint32_t i = 0; i < s.clusters * s.features; i++)
		centres.f[i] = features.f[i]; /* the first points, as in the original */
	for (uint32_t p = 0; p < s.points; p++)
		old[p] = -1;
	while (side * side < wl_ceil_div(s.points, THREADS))
		side++; /* the original's grid is a square, its last rows beyond the points */
	wl_upload(w, &features);
	if (inverts)
		invert(w, &s, &features, &inverted);
	for (int64_t round = 0; round < wl_param(w, "rounds") && !wl_failed(w); round++) {
		wl_upload(w, &centres);
		WL_LAUNCH(w, "kmeans_point", wl_dim(side, side, 1), wl_dim(THREADS, 1, 1), 0,
			wl_p(inverts ? &inverted : &features), wl_p(&centres), wl_p(&membership),
			wl_i((int32_t)s.points), wl_i((int32_t)s.features),
			wl_i((int32_t)s.clusters), wl_i(inverts ? 1 : (int32_t)s.features),
			wl_i(inverts ? (int32_t)s.points : 1));
		moved = 0;
		for (uint32_t p = 0; p < s.points; p++) {
			want[p] = nearest(&s, features.f + p * s.features, centres.f);
			moved += want[p] != old[p];
			old[p] = want[p];
		}
		wl_check_i32(w, &membership, want, s.points);
		if (!moved)
			break;
		move_centres(&s, features.f, want, centres.f, sums, counts);
	}
}

const struct workload wl_kmeans = {
	.name = "kmeans",
	.cls = "HCS",
	.papers = "thesis",
	.suite = "Rodinia",
	.summary = "nearest centre of every point, features read uncoalesced from global memory",
	.params =
		{
			{"points", 65000, 1, 1 << 24, "points"},
			{"features", 34, 1, 64, "features of a point"},
			{"clusters", 2, 1, 64, "centres"},
			{"rounds", 1, 1, 1000, "launches at most"},
			{"invert", 0, 0, 1,
				"1: a kernel first lays the features out feature by feature"},
		},
	.tiny = "points=300,features=5,clusters=3,rounds=2,invert=1",
	.run = run,
};
