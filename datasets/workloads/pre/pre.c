/*
 * pre: the product recommendation of Wang et al. (ISCA 2015, table 4), after Nadungodage et al., in
 * two forms: flat, with one thread an item, and dynamic, where each thread launches a kernel over
 * the other items. Input: ratings of 1 to 5 as in MovieLens's set of 943 users, 1,682 items and
 * 100,000 ratings, in made form: items are rated by Zipf's law with exponent 0.8, users evenly.
 * The default has a fifth of the users and items and the same part of all pairs rated, 6.3 %; the
 * set's own size is --set users=943,items=1682. Blocks of 256 threads, 104 at most (13 SMX of 8).
 * The check computes similarities from a full table; operations round as the kernels' do, so
 * results are equal.
 */
#include "datasets/workloads/input.h"
#include <math.h>
#include <string.h>

#define BLOCK 256
#define TOP 10
#define SKEW 800

/* The kernels' structure of four pointers. */
static struct wl_arg ratings(const struct wl_buf *const bufs[4])
{
	struct wl_arg arg = {.size = 4 * sizeof(uint64_t)};

	for (int i = 0; i < 4; i++)
		memcpy(arg.bytes + i * sizeof(uint64_t), &bufs[i]->dev, sizeof(uint64_t));
	return arg;
}

/* A full table, 0 where an item was not rated: rated[item * users + user]. How many are. */
static uint32_t rate(struct wl *w, uint8_t *rated, uint32_t users, uint32_t items)
{
	const uint64_t want = (uint64_t)users * items * 1000 / 15861; /* 100,000 of 943 * 1,682 */
	struct wl_zipf zipf;
	struct wl_rng rng;
	uint32_t n = 0;

	wl_check_rc(w, wl_zipf_init(&zipf, items, SKEW, wl_err(w)));
	wl_rng_start(&rng, w, 0);
	/* A pair that was drawn before is drawn again, within bounds. */
	for (uint64_t tries = 0; n < want && tries < 16 * want && !wl_failed(w); tries++) {
		const uint32_t item = wl_zipf_draw(&zipf, &rng);
		const uint32_t user = wl_below(&rng, users);
		uint8_t *r = &rated[(uint64_t)item * users + user];

		n += !*r;
		if (!*r)
			*r = (uint8_t)(1 + wl_below(&rng, 5));
	}
	wl_zipf_free(&zipf);
	return n;
}

static void similarities(const uint8_t *rated, uint32_t users, uint32_t items, float *similar)
{
	for (uint32_t i = 0; i < items; i++)
		for (uint32_t j = 0; j < items; j++) {
			const uint8_t *a = rated + (uint64_t)i * users;
			const uint8_t *b = rated + (uint64_t)j * users;
			int32_t dot = 0, aa = 0, bb = 0;

			for (uint32_t u = 0; u < users; u++) {
				dot += a[u] * b[u];
				aa += a[u] * a[u];
				bb += b[u] * b[u];
			}
			similar[(uint64_t)i * items + j] =
				dot ? (float)dot / (sqrtf((float)aa) * sqrtf((float)bb)) : 0;
		}
}

/* By selection: the best that is after the one before. */
static void top(const float *similar, uint32_t items, uint32_t i, float *score, int32_t *item)
{
	const float *row = similar + (uint64_t)i * items;

	for (uint32_t k = 0; k < TOP; k++) {
		score[k] = 0;
		item[k] = -1;
		for (uint32_t j = 0; j < items; j++) {
			const bool after = !k || row[j] < score[k - 1] ||
					   (row[j] == score[k - 1] && (int32_t)j > item[k - 1]);

			if (j != i && after && row[j] > score[k]) {
				score[k] = row[j];
				item[k] = (int32_t)j;
			}
		}
		if (item[k] < 0) {
			for (uint32_t rest = k + 1; rest < TOP; rest++) {
				score[rest] = 0;
				item[rest] = -1;
			}
			return;
		}
	}
}

