/*
 * mummer++: MUMmerGPU++'s exact matching of short reads against a reference, as TBC and DWR ran it:
 * mummer's genome and reads with a suffix array in the place of the tree, in blocks of 192 threads
 * (TBC's table 1; preset dwr has DWR's 196 of 256, for the same 50,000 reads of 25 letters). Kept:
 * one query a thread, every start that leaves room for the shortest match, a search of its own for
 * each, as there are no suffix links. Left out: the texture layout, the listing of all places of a
 * match, paging of the reference. By default only one start a read is looked for, where the papers
 * have six: on TBC's and DWR's reads those would be 277 M thread instructions (min=20).
 *
 * The check of the lengths is reads.h's; the place reported must be that of the one suffix that the
 * kernel has to choose.
 */
#include "datasets/workloads/reads.h"
#include <stdlib.h>

struct array {
	const char *text;
	int32_t n, *places, *left, *right, *rank;
};

/* Letters that two texts have in common; they end differently. */
static int32_t common(const char *a, const char *b)
{
	int32_t k = 0;

	while (a[k] == b[k])
		k++;
	return k;
}

static int by_letters(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;
	int32_t k;

	if (x == y)
		return 0;
	k = common(x, y);
	return x[k] < y[k] ? -1 : 1;
}

static void sort_suffixes(struct wl *w, struct array *a)
{
	const char **suffixes = wl_host(w, (size_t)a->n, sizeof(*suffixes));

	a->rank = wl_host(w, (size_t)a->n, sizeof(*a->rank));
	if (wl_failed(w))
		return;
	for (int32_t i = 0; i < a->n; i++)
		suffixes[i] = a->text + i;
	qsort(suffixes, (size_t)a->n, sizeof(*suffixes), by_letters);
	for (int32_t i = 0; i < a->n; i++) {
		a->places[i] = (int32_t)(suffixes[i] - a->text);
		a->rank[a->places[i]] = i;
	}
}

/* What the middle of each interval of the search shares with the interval's bounds. */
static void share(struct array *a, int32_t low, int32_t high)
{
	int32_t mid = (low + high) / 2;
	const char *suffix;

	if (high - low <= 1)
		return;
	suffix = a->text + a->places[mid];
	a->left[mid] = low < 0 ? 0 : common(a->text + a->places[low], suffix);
	a->right[mid] = high == a->n ? 0 : common(a->text + a->places[high], suffix);
	share(a, low, mid);
	share(a, mid, high);
}

static bool precedes(const struct array *a, int32_t i, const char *query)
{
	const char *suffix = a->text + a->places[i];
	int32_t k = common(suffix, query);

	return suffix[k] < query[k];
}

/*
 * Whether the longest match, of `length` letters, is to be reported at `place`: at the last suffix
 * before the query if the next one matches less, else at the first one after it.
 */
static bool next_to(const void *index, int32_t place, const char *query, int32_t length)
{
	const struct array *a = index;
	int32_t i;

	if (!length || place < 0 || place >= a->n)
		return !length && place == -1;
	if (common(a->text + place, query) != length)
		return false;
	i = a->rank[place];
	if (precedes(a, i, query))
		return i + 1 == a->n || common(a->text + a->places[i + 1], query) < length;
	return !i || precedes(a, i - 1, query);
}

static void run(struct wl *w)
{
	struct wl_reads r;
	struct array a;
	struct wl_buf places, left, right;
	uint32_t threads = (uint32_t)wl_param(w, "threads");
	uint64_t bytes;

	wl_reads_make(w, &r);
	bytes = (uint64_t)r.n * sizeof(int32_t);
	places = wl_alloc(w, "places", bytes);
	left = wl_alloc(w, "left", bytes);
	right = wl_alloc(w, "right", bytes);
	a = (struct array){r.text.p, r.n, places.i, left.i, right.i, NULL};
	sort_suffixes(w, &a);
	if (wl_failed(w))
		return;
	share(&a, -1, a.n);
	wl_upload(w, &places);
	wl_upload(w, &left);
	wl_upload(w, &right);
	wl_reads_upload(w, &r);
	wl_registers(w, 28); /* TBC table 1: 3 blocks of 192 on 16384 registers */
	WL_LAUNCH(w, "suffix_match", wl_dim(wl_ceil_div((uint32_t)r.nqueries, threads), 1, 1),
		wl_dim(threads, 1, 1), 0, wl_p(&places), wl_p(&left), wl_p(&right), wl_p(&r.text),
		wl_p(&r.queries), wl_p(&r.offsets), wl_p(&r.lengths), wl_p(&r.matches),
		wl_i(r.starts), wl_i(r.min), wl_i(r.nqueries), wl_i(r.n));
	wl_reads_check(w, &r, next_to, &a);
}

const struct workload wl_mummer_pp = {
	.name = "mummer++",
	.cls = "DIV",
	.papers = "tbc,dwr,crown",
	.suite = "Gharaibeh",
	.summary = "exact matches of short reads by searches of the reference's suffix array",
	.params =
		{
			{"queries", 50000, 1, 1 << 23, "reads"},
			{"length", 25, 1, 200, "letters of a read"},
			{"min", 25, 1, 200, "shortest match looked for"},
			{"reference", 65536, WL_READS_SEED, 1 << 23, "letters of the reference"},
			WL_READS_PARAMS,
			{"threads", 192, 32, 512, "of a block"},
		},
	.presets =
		{
			{"small", "queries=100,min=20", "slide 46's MP: a block"},
			{"big", "queries=50000,min=20", "slide 46's MP2: six starts a read"},
			{"tbc", "queries=50000,min=20," WL_READS_BAKHODA,
				"mummer's reads: 277 M instructions, table 1 has 140 M"},
			{"dwr", "queries=50000,min=20,threads=256," WL_READS_BAKHODA,
				"likewise; table 1 has 139 M, in blocks of 256"},
		},
	.tiny = "queries=200,length=8,min=5,reference=12",
	.run = run,
};
