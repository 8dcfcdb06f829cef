/*
 * clr: the graph colouring of Wang et al. (ISCA 2015, table 4), after Cohen and Castonguay, in two
 * forms: flat, with one thread a vertex, and dynamic, where threads launch kernels for vertices of
 * high degree. Input: a graph of the paper's kinds in made form, or the user's, taken as it is (a
 * graph that is not symmetric gives no colouring, and the run says so). Blocks of 256 threads, 104
 * at most (13 SMX of 8). The original takes several hashes a round; one is enough for the control
 * flow. The check colours the same way on the CPU, and sees that no edge has one colour at both
 * ends.
 */
#include "datasets/workloads/input.h"

#define BLOCK 256
#define NONE (-1)

static uint32_t hash(uint32_t v)
{
	v ^= v >> 16;
	v *= 0x7feb352du;
	v ^= v >> 15;
	v *= 0x846ca68bu;
	return v ^ v >> 16;
}

/* The colour that round `round` gives u: neighbours coloured before it do not count. */
static int32_t colour_of(const struct wl_graph *g, uint32_t u, const int32_t *colour, int32_t round)
{
	bool largest = true, smallest = true;

	for (uint32_t e = g->row[u]; e < g->row[u + 1]; e++) {
		const uint32_t v = g->col[e];

		if (v == u || (colour[v] != NONE && colour[v] < 2 * round))
			continue;
		if (hash(v) > hash(u))
			largest = false;
		else
			smallest = false;
	}
	return largest ? 2 * round : smallest ? 2 * round + 1 : NONE;
}

static void colour_all(const struct wl_graph *g, int32_t *colour)
{
	uint32_t left = g->n;

	for (uint32_t u = 0; u < g->n; u++)
		colour[u] = NONE;
	for (int32_t round = 0; left; round++)
		for (uint32_t u = 0; u < g->n; u++)
			if (colour[u] == NONE) {
				colour[u] = colour_of(g, u, colour, round);
				left -= colour[u] != NONE;
			}
}

static void check_proper(struct wl *w, const struct wl_graph *g, const int32_t *colour)
{
	for (uint32_t u = 0; u < g->n; u++)
		for (uint32_t e = g->row[u]; e < g->row[u + 1]; e++)
			if (g->col[e] != u && colour[u] == colour[g->col[e]])
				wl_fail(w,
					"clr: the nodes %u and %u of an edge have the same colour: "
					"the "
					"graph must have each edge in both directions",
					u, g->col[e]);
}

static void launch(struct wl *w, const struct wl_graph *g)
{
	const char *compare = wl_param(w, "form") ? "clr_compare_dyn" : "clr_compare";
	const uint32_t most = (uint32_t)wl_param(w, "blocks");
	const uint32_t blocks = wl_ceil_div(g->n, BLOCK);
	const struct wl_dim grid = wl_dim(blocks < most ? blocks : most, 1, 1);
	const struct wl_dim block = wl_dim(BLOCK, 1, 1);
	struct wl_buf row = wl_alloc(w, "row", (g->n + 1ull) * sizeof(int32_t));
	struct wl_buf col = wl_alloc(w, "col", (g->m + 1ull) * sizeof(int32_t));
	struct wl_buf colour = wl_alloc(w, "colour", g->n * sizeof(int32_t));
	struct wl_buf largest = wl_alloc(w, "largest", g->n * sizeof(int32_t));
	struct wl_buf smallest = wl_alloc(w, "smallest", g->n * sizeof(int32_t));
	struct wl_buf left = wl_alloc(w, "left", sizeof(int32_t));
	int32_t *want = wl_host(w, g->n, sizeof(*want));
	const int32_t n = (int32_t)g->n;

	if (wl_failed(w))
		return;
	for (uint32_t i = 0; i < g->n; i++)
		colour.i[i] = NONE;
	for (uint32_t i = 0; i <= g->n; i++)
		row.i[i] = (int32_t)g->row[i];
	for (uint32_t e = 0; e < g->m; e++)
		col.i[e] = (int32_t)g->col[e];
	wl_upload(w, &row);
	wl_upload(w, &col);
	wl_upload(w, &colour);
	*left.i = 1;
	for (int32_t round = 0; *left.i && !wl_failed(w); round++) {
		*left.i = 0;
		wl_upload(w, &left);
		WL_LAUNCH(w, compare, grid, block, 0, wl_p(&row), wl_p(&col), wl_i(n),
			wl_p(&colour), wl_p(&largest), wl_p(&smallest));
		WL_LAUNCH(w, "clr_colour", grid, block, 0, wl_i(n), wl_p(&colour), wl_p(&largest),
			wl_p(&smallest), wl_i(round), wl_p(&left));
		wl_download(w, &left);
	}
	colour_all(g, want);
	wl_check_i32(w, &colour, want, g->n);
	check_proper(w, g, colour.i);
}

static void run(struct wl *w)
{
	struct wl_graph g = {0};

	wl_graph_input(w, &g);
	if (!wl_failed(w) && (g.n > INT32_MAX - (1 << 28) || g.m > INT32_MAX))
		wl_fail(w, "clr: the graph is too large for 32-bit indices");
	if (!wl_failed(w))
		launch(w, &g);
	wl_graph_free(&g);
}

const struct workload wl_clr = {
	.name = "clr",
	.cls = "DIV DYN",
	.papers = "dtbl",
	.suite = "Cohen and Castonguay",
	.summary = "graph colouring by largest and smallest hash, flat or with kernels launched by "
		   "threads",
	.takes_graph = true,
	.params =
		{
			{"form", 0, 0, 1, "flat, or dyn: threads launch kernels"},
			{"input", 0, 0, 5,
				"made graph: citation, road, cage15, graph500, flight or "
				"graph500-even"},
			{"nodes", 4096, 2, 1 << 24, "nodes of the made graph"},
			{"blocks", 104, 1, 1 << 20, "blocks of a launch, at most"},
		},
	.names = {{"form", "flat,dyn"}, {"input", WL_GRAPH_KINDS}},
	.tiny = "nodes=80",
	.run = run,
};
