/*
 * Graphs from a seed: R-MAT for the skewed degrees of social networks and the web, degrees with a
 * given tail, even degrees as in Rodinia's generator, and a grid with gaps for the long diameter of
 * roads. Left out: planted communities, degree correlation, and the level-wise noise that some
 * R-MAT generators add.
 */
#include "input_parts.h"
#include <math.h>

#define WEIGHT_MAX 100

/* What R-MAT's recursion compares 32 random bits with: a, a + b, a + b + c. */
#define RMAT_A ((uint32_t)(0.57 * 0x1p32))
#define RMAT_AB ((uint32_t)(0.76 * 0x1p32))
#define RMAT_ABC ((uint32_t)(0.95 * 0x1p32))

int wl_graph_build(struct wl_graph *g, struct tr_buf *entries, uint32_t n, struct tr_err *err)
{
	uint32_t m = (uint32_t)wl_entries_count(entries);
	struct wl_csr csr;
	int rc = wl_csr_build(&csr, entries, n, n, err);

	if (rc < 0)
		return rc;
	*g = (struct wl_graph){.n = n, .m = m, .row = csr.row, .col = csr.col, .weight = csr.val};
	return 1;
}

static int weight(struct wl_rng *r)
{
	return 1 + (int)wl_below(r, WEIGHT_MAX);
}

static int add(struct tr_buf *edges, uint32_t from, uint32_t to, int32_t w, bool both_ways,
	struct tr_err *err)
{
	int rc = wl_entries_add(edges, (struct wl_entry){from, to, {.weight = w}}, err);

	if (rc > 0 && both_ways)
		rc = wl_entries_add(edges, (struct wl_entry){to, from, {.weight = w}}, err);
	return rc;
}

/* Builds when all edges were added, else drops them. */
static int finish(struct wl_graph *g, struct tr_buf *edges, uint32_t n, int rc, struct tr_err *err)
{
	if (rc > 0)
		return wl_graph_build(g, edges, n, err);
	tr_buf_free(edges);
	return rc;
}

/* Refuses before the work, not after minutes of it. */
static int check_size(uint64_t n, uint64_t per_node, struct tr_err *err)
{
	if (!n)
		return tr_fail(err, TR_EUSAGE, 0, "a graph needs at least one node");
	if (n >= UINT32_MAX || (per_node && n > UINT32_MAX / per_node))
		return tr_fail(err, TR_EUSAGE, 0,
			"a graph of %llu nodes with %llu edges each has more than %u",
			(unsigned long long)n, (unsigned long long)per_node, UINT32_MAX);
	return 1;
}

static uint32_t *shuffled_ids(uint32_t n, struct wl_rng *r)
{
	uint32_t *id = malloc(n * sizeof(*id));

	if (!id)
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t j = wl_below(r, i + 1);
		id[i] = id[j];
		id[j] = i;
	}
	return id;
}

static void rmat_edge(uint32_t n, struct wl_rng *r, uint32_t *from, uint32_t *to)
{
	do {
		*from = *to = 0;
		for (uint32_t span = n - 1; span; span >>= 1) {
			uint32_t x = (uint32_t)(wl_u64(r) >> 32);
			*from = *from << 1 | (x >= RMAT_AB);
			*to = *to << 1 | (x >= RMAT_ABC || (x >= RMAT_A && x < RMAT_AB));
		}
	} while (*from >= n || *to >= n);
}

int wl_graph_rmat(struct wl_graph *g, uint32_t n, uint32_t degree, bool undirected, uint64_t seed,
	struct tr_err *err)
{
	struct tr_buf edges = {0};
	struct wl_rng r;

	*g = (struct wl_graph){0};
	int rc = check_size(n, (uint64_t)degree << undirected, err);
	if (rc < 0)
		return rc;
	wl_rng_seed(&r, seed, 0);
	/* R-MAT's low ids are the hubs; without the shuffle they would lie in neighbouring lines.
	 */
	uint32_t *id = shuffled_ids(n, &r);
	if (!id)
		return tr_fail(err, TR_EMEM, 0, "no memory for a graph of %u nodes", n);
	uint64_t count = (uint64_t)n * degree;
	for (uint64_t i = 0; i < count && rc > 0; i++) {
		uint32_t from, to;
		rmat_edge(n, &r, &from, &to);
		if (from != to)
			rc = add(&edges, id[from], id[to], weight(&r), undirected, err);
	}
	free(id);
	return finish(g, &edges, n, rc, err);
}

