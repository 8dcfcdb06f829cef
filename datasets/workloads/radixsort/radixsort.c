/*
 * radixsort: the thesis names a RadixSort of high-performance computing among the convergent
 * applications of its chapter 6, without saying whose. This is the sort of CUDA's SDK of those
 * years (Satish, Harris, Garland, IPDPS 2009): blocks of 256 threads, four pairs of key and value
 * a thread, digits of 4 bits, and for each of the eight passes a sort of each tile, counts, their
 * sums, and a scatter. Left out: its several kernels for the sums (one block goes over them here)
 * and its special first pass for floats. Keys are evenly random, a value is its key's first place.
 *
 * The check sorts by comparison and compares keys and values exactly, so the sort has to be stable.
 */
#include "datasets/workloads/input.h"
#include <stdlib.h>

#define DIGITS 16
#define DIGIT_BITS 4

struct pair {
	uint32_t sorted_by, key, value;
};

static int compare(const void *a, const void *b)
{
	const struct pair *p = a, *q = b;

	if (p->sorted_by != q->sorted_by)
		return p->sorted_by < q->sorted_by ? -1 : 1;
	return p->value < q->value ? -1 : p->value > q->value;
}

static void sort(struct wl *w, uint32_t passes, struct wl_buf *keys, struct wl_buf *values,
	const struct wl_buf *first, const struct wl_buf *counts)
{
	uint32_t tiles = (uint32_t)wl_param(w, "tiles"), threads = (uint32_t)wl_param(w, "block");
	struct wl_dim grid = wl_dim(tiles, 1, 1), one = wl_dim(1, 1, 1);
	struct wl_dim block = wl_dim(threads, 1, 1);

	for (uint32_t pass = 0; pass < passes; pass++) {
		struct wl_arg shift = wl_i((int32_t)(pass * DIGIT_BITS));

		WL_LAUNCH(w, "radix_sort_tile", grid, block, 0, wl_p(&keys[0]), wl_p(&values[0]),
			wl_p(&keys[1]), wl_p(&values[1]), shift);
		WL_LAUNCH(w, "radix_count", grid, block, 0, wl_p(&keys[1]), wl_p(first),
			wl_p(counts), shift);
		WL_LAUNCH(w, "radix_scan", one, block, 0, wl_p(counts),
			wl_i((int32_t)(tiles * DIGITS)));
		WL_LAUNCH(w, "radix_scatter", grid, block, 0, wl_p(&keys[1]), wl_p(&values[1]),
			wl_p(&keys[0]), wl_p(&values[0]), wl_p(first), wl_p(counts), shift);
	}
}

static void run(struct wl *w)
{
	uint32_t tiles = (uint32_t)wl_param(w, "tiles"), passes = (uint32_t)wl_param(w, "passes");
	uint32_t n = tiles * 4 * (uint32_t)wl_param(w, "block"), bits = passes * DIGIT_BITS;
	size_t bytes = n * sizeof(uint32_t), table = tiles * DIGITS * sizeof(uint32_t);
	struct wl_buf keys[2] = {wl_alloc(w, "keys", bytes), wl_alloc(w, "keys_sorted", bytes)};
	struct wl_buf values[2] = {
		wl_alloc(w, "values", bytes), wl_alloc(w, "values_sorted", bytes)};
	struct wl_buf first = wl_alloc(w, "first", table), counts = wl_alloc(w, "counts", table);
	struct pair *pairs = wl_host(w, n, sizeof(*pairs));
	uint32_t *want_keys = wl_host(w, n, sizeof(*want_keys));
	uint32_t *want_values = wl_host(w, n, sizeof(*want_values));
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 0);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t key = (uint32_t)(wl_u64(&rng) >> 32);

		keys[0].u[i] = key;
		values[0].u[i] = i;
		pairs[i] = (struct pair){bits < 32 ? key & ((1u << bits) - 1) : key, key, i};
	}
	wl_upload(w, &keys[0]);
	wl_upload(w, &values[0]);
	sort(w, passes, keys, values, &first, &counts);
	qsort(pairs, n, sizeof(*pairs), compare);
	for (uint32_t i = 0; i < n; i++) {
		want_keys[i] = pairs[i].key;
		want_values[i] = pairs[i].value;
	}
	wl_check_u32(w, &keys[0], want_keys, n);
	wl_check_u32(w, &values[0], want_values, n);
}

const struct workload wl_radixsort = {
	.name = "radixsort",
	.cls = "WSC",
	.papers = "thesis",
	.suite = "CUDA SDK",
	.summary = "radix sort of pairs: sort of tiles, counts, sums, scatter of 4-bit digits",
	.params =
		{
			{"tiles", 16, 1, 16384, "tiles of four pairs a thread, a block each"},
			{"block", 256, 16, 256, "threads of a block"},
			{"passes", 8, 1, 8, "digits of 4 bits, from the lowest"},
		},
	.tiny = "tiles=3,block=40,passes=2",
	.run = run,
};
