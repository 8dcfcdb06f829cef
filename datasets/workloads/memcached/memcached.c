/*
 * memcached: the GET path of a key-value store, one request a thread, 256 threads a block as the
 * thesis runs it (3.3.1: a trace of Wikipedia page requests; here titles of the same look, drawn by
 * Zipf's law, some of them of pages that are not stored). Kept: the chained table at memcached's
 * load, expiry, the stamp of the last access, keys and values of varying length side by side in the
 * heap. Left out: the network, SET and eviction, which the original leaves to the CPU.
 *
 * The check knows by its generator which item each request means, and hashes nothing.
 */
#include "datasets/workloads/input.h"
#include <string.h>

#define KEY_MAX 252  /* 250, and bytes of zero up to whole words */
#define TITLE_MAX 40 /* of make_key's */
#define NOW 1000000u

struct request {
	uint32_t nkey;
	uint8_t key[KEY_MAX];
};

/* In words of the heap: next, time, exptime, nbytes, nkey, then the key, then the value. */
enum { NEXT, TIME, EXPTIME, NBYTES, NKEY, KEY };

/* A title that no other id has: a common beginning, letters of its own, the id in base 26. */
static void make_key(struct request *r, uint64_t seed, uint32_t id)
{
	static const char *const begin[] = {
		"", "", "", "Talk:", "User:", "Category:", "List_of_", "Wikipedia:"};
	struct wl_rng rng;
	const char *b;
	uint32_t letters;

	wl_rng_seed(&rng, seed, 16 + (uint64_t)id);
	b = begin[wl_below(&rng, sizeof(begin) / sizeof(begin[0]))];
	r->nkey = (uint32_t)strlen(b);
	memcpy(r->key, b, r->nkey);
	letters = wl_below(&rng, 20);
	for (uint32_t i = 0; i < letters; i++)
		r->key[r->nkey++] = (uint8_t)('a' + wl_below(&rng, 26));
	r->key[r->nkey++] = '_';
	do {
		r->key[r->nkey++] = (uint8_t)('a' + id % 26);
		id /= 26;
	} while (id);
}

static uint32_t turn(uint32_t x, unsigned k)
{
	return x << k | x >> (32 - k);
}

/* Jenkins's lookup3. h: its a, b and c. */
static uint32_t hash_key(const struct request *r)
{
	static const unsigned mixed[] = {4, 6, 8, 16, 19, 4}, last[] = {14, 11, 25, 16, 4, 14, 24};
	uint32_t h[3], word[KEY_MAX / 4], at = 0;

	memcpy(word, r->key, sizeof(word));
	h[0] = h[1] = h[2] = 0xdeadbeef + r->nkey;
	for (; r->nkey - 4 * at > 12; at += 3) {
		for (unsigned i = 0; i < 3; i++)
			h[i] += word[at + i];
		for (unsigned i = 0; i < 6; i++) {
			h[i % 3] = (h[i % 3] - h[(i + 2) % 3]) ^ turn(h[(i + 2) % 3], mixed[i]);
			h[(i + 2) % 3] += h[(i + 1) % 3];
		}
	}
	for (unsigned i = 0; i < 3; i++)
		h[i] += word[at + i];
	for (unsigned i = 0; i < 7; i++)
		h[(i + 2) % 3] = (h[(i + 2) % 3] ^ h[(i + 1) % 3]) - turn(h[(i + 1) % 3], last[i]);
	return h[2];
}

struct store {
	uint32_t items, mask, value_max;
	uint32_t *place; /* of each item, in words of the heap */
	struct wl_buf table, heap;
};

static uint32_t words(uint32_t bytes)
{
	return (bytes + 3) / 4;
}

/* Items of random sizes, linked into their buckets newest first. */
static void fill(struct wl *w, struct store *s)
{
	uint64_t item_max = KEY + words(TITLE_MAX) + words(s->value_max), at = 1;
	struct wl_rng rng;

	s->place = wl_host(w, s->items, sizeof(*s->place));
	s->table = wl_alloc(w, "table", (s->mask + 1ull) * sizeof(uint32_t));
	s->heap = wl_alloc(w, "heap", (1 + s->items * item_max) * sizeof(uint32_t));
	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 0);
	for (uint32_t id = 0; id < s->items; id++) {
		uint32_t *it = s->heap.u + at, *bucket;
		struct request r = {0};

		make_key(&r, wl_seed(w), id);
		bucket = s->table.u + (hash_key(&r) & s->mask);
		it[NEXT] = *bucket;
		it[TIME] = wl_below(&rng, NOW);
		if (!wl_below(&rng, 4)) /* some items expire, and one in thirty-two has */
			it[EXPTIME] = NOW - NOW / 8 + wl_below(&rng, NOW);
		it[NBYTES] = wl_below(&rng, s->value_max + 1);
		it[NKEY] = r.nkey;
		memcpy(it + KEY, r.key, r.nkey);
		for (uint32_t i = 0; i < it[NBYTES]; i++)
			((uint8_t *)(it + KEY + words(r.nkey)))[i] = (uint8_t)wl_u64(&rng);
		s->place[id] = *bucket = (uint32_t)at;
		at += KEY + words(r.nkey) + words(it[NBYTES]);
	}
}

