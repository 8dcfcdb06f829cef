/*
 * graph.c on hand-drawn graphs and, against slow twins that follow the definitions word by word, on
 * thousands of random ones.
 */
#include "libtrace/graph.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define MAX_NODES 24
#define MAX_EDGES (4 * MAX_NODES)
#define X TR_EXIT

/* A graph and all that is found in it. */
struct drawn {
	struct tr_graph g;
	uint32_t first[MAX_NODES + 1], to[MAX_EDGES];
	uint32_t idom[MAX_NODES], ipdom[MAX_NODES], loop_of[MAX_NODES], rank[MAX_NODES];
	struct tr_loop *loops;
	uint32_t nloops;
	int irreducible;
};

static void find(struct drawn *d)
{
	struct tr_loop_tree t;

	assert_int_equal(tr_graph_idom(&d->g, 0, d->idom), 1);
	assert_int_equal(tr_graph_ipdom(&d->g, d->ipdom), 1);
	assert_int_equal(
		tr_graph_loops(&d->g, d->idom, &d->loops, &d->nloops, d->loop_of, &d->irreducible),
		1);
	assert_int_equal(tr_loop_tree_make(&t, d->loops, d->nloops), 1);
	assert_int_equal(tr_graph_rank(&d->g, &t, d->loop_of, d->rank), 1);
	for (uint32_t l = 0; l < d->nloops; l++)
		for (uint32_t k = 0; k < d->nloops; k++)
			assert_int_equal(
				tr_loop_tree_holds(&t, l, k), tr_loop_contains(d->loops, l, k));
	tr_loop_tree_free(&t);
}

/* Draws n nodes from pairs of (from, to), ordered by from, and finds what there is to find. */
static void draw(struct drawn *d, uint32_t n, const uint32_t (*edges)[2], uint32_t nedges)
{
	uint32_t e = 0;

	memset(d, 0, sizeof *d);
	d->g = (struct tr_graph){n, d->first, d->to};
	for (uint32_t v = 0; v < n; v++) {
		for (; e < nedges && edges[e][0] == v; e++)
			d->to[e] = edges[e][1];
		d->first[v + 1] = e;
	}
	assert_int_equal(e, nedges);
	find(d);
}

#define DRAW(d, n, ...)                                                                            \
	draw(d, n, (const uint32_t[][2]){__VA_ARGS__},                                             \
		sizeof((const uint32_t[][2]){__VA_ARGS__}) / sizeof(uint32_t[2]))

static void assert_list(const uint32_t *found, const uint32_t *expected, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (found[i] != expected[i])
			fail_msg("node %u: %u, not %u", i, found[i], expected[i]);
}

