/*
 * Flow graphs: dominators by Lengauer and Tarjan's semidominators (TOPLAS 1979, the version with
 * path compression alone), natural loops by walking backwards from the back edges of the innermost
 * header first, with finished inner loops shrunk to their headers, and an order of blocks that
 * keeps loops together. Nothing recurses: a kernel may be one chain of 100,000 blocks.
 */
#include "graph.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* One array for several of n numbers each, none of them zero bytes long. */
static uint32_t *numbers(size_t arrays, size_t n)
{
	return malloc(sizeof(uint32_t) * (arrays * n + 1));
}

static void fill(uint32_t *a, uint32_t n, uint32_t value)
{
	for (uint32_t i = 0; i < n; i++)
		a[i] = value;
}

void tr_graph_free(struct tr_graph *g)
{
	free(g->first);
	free(g->to);
	g->first = g->to = NULL;
}

int tr_graph_reverse(const struct tr_graph *g, struct tr_graph *r)
{
	uint32_t n = g->n, edges = g->first[n];

	r->n = n + 1;
	r->first = calloc((size_t)n + 3, sizeof *r->first);
	r->to = numbers(1, edges);
	if (!r->first || !r->to) {
		tr_graph_free(r);
		return TR_EMEM;
	}
	/* Counts stand two places up, so that filling leaves each list's start where it belongs. */
	for (uint32_t e = 0; e < edges; e++)
		r->first[(g->to[e] < n ? g->to[e] : n) + 2]++;
	for (uint32_t v = 1; v < n + 2; v++)
		r->first[v + 1] += r->first[v];
	for (uint32_t v = 0; v < n; v++)
		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++)
			r->to[r->first[(g->to[e] < n ? g->to[e] : n) + 1]++] = v;
	return 1;
}

/* A depth-first walk: nodes in the order in which they were entered and left. */
struct walk {
	uint32_t count;   /* nodes reached */
	uint32_t *pre;    /* nodes by entering */
	uint32_t *post;   /* nodes by leaving */
	uint32_t *num;    /* place of a node in pre, or TR_NONE */
	uint32_t *parent; /* of a node, itself for the root */
	uint32_t *next;   /* edge to look at when the walk is back at a node */
};

static int walk(const struct tr_graph *g, uint32_t root, struct walk *w)
{
	uint32_t n = g->n, left = 0, v = root;

	w->pre = numbers(5, n);
	if (!w->pre)
		return TR_EMEM;
	w->post = w->pre + n;
	w->num = w->post + n;
	w->parent = w->num + n;
	w->next = w->parent + n;
	memcpy(w->next, g->first, n * sizeof *w->next);
	fill(w->num, n, TR_NONE);
	w->count = 0;
	w->num[root] = w->count;
	w->pre[w->count++] = root;
	w->parent[root] = root;
	for (;;) {
		if (w->next[v] < g->first[v + 1]) {
			uint32_t t = g->to[w->next[v]++];
			if (t < n && w->num[t] == TR_NONE) {
				w->parent[t] = v;
				w->num[t] = w->count;
				w->pre[w->count++] = t;
				v = t;
			}
			continue;
		}
		w->post[left++] = v;
		if (v == root)
			return 1;
		v = w->parent[v];
	}
}

static void walk_free(struct walk *w)
{
	free(w->pre);
}

/* The forest of Lengauer and Tarjan. All numbers are places in the walk's order of entering. */
struct forest {
	uint32_t *semi;    /* semidominator found so far */
	uint32_t *label;   /* node of least semi on the compressed path to anc */
	uint32_t *anc;     /* ancestor in the forest, TR_NONE for a root */
	uint32_t *path;    /* scratch of eval */
	uint32_t *bucket;  /* first of the nodes whose semidominator this is */
	uint32_t *sibling; /* next one in the same bucket */
	uint32_t *dom;
};

/* The node of least semidominator between v and its root, exclusive. */
static uint32_t forest_eval(struct forest *f, uint32_t v)
{
	uint32_t depth = 0;

	if (f->anc[v] == TR_NONE)
		return v;
	for (uint32_t u = v; f->anc[f->anc[u]] != TR_NONE; u = f->anc[u])
		f->path[depth++] = u;
	while (depth) {
		uint32_t u = f->path[--depth], a = f->anc[u];
		if (f->semi[f->label[a]] < f->semi[f->label[u]])
			f->label[u] = f->label[a];
		f->anc[u] = f->anc[a];
	}
	return f->label[v];
}

