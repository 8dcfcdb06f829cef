/*
 * mummer: MUMmerGPU's exact matching of short reads against a reference, as Bakhoda and others and
 * DWR ran it (table 1: 196 blocks of 256 threads, for 50,000 reads of 25 letters). Kept: the suffix
 * tree with its links, nodes of 32 bytes, one query a thread, every start that leaves room for the
 * shortest match. Left out: the texture layout, the printing of leaves, paging of the reference.
 * The genome is generated: random letters, with repeated and slightly changed stretches as genomes
 * have; reads are copied from it with errors, a tenth of them are foreign.
 *
 * The check finds each match length by plain substring search over the reference, by way of lists
 * of the places of every SEED letters, and then asks that the node reported be where the match
 * ends.
 */
#include "datasets/workloads/mummer/tree.h"
#include <string.h>

#define SEED 8
#define SEEDS (1u << 2 * SEED)

struct genome {
	int32_t n;
	const char *text; /* n letters and the sentinel */
	struct mummer_node *nodes;
	int32_t count, *depth;   /* of nodes: letters from the root to the node's end */
	uint32_t *first, *place; /* places of seed s: place[first[s] ... first[s + 1] - 1] */
	uint8_t *shorter[SEED];  /* [length][word]: whether it occurs */
};

static const char letters[] = "ACGT";

static uint32_t word_at(const char *text, int32_t length)
{
	uint32_t word = 0;

	while (length-- > 0)
		word = word << 2 | mummer_code(*text++);
	return word;
}

static void index_words(struct wl *w, struct genome *g)
{
	int32_t seeds = g->n - SEED + 1;

	for (int32_t length = 1; length < SEED; length++) {
		g->shorter[length] = wl_host(w, 1u << 2 * length, 1);
		for (int32_t i = 0; i + length <= g->n && !wl_failed(w); i++)
			g->shorter[length][word_at(g->text + i, length)] = 1;
	}
	g->first = wl_host(w, SEEDS + 2, sizeof(*g->first));
	g->place = wl_host(w, (size_t)g->n, sizeof(*g->place));
	if (wl_failed(w))
		return;
	for (int32_t i = 0; i < seeds; i++)
		g->first[word_at(g->text + i, SEED) + 2]++;
	for (uint32_t s = 2; s < SEEDS + 2; s++)
		g->first[s] += g->first[s - 1];
	for (int32_t i = 0; i < seeds; i++)
		g->place[g->first[word_at(g->text + i, SEED) + 1]++] = (uint32_t)i;
}

/* How much of the beginning of a query of `rest` letters occurs in the reference. */
static int32_t longest(const struct genome *g, const char *query, int32_t rest)
{
	int32_t best = 0;

	if (rest >= SEED) {
		uint32_t seed = word_at(query, SEED);

		for (uint32_t p = g->first[seed]; p < g->first[seed + 1]; p++) {
			const char *text = g->text + g->place[p];
			int32_t k = SEED;

			while (k < rest && text[k] == query[k])
				k++;
			best = k > best ? k : best;
		}
	}
	for (int32_t k = rest < SEED ? rest : SEED - 1; k > best; k--)
		if (g->shorter[k][word_at(query, k)])
			best = k;
	return best;
}

/* Whether a match of `length` letters ends on the edge to `at`. Each match ends on one edge only.
 */
static bool ends_at(const struct genome *g, int32_t at, const char *query, int32_t length)
{
	int32_t above;

	if (at <= 0 || at >= g->count)
		return at == 0 && length == 0;
	above = g->depth[at] - (g->nodes[at].end - g->nodes[at].start);
	return length > above && length <= g->depth[at] &&
	       !memcmp(g->text + g->nodes[at].start - above, query, (size_t)length);
}

static void check(struct wl *w, const struct genome *g, const struct wl_buf *matches,
	const char *queries, uint32_t nqueries, int32_t length, int32_t starts)
{
	wl_output(w, matches, WL_I32, 2ull * nqueries * (uint32_t)starts);
	for (uint32_t q = 0; q < nqueries && !wl_failed(w); q++)
		for (int32_t s = 0; s < starts; s++) {
			const char *query = queries + (size_t)q * ((size_t)length + 1) + s;
			const int32_t *got =
				matches->i + 2 * ((size_t)q * (size_t)starts + (size_t)s);
			int32_t want = longest(g, query, length - s);

			if (got[1] != want)
				wl_fail(w,
					"mummer: query %u matches %d letters from %d, the CPU says "
					"%d",
					q, got[1], s, want);
			else if (!ends_at(g, got[0], query, want))
				wl_fail(w,
					"mummer: query %u's match from %d does not end at node %d",
					q, s, got[0]);
		}
}