#define EXPECT(found, ...)                                                                         \
	assert_list(found, (const uint32_t[]){__VA_ARGS__},                                        \
		sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* ---- hand-drawn ---- */

static void test_diamond(void **state)
{
	struct drawn d;

	(void)state;
	DRAW(&d, 4, {0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, X});
	EXPECT(d.idom, TR_NONE, 0, 0, 0);
	EXPECT(d.ipdom, 3, 3, 3, X);
	EXPECT(d.rank, 0, 1, 2, 3);
	assert_int_equal(d.nloops, 0);
	free(d.loops);
}

static void test_one_node(void **state)
{
	struct drawn d;

	(void)state;
	DRAW(&d, 1, {0, X});
	EXPECT(d.idom, TR_NONE);
	EXPECT(d.ipdom, X);
	EXPECT(d.rank, 0);
	free(d.loops);
}

static void test_nested_loops(void **state)
{
	struct drawn d;

	(void)state;
	/* 1 and 2 are headers, 3 closes the inner loop, 4 the outer one. */
	DRAW(&d, 6, {0, 1}, {1, 5}, {1, 2}, {2, 3}, {3, 2}, {3, 4}, {4, 1}, {5, X});
	EXPECT(d.idom, TR_NONE, 0, 1, 2, 3, 1);
	EXPECT(d.ipdom, 1, 5, 3, 4, 1, X);
	EXPECT(d.loop_of, TR_NONE, 0, 1, 1, 0, TR_NONE);
	EXPECT(d.rank, 0, 1, 2, 3, 4, 5);
	assert_int_equal(d.nloops, 2);
	assert_int_equal(d.loops[0].header, 1);
	assert_int_equal(d.loops[0].depth, 1);
	assert_int_equal(d.loops[0].parent, TR_NONE);
	assert_int_equal(d.loops[0].nblocks, 4);
	assert_int_equal(d.loops[1].header, 2);
	assert_int_equal(d.loops[1].depth, 2);
	assert_int_equal(d.loops[1].parent, 0);
	assert_int_equal(d.loops[1].nblocks, 2);
	assert_int_equal(tr_loop_contains(d.loops, 0, 1), 1);
	assert_int_equal(tr_loop_contains(d.loops, 1, 0), 0);
	assert_int_equal(tr_loop_contains(d.loops, 0, TR_NONE), 0);
	free(d.loops);
}

static void test_loop_with_break(void **state)
{
	struct drawn d;

	(void)state;
	/* 2 breaks to 4, where the header's own exit leads too; the break's side 5 is no body. */
	DRAW(&d, 6, {0, 1}, {1, 2}, {1, 4}, {2, 5}, {2, 3}, {3, 1}, {4, X}, {5, 4});
	EXPECT(d.ipdom, 1, 4, 4, 1, X, 4);
	EXPECT(d.loop_of, TR_NONE, 0, 0, 0, TR_NONE, TR_NONE);
	EXPECT(d.rank, 0, 1, 2, 3, 5, 4);
	free(d.loops);
}

static void test_loop_stays_in_one_piece(void **state)
{
	struct drawn d;

	(void)state;
	/* A walk that sees 3 first finishes 3 and 5 before it finds the exit 6 after 4. */
	DRAW(&d, 7, {0, 1}, {1, 4}, {1, 3}, {2, X}, {3, 5}, {4, 6}, {4, 3}, {5, 1}, {6, 2});
	EXPECT(d.loop_of, TR_NONE, 0, TR_NONE, 0, 0, 0, TR_NONE);
	EXPECT(d.rank, 0, 1, 6, 3, 2, 4, 5);
	free(d.loops);
}

static void test_several_exits(void **state)
{
	struct drawn d;

	(void)state;
	DRAW(&d, 4, {0, 1}, {0, 2}, {1, X}, {2, 3}, {2, X}, {3, X});
	EXPECT(d.ipdom, X, X, X, X);
	EXPECT(d.idom, TR_NONE, 0, 0, 2);
	free(d.loops);
}

static void test_infinite_loop(void **state)
{
	struct drawn d;

	(void)state;
	/* From 1 and 2 no path leads out; 0 has one by 3 alone. */
	DRAW(&d, 4, {0, 1}, {0, 3}, {1, 2}, {2, 1}, {3, X});
	EXPECT(d.ipdom, 3, TR_NONE, TR_NONE, X);
	EXPECT(d.loop_of, TR_NONE, 0, 0, TR_NONE);
	assert_int_equal(d.loops[0].nblocks, 2);
	free(d.loops);
}

static void test_irreducible(void **state)
{
	struct drawn d;

	(void)state;
	/* The cycle of 1 and 2 is entered at both. */
	DRAW(&d, 4, {0, 1}, {0, 2}, {1, 2}, {2, 1}, {2, 3}, {3, X});
	EXPECT(d.idom, TR_NONE, 0, 0, 2);
	EXPECT(d.ipdom, 2, 2, 3, X);
	assert_int_equal(d.nloops, 0);
	assert_int_equal(d.irreducible, 1);
	free(d.loops);
}

static void test_irreducible_inside_a_loop(void **state)
{
	struct drawn d;

	(void)state;
	DRAW(&d, 6, {0, 1}, {1, 2}, {1, 3}, {2, 3}, {3, 2}, {3, 4}, {4, 1}, {4, 5}, {5, X});
	assert_int_equal(d.nloops, 1);
	assert_int_equal(d.loops[0].nblocks, 4);
	assert_int_equal(d.irreducible, 1);
	free(d.loops);
}

static void test_switch(void **state)
{
	struct drawn d;

	(void)state;
	/* 2 falls through into 3; one target stands twice, and its last place counts. */
	DRAW(&d, 5, {0, 1}, {0, 2}, {0, 3}, {0, 1}, {1, 4}, {2, 3}, {3, 4}, {4, X});
	EXPECT(d.idom, TR_NONE, 0, 0, 0, 0);
	EXPECT(d.ipdom, 4, 4, 3, 4, X);
	EXPECT(d.rank, 0, 3, 1, 2, 4);
	free(d.loops);
}

static void test_self_loop(void **state)
{
	struct drawn d;

	(void)state;
	DRAW(&d, 2, {0, 0}, {0, 1}, {1, X});
	assert_int_equal(d.nloops, 1);
	assert_int_equal(d.loops[0].header, 0);
	assert_int_equal(d.loops[0].nblocks, 1);
	assert_int_equal(d.irreducible, 0);
	EXPECT(d.rank, 0, 1);
	EXPECT(d.ipdom, 1, X);
	free(d.loops);
}

static void test_same_header_is_one_loop(void **state)
{
	struct drawn d;

	(void)state;
	DRAW(&d, 4, {0, 1}, {1, 0}, {1, 2}, {2, 0}, {2, 3}, {3, X});
	assert_int_equal(d.nloops, 1);
	assert_int_equal(d.loops[0].nblocks, 3);
	EXPECT(d.rank, 0, 1, 2, 3);
	free(d.loops);
}

static void test_unreachable(void **state)
{
	struct drawn d;

	(void)state;
	/* 1 leads into the loop of 2, but nothing leads to 1. */
	DRAW(&d, 4, {0, 2}, {1, 2}, {1, 1}, {2, 2}, {2, 3}, {3, X});
	EXPECT(d.idom, TR_NONE, TR_NONE, 0, 2);
	EXPECT(d.ipdom, 2, 2, 3, X);
	EXPECT(d.loop_of, TR_NONE, TR_NONE, 0, TR_NONE);
	EXPECT(d.rank, 0, 3, 1, 2);
	assert_int_equal(d.loops[0].nblocks, 1);
	free(d.loops);
}

/* A ladder of 100,000 nodes, each with a way to the end, inside of one loop: neither deep stacks
 * nor long climbs. */
static void test_large(void **state)
{
	const uint32_t n = 100000;
	struct tr_graph g = {n, calloc(n + 1, sizeof(uint32_t)), calloc(2 * n, sizeof(uint32_t))};
	uint32_t *idom = calloc(4 * n, sizeof *idom), *ipdom = idom + n, *loop_of = ipdom + n;
	uint32_t *rank = loop_of + n, nloops, edges = 0;
	struct tr_loop_tree t;
	struct tr_loop *loops;
	int irreducible;

	(void)state;
	for (uint32_t v = 0; v + 1 < n; v++) {
		g.to[edges++] = v + 2 < n ? v + 1 : 0;
		g.to[edges++] = n - 1;
		g.first[v + 1] = edges;
	}
	g.to[edges++] = X;
	g.first[n] = edges;
	assert_int_equal(tr_graph_idom(&g, 0, idom), 1);
	assert_int_equal(tr_graph_ipdom(&g, ipdom), 1);
	assert_int_equal(tr_graph_loops(&g, idom, &loops, &nloops, loop_of, &irreducible), 1);
	assert_int_equal(tr_loop_tree_make(&t, loops, nloops), 1);
	assert_int_equal(tr_graph_rank(&g, &t, loop_of, rank), 1);
	tr_loop_tree_free(&t);
	for (uint32_t v = 1; v < n; v++) {
		assert_int_equal(idom[v], v == n - 1 ? 0 : v - 1);
		assert_int_equal(rank[v], v);
	}
	for (uint32_t v = 0; v + 1 < n; v++)
		assert_int_equal(ipdom[v], n - 1);
	assert_int_equal(nloops, 1);
	assert_int_equal(loops[0].nblocks, n - 1);
	free(loops);
	free(idom);
	tr_graph_free(&g);
}

/* ---- random, against slow twins ---- */

static uint32_t rng = 12345;

static uint32_t below(uint32_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 17;
	rng ^= rng << 5;
	return rng % n;
}

/* Mostly short edges forward, some back, some out, some nodes without a way in. */
static void draw_random(struct drawn *d)
{
	uint32_t edges[MAX_EDGES][2], nedges = 0, n = 1 + below(MAX_NODES - 1);
	uint32_t wild = below(4);

	for (uint32_t v = 0; v < n; v++) {
		uint32_t degree = 1 + below(wild + 1) % 3 + (below(8) == 0);
		for (uint32_t k = 0; k < degree && nedges < MAX_EDGES; k++) {
			uint32_t to = below(8) < 5 ? v + 1 + below(2) : below(n);
			edges[nedges][0] = v;
			edges[nedges++][1] = below(12) == 0 || to >= n ? X : to;
		}
	}
	draw(d, n, (const uint32_t(*)[2])edges, nedges);
}

/* Which nodes are reached from `from` without entering `without`; index n: the virtual exit. */
static void reach(const struct tr_graph *g, uint32_t from, uint32_t without, uint8_t *reached)
{
	uint32_t stack[MAX_NODES], depth = 0;

	memset(reached, 0, g->n + 1);
	if (from == without)
		return;
	reached[from] = 1;
	stack[depth++] = from;
	while (depth) {
		uint32_t v = stack[--depth];
		for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
			uint32_t t = g->to[e] < g->n ? g->to[e] : g->n;
			if (t == without || reached[t])
				continue;
			reached[t] = 1;
			if (t < g->n)
				stack[depth++] = t;
		}
	}
}

