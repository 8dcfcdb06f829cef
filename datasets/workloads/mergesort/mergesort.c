/*
 * mergesort: Rodinia's hybridsort, which TBC calls merge sort. Kept: all seven kernels with the
 * blocks of TBC's table 1, the 64 blocks of the histogram, 1024 divisions and the launches of the
 * merge, each on runs of twice the length. Left out: the original's 4 M floats and 128 of them to a
 * thread of the bucket kernels (n=4M,band=128), in place of which there are as many as make two
 * waves of those; and constants in constant memory, which are parameters here. The floats are
 * evenly random. Registers are what allows the table's blocks on a core, and so is shared memory,
 * of which those machines took some bytes for a kernel's parameters.
 *
 * The check sorts by comparison and compares exactly, and counts the histogram's bins.
 */
#include "datasets/workloads/input.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIVISIONS_MAX 1024
#define BINS 1024
#define PARAMETERS 48 /* bytes of shared memory for them, about */

enum threads { HISTOGRAM = 96, BUCKET = 32, PREFIX = 128, FIRST = 256, PASS = 208, PACK = 256 };

struct sort {
	uint32_t n, divisions, bucket_blocks;
	struct wl_buf data, pivots, places, counts, sizes, starts; /* of the buckets */
	struct wl_buf merged[2], merge_starts, nulls, packed, sorted;
	uint32_t largest, quads; /* float4 of the largest division, of all */
};

