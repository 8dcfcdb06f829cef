/* Dijkstra with a binary heap; see dijkstra.h. */
#include "datasets/workloads/dijkstra.h"

/* A binary heap in a[1] ... a[*n], least first. */
static void push(uint64_t *a, uint32_t *n, uint64_t item)
{
	uint32_t i = ++*n;

	for (; i > 1 && a[i / 2] > item; i /= 2)
		a[i] = a[i / 2];
	a[i] = item;
}

static uint64_t pop(uint64_t *a, uint32_t *n)
{
	uint64_t least = a[1], last = a[(*n)--];
	uint32_t i = 1;

	for (uint32_t child; (child = 2 * i) <= *n; i = child) {
		if (child < *n && a[child + 1] < a[child])
			child++;
		if (a[child] >= last)
			break;
		a[i] = a[child];
	}
	a[i] = last;
	return least;
}

/* Items of the heap are distance << 32 | node; those that a shorter path overtook are skipped. */
void wl_dijkstra(const struct wl_graph *g, uint32_t source, int32_t *dist, uint64_t *heap)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->n; i++)
		dist[i] = WL_FAR;
	dist[source] = 0;
	push(heap, &n, source);
	while (n) {
		uint64_t item = pop(heap, &n);
		uint32_t u = (uint32_t)item;

		if ((int32_t)(item >> 32) != dist[u])
			continue;
		for (uint32_t e = g->row[u]; e < g->row[u + 1]; e++) {
			int32_t through = dist[u] + g->weight[e];

			if (through < dist[g->col[e]]) {
				dist[g->col[e]] = through;
				push(heap, &n, (uint64_t)through << 32 | g->col[e]);
			}
		}
	}
}
