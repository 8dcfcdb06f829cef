/* The suffix tree of mummer's reference. */
#ifndef MUMMER_TREE_H
#define MUMMER_TREE_H

#include "datasets/workloads/reads.h"

/*
 * The edge from the parent is text[start ... end - 1]. Children by A, C, G, T. Node 0 is the root;
 * as a child, none. The link leads to the node whose path lacks the first letter; leaves have none.
 */
struct mummer_node {
	int32_t start, end, link, child[4];
};

/*
 * Builds the tree of text[0 ... n - 1], whose leaves run to the sentinel text[n]. `nodes` has room
 * for 2 n, zeroed. Returns their count.
 */
int32_t mummer_build(struct mummer_node *nodes, const char *text, int32_t n);

/* Letters from the root to each node's end. `stack` has room for all nodes. */
void mummer_depths(const struct mummer_node *nodes, int32_t *depth, int32_t *stack);

#endif