/* dom[a][b]: b is reached from 0, and not when a is taken away. */
static void slow_dominance(const struct tr_graph *g, uint8_t dom[MAX_NODES][MAX_NODES])
{
	uint8_t all[MAX_NODES + 1], some[MAX_NODES + 1];

	reach(g, 0, TR_NONE, all);
	for (uint32_t a = 0; a < g->n; a++) {
		reach(g, 0, a, some);
		for (uint32_t b = 0; b < g->n; b++)
			dom[a][b] = all[b] && all[a] && !some[b];
	}
}

static void check_idom(const struct drawn *d, uint8_t dom[MAX_NODES][MAX_NODES])
{
	for (uint32_t b = 0; b < d->g.n; b++) {
		/* The strict dominator that all other strict dominators dominate. */
		uint32_t expected = TR_NONE;
		for (uint32_t a = 0; a < d->g.n; a++)
			if (a != b && dom[a][b] && (expected == TR_NONE || dom[expected][a]))
				expected = a;
		assert_int_equal(d->idom[b], expected);
	}
}

static void check_ipdom(const struct drawn *d)
{
	uint32_t n = d->g.n;
	uint8_t pdom[MAX_NODES][MAX_NODES] = {{0}}, reached[MAX_NODES + 1];

	for (uint32_t b = 0; b < n; b++) {
		reach(&d->g, b, TR_NONE, reached);
		if (!reached[n]) {
			assert_int_equal(d->ipdom[b], TR_NONE);
			continue;
		}
		for (uint32_t a = 0; a < n; a++) {
			reach(&d->g, b, a, reached);
			pdom[a][b] = !reached[n];
		}
	}
	for (uint32_t b = 0; b < n; b++) {
		uint32_t expected = X;
		if (d->ipdom[b] == TR_NONE)
			continue;
		for (uint32_t a = 0; a < n; a++)
			if (a != b && pdom[a][b] && (expected == X || pdom[expected][a]))
				expected = a;
		assert_int_equal(d->ipdom[b], expected);
	}
}

