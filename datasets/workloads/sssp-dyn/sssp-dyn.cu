/*
 * Single-source shortest paths by a frontier (dragon_li's of 2014): a launch relaxes the edges of
 * the vertices of the frontier, and a vertex whose distance fell enters the next one, once. A block
 * of 256 threads takes every gridDim-th chunk of 256. No barriers.
 *
 * Flat: a thread relaxes all edges of its vertex. Dynamic (Wang et al., ISCA 2015): a vertex with
 * 32 edges or more has them relaxed by a kernel that its thread launches, as many blocks of 32 as
 * they fill, and the thread relaxes what is left over.
 */
#include "cuda.h"

#define BLOCK 256
#define CHILD 32

struct state {
	int *dist, *queued; /* the distance, and the last round that put the vertex into a frontier */
	int *next, *size;   /* the next frontier */
};

static __device__ __forceinline__ void relax(int v, int through, int round, state s)
{
	if (through < s.dist[v] && through < atomicMin(&s.dist[v], through) &&
		atomicExch(&s.queued[v], round) != round)
		s.next[atomicAdd(s.size, 1)] = v;
}

extern "C" __global__ void sssp_frontier(const int *frontier, int n, const int *row,
	const int *col, const int *weight, int round, state param)
{
	state s = param; /* a copy, or clang reads the parameters anew in each trip */

	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
		int u = frontier[i], from = s.dist[u], end = row[u + 1];
		for (int e = row[u]; e < end; e++)
			relax(col[e], from + weight[e], round, s);
	}
}

/* ---- dynamic ---- */

struct edges_args {
	const int *col, *weight;
	int from, round;
	state s;
};

extern "C" __global__ void sssp_edges(const int *col, const int *weight, int from, int round,
	state s)
{
	int e = blockIdx.x * CHILD + threadIdx.x;

	relax(col[e], from + weight[e], round, s);
}

extern "C" __global__ void sssp_frontier_dyn(const int *frontier, int n, const int *row,
	const int *col, const int *weight, int round, state param)
{
	state s = param; /* likewise */

	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
		int u = frontier[i], from = s.dist[u], first = row[u], degree = row[u + 1] - first;
		if (degree >= CHILD) {
			cudaStream_t stream;
			cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
			edges_args *args = (edges_args *)cudaGetParameterBufferV2(
				WL_KERNEL(sssp_edges), make_dim3(degree / CHILD, 1, 1),
				make_dim3(CHILD, 1, 1), 0);
			args->col = col + first;
			args->weight = weight + first;
			args->from = from;
			args->round = round;
			args->s = s;
			cudaLaunchDeviceV2(args, stream);
		}
		for (int k = degree / CHILD * CHILD; k < degree; k++)
			relax(col[first + k], from + weight[first + k], round, s);
	}
}