/* One letter in `every` is changed to another. */
static char copied(struct wl_rng *rng, char base, uint32_t every)
{
	return wl_below(rng, every) ? base
				    : letters[(mummer_code(base) + 1 + wl_below(rng, 3)) % 4];
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
	struct wl_rng rng;

	wl_rng_start(&rng, w, 1);
	for (uint32_t q = 0; q < nqueries; q++, queries += length + 1) {
		bool foreign = !wl_below(&rng, 10) || length > n;
		uint32_t from = foreign ? 0 : wl_below(&rng, n - length + 1);

		for (uint32_t i = 0; i < length; i++)
			queries[i] = foreign ? letters[wl_below(&rng, 4)]
					     : copied(&rng, text[from + i], 50);
	}
}

static void run(struct wl *w)
{
	uint32_t n = (uint32_t)wl_param(w, "reference"),
		 nqueries = (uint32_t)wl_param(w, "queries");
	int32_t length = (int32_t)wl_param(w, "length"), min = (int32_t)wl_param(w, "min");
	int32_t starts = length - min + 1, *stack;
	struct genome g = {.n = (int32_t)n};
	struct wl_buf text, nodes, queries, offsets, lengths, matches;

	if (starts < 1) {
		wl_fail(w, "mummer: min=%d is more than length=%d", min, length);
		return;
	}
	text = wl_alloc(w, "reference", n + 1);
	queries = wl_alloc(w, "queries", (uint64_t)nqueries * ((uint32_t)length + 1));
	offsets = wl_alloc(w, "offsets", nqueries * sizeof(int32_t));
	lengths = wl_alloc(w, "lengths", nqueries * sizeof(int32_t));
	matches = wl_alloc(w, "matches", 8ull * nqueries * (uint32_t)starts);
	g.nodes = wl_host(w, 2 * (size_t)n, sizeof(struct mummer_node));
	g.depth = wl_host(w, 2 * (size_t)n, sizeof(*g.depth));
	stack = wl_host(w, 2 * (size_t)n, sizeof(*stack));
	if (wl_failed(w))
		return;
	make_genome(w, text.p, n);
	make_queries(w, queries.p, nqueries, (uint32_t)length, text.p, n);
	for (uint32_t q = 0; q < nqueries; q++) {
		offsets.i[q] = (int32_t)q * (length + 1);
		lengths.i[q] = length;
	}
	g.text = text.p;
	g.count = mummer_build(g.nodes, g.text, g.n);
	mummer_depths(g.nodes, g.depth, stack);
	index_words(w, &g);
	nodes = wl_alloc(w, "nodes", (uint64_t)g.count * sizeof(struct mummer_node));
	memcpy(nodes.p, g.nodes, (size_t)g.count * sizeof(struct mummer_node));
	wl_upload(w, &nodes);
	wl_upload(w, &text);
	wl_upload(w, &queries);
	wl_upload(w, &offsets);
	wl_upload(w, &lengths);
	WL_LAUNCH(w, "mummer_match", wl_dim(wl_ceil_div(nqueries, 256), 1, 1), wl_dim(256, 1, 1), 0,
		wl_p(&nodes), wl_p(&text), wl_p(&queries), wl_p(&offsets), wl_p(&lengths),
		wl_p(&matches), wl_i(starts), wl_i(min), wl_i((int32_t)nqueries));
	if (!wl_failed(w))
		check(w, &g, &matches, queries.p, nqueries, length, starts);
}

const struct workload wl_mummer = {
	.name = "mummer",
	.cls = "DIV",
	.papers = "tbc,dwr,crown",
	.suite = "Bakhoda",
	.summary = "exact matches of short reads by a walk of the reference's suffix tree",
	.params =
		{
			{"queries", 50000, 1, 1 << 23, "reads"},
			{"length", 25, 1, 200, "letters of a read"},
			{"min", 20, 1, 200, "shortest match looked for"},
			{"reference", 65536, SEED, 1 << 23, "letters of the reference"},
		},
	.tiny = "queries=260,length=8,min=1,reference=12",
	.run = run,
};