/* body[h][v]: v is h or reaches, without h, the source of a back edge to h. */
static uint32_t slow_loops(const struct tr_graph *g, uint8_t dom[MAX_NODES][MAX_NODES],
	uint8_t body[MAX_NODES][MAX_NODES])
{
	uint32_t count = 0;

	memset(body, 0, MAX_NODES * MAX_NODES);
	for (uint32_t u = 0; u < g->n; u++)
		for (uint32_t e = g->first[u]; e < g->first[u + 1]; e++) {
			uint32_t h = g->to[e];
			uint8_t reached[MAX_NODES + 1];
			if (h >= g->n || !dom[h][u])
				continue;
			count += !body[h][h];
			body[h][h] = 1;
			for (uint32_t v = 0; v < g->n; v++) {
				reach(g, v, h, reached);
				if (v != h && dom[0][v] && reached[u])
					body[h][v] = 1;
			}
		}
	return count;
}

/* Without back edges, is there still a cycle among what the entry reaches? */
static int slow_irreducible(const struct tr_graph *g, uint8_t dom[MAX_NODES][MAX_NODES])
{
	uint8_t gone[MAX_NODES] = {0};

	for (uint32_t round = 0; round < g->n; round++)
		for (uint32_t v = 0; v < g->n; v++) {
			int stays = 0;
			for (uint32_t e = g->first[v]; e < g->first[v + 1]; e++) {
				uint32_t t = g->to[e];
				stays |= t < g->n && !dom[t][v] && !gone[t];
			}
			gone[v] |= !stays || !dom[0][v];
		}
	return memchr(gone, 0, g->n) != NULL;
}