static void forest_solve(struct forest *f, const struct walk *w, const struct tr_graph *preds)
{
	for (uint32_t i = 0; i < w->count; i++)
		f->semi[i] = f->label[i] = i;
	fill(f->anc, w->count, TR_NONE);
	fill(f->bucket, w->count, TR_NONE);
	for (uint32_t i = w->count; i-- > 1;) {
		uint32_t v = w->pre[i], parent = w->num[w->parent[v]];

		for (uint32_t e = preds->first[v]; e < preds->first[v + 1]; e++) {
			uint32_t p = w->num[preds->to[e]];
			if (p == TR_NONE)
				continue;
			uint32_t s = f->semi[forest_eval(f, p)];
			if (s < f->semi[i])
				f->semi[i] = s;
		}
		f->sibling[i] = f->bucket[f->semi[i]];
		f->bucket[f->semi[i]] = i;
		f->anc[i] = parent;
		for (uint32_t u = f->bucket[parent]; u != TR_NONE; u = f->sibling[u]) {
			uint32_t least = forest_eval(f, u);
			f->dom[u] = f->semi[least] < f->semi[u] ? least : parent;
		}
		f->bucket[parent] = TR_NONE;
	}
	for (uint32_t i = 1; i < w->count; i++)
		if (f->dom[i] != f->semi[i])
			f->dom[i] = f->dom[f->dom[i]];
}

int tr_graph_idom(const struct tr_graph *g, uint32_t root, uint32_t *idom)
{
	struct tr_graph preds;
	struct walk w;
	struct forest f;
	int rc = walk(g, root, &w);

	if (rc < 0)
		return rc;
	rc = tr_graph_reverse(g, &preds);
	if (rc < 0)
		goto out_walk;
	f.semi = numbers(7, w.count);
	if (!f.semi) {
		rc = TR_EMEM;
		goto out_preds;
	}
	f.label = f.semi + w.count;
	f.anc = f.label + w.count;
	f.path = f.anc + w.count;
	f.bucket = f.path + w.count;
	f.sibling = f.bucket + w.count;
	f.dom = f.sibling + w.count;
	forest_solve(&f, &w, &preds);
	fill(idom, g->n, TR_NONE);
	for (uint32_t i = 1; i < w.count; i++)
		idom[w.pre[i]] = w.pre[f.dom[i]];
	free(f.semi);
out_preds:
	tr_graph_free(&preds);
out_walk:
	walk_free(&w);
	return rc;
}

int tr_graph_ipdom(const struct tr_graph *g, uint32_t *ipdom)
{
	struct tr_graph r;
	uint32_t *idom = NULL;
	int rc = tr_graph_reverse(g, &r);

	if (rc < 0)
		return rc;
	idom = numbers(1, r.n);
	rc = idom ? tr_graph_idom(&r, g->n, idom) : TR_EMEM;
	for (uint32_t v = 0; rc > 0 && v < g->n; v++)
		ipdom[v] = idom[v] == g->n ? TR_EXIT : idom[v];
	free(idom);
	tr_graph_free(&r);
	return rc;
}

/* Intervals of the dominator tree: a dominates b if b's first number lies in a's interval. */
struct intervals {
	uint32_t *in, *size;
};

/* `w` gives an order in which each node comes before those that it dominates: leaving, reversed. */
static int intervals_find(
	struct intervals *t, const struct walk *w, uint32_t n, const uint32_t *idom)
{
	uint32_t *next;

	t->in = numbers(3, n);
	if (!t->in)
		return TR_EMEM;
	t->size = t->in + n;
	next = t->size + n;
	fill(t->size, n, 1);
	for (uint32_t i = 0; i + 1 < w->count; i++)
		t->size[idom[w->post[i]]] += t->size[w->post[i]];
	for (uint32_t i = w->count; i--;) {
		uint32_t v = w->post[i];
		t->in[v] = idom[v] == TR_NONE ? 0 : next[idom[v]];
		next[v] = t->in[v] + 1;
		if (idom[v] != TR_NONE)
			next[idom[v]] += t->size[v];
	}
	return 1;
}

static int dominates(const struct intervals *t, uint32_t a, uint32_t b)
{
	return t->in[b] - t->in[a] < t->size[a];
}

/* Sets: top[v] leads to the header of the outermost loop found so far around v, or to v. */
static uint32_t outermost(uint32_t *top, uint32_t v)
{
	while (top[v] != v)
		v = top[v] = top[top[v]];
	return v;
}

/* State of tr_graph_loops. */
struct loop_search {
	struct tr_graph preds;
	struct walk w;
	struct intervals dom;
	uint32_t *top, *stack, *left; /* left: place in the walk's order of leaving */
};

