/*
 * Single-source shortest paths by rounds of relaxation, after LonestarGPU's sssp: one thread a
 * node, every node in every round, atomicMin on the far end's distance.
 */
#include "cuda.h"

extern "C" __global__ void sssp_init(int *dist, int far, int n)
{
	int u = blockIdx.x * blockDim.x + threadIdx.x;

	if (u < n)
		dist[u] = far;
}

extern "C" __global__ void sssp_relax(const int *row, const int *col, const int *weight, int *dist,
	int *changed, int n)
{
	int u = blockIdx.x * blockDim.x + threadIdx.x;

	if (u < n) {
		int end = row[u + 1];
		for (int e = row[u]; e < end; e++) {
			int v = col[e];
			int through = dist[u] + weight[e];
			if (through < dist[v]) {
				int before = atomicMin(&dist[v], through);
				if (through < before)
					*changed = 1;
			}
		}
	}
}
