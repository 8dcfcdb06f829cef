/*
 * sssp: single-source shortest paths as in LonestarGPU: every round relaxes the edges of every
 * node, and the host launches rounds until one changes nothing. Input: an R-MAT graph with weights
 * of 1 to 100, or the user's. Distances of 2^30 and beyond count as unreachable. Which thread
 * relaxes an edge first depends on the order of execution, and with it the number of rounds; the
 * distances do not. The check is Dijkstra's algorithm.
 */
#include "datasets/workloads/dijkstra.h"

static void launch(struct wl *w, const struct wl_graph *g)
{
	int32_t n = (int32_t)g->n;
	uint32_t threads = (uint32_t)wl_param(w, "block"), source = 0;
	struct wl_buf row = wl_alloc(w, "row", (g->n + 1ull) * sizeof(int32_t));
	struct wl_buf col = wl_alloc(w, "col", g->m * sizeof(int32_t));
	struct wl_buf weight = wl_alloc(w, "weight", g->m * sizeof(int32_t));
	struct wl_buf dist = wl_alloc(w, "dist", g->n * sizeof(int32_t));
	struct wl_buf changed = wl_alloc(w, "changed", sizeof(int32_t));
	int32_t *want = wl_host(w, g->n, sizeof(*want));
	uint64_t *heap = wl_host(w, g->m + 2ull, sizeof(*heap));
	struct wl_dim grid = wl_dim(wl_ceil_div(g->n, threads), 1, 1),
		      block = wl_dim(threads, 1, 1);

	if (g->n > INT32_MAX - threads || g->m > INT32_MAX)
		wl_fail(w, "sssp: the graph is too large for 32-bit indices");
	for (uint32_t e = 0; e < g->m && !wl_failed(w); e++) {
		if (g->weight[e] >= WL_FAR)
			wl_fail(w, "sssp: weight %d of edge %u is 2^30 or more", g->weight[e], e);
		col.u[e] = g->col[e];
		weight.i[e] = g->weight[e];
	}
	if (wl_failed(w))
		return;
	row.u[g->n] = g->m;
	for (uint32_t i = 0; i < g->n; i++) {
		row.u[i] = g->row[i];
		if (g->row[i + 1] - g->row[i] > g->row[source + 1] - g->row[source])
			source = i; /* a node that surely reaches others: the one of highest degree
				     */
	}
	wl_upload(w, &row);
	wl_upload(w, &col);
	wl_upload(w, &weight);
	WL_LAUNCH(w, "sssp_init", grid, block, 0, wl_p(&dist), wl_i(WL_FAR), wl_i(n));
	dist.i[source] = 0;
	wl_upload(w, &dist);
	do {
		*changed.i = 0;
		wl_upload(w, &changed);
		WL_LAUNCH(w, "sssp_relax", grid, block, 0, wl_p(&row), wl_p(&col), wl_p(&weight),
			wl_p(&dist), wl_p(&changed), wl_i(n));
		wl_download(w, &changed);
	} while (!wl_failed(w) && *changed.i);
	wl_dijkstra(g, source, want, heap);
	wl_check_i32(w, &dist, want, g->n);
}

static void run(struct wl *w)
{
	struct wl_graph g = {0};

	if (wl_graph_path(w))
		wl_check_rc(w, wl_graph_read(&g, wl_graph_path(w), wl_err(w)));
	else
		wl_check_rc(
			w, wl_graph_rmat(&g, (uint32_t)wl_param(w, "nodes"),
				   (uint32_t)wl_param(w, "degree"), false, wl_seed(w), wl_err(w)));
	if (!wl_failed(w))
		launch(w, &g);
	wl_graph_free(&g);
}

const struct workload wl_sssp = {
	.name = "sssp",
	.cls = "MCS DYN",
	.papers = "thesis,dtbl",
	.suite = "Bakhoda",
	.summary = "single-source shortest paths by rounds of relaxation, one thread a node",
	.takes_graph = true,
	.params =
		{
			{"nodes", 32768, 2, 1 << 24, "nodes of the generated graph"},
			{"degree", 4, 1, 64, "edges per node"},
			{"block", 256, 32, 1024, "threads of a block"},
		},
	.tiny = "nodes=300,degree=4",
	.run = run,
};