/* Back edges into v: their number. Sets *irreducible at other edges against the order. */
static uint32_t back_edges(const struct loop_search *s, uint32_t v, int *irreducible)
{
	uint32_t count = 0;

	for (uint32_t e = s->preds.first[v]; e < s->preds.first[v + 1]; e++) {
		uint32_t u = s->preds.to[e];
		if (s->w.num[u] == TR_NONE)
			continue;
		if (dominates(&s->dom, v, u))
			count++;
		else if (s->left[u] <= s->left[v])
			*irreducible = 1;
	}
	return count;
}

/* Takes what u stands for into the loop of header h, unless it is there already. */
static void take(struct loop_search *s, uint32_t h, uint32_t u, uint32_t *depth)
{
	uint32_t x = s->w.num[u] == TR_NONE ? h : outermost(s->top, u);

	if (x != h) {
		s->top[x] = h;
		s->stack[(*depth)++] = x;
	}
}

static void collect(struct loop_search *s, struct tr_loop *loops, uint32_t l, uint32_t *loop_of)
{
	uint32_t h = loops[l].header, depth = 0;

	loop_of[h] = l;
	for (uint32_t e = s->preds.first[h]; e < s->preds.first[h + 1]; e++)
		if (s->w.num[s->preds.to[e]] != TR_NONE && dominates(&s->dom, h, s->preds.to[e]))
			take(s, h, s->preds.to[e], &depth);
	while (depth) {
		uint32_t x = s->stack[--depth];
		if (loop_of[x] == TR_NONE) {
			loop_of[x] = l;
			loops[l].nblocks++;
		} else {
			loops[loop_of[x]].parent = l;
			loops[l].nblocks += loops[loop_of[x]].nblocks;
		}
		for (uint32_t e = s->preds.first[x]; e < s->preds.first[x + 1]; e++)
			take(s, h, s->preds.to[e], &depth);
	}
}

static int find_loops(struct loop_search *s, uint32_t n, struct tr_loop **loops, uint32_t *nloops,
	uint32_t *loop_of, int *irreducible)
{
	uint32_t count = 0, l;

	for (uint32_t i = 0; i < s->w.count; i++)
		s->left[s->w.post[i]] = i;
	for (uint32_t i = 0; i < s->w.count; i++)
		count += back_edges(s, s->w.post[i], irreducible) > 0;
	*loops = malloc(sizeof **loops * ((size_t)count + 1));
	if (!*loops)
		return TR_EMEM;
	*nloops = count;
	for (uint32_t v = 0; v < n; v++)
		s->top[v] = v;
	/* What is dominated is left earlier, so inner headers come first and outer numbers last. */
	l = count;
	for (uint32_t i = 0; i < s->w.count; i++) {
		uint32_t h = s->w.post[i];
		if (!back_edges(s, h, irreducible))
			continue;
		(*loops)[--l] = (struct tr_loop){.header = h, .parent = TR_NONE, .nblocks = 1};
		collect(s, *loops, l, loop_of);
	}
	for (l = 0; l < count; l++) {
		uint32_t parent = (*loops)[l].parent;
		(*loops)[l].depth = parent == TR_NONE ? 1 : (*loops)[parent].depth + 1;
	}
	return 1;
}

int tr_graph_loops(const struct tr_graph *g, const uint32_t *idom, struct tr_loop **loops,
	uint32_t *nloops, uint32_t *loop_of, int *irreducible)
{
	struct loop_search s;
	int rc;

	*loops = NULL;
	*nloops = 0;
	*irreducible = 0;
	fill(loop_of, g->n, TR_NONE);
	rc = walk(g, 0, &s.w);
	if (rc < 0)
		return rc;
	rc = tr_graph_reverse(g, &s.preds);
	if (rc < 0)
		goto out_walk;
	rc = intervals_find(&s.dom, &s.w, g->n, idom);
	if (rc < 0)
		goto out_preds;
	s.top = numbers(3, g->n);
	if (s.top) {
		s.stack = s.top + g->n;
		s.left = s.stack + g->n;
		rc = find_loops(&s, g->n, loops, nloops, loop_of, irreducible);
	} else {
		rc = TR_EMEM;
	}
	free(s.top);
	free(s.dom.in);
out_preds:
	tr_graph_free(&s.preds);
out_walk:
	walk_free(&s.w);
	return rc;
}

int tr_loop_contains(const struct tr_loop *loops, uint32_t outer, uint32_t inner)
{
	while (inner != TR_NONE && loops[inner].depth > loops[outer].depth)
		inner = loops[inner].parent;
	return inner == outer;
}