static void serve(struct wl *w, struct store *s, uint32_t n, const struct wl_zipf *zipf)
{
	uint32_t reply_words = words(s->value_max), absent = (uint32_t)wl_param(w, "absent");
	struct wl_buf requests = wl_alloc(w, "requests", n * sizeof(struct request));
	struct wl_buf found = wl_alloc(w, "found", n * sizeof(int32_t));
	struct wl_buf replies =
		wl_alloc(w, "replies", (uint64_t)n * reply_words * sizeof(uint32_t));
	uint32_t *popular = wl_host(w, s->items, sizeof(*popular)),
		 *id = wl_host(w, n, sizeof(*id));
	int32_t *want_found = wl_host(w, n, sizeof(*want_found));
	uint32_t *want_replies = wl_host(w, n, (size_t)reply_words * sizeof(*want_replies));
	uint32_t *want_heap = wl_host(w, s->heap.bytes, 1);
	struct wl_rng rng;

	if (wl_failed(w))
		return;
	wl_rng_start(&rng, w, 1);
	for (uint32_t i = 0; i < s->items; i++) { /* which item has which rank: a shuffle */
		uint32_t j = wl_below(&rng, i + 1);

		popular[i] = popular[j];
		popular[j] = i;
	}
	for (uint32_t i = 0; i < n; i++) {
		id[i] = popular[wl_zipf_draw(zipf, &rng)];
		if (wl_below(&rng, 1000) < absent)
			id[i] += s->items;
		make_key((struct request *)requests.p + i, wl_seed(w), id[i]);
	}
	wl_upload(w, &s->table);
	wl_upload(w, &s->heap);
	wl_upload(w, &requests);
	memcpy(want_heap, s->heap.u, s->heap.bytes);
	WL_LAUNCH(w, "memcached_get", wl_dim(wl_ceil_div(n, 256), 1, 1), wl_dim(256, 1, 1), 0,
		wl_p(&requests), wl_p(&s->table), wl_u(s->mask), wl_p(&s->heap), wl_u(NOW),
		wl_p(&found), wl_p(&replies), wl_u(reply_words), wl_u(n));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *it = id[i] < s->items ? want_heap + s->place[id[i]] : NULL;

		want_found[i] = -1;
		if (!it || (it[EXPTIME] && it[EXPTIME] <= NOW))
			continue;
		it[TIME] = NOW;
		want_found[i] = (int32_t)it[NBYTES];
		memcpy(want_replies + (size_t)i * reply_words, it + KEY + words(it[NKEY]),
			it[NBYTES]);
	}
	wl_check_i32(w, &found, want_found, n);
	wl_check_u32(w, &replies, want_replies, (uint64_t)n * reply_words);
	wl_check_u32(w, &s->heap, want_heap, s->heap.bytes / sizeof(uint32_t));
}

static void run(struct wl *w)
{
	uint32_t n = (uint32_t)wl_param(w, "requests");
	struct store s = {.items = (uint32_t)wl_param(w, "items"),
		.mask = 1,
		.value_max = (uint32_t)wl_param(w, "value")};
	struct wl_zipf zipf = {0};

	while (s.mask + 1 <= s.items / 2) /* one to two items a bucket, as memcached grows */
		s.mask = 2 * s.mask + 1;
	wl_check_rc(w, wl_zipf_init(&zipf, s.items, (uint32_t)wl_param(w, "skew"), wl_err(w)));
	if (!wl_failed(w))
		fill(w, &s);
	if (!wl_failed(w))
		serve(w, &s, n, &zipf);
	wl_zipf_free(&zipf);
}

const struct workload wl_memcached = {
	.name = "memcached",
	.cls = "HCS",
	.papers = "thesis",
	.suite = "Hetherington",
	.summary = "GET requests of a key-value store: hash, walk the chain, compare, copy",
	.params =
		{
			{"requests", 61440, 1, 1 << 23, "requests"},
			{"items", 98304, 1, 1 << 23, "items stored"},
			{"value", 128, 4, 1024, "longest value in bytes"},
			{"skew", 990, 0, 2000, "exponent of Zipf's law, in thousandths"},
			{"absent", 50, 0, 1000,
				"requests for keys that are not stored, in thousandths"},
		},
	.tiny = "requests=300,items=200,value=24",
	.run = run,
};