int wl_graph_rodinia(struct wl_graph *g, uint32_t n, uint32_t least, uint32_t most, uint64_t seed,
	struct tr_err *err)
{
	struct tr_buf edges = {0};
	struct wl_rng r;

	*g = (struct wl_graph){0};
	int rc = check_size(n, 2ull * most, err);
	wl_rng_seed(&r, seed, 0);
	for (uint32_t from = 0; from < n && rc > 0; from++) {
		uint32_t count = least + wl_below(&r, most - least + 1);
		for (uint32_t k = 0; k < count && rc > 0; k++) {
			uint32_t to = wl_below(&r, n);
			rc = add(&edges, from, to, weight(&r), true, err);
		}
	}
	return finish(g, &edges, n, rc, err);
}

/* Uniform draws that a bell is summed of, in units of 1 / 65536: their deviation is 1. */
#define BELL 12

/*
 * Who is whose neighbour is left to chance: each node has as many ends of edges as its degree, and
 * these are joined in the order of a shuffle. The few that join a node to itself, or two nodes
 * again, are left out. Takes `degrees` over; NULL: there was no memory for them.
 */
static int join_ends(
	struct wl_graph *g, uint32_t *degrees, uint32_t n, struct wl_rng *r, struct tr_err *err)
{
	struct tr_buf edges = {0};
	uint32_t *ends, *place, m = 0;
	uint64_t sum = 0;
	int rc = 1;

	for (uint32_t i = 0; degrees && i < n; i++)
		sum += degrees[i];
	ends = degrees && sum < UINT32_MAX ? malloc((sum + 1) * sizeof(*ends)) : NULL;
	for (uint32_t i = 0; ends && i < n; i++)
		for (uint32_t k = 0; k < degrees[i]; k++)
			ends[m++] = i;
	free(degrees);
	place = ends ? shuffled_ids(m, r) : NULL;
	if (!place) {
		free(ends);
		return tr_fail(err, TR_EMEM, 0, "no memory for a graph of %u nodes", n);
	}
	for (uint32_t i = 0; i + 1 < m && rc > 0; i += 2)
		if (ends[place[i]] != ends[place[i + 1]])
			rc = add(&edges, ends[place[i]], ends[place[i + 1]], weight(r), true, err);
	free(place);
	free(ends);
	return finish(g, &edges, n, rc, err);
}

/*
 * Degrees of a bell-shaped distribution between `least` and `most`, mean and deviation in
 * hundredths.
 */
static int bell(struct wl_graph *g, uint32_t n, uint32_t least, uint32_t most, int64_t mean,
	int64_t deviation, uint64_t seed, struct tr_err *err)
{
	uint32_t *degrees;
	struct wl_rng r;
	int rc = check_size(n, most, err);

	*g = (struct wl_graph){0};
	if (rc < 0)
		return rc;
	degrees = malloc(n * sizeof(*degrees));
	wl_rng_seed(&r, seed, 0);
	for (uint32_t i = 0; degrees && i < n; i++) {
		int64_t sum = -BELL / 2 * 65536, degree;

		for (int k = 0; k < BELL; k++)
			sum += wl_below(&r, 65536);
		degree = (mean * 65536 + deviation * sum + 50 * 65536) / (100 * 65536);
		degrees[i] = (uint32_t)(degree < least ? least : degree > most ? most : degree);
	}
	return join_ends(g, degrees, n, &r, err);
}

#define TAIL_MOST 4096 /* the largest degree that `tail` draws */

