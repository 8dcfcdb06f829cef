/*
 * join: the relational join of Wang et al. (ISCA 2015, table 4), after Diamos et al., in two forms:
 * flat, with one thread a key of the left list, and dynamic, where threads launch kernels for keys
 * with many matches. Input: two sorted lists of keys that are uniform or Gaussian, with random
 * values, as of a table and one that refers to it: a key has one row of the left list in the mean,
 * and as many of the right one as a child has threads. As many keys are Gaussian within 8 standard
 * deviations, so that those in the middle have several times the mean and most have few. Blocks of
 * 256 threads, 104 at most (13 SMX of 8), as in the dynamic workloads' source of 2014, each with a
 * part of the left list that is whole tiles of 256. There a block writes to a range of its own, and
 * a kernel closes the gaps; here blocks take the places that follow by an atomic addition. So the
 * pairs' order depends on that of the blocks, and the check sorts them before it compares with the
 * CPU's.
 */
#include "datasets/workloads/input.h"
#include <stdlib.h>
#include <string.h>

#define BLOCK 256

struct rows { /* a list on the host */
	uint32_t n;
	int32_t *key, *value;
};

struct match {
	int32_t key, a, b;
};

static int by_key(const void *a, const void *b)
{
	const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

static int by_all(const void *a, const void *b)
{
	const struct match *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

/* Standard deviation 1: the sum of twelve even numbers. */
static float gaussian(struct wl_rng *rng)
{
	float sum = -6;

	for (int i = 0; i < 12; i++)
		sum += wl_unit(rng);
	return sum;
}

static struct rows make(struct wl *w, uint32_t n, uint64_t stream)
{
	const uint32_t keys = (uint32_t)wl_param(w, "keys");
	struct rows r = {.n = n,
		.key = wl_host(w, n, sizeof(*r.key)),
		.value = wl_host(w, n, sizeof(*r.value))};
	struct wl_rng rng;

	if (wl_failed(w))
		return r;
	wl_rng_start(&rng, w, stream);
	for (uint32_t i = 0; i < n; i++) {
		if (wl_param(w, "input")) {
			int32_t key = (int32_t)((float)keys * (0.5f + gaussian(&rng) / 8));

			r.key[i] = key < 0 ? 0 : key < (int32_t)keys ? key : (int32_t)keys - 1;
		} else {
			r.key[i] = (int32_t)wl_below(&rng, keys);
		}
		r.value[i] = (int32_t)(wl_u64(&rng) >> 33);
	}
	qsort(r.key, n, sizeof(*r.key), by_key);
	return r;
}

/* The matches on the CPU, by a merge; `out` NULL: how many. */
static uint64_t merge(const struct rows *l, const struct rows *r, struct match *out)
{
	uint64_t n = 0;

	for (uint32_t i = 0, first = 0; i < l->n; i++) {
		while (first < r->n && r->key[first] < l->key[i])
			first++;
		for (uint32_t k = first; k < r->n && r->key[k] == l->key[i]; k++, n++)
			if (out)
				out[n] = (struct match){l->key[i], l->value[i], r->value[k]};
	}
	return n;
}

static void check(struct wl *w, const struct wl_buf *key, const struct wl_buf *a,
	const struct wl_buf *b, struct match *want, uint32_t n)
{
	struct match *got = wl_host(w, n, sizeof(*got));

	wl_output(w, key, WL_I32, n);
	wl_output(w, a, WL_I32, n);
	wl_output(w, b, WL_I32, n);
	if (wl_failed(w))
		return;
	for (uint32_t i = 0; i < n; i++)
		got[i] = (struct match){key->i[i], a->i[i], b->i[i]};
	qsort(got, n, sizeof(*got), by_all);
	qsort(want, n, sizeof(*want), by_all);
	for (uint32_t i = 0; i < n; i++)
		if (by_all(&got[i], &want[i])) {
			wl_fail(w,
				"join: match %u in order is (%d, %d, %d), the CPU says (%d, %d, "
				"%d)",
				i, got[i].key, got[i].a, got[i].b, want[i].key, want[i].a,
				want[i].b);
			return;
		}
}

static struct wl_buf put(struct wl *w, const char *name, const int32_t *from, uint32_t n)
{
	struct wl_buf b = wl_alloc(w, name, n * sizeof(*from));

	if (!wl_failed(w)) {
		memcpy(b.i, from, n * sizeof(*from));
		wl_upload(w, &b);
	}
	return b;
}

static void run(struct wl *w)
{
	const uint32_t most = (uint32_t)wl_param(w, "blocks");
	const uint32_t keys = (uint32_t)wl_param(w, "keys");
	const struct rows l = make(w, keys * (uint32_t)wl_param(w, "left"), 0);
	const struct rows r = make(w, keys * (uint32_t)wl_param(w, "right"), 1);
	const uint32_t part = BLOCK * wl_ceil_div(wl_ceil_div(l.n, BLOCK), most);
	const uint32_t parts = wl_ceil_div(l.n, part);
	const uint64_t room = wl_failed(w) ? 0 : merge(&l, &r, NULL);
	const struct wl_dim block = wl_dim(BLOCK, 1, 1);

	if (room > INT32_MAX / 2)
		wl_fail(w, "join: %llu matches are too many for 32-bit places",
			(unsigned long long)room);
	if (wl_failed(w))
		return;

	struct wl_buf left = put(w, "left", l.key, l.n);
	struct wl_buf left_value = put(w, "left value", l.value, l.n);
	struct wl_buf right = put(w, "right", r.key, r.n);
	struct wl_buf right_value = put(w, "right value", r.value, r.n);
	struct wl_buf bounds = wl_alloc(w, "bounds", parts * 2 * sizeof(int32_t));
	struct wl_buf pairs = wl_alloc(w, "pairs", (room + 1) * 2 * sizeof(int32_t));
	struct wl_buf size = wl_alloc(w, "size", sizeof(int32_t));
	struct wl_buf key = wl_alloc(w, "key", (room + 1) * sizeof(int32_t));
	struct wl_buf a = wl_alloc(w, "a", (room + 1) * sizeof(int32_t));
	struct wl_buf b = wl_alloc(w, "b", (room + 1) * sizeof(int32_t));
	struct match *want = wl_host(w, room + 1, sizeof(*want));

	wl_upload(w, &size);
	WL_LAUNCH(w, "join_bounds", wl_dim(wl_ceil_div(parts, BLOCK), 1, 1), block, 0, wl_p(&left),
		wl_i((int32_t)l.n), wl_p(&right), wl_i((int32_t)r.n), wl_i((int32_t)part),
		wl_i((int32_t)parts), wl_p(&bounds));
	WL_LAUNCH(w, wl_param(w, "form") ? "join_part_dyn" : "join_part", wl_dim(parts, 1, 1),
		block, 0, wl_p(&left), wl_i((int32_t)l.n), wl_p(&right), wl_i((int32_t)part),
		wl_p(&bounds), wl_p(&pairs), wl_p(&size));
	wl_download(w, &size);
	if (wl_failed(w))
		return;
	if ((uint64_t)*size.i != room) {
		wl_fail(w, "join: %d matches, the CPU says %llu", *size.i,
			(unsigned long long)room);
		return;
	}
	if (room) {
		const uint32_t blocks = wl_ceil_div(room, BLOCK);

		WL_LAUNCH(w, "join_gather", wl_dim(blocks < most ? blocks : most, 1, 1), block, 0,
			wl_p(&pairs), wl_i((int32_t)room), wl_p(&left), wl_p(&left_value),
			wl_p(&right_value), wl_p(&key), wl_p(&a), wl_p(&b));
	}
	merge(&l, &r, want);
	check(w, &key, &a, &b, want, (uint32_t)room);
}

const struct workload wl_join = {
	.name = "join",
	.cls = "DIV DYN",
	.papers = "dtbl",
	.suite = "Diamos et al.",
	.summary = "relational join of sorted lists, flat or with kernels launched by threads",
	.params =
		{
			{"form", 0, 0, 1, "flat, or dyn: threads launch kernels"},
			{"input", 0, 0, 1, "keys: uniform or gaussian"},
			{"keys", 4096, 2, 1 << 20, "different keys"},
			{"left", 1, 1, 256, "rows of a key in the left list, in the mean"},
			{"right", 32, 1, 256, "rows of a key in the right list, in the mean"},
			{"blocks", 104, 1, 1 << 20, "blocks of a launch, at most"},
		},
	.names = {{"form", "flat,dyn"}, {"input", "uniform,gaussian"}},
	.tiny = "keys=20",
	.run = run,
};
