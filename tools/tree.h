/*
 * The tree of launches: which kernels launched which, how often, with how many threads. Launches of
 * one kernel by launches of one node are one node.
 */
#ifndef TOOLS_TREE_H
#define TOOLS_TREE_H

#include "libtrace/trace.h"
#include <stdbool.h>
#include <stdio.h>

struct tree_node {
	uint32_t parent; /* node, or TR_NONE: the host's, or that of launches that were not seen */
	uint32_t depth;  /* 0: the host's */
	char *kernel;
	uint64_t launches, ctas, threads;
};

struct tree {
	struct tree_node *nodes; /* parents before children */
	uint32_t n, cap;
	uint32_t *node_of; /* by launch since the host's last one, or the first that was seen */
	uint32_t first, nlaunches, cap_launches;
	bool children; /* there are any */
};

/* The next launch of the stream, and how deep it is. */
void tree_add(
	struct tree *t, const struct tr_launch *l, const struct tr_program *p, uint32_t depth);
/* As text, a line a node, children below their parents. */
void tree_print(const struct tree *t, FILE *f);
void tree_free(struct tree *t);

#endif