/* cdf[d - 1]: the share of nodes with a degree up to d, (d + shift)^-exponent each. The mean. */
static double tail_cdf(double *cdf, uint32_t most, double shift, double exponent)
{
	double all = 0, ends = 0;

	for (uint32_t d = 1; d <= most; d++) {
		const double share = pow(d + shift, -exponent);

		all += share;
		ends += share * d;
		cdf[d - 1] = all;
	}
	for (uint32_t d = 0; d < most; d++)
		cdf[d] /= all;
	return ends / all;
}

/* Degrees from 1 to `most` with a tail of this exponent, and this mean. */
static int tail(struct wl_graph *g, uint32_t n, uint32_t most, double mean, double exponent,
	uint64_t seed, struct tr_err *err)
{
	double cdf[TAIL_MOST], low = 0, high = TAIL_MOST;
	uint32_t *degrees;
	struct wl_rng r;
	int rc = check_size(n, most, err);

	*g = (struct wl_graph){0};
	if (rc < 0)
		return rc;
	most = n <= most ? n - (n > 1) : most;
	for (int i = 0; i < 50; i++) {
		const double shift = (low + high) / 2;

		*(tail_cdf(cdf, most, shift, exponent) < mean ? &low : &high) = shift;
	}
	degrees = malloc(n * sizeof(*degrees));
	wl_rng_seed(&r, seed, 0);
	for (uint32_t i = 0; degrees && i < n; i++) {
		const double draw = (double)(wl_u64(&r) >> 11) * 0x1p-53;
		uint32_t from = 0, to = most - 1; /* the first share above the draw */

		while (from < to) {
			const uint32_t middle = (from + to) / 2;

			if (cdf[middle] > draw)
				to = middle;
			else
				from = middle + 1;
		}
		degrees[i] = from + 1;
	}
	return join_ends(g, degrees, n, &r, err);
}

/* A grid whose nodes have the edges to the right and below with a probability of 0.6 each. */
static int roads(struct wl_graph *g, uint32_t n, uint64_t seed, struct tr_err *err)
{
	struct tr_buf edges = {0};
	uint32_t width = 1;
	struct wl_rng r;
	int rc = check_size(n, 4, err);

	*g = (struct wl_graph){0};
	while ((uint64_t)width * width < n)
		width++;
	wl_rng_seed(&r, seed, 0);
	for (uint32_t i = 0; i < n && rc > 0; i++) {
		if (i % width + 1 < width && i + 1 < n && wl_below(&r, 10) < 6)
			rc = add(&edges, i, i + 1, weight(&r), true, err);
		if (rc > 0 && n - i > width && wl_below(&r, 10) < 6)
			rc = add(&edges, i, i + width, weight(&r), true, err);
	}
	return finish(g, &edges, n, rc, err);
}

int wl_graph_kind(
	struct wl_graph *g, enum wl_graph_kind kind, uint32_t n, uint64_t seed, struct tr_err *err)
{
	switch (kind) {
	case WL_CITATION:
		return tail(g, n, 1739, 8.616, 2.731, seed, err);
	case WL_ROAD:
		return roads(g, n, seed, err);
	case WL_CAGE15:
		return bell(g, n, 2, 46, 1824, 570, seed, err);
	case WL_GRAPH500:
		return wl_graph_rmat(g, n, 21, true, seed, err);
	case WL_EVEN:
		return bell(g, n, 32, 52, 4200, 400, seed, err);
	default:
		return tail(g, n, 237, 10.378, 1.741, seed, err);
	}
}

void wl_graph_input(struct wl *w, struct wl_graph *g)
{
	const uint32_t nodes = (uint32_t)wl_param(w, "nodes");
	const enum wl_graph_kind kind = (enum wl_graph_kind)wl_param(w, "input");

	if (wl_graph_path(w))
		wl_check_rc(w, wl_graph_read(g, wl_graph_path(w), wl_err(w)));
	else
		wl_check_rc(w, wl_graph_kind(g, kind, nodes, wl_seed(w), wl_err(w)));
}

void wl_graph_free(struct wl_graph *g)
{
	free(g->row);
	free(g->col);
	free(g->weight);
	*g = (struct wl_graph){0};
}
