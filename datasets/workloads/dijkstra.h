/* Shortest paths from one node, the plain way: what the workloads' results are compared with. */
#ifndef DIJKSTRA_H
#define DIJKSTRA_H

#include "datasets/workloads/input.h"

#define WL_FAR (1 << 30) /* of a node that no path leads to */

/* dist: of each node. heap: room for g->m + 2 items. */
void wl_dijkstra(const struct wl_graph *g, uint32_t source, int32_t *dist, uint64_t *heap);

#endif