static int compare(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

static struct wl_dim line(uint32_t x)
{
	return wl_dim(x, 1, 1);
}

static int32_t bin_of(float v, float least, float scale)
{
	int32_t bin = (int32_t)((v - least) * scale);

	return bin < BINS ? bin : BINS - 1;
}

/* Pivots that would part evenly what lies evenly within each bin. */
static void choose_pivots(struct sort *s, const uint32_t *histogram, float least, float width)
{
	uint32_t bin = 0;
	double below = 0; /* elements in the bins before it */

	for (uint32_t d = 1; d < s->divisions; d++) {
		double need = (double)s->n * d / s->divisions;

		while (below + histogram[bin] < need)
			below += histogram[bin++];
		s->pivots.f[d - 1] = least + width * (float)(bin + (need - below) / histogram[bin]);
	}
}

static void take_histogram(struct wl *w, struct sort *s)
{
	uint32_t blocks = (uint32_t)wl_param(w, "histogram_blocks");
	struct wl_buf partial = wl_alloc(w, "partial", blocks * BINS * sizeof(uint32_t));
	uint32_t *want = wl_host(w, blocks * BINS, sizeof(*want));
	uint32_t *sum = wl_host(w, BINS, sizeof(*sum));
	float least = INFINITY, most = -INFINITY, scale;

	if (wl_failed(w))
		return;
	for (uint32_t i = 0; i < s->n; i++) {
		least = fminf(least, s->data.f[i]);
		most = fmaxf(most, s->data.f[i]);
	}
	scale = BINS / (most - least);
	WL_LAUNCH(w, "histogram", line(blocks), line(HISTOGRAM), 0, wl_p(&s->data), wl_p(&partial),
		wl_f(least), wl_f(scale), wl_i((int32_t)s->n));
	for (uint32_t i = 0; i < s->n; i++) {
		int32_t bin = bin_of(s->data.f[i], least, scale);

		want[i / HISTOGRAM % blocks * BINS + (uint32_t)bin]++;
		sum[bin]++;
	}
	wl_check_u32(w, &partial, want, blocks * BINS);
	choose_pivots(s, sum, least, (most - least) / BINS);
}

/* Each division begins with a whole float4. Fills up with zeros, which sort to its beginning. */
static void place_divisions(struct wl *w, struct sort *s)
{
	uint32_t at = 0;

	for (uint32_t d = 0; d < s->divisions && !wl_failed(w); d++) {
		uint32_t size = s->sizes.u[d], quads = (size + 3) / 4;

		if (s->packed.u[d] + size > s->n) {
			wl_fail(w, "mergesort: divisions hold more than all elements");
			return;
		}
		s->starts.u[d] = 4 * at;
		s->merge_starts.u[d] = at;
		s->nulls.u[d] = 4 * quads - size;
		s->packed.u[d + 1] = s->packed.u[d] + size;
		s->largest = quads > s->largest ? quads : s->largest;
		at += quads;
	}
	s->merge_starts.u[s->divisions] = s->quads = at;
}

static void bucket(struct wl *w, struct sort *s)
{
	struct wl_arg n = wl_i((int32_t)s->n), divisions = wl_i((int32_t)s->divisions);
	uint32_t prefix = s->divisions < PREFIX ? s->divisions : PREFIX;

	wl_upload(w, &s->pivots);
	WL_LAUNCH(w, "bucket_count", line(s->bucket_blocks), line(BUCKET), PARAMETERS,
		wl_p(&s->data), wl_p(&s->pivots), wl_p(&s->places), wl_p(&s->counts), n, divisions);
	WL_LAUNCH(w, "bucket_prefix", line(wl_ceil_div(s->divisions, prefix)), line(prefix), 0,
		wl_p(&s->counts), wl_p(&s->sizes), wl_i((int32_t)s->bucket_blocks), divisions);
	wl_download(w, &s->sizes);
	place_divisions(w, s);
	wl_upload(w, &s->starts);
	wl_upload(w, &s->merged[0]);
	WL_LAUNCH(w, "bucket_sort", line(s->bucket_blocks), line(BUCKET), PARAMETERS,
		wl_p(&s->data), wl_p(&s->places), wl_p(&s->merged[0]), n, wl_p(&s->counts),
		wl_p(&s->starts), divisions);
}

static void merge(struct wl *w, struct sort *s)
{
	int from = 1;

	wl_upload(w, &s->merge_starts);
	wl_upload(w, &s->nulls);
	wl_upload(w, &s->packed);
	wl_registers(w, 16); /* TBC table 1: 4 blocks of 256 on 16384 registers */
	WL_LAUNCH(w, "merge_first", line(wl_ceil_div(s->quads, FIRST)), line(FIRST), 0,
		wl_p(&s->merged[0]), wl_p(&s->merged[1]), wl_i((int32_t)s->quads));
	wl_registers(w, 36); /* 2 blocks of 208 */
	for (uint32_t length = 2; length < 2 * s->largest && !wl_failed(w); length *= 2) {
		uint32_t threads = wl_ceil_div(s->largest, length);

		WL_LAUNCH(w, "merge_pass",
			line(wl_ceil_div((uint64_t)threads * s->divisions, PASS)), line(PASS), 0,
			wl_p(&s->merged[from]), wl_p(&s->merged[!from]), wl_p(&s->merge_starts),
			wl_i((int32_t)length), wl_i((int32_t)threads), wl_i((int32_t)s->divisions));
		from = !from;
	}
	wl_registers(w, 16); /* 4 blocks of 256 */
	WL_LAUNCH(w, "merge_pack", wl_dim(wl_ceil_div(4 * s->largest, PACK), s->divisions, 1),
		line(PACK), 0, wl_p(&s->merged[from]), wl_p(&s->sorted), wl_p(&s->merge_starts),
		wl_p(&s->nulls), wl_p(&s->packed));
	wl_registers(w, 0);
}

static void run(struct wl *w)
{
	uint32_t n = (uint32_t)wl_param(w, "n"), band = (uint32_t)wl_param(w, "band");
	/* Filled up to whole float4 each, and one to spare. */
	size_t bytes = n * sizeof(float), filled = bytes + (3 * DIVISIONS_MAX + 4) * sizeof(float);
	struct sort s = {.n = n,
		.divisions = 1u << wl_param(w, "log2_divisions"),
		.bucket_blocks = wl_ceil_div(n, BUCKET * band)};
	float *want = wl_host(w, n, sizeof(*want));
	struct wl_rng rng;

	s.data = wl_alloc(w, "data", bytes);
	s.pivots = wl_alloc(w, "pivots", s.divisions * sizeof(float));
	s.places = wl_alloc(w, "places", bytes);
	s.counts = wl_alloc(w, "counts", (size_t)s.bucket_blocks * s.divisions * sizeof(uint32_t));
	s.sizes = wl_alloc(w, "sizes", s.divisions * sizeof(uint32_t));
	s.starts = wl_alloc(w, "starts", s.divisions * sizeof(uint32_t));
	s.merged[0] = wl_alloc(w, "buckets", filled);
	s.merged[1] = wl_alloc(w, "merged", filled);
	s.merge_starts = wl_alloc(w, "merge_starts", (s.divisions + 1) * sizeof(uint32_t));
	s.nulls = wl_alloc(w, "nulls", s.divisions * sizeof(uint32_t));
	s.packed = wl_alloc(w, "packed", (s.divisions + 1) * sizeof(uint32_t));
	s.sorted = wl_alloc(w, "sorted", bytes);
	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 0);
	for (uint32_t i = 0; i < n; i++)
		s.data.f[i] = wl_unit(&rng);
	wl_upload(w, &s.data);
	take_histogram(w, &s);
	bucket(w, &s);
	merge(w, &s);
	memcpy(want, s.data.f, bytes);
	qsort(want, n, sizeof(*want), compare);
	wl_check_f32(w, &s.sorted, want, n, 0, 0);
}

const struct workload wl_mergesort = {
	.name = "mergesort",
	.cls = "COH",
	.papers = "tbc,thesis",
	.suite = "Rodinia",
	.summary = "hybrid sort: histogram, binary search into 1024 divisions, merges of float4",
	.params =
		{
			{"n", 96 << 10, 1024, 1 << 24, "floats"},
			{"log2_divisions", 10, 2, 10, "2^N divisions"},
			{"band", 16, 1, 1024, "floats of a thread of the bucket kernels"},
			{"histogram_blocks", 64, 1, 1024, "blocks of the histogram"},
		},
	.tiny = "n=1100,log2_divisions=4,band=20,histogram_blocks=1",
	.run = run,
};
