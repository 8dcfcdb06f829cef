/*
 * bfs-dyn: the breadth-first search of Wang et al. (ISCA 2015, table 4), in two forms: flat, after
 * Merrill, Garland and Grimshaw, with neighbours gathered by blocks and warps; and dynamic, where
 * threads launch kernels for vertices of high degree. Input: a graph of their kinds in made form,
 * or the user's. Blocks of 256 threads, 104 at most (13 SMX of 8), as in the dynamic workloads'
 * source of 2014. A vertex enters the frontier once: their check of visited bits lets it in twice
 * now and then, which here a compare-and-swap settles. The check is a queue-based search.
 */
#include "datasets/workloads/input.h"

#define BLOCK 256

/* Levels from `source`, -1 where it does not reach. */
static void search(const struct wl_graph *g, uint32_t source, int32_t *level, uint32_t *queue)
{
	uint32_t head = 0, tail = 0;

	for (uint32_t i = 0; i < g->n; i++)
		level[i] = -1;
	level[source] = 0;
	queue[tail++] = source;
	while (head < tail) {
		uint32_t u = queue[head++];

		for (uint32_t e = g->row[u]; e < g->row[u + 1]; e++) {
			uint32_t v = g->col[e];

			if (level[v] < 0) {
				level[v] = level[u] + 1;
				queue[tail++] = v;
			}
		}
	}
}

static struct wl_dim grid_for(struct wl *w, int32_t n)
{
	const uint32_t most = (uint32_t)wl_param(w, "blocks");
	const uint32_t blocks = wl_ceil_div((uint64_t)n, BLOCK);

	return wl_dim(blocks < most ? blocks : most, 1, 1);
}

static void launch(struct wl *w, const struct wl_graph *g)
{
	const char *expand = wl_param(w, "form") ? "bfs_expand_dyn" : "bfs_expand";
	const struct wl_dim block = wl_dim(BLOCK, 1, 1);
	struct wl_buf row = wl_alloc(w, "row", (g->n + 1) * sizeof(int32_t));
	struct wl_buf col = wl_alloc(w, "col", (g->m + 1) * sizeof(int32_t));
	struct wl_buf level = wl_alloc(w, "level", g->n * sizeof(int32_t));
	struct wl_buf frontier = wl_alloc(w, "frontier", g->n * sizeof(int32_t));
	struct wl_buf edges = wl_alloc(w, "edges", (g->m + 1) * sizeof(int32_t));
	struct wl_buf nedges = wl_alloc(w, "nedges", sizeof(int32_t));
	struct wl_buf nfrontier = wl_alloc(w, "nfrontier", sizeof(int32_t));
	int32_t *want = wl_host(w, g->n, sizeof(*want));
	uint32_t *queue = wl_host(w, g->n, sizeof(*queue)), source = 0;
	int32_t n = 1;

	if (wl_failed(w))
		return;
	for (uint32_t i = 0; i < g->n; i++) {
		if (g->row[i + 1] - g->row[i] > g->row[source + 1] - g->row[source])
			source = i; /* surely reaches others: the one of highest degree */
		level.i[i] = -1;
	}
	for (uint32_t i = 0; i <= g->n; i++)
		row.i[i] = (int32_t)g->row[i];
	for (uint32_t e = 0; e < g->m; e++)
		col.i[e] = (int32_t)g->col[e];
	level.i[source] = 0;
	frontier.i[0] = (int32_t)source;
	wl_upload(w, &row);
	wl_upload(w, &col);
	wl_upload(w, &level);
	wl_upload(w, &frontier);
	for (int32_t depth = 1; n && !wl_failed(w); depth++) {
		*nedges.i = *nfrontier.i = 0;
		wl_upload(w, &nedges);
		wl_upload(w, &nfrontier);
		WL_LAUNCH(w, expand, grid_for(w, n), block, 0, wl_p(&frontier), wl_i(n), wl_p(&row),
			wl_p(&col), wl_p(&edges), wl_p(&nedges));
		wl_download(w, &nedges);
		n = *nedges.i;
		if (!n)
			break;
		WL_LAUNCH(w, "bfs_contract", grid_for(w, n), block, 0, wl_p(&edges), wl_i(n),
			wl_p(&level), wl_i(depth), wl_p(&frontier), wl_p(&nfrontier));
		wl_download(w, &nfrontier);
		n = *nfrontier.i;
	}
	search(g, source, want, queue);
	wl_check_i32(w, &level, want, g->n);
}

static void run(struct wl *w)
{
	struct wl_graph g = {0};

	wl_graph_input(w, &g);
	if (!wl_failed(w))
		launch(w, &g);
	wl_graph_free(&g);
}

const struct workload wl_bfs_dyn = {
	.name = "bfs-dyn",
	.cls = "DIV DYN",
	.papers = "dtbl",
	.suite = "Merrill et al.",
	.summary =
		"breadth-first search by edge frontiers, flat or with kernels launched by threads",
	.takes_graph = true,
	.params =
		{
			{"form", 0, 0, 1, "flat, or dyn: threads launch kernels"},
			{"input", 0, 0, 2, "made graph: citation, road or cage15"},
			{"nodes", 32768, 2, 1 << 24, "nodes of the made graph"},
			{"blocks", 104, 1, 1 << 20, "blocks of a launch, at most"},
		},
	.names = {{"form", "flat,dyn"}, {"input", WL_GRAPH_KINDS}},
	.tiny = "form=dyn,nodes=100",
	.run = run,
};