static void run(struct wl *w)
{
	const uint32_t users = (uint32_t)wl_param(w, "users");
	const uint32_t items = (uint32_t)wl_param(w, "items");
	const uint32_t most = (uint32_t)wl_param(w, "blocks");
	const uint32_t blocks = wl_ceil_div(items, BLOCK);
	const uint64_t pairs = (uint64_t)items * items;
	const struct wl_dim grid = wl_dim(blocks < most ? blocks : most, 1, 1);
	const struct wl_dim block = wl_dim(BLOCK, 1, 1);
	uint8_t *rated = wl_host(w, (uint64_t)items * users, 1);
	const uint32_t nratings = wl_failed(w) ? 0 : rate(w, rated, users, items);
	const int32_t n = (int32_t)items;
	uint32_t at = 0;

	struct wl_buf first = wl_alloc(w, "first", (items + 1ull) * sizeof(int32_t));
	struct wl_buf user = wl_alloc(w, "user", (nratings + 1ull) * sizeof(int32_t));
	struct wl_buf rating = wl_alloc(w, "rating", (nratings + 1ull) * sizeof(int32_t));
	struct wl_buf norm = wl_alloc(w, "norm", items * sizeof(float));
	struct wl_buf similar = wl_alloc(w, "similar", pairs * sizeof(float));
	struct wl_buf score = wl_alloc(w, "score", (uint64_t)items * TOP * sizeof(float));
	struct wl_buf item = wl_alloc(w, "item", (uint64_t)items * TOP * sizeof(int32_t));
	float *want = wl_host(w, pairs, sizeof(*want));
	float *want_score = wl_host(w, (uint64_t)items * TOP, sizeof(*want_score));
	int32_t *want_item = wl_host(w, (uint64_t)items * TOP, sizeof(*want_item));

	if (wl_failed(w))
		return;
	for (uint32_t i = 0; i < items; i++) {
		for (uint32_t u = 0; u < users; u++)
			if (rated[(uint64_t)i * users + u]) {
				user.i[at] = (int32_t)u;
				rating.i[at++] = rated[(uint64_t)i * users + u];
			}
		first.i[i + 1] = (int32_t)at;
	}
	wl_upload(w, &first);
	wl_upload(w, &user);
	wl_upload(w, &rating);
	WL_LAUNCH(
		w, "pre_norms", grid, block, 0, wl_p(&first), wl_p(&rating), wl_i(n), wl_p(&norm));
	WL_LAUNCH(w, wl_param(w, "form") ? "pre_similar_dyn" : "pre_similar", grid, block, 0,
		ratings((const struct wl_buf *const[]){&first, &user, &rating, &norm}), wl_i(n),
		wl_p(&similar));
	WL_LAUNCH(w, "pre_top", grid, block, 0, wl_p(&similar), wl_i(n), wl_p(&score), wl_p(&item));
	similarities(rated, users, items, want);
	for (uint32_t i = 0; i < items; i++)
		top(want, items, i, want_score + (uint64_t)i * TOP, want_item + (uint64_t)i * TOP);
	wl_check_f32(w, &similar, want, pairs, 0, 0);
	wl_check_f32(w, &score, want_score, (uint64_t)items * TOP, 0, 0);
	wl_check_i32(w, &item, want_item, (uint64_t)items * TOP);
}

const struct workload wl_pre = {
	.name = "pre",
	.cls = "DIV DYN",
	.papers = "dtbl",
	.suite = "Nadungodage et al.",
	.summary = "recommendation by similar items, flat or with kernels launched by threads",
	.params =
		{
			{"form", 0, 0, 1, "flat, or dyn: threads launch kernels"},
			{"users", 189, 1, 1 << 16, "users"},
			{"items", 336, 2, 1 << 13, "items"},
			{"blocks", 104, 1, 1 << 20, "blocks of a launch, at most"},
		},
	.names = {{"form", "flat,dyn"}},
	.tiny = "users=40,items=40",
	.run = run,
};
