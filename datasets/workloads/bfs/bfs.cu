/*
 * Level-synchronous breadth-first search after Rodinia's bfs: one thread a node, two kernels a
 * level. Nodes of the frontier visit their edges; the second kernel makes the next frontier.
 */
#include "cuda.h"

struct node {
	int start, edges;
};

extern "C" __global__ void bfs_visit(const node *nodes, const int *edges, unsigned char *frontier,
	unsigned char *updating, const unsigned char *visited, int *cost, int n)
{
	int tid = blockIdx.x * blockDim.x + threadIdx.x;

	if (tid < n && frontier[tid]) {
		frontier[tid] = 0;
		for (int i = nodes[tid].start; i < nodes[tid].edges + nodes[tid].start; i++) {
			int id = edges[i];
			if (!visited[id]) {
				cost[id] = cost[tid] + 1;
				updating[id] = 1;
			}
		}
	}
}

extern "C" __global__ void bfs_advance(unsigned char *frontier, unsigned char *updating,
	unsigned char *visited, unsigned char *again, int n)
{
	int tid = blockIdx.x * blockDim.x + threadIdx.x;

	if (tid < n && updating[tid]) {
		frontier[tid] = 1;
		visited[tid] = 1;
		*again = 1;
		updating[tid] = 0;
	}
}
