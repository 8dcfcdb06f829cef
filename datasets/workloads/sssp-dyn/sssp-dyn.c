/*
 * sssp-dyn: the single-source shortest paths of Wang et al. (ISCA 2015, table 4) by a frontier, in
 * two forms: flat, with one thread a vertex of the frontier, and dynamic, where threads launch
 * kernels for vertices of high degree. Input: a graph of the paper's kinds in made form, or the
 * user's. Blocks of 256 threads, 104 at most (13 SMX of 8), as in the dynamic workloads' source of
 * 2014. There a vertex enters the frontier as often as its distance falls; here once a round, so
 * that the frontier has a bound. Distances of 2^30 and beyond count as unreachable. Which thread
 * relaxes an edge first depends on the order of execution, and with it the number of rounds; the
 * distances do not. The check is Dijkstra's algorithm.
 */
#include "datasets/workloads/dijkstra.h"
#include <string.h>

#define BLOCK 256
/* The kernels' structure of four pointers. */
static struct wl_arg state(const struct wl_buf *const bufs[4])
{
	struct wl_arg arg = {.size = 4 * sizeof(uint64_t)};

	for (int i = 0; i < 4; i++)
		memcpy(arg.bytes + i * sizeof(uint64_t), &bufs[i]->dev, sizeof(uint64_t));
	return arg;
}

static void launch(struct wl *w, const struct wl_graph *g)
{
	const char *relax = wl_param(w, "form") ? "sssp_frontier_dyn" : "sssp_frontier";
	const uint32_t most = (uint32_t)wl_param(w, "blocks");
	struct wl_buf row = wl_alloc(w, "row", (g->n + 1ull) * sizeof(int32_t));
	struct wl_buf col = wl_alloc(w, "col", (g->m + 1ull) * sizeof(int32_t));
	struct wl_buf weight = wl_alloc(w, "weight", (g->m + 1ull) * sizeof(int32_t));
	struct wl_buf dist = wl_alloc(w, "dist", g->n * sizeof(int32_t));
	struct wl_buf queued = wl_alloc(w, "queued", g->n * sizeof(int32_t));
	struct wl_buf frontiers[2] = {wl_alloc(w, "frontier", g->n * sizeof(int32_t)),
		wl_alloc(w, "next", g->n * sizeof(int32_t))};
	struct wl_buf size = wl_alloc(w, "size", sizeof(int32_t));
	int32_t *want = wl_host(w, g->n, sizeof(*want));
	uint64_t *heap = wl_host(w, g->m + 2ull, sizeof(*heap));
	uint32_t source = 0;
	int32_t n = 1;

	for (uint32_t e = 0; e < g->m && !wl_failed(w); e++) {
		if (g->weight[e] >= WL_FAR)
			wl_fail(w, "sssp-dyn: weight %d of edge %u is 2^30 or more", g->weight[e],
				e);
		col.i[e] = (int32_t)g->col[e];
		weight.i[e] = g->weight[e];
	}
	if (wl_failed(w))
		return;
	for (uint32_t i = 0; i < g->n; i++) {
		if (g->row[i + 1] - g->row[i] > g->row[source + 1] - g->row[source])
			source = i; /* surely reaches others: the one of highest degree */
		dist.i[i] = WL_FAR;
	}
	for (uint32_t i = 0; i <= g->n; i++)
		row.i[i] = (int32_t)g->row[i];
	dist.i[source] = 0;
	frontiers[0].i[0] = (int32_t)source;
	wl_upload(w, &row);
	wl_upload(w, &col);
	wl_upload(w, &weight);
	wl_upload(w, &dist);
	wl_upload(w, &queued);
	wl_upload(w, &frontiers[0]);
	for (int32_t round = 1; n && !wl_failed(w); round++) {
		const struct wl_buf *now = &frontiers[(round + 1) % 2];
		const struct wl_buf *next = &frontiers[round % 2];
		const uint32_t blocks = wl_ceil_div((uint64_t)n, BLOCK);

		*size.i = 0;
		wl_upload(w, &size);
		WL_LAUNCH(w, relax, wl_dim(blocks < most ? blocks : most, 1, 1),
			wl_dim(BLOCK, 1, 1), 0, wl_p(now), wl_i(n), wl_p(&row), wl_p(&col),
			wl_p(&weight), wl_i(round),
			state((const struct wl_buf *const[]){&dist, &queued, next, &size}));
		wl_download(w, &size);
		n = *size.i;
	}
	wl_dijkstra(g, source, want, heap);
	wl_check_i32(w, &dist, want, g->n);
}

static void run(struct wl *w)
{
	struct wl_graph g = {0};

	wl_graph_input(w, &g);
	if (!wl_failed(w) && (g.n > INT32_MAX - (1 << 28) || g.m > INT32_MAX))
		wl_fail(w, "sssp-dyn: the graph is too large for 32-bit indices");
	if (!wl_failed(w))
		launch(w, &g);
	wl_graph_free(&g);
}

const struct workload wl_sssp_dyn = {
	.name = "sssp-dyn",
	.cls = "DIV DYN",
	.papers = "dtbl",
	.suite = "Kulkarni et al.",
	.summary = "shortest paths by a frontier, flat or with kernels launched by threads",
	.takes_graph = true,
	.params =
		{
			{"form", 0, 0, 1, "flat, or dyn: threads launch kernels"},
			{"input", 0, 0, 5,
				"made graph: citation, road, cage15, graph500, flight or "
				"graph500-even"},
			{"nodes", 16384, 2, 1 << 24, "nodes of the made graph"},
			{"blocks", 104, 1, 1 << 20, "blocks of a launch, at most"},
		},
	.names = {{"form", "flat,dyn"}, {"input", WL_GRAPH_KINDS}},
	.tiny = "nodes=100,input=graph500",
	.run = run,
};
