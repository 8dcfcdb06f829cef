/*
 * bfs: Rodinia's breadth-first search. Input: a graph as Rodinia's generator makes it (even edges,
 * each in both directions), an R-MAT graph, or the user's. The default has the thesis's 500k edges
 * (3.4.4) and 16 a node: with the generator's own 6, no more than 25 threads of a warp are ever in
 * the loop, where the thesis's figure 4.4 shows nearly all, and fewer warps gain less than its 23 %
 * of hits on one another's lines (3.4.2). The host launches two kernels a level until no node was
 * added, as the original does. The check is a queue-based search.
 */
#include "datasets/workloads/input.h"

struct node {
	int32_t start, edges;
};

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

static void launch(struct wl *w, const struct wl_graph *g)
{
	int32_t n = (int32_t)g->n;
	uint32_t threads = (uint32_t)wl_param(w, "block"), source = 0;
	struct wl_buf nodes = wl_alloc(w, "nodes", g->n * sizeof(struct node));
	struct wl_buf edges = wl_alloc(w, "edges", g->m * sizeof(int32_t));
	struct wl_buf frontier = wl_alloc(w, "frontier", g->n);
	struct wl_buf updating = wl_alloc(w, "updating", g->n);
	struct wl_buf visited = wl_alloc(w, "visited", g->n);
	struct wl_buf cost = wl_alloc(w, "cost", g->n * sizeof(int32_t));
	struct wl_buf again = wl_alloc(w, "again", 1);
	int32_t *level = wl_host(w, g->n, sizeof(*level));
	uint32_t *queue = wl_host(w, g->n, sizeof(*queue));
	struct wl_dim grid = wl_dim(wl_ceil_div(g->n, threads), 1, 1),
		      block = wl_dim(threads, 1, 1);

	if (wl_failed(w))
		return;
	for (uint32_t i = 0; i < g->n; i++) {
		((struct node *)nodes.p)[i] =
			(struct node){(int32_t)g->row[i], (int32_t)(g->row[i + 1] - g->row[i])};
		if (g->row[i + 1] - g->row[i] > g->row[source + 1] - g->row[source])
			source = i; /* a node that surely reaches others: the one of highest degree
				     */
		cost.i[i] = -1;
	}
	for (uint32_t e = 0; e < g->m; e++)
		edges.i[e] = (int32_t)g->col[e];
	frontier.b[source] = visited.b[source] = 1;
	cost.i[source] = 0;
	wl_upload(w, &nodes);
	wl_upload(w, &edges);
	wl_upload(w, &frontier);
	wl_upload(w, &updating);
	wl_upload(w, &visited);
	wl_upload(w, &cost);
	do {
		*again.b = 0;
		wl_upload(w, &again);
		WL_LAUNCH(w, "bfs_visit", grid, block, 0, wl_p(&nodes), wl_p(&edges),
			wl_p(&frontier), wl_p(&updating), wl_p(&visited), wl_p(&cost), wl_i(n));
		WL_LAUNCH(w, "bfs_advance", grid, block, 0, wl_p(&frontier), wl_p(&updating),
			wl_p(&visited), wl_p(&again), wl_i(n));
		wl_download(w, &again);
	} while (!wl_failed(w) && *again.b);
	search(g, source, level, queue);
	wl_check_i32(w, &cost, level, g->n);
}

static void run(struct wl *w)
{
	struct wl_graph g = {0};

	uint32_t nodes = (uint32_t)wl_param(w, "nodes"), degree = (uint32_t)wl_param(w, "degree");

	if (wl_graph_path(w))
		wl_check_rc(w, wl_graph_read(&g, wl_graph_path(w), wl_err(w)));
	else if (wl_param(w, "skew"))
		wl_check_rc(w, wl_graph_rmat(&g, nodes, degree, false, wl_seed(w), wl_err(w)));
	else
		wl_check_rc(w, wl_graph_rodinia(&g, nodes, (degree + 2) / 3,
				       degree - (degree + 2) / 3, wl_seed(w), wl_err(w)));
	if (!wl_failed(w))
		launch(w, &g);
	wl_graph_free(&g);
}

const struct workload wl_bfs = {
	.name = "bfs",
	.cls = "HCS DIV DYN",
	.papers = "thesis,tbc,dwr,crown,dtbl",
	.suite = "Rodinia",
	.summary = "level-synchronous breadth-first search over CSR, one thread a node",
	.takes_graph = true,
	.params =
		{
			{"nodes", 32768, 2, 1 << 24, "nodes of the generated graph"},
			{"degree", 16, 2, 128, "mean of edges at a node"},
			{"skew", 0, 0, 1, "0: even edges, as Rodinia's inputs; 1: R-MAT"},
			{"block", 256, 32, 1024, "threads of a block"},
		},
	.presets =
		{
			{"thesis", "nodes=32768,degree=16", "its 500k edges, and the default"},
			{"tbc", "nodes=65536,degree=6,block=512",
				"Rodinia's 65536 nodes: 24 M of table 1's 28 M instructions"},
			{"dwr", "nodes=4096,degree=6,block=512",
				"Rodinia's 4096 nodes: table 1's blocks, 1.3 M for 1.4 M"},
		},
	.tiny = "nodes=700,degree=4",
	.run = run,
};