static void check_loops(const struct drawn *d, uint8_t dom[MAX_NODES][MAX_NODES],
	uint8_t body[MAX_NODES][MAX_NODES])
{
	uint32_t n = d->g.n;

	assert_int_equal(d->nloops, slow_loops(&d->g, dom, body));
	assert_int_equal(d->irreducible, slow_irreducible(&d->g, dom));
	for (uint32_t l = 0; l < d->nloops; l++) {
		uint32_t h = d->loops[l].header, size = 0, depth = 0;
		assert_int_equal(body[h][h], 1);
		for (uint32_t v = 0; v < n; v++) {
			size += body[h][v];
			depth += body[v][h];
			assert_int_equal(body[h][v], tr_loop_contains(d->loops, l, d->loop_of[v]));
		}
		assert_int_equal(d->loops[l].nblocks, size);
		assert_int_equal(d->loops[l].depth, depth);
		if (depth > 1) {
			assert_true(d->loops[l].parent < l);
			assert_int_equal(d->loops[d->loops[l].parent].depth, depth - 1);
		} else {
			assert_int_equal(d->loops[l].parent, TR_NONE);
		}
	}
}

static void check_rank(const struct drawn *d, uint8_t dom[MAX_NODES][MAX_NODES],
	uint8_t body[MAX_NODES][MAX_NODES])
{
	uint32_t n = d->g.n, reachable = 0;
	uint8_t taken[MAX_NODES] = {0};

	for (uint32_t v = 0; v < n; v++) {
		assert_true(d->rank[v] < n && !taken[d->rank[v]]++);
		reachable += dom[0][v];
	}
	assert_int_equal(d->rank[0], 0);
	for (uint32_t v = 0; v < n; v++) {
		assert_int_equal(d->rank[v] < reachable, dom[0][v]);
		for (uint32_t e = d->g.first[v]; e < d->g.first[v + 1] && !d->irreducible; e++) {
			uint32_t t = d->g.to[e];
			if (t < n && dom[0][v] && !dom[t][v])
				assert_true(d->rank[v] < d->rank[t]);
		}
	}
	for (uint32_t h = 0; h < n && !d->irreducible; h++) {
		uint32_t size = 0, least = n, most = 0;
		for (uint32_t v = 0; v < n; v++)
			if (body[h][v]) {
				size++;
				least = d->rank[v] < least ? d->rank[v] : least;
				most = d->rank[v] > most ? d->rank[v] : most;
			}
		if (size) {
			assert_int_equal(least, d->rank[h]);
			assert_int_equal(most - least + 1, size);
		}
	}
}

static void test_random(void **state)
{
	uint32_t loops = 0, nested = 0, irreducible = 0, endless = 0;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		uint8_t dom[MAX_NODES][MAX_NODES], body[MAX_NODES][MAX_NODES];
		struct drawn d;
		draw_random(&d);
		slow_dominance(&d.g, dom);
		check_idom(&d, dom);
		check_ipdom(&d);
		check_loops(&d, dom, body);
		check_rank(&d, dom, body);
		loops += d.nloops > 0 && !d.irreducible;
		irreducible += d.irreducible;
		endless += d.ipdom[0] == TR_NONE;
		for (uint32_t l = 0; l < d.nloops; l++)
			nested += d.loops[l].depth > 2;
		free(d.loops);
	}
	/* The generator makes enough of everything. */
	assert_true(loops > 2000 && nested > 200 && irreducible > 1000 && endless > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_diamond),
		cmocka_unit_test(test_one_node),
		cmocka_unit_test(test_nested_loops),
		cmocka_unit_test(test_loop_with_break),
		cmocka_unit_test(test_loop_stays_in_one_piece),
		cmocka_unit_test(test_several_exits),
		cmocka_unit_test(test_infinite_loop),
		cmocka_unit_test(test_irreducible),
		cmocka_unit_test(test_irreducible_inside_a_loop),
		cmocka_unit_test(test_switch),
		cmocka_unit_test(test_self_loop),
		cmocka_unit_test(test_same_header_is_one_loop),
		cmocka_unit_test(test_unreachable),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
