/*
 * Genome, reads and their check; see reads.h. The substring search goes by way of lists of the
 * places of every WL_READS_SEED letters.
 */
#include "datasets/workloads/reads.h"

#define SEED WL_READS_SEED
#define WORDS (1u << 2 * SEED)

static const char letters[] = "ACGT";

/* ---- input ---- */

/* One letter in `every` is changed to another; 0: none. */
static char copied(struct wl_rng *rng, char base, uint32_t every)
{
	return !every || wl_below(rng, every) ? base
					      : letters[(wl_base(base) + 1 + wl_below(rng, 3)) % 4];
}

static void make_genome(struct wl *w, char *text, uint32_t n)
{
	struct wl_rng rng;

	wl_rng_start(&rng, w, 0);
	for (uint32_t i = 0; i < n;) {
		uint32_t run = 1 + wl_below(&rng, 400), from = i ? wl_below(&rng, i) : 0;
		bool repeat = i && !wl_below(&rng, 5);

		for (; run && i < n; run--, i++)
			text[i] = repeat ? copied(&rng, text[from++], 50)
					 : letters[wl_below(&rng, 4)];
	}
	text[n] = '$';
}

static void make_queries(struct wl *w, char *queries, uint32_t nqueries, uint32_t length,
	const char *text, uint32_t n)
{
	const uint32_t tenths = (uint32_t)wl_param(w, "foreign"),
		       every = (uint32_t)wl_param(w, "changed");
	struct wl_rng rng;

	wl_rng_start(&rng, w, 1);
	for (uint32_t q = 0; q < nqueries; q++, queries += length + 1) {
		bool foreign = wl_below(&rng, 10) < tenths || length > n;
		uint32_t from = foreign ? 0 : wl_below(&rng, n - length + 1);

		for (uint32_t i = 0; i < length; i++)
			queries[i] = foreign ? letters[wl_below(&rng, 4)]
					     : copied(&rng, text[from + i], every);
	}
}

static uint32_t word_at(const char *text, int32_t length)
{
	uint32_t word = 0;

	while (length-- > 0)
		word = word << 2 | wl_base(*text++);
	return word;
}

static void index_words(struct wl *w, struct wl_reads *r)
{
	const char *text = r->text.p;
	int32_t words = r->n - SEED + 1;

	for (int32_t length = 1; length < SEED; length++) {
		r->shorter[length] = wl_host(w, 1u << 2 * length, 1);
		for (int32_t i = 0; i + length <= r->n && !wl_failed(w); i++)
			r->shorter[length][word_at(text + i, length)] = 1;
	}
	r->first = wl_host(w, WORDS + 2, sizeof(*r->first));
	r->place = wl_host(w, (size_t)r->n, sizeof(*r->place));
	if (wl_failed(w))
		return;
	for (int32_t i = 0; i < words; i++)
		r->first[word_at(text + i, SEED) + 2]++;
	for (uint32_t s = 2; s < WORDS + 2; s++)
		r->first[s] += r->first[s - 1];
	for (int32_t i = 0; i < words; i++)
		r->place[r->first[word_at(text + i, SEED) + 1]++] = (uint32_t)i;
}

void wl_reads_make(struct wl *w, struct wl_reads *r)
{
	uint32_t n = (uint32_t)wl_param(w, "reference"),
		 nqueries = (uint32_t)wl_param(w, "queries"),
		 length = (uint32_t)wl_param(w, "length"), min = (uint32_t)wl_param(w, "min");

	*r = (struct wl_reads){.n = (int32_t)n,
		.nqueries = (int32_t)nqueries,
		.length = (int32_t)length,
		.min = (int32_t)min,
		.starts = (int32_t)length - (int32_t)min + 1};
	if (r->starts < 1) {
		wl_fail(w, "min=%u is more than length=%u", min, length);
		return;
	}
	r->text = wl_alloc(w, "reference", n + 1);
	r->queries = wl_alloc(w, "queries", (uint64_t)nqueries * (length + 1));
	r->offsets = wl_alloc(w, "offsets", nqueries * sizeof(int32_t));
	r->lengths = wl_alloc(w, "lengths", nqueries * sizeof(int32_t));
	r->matches = wl_alloc(w, "matches", 8ull * nqueries * (uint32_t)r->starts);
	if (wl_failed(w))
		return;
	make_genome(w, r->text.p, n);
	make_queries(w, r->queries.p, nqueries, length, r->text.p, n);
	for (uint32_t q = 0; q < nqueries; q++) {
		r->offsets.u[q] = q * (length + 1);
		r->lengths.u[q] = length;
	}
	index_words(w, r);
}

void wl_reads_upload(struct wl *w, const struct wl_reads *r)
{
	wl_upload(w, &r->text);
	wl_upload(w, &r->queries);
	wl_upload(w, &r->offsets);
	wl_upload(w, &r->lengths);
}

/* ---- the check ---- */

/* How much of the beginning of a query of `rest` letters occurs in the reference. */
static int32_t longest(const struct wl_reads *r, const char *query, int32_t rest)
{
	int32_t best = 0;

	if (rest >= SEED) {
		uint32_t word = word_at(query, SEED);

		for (uint32_t p = r->first[word]; p < r->first[word + 1]; p++) {
			const char *text = (const char *)r->text.p + r->place[p];
			int32_t k = SEED;

			while (k < rest && text[k] == query[k])
				k++;
			best = k > best ? k : best;
		}
	}
	for (int32_t k = rest < SEED ? rest : SEED - 1; k > best; k--)
		if (r->shorter[k][word_at(query, k)])
			best = k;
	return best;
}

void wl_reads_check(struct wl *w, const struct wl_reads *r,
	bool (*at)(const void *index, int32_t place, const char *query, int32_t length),
	const void *index)
{
	const char *read = r->queries.p;
	const int32_t *got = r->matches.i;

	wl_output(w, &r->matches, WL_I32, 2ull * (uint32_t)r->nqueries * (uint32_t)r->starts);
	for (int32_t q = 0; q < r->nqueries; q++, read += r->length + 1)
		for (int32_t s = 0; s < r->starts && !wl_failed(w); s++, got += 2) {
			int32_t want = longest(r, read + s, r->length - s);

			if (got[1] != want)
				wl_fail(w, "query %d matches %d letters from %d, the CPU says %d",
					q, got[1], s, want);
			else if (!at(index, got[0], read + s, want))
				wl_fail(w, "query %d's match from %d is not at %d", q, s, got[0]);
		}
}
