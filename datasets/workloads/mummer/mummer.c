/*
 * mummer: MUMmerGPU's exact matching of short reads against a reference, as Bakhoda and others and
 * DWR ran it (table 1: 196 blocks of 256 threads, for 50,000 reads of 25 letters). Kept: the suffix
 * tree with its links, a node in two textures of 16 bytes, one query a thread, every start that
 * leaves room for the shortest match, tree and reference in textures. Left out: the two-dimensional
 * layout of these, the printing of leaves, paging of the reference. The layout is where the
 * original's further instructions are: it computes a texture's two coordinates for each letter and
 * node.
 *
 * The check of the lengths is reads.h's; the node reported must be where the match ends.
 */
#include "datasets/workloads/mummer/tree.h"
#include <string.h>

#define PIXEL 16 /* bytes of a node in a texture */

struct tree {
	const char *text;
	struct mummer_node *nodes;
	int32_t count, *depth; /* of nodes: letters from the root to the node's end */
};

/* Whether a match of `length` letters ends on the edge to `at`. Each match ends on one edge only.
 */
static bool ends_at(const void *index, int32_t at, const char *query, int32_t length)
{
	const struct tree *t = index;
	int32_t above;

	if (at <= 0 || at >= t->count)
		return at == 0 && length == 0;
	above = t->depth[at] - (t->nodes[at].end - t->nodes[at].start);
	return length > above && length <= t->depth[at] &&
	       !memcmp(t->text + t->nodes[at].start - above, query, (size_t)length);
}

static void run(struct wl *w)
{
	struct wl_reads r;
	struct tree t = {0};
	struct wl_buf nodes, children;
	int32_t *stack;

	wl_reads_make(w, &r);
	t.nodes = wl_host(w, 2 * (size_t)r.n, sizeof(struct mummer_node));
	t.depth = wl_host(w, 2 * (size_t)r.n, sizeof(*t.depth));
	stack = wl_host(w, 2 * (size_t)r.n, sizeof(*stack));
	if (wl_failed(w))
		return;
	t.text = r.text.p;
	t.count = mummer_build(t.nodes, t.text, r.n);
	mummer_depths(t.nodes, t.depth, stack);
	nodes = wl_alloc(w, "nodes", (uint64_t)t.count * PIXEL);
	children = wl_alloc(w, "children", (uint64_t)t.count * PIXEL);
	if (wl_failed(w))
		return;
	for (int32_t i = 0; i < t.count; i++) {
		const struct mummer_node *n = &t.nodes[i];

		memcpy(nodes.i + 4 * (size_t)i, (int32_t[]){n->start, n->end, 0, n->link}, PIXEL);
		memcpy(children.i + 4 * (size_t)i, n->child, PIXEL);
	}
	wl_upload(w, &nodes);
	wl_upload(w, &children);
	wl_reads_upload(w, &r);
	wl_registers(w, 16); /* TBC table 1: 4 blocks of 256 on 16384 registers */
	WL_LAUNCH(w, "mummer_match", wl_dim(wl_ceil_div((uint32_t)r.nqueries, 256), 1, 1),
		wl_dim(256, 1, 1), 0, wl_p(&nodes), wl_p(&children), wl_p(&r.text),
		wl_p(&r.queries), wl_p(&r.offsets), wl_p(&r.lengths), wl_p(&r.matches),
		wl_i(r.starts), wl_i(r.min), wl_i(r.nqueries));
	wl_reads_check(w, &r, ends_at, &t);
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
			{"reference", 65536, WL_READS_SEED, 1 << 23, "letters of the reference"},
			WL_READS_PARAMS,
		},
	.presets =
		{
			{"small", "queries=100", "slide 46's MU: a block"},
			{"big", "queries=50000", "slide 46's MU2, and the default: 196 blocks"},
			{"tbc", "queries=50000," WL_READS_BAKHODA,
				"ISPASS 2009's reads: 47 M of table 1's 69 M instructions"},
			{"dwr", "queries=50000," WL_READS_BAKHODA,
				"likewise: table 1's 196 blocks, 75 M there"},
		},
	.tiny = "queries=260,length=8,min=1,reference=12",
	.run = run,
};
