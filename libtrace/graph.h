/*
 * Internal: flow graphs as plain successor lists, and what is found in them. Pure functions over
 * numbers, so that they can be tested on hand-drawn graphs; program.h knows the instructions.
 * Not installed.
 */
#ifndef TR_GRAPH_H
#define TR_GRAPH_H

#include "program.h"

/*
 * Successors of node v: to[first[v]] ... to[first[v + 1] - 1]. A target of n or more (TR_EXIT)
 * leaves the graph. Every function here is entered at node 0 unless it takes a root, returns 1 or
 * TR_EMEM, and takes time linear in nodes and edges up to a logarithm.
 */
struct tr_graph {
	uint32_t n;
	uint32_t *first, *to;
};

/*
 * *r becomes g with its edges reversed and one node more: node g->n, the virtual exit, from which
 * the edges that leave g now start. tr_graph_free frees its lists.
 */
int tr_graph_reverse(const struct tr_graph *g, struct tr_graph *r);
void tr_graph_free(struct tr_graph *g);

/* idom[n]: immediate dominators; TR_NONE for the root and for what it does not reach. */
int tr_graph_idom(const struct tr_graph *g, uint32_t root, uint32_t *idom);

/* ipdom[n]: immediate post-dominators, TR_EXIT, or TR_NONE where no path leads to an exit. */
int tr_graph_ipdom(const struct tr_graph *g, uint32_t *ipdom);

/*
 * Natural loops: an edge whose target dominates its source closes one, and loops with the same
 * header are one. *loops (the caller's to free) stand outer before inner; loop_of[n] is the
 * innermost one or TR_NONE. *irreducible: some cycle contains no such edge.
 */
int tr_graph_loops(const struct tr_graph *g, const uint32_t *idom, struct tr_loop **loops,
	uint32_t *nloops, uint32_t *loop_of, int *irreducible);

/* True if `inner` (a loop or TR_NONE) is `outer` or lies in it. Time: the loop depth. */
int tr_loop_contains(const struct tr_loop *loops, uint32_t outer, uint32_t inner);

/*
 * The same in constant time. Loops are numbered by a walk through their tree, so that the loops in
 * `outer` have the size[outer] numbers from in[outer] on. jump: for each loop one of those around
 * it, chosen so that the one of any depth is found in a logarithm of steps (Myers 1983).
 */
struct tr_loop_tree {
	const struct tr_loop *loops;
	uint32_t *in, *size, *jump;
};
int tr_loop_tree_make(struct tr_loop_tree *t, const struct tr_loop *loops, uint32_t n);
void tr_loop_tree_free(struct tr_loop_tree *t);
int tr_loop_tree_holds(const struct tr_loop_tree *t, uint32_t outer, uint32_t inner);

/*
 * rank[n]: a permutation with 0 at the entry. In a reducible graph each edge that closes no loop
 * leads to a higher rank, and the ranks of a loop's blocks are contiguous. Where that leaves a
 * choice, a first successor comes before a second. Nodes that the entry does not reach come last.
 */
int tr_graph_rank(const struct tr_graph *g, const struct tr_loop_tree *t, const uint32_t *loop_of,
	uint32_t *rank);

#endif