int tr_loop_tree_make(struct tr_loop_tree *t, const struct tr_loop *loops, uint32_t n)
{
	uint32_t *next;

	t->loops = loops;
	t->in = numbers(4, n);
	if (!t->in)
		return TR_EMEM;
	t->size = t->in + n;
	t->jump = t->size + n;
	next = t->jump + n;
	fill(t->size, n, 1);
	for (uint32_t l = n; l--;)
		if (loops[l].parent != TR_NONE)
			t->size[loops[l].parent] += t->size[l];
	for (uint32_t l = 0, roots = 0; l < n; l++) {
		uint32_t p = loops[l].parent, *at = p == TR_NONE ? &roots : &next[p];

		t->in[l] = *at;
		next[l] = *at + 1;
		*at += t->size[l];
		t->jump[l] = l;
		if (p != TR_NONE) {
			uint32_t far = t->jump[p], farther = t->jump[far];
			int same = loops[p].depth - loops[far].depth ==
				   loops[far].depth - loops[farther].depth;
			t->jump[l] = same ? farther : p;
		}
	}
	return 1;
}

void tr_loop_tree_free(struct tr_loop_tree *t)
{
	free(t->in);
	t->in = NULL;
}

int tr_loop_tree_holds(const struct tr_loop_tree *t, uint32_t outer, uint32_t inner)
{
	return inner != TR_NONE && t->in[inner] - t->in[outer] < t->size[outer];
}

/*
 * The outermost loop that holds `from` but not `to`; TR_NONE if there is none. They are the loops
 * at the two ends of an edge. An edge enters a loop at its header only, so what the ends have in
 * common is `to` or its parent.
 */
static uint32_t loop_left(const struct tr_loop_tree *t, uint32_t from, uint32_t to)
{
	const struct tr_loop *loops = t->loops;
	uint32_t common = from == TR_NONE ? TR_NONE : to, depth;

	while (common != TR_NONE && !tr_loop_tree_holds(t, common, from))
		common = loops[common].parent;
	if (common == from)
		return TR_NONE;
	depth = common == TR_NONE ? 1 : loops[common].depth + 1;
	while (loops[from].depth > depth)
		from = loops[t->jump[from]].depth >= depth ? t->jump[from] : loops[from].parent;
	return from;
}

/*
 * Where an edge leaves loops, its target also becomes a successor of the outermost one's header,
 * looked at before the body. So all that lies after a loop is left before the first block of the
 * body is, and the order of leaving, reversed, has the body in one piece and its exits after it.
 * Each new edge only shortens a way through the loop: headers dominate what they did.
 */
static int with_exits_first(const struct tr_graph *g, const struct tr_loop_tree *t,
	const uint32_t *loop_of, struct tr_graph *out)
{
	uint32_t n = g->n, edges = g->first[n];
	uint32_t *at = numbers(2, n), *of_edge = numbers(1, edges), *count;

	out->n = n;
	out->first = numbers(1, (size_t)n + 1);
	out->to = numbers(2, edges);
	if (!at || !of_edge || !out->first || !out->to) {
		free(at);
		free(of_edge);
		tr_graph_free(out);
		return TR_EMEM;
	}
	count = at + n;
	fill(count, n, 0);
	for (uint32_t v = 0; v < n; v++)
		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
			uint32_t l = TR_NONE;
			if (g->to[e] < n)
				l = loop_left(t, loop_of[v], loop_of[g->to[e]]);
			of_edge[e] = l == TR_NONE ? TR_NONE : t->loops[l].header;
			if (l != TR_NONE)
				count[of_edge[e]]++;
		}
	out->first[0] = 0;
	for (uint32_t v = 0; v < n; v++) {
		at[v] = out->first[v];
		out->first[v + 1] = at[v] + count[v] + (g->first[v + 1] - g->first[v]);
	}
	for (uint32_t e = 0; e < edges; e++)
		if (of_edge[e] != TR_NONE)
			out->to[at[of_edge[e]]++] = g->to[e];
	for (uint32_t v = 0; v < n; v++)
		for (uint32_t e = g->first[v + 1]; e-- > g->first[v];)
			out->to[at[v]++] = g->to[e];
	free(at);
	free(of_edge);
	return 1;
}

int tr_graph_rank(const struct tr_graph *g, const struct tr_loop_tree *t, const uint32_t *loop_of,
	uint32_t *rank)
{
	struct tr_graph order;
	struct walk w;
	uint32_t last;
	int rc = with_exits_first(g, t, loop_of, &order);

	if (rc < 0)
		return rc;
	rc = walk(&order, 0, &w);
	tr_graph_free(&order);
	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < w.count; i++)
		rank[w.post[i]] = w.count - 1 - i;
	last = w.count;
	for (uint32_t v = 0; v < g->n; v++)
		if (w.num[v] == TR_NONE)
			rank[v] = last++;
	assert(last == g->n);
	walk_free(&w);
	return 1;
}
