/*
 * Breadth-first search after Merrill, Garland and Grimshaw (PPoPP 2012): two kernels a level.
 * Expand copies the neighbours of the vertices of the frontier into an edge frontier; contract
 * takes out of that what has been visited, and the rest is the next frontier. A block of 256
 * threads takes every gridDim-th chunk of 256.
 *
 * Flat: neighbours of a vertex of high degree are copied by the whole block, those of one of middle
 * degree by the warp, the rest by the thread. Dynamic (Wang et al., ISCA 2015): a vertex with 32
 * neighbours or more has them copied by a kernel that its thread launches, as many blocks of 32 as
 * they fill, and the thread copies what is left over.
 */
#include "cuda.h"

#define BLOCK 256
#define CHILD 32

/* ---- what both forms share ---- */

/* Sum of v over the threads before this one; the sum over all in *total. All threads call it. */
static __device__ int scan(int v, int *sums, int *total)
{
	int sum = v;

	sums[threadIdx.x] = v;
	__syncthreads();
	for (int step = 1; step < BLOCK; step *= 2) {
		int before = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
		__syncthreads();
		sum += before;
		sums[threadIdx.x] = sum;
		__syncthreads();
	}
	*total = sums[BLOCK - 1];
	__syncthreads();
	return sum - v;
}

/* A block's share of a list: the place of its first entry. All threads call it. */
static __device__ int reserve(int *size, int count, int *place)
{
	if (threadIdx.x == 0)
		*place = atomicAdd(size, count);
	__syncthreads();
	return *place;
}

extern "C" __global__ void bfs_contract(const int *edges, int n, int *level, int depth,
	int *frontier, int *size)
{
	__shared__ int sums[BLOCK], place;

	for (int base = blockIdx.x * BLOCK; base < n; base += gridDim.x * BLOCK) {
		int v = base + threadIdx.x < n ? edges[base + threadIdx.x] : -1;
		/* Most have been visited: looked at first, and the atomic only where they seem new. */
		int is_new = v >= 0 && level[v] < 0 && atomicCAS(&level[v], -1, depth) == -1;
		int all, at = scan(is_new, sums, &all);
		int first = reserve(size, all, &place);
		if (is_new)
			frontier[first + at] = v;
		__syncthreads();
	}
}

/* ---- flat ---- */

extern "C" __global__ void bfs_expand(const int *frontier, int n, const int *row, const int *col,
	int *edges, int *size)
{
	__shared__ int sums[BLOCK], place;
	/* volatile: clang moves a load of what never escapes before the barrier. */
	__shared__ volatile int owner, shared[3];
	__shared__ volatile int warp_owner[BLOCK / 32], warp_shared[BLOCK / 32][3];
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

	for (int base = blockIdx.x * BLOCK; base < n; base += gridDim.x * BLOCK) {
		int from = 0, degree = 0, all;
		if (base + threadIdx.x < n) {
			int v = frontier[base + threadIdx.x];
			from = row[v];
			degree = row[v + 1] - from;
		}
		int to = scan(degree, sums, &all);
		to += reserve(size, all, &place);
		/* The whole block copies for one thread after the other that has much. */
		for (;;) {
			if (threadIdx.x == 0)
				owner = -1;
			__syncthreads();
			if (degree >= BLOCK)
				owner = threadIdx.x;
			__syncthreads();
			if (owner < 0)
				break;
			if (owner == threadIdx.x) {
				shared[0] = from;
				shared[1] = to;
				shared[2] = degree;
				degree = 0;
			}
			__syncthreads();
			for (int i = threadIdx.x; i < shared[2]; i += BLOCK)
				edges[shared[1] + i] = col[shared[0] + i];
			__syncthreads();
		}
		/* Then each warp, in lockstep, for those of its threads that have enough for it. */
		for (;;) {
			warp_owner[warp] = -1;
			if (degree >= 32)
				warp_owner[warp] = lane;
			if (warp_owner[warp] < 0)
				break;
			if (warp_owner[warp] == lane) {
				warp_shared[warp][0] = from;
				warp_shared[warp][1] = to;
				warp_shared[warp][2] = degree;
				degree = 0;
			}
			int many = warp_shared[warp][2];
			int out = warp_shared[warp][1], in = warp_shared[warp][0];
			for (int i = lane; i < many; i += 32)
				edges[out + i] = col[in + i];
		}
		for (int i = 0; i < degree; i++)
			edges[to + i] = col[from + i];
		__syncthreads();
	}
}

/* ---- dynamic ---- */

struct copy_args {
	const int *from;
	int *to;
};

extern "C" __global__ void bfs_copy(const int *from, int *to)
{
	int i = blockIdx.x * CHILD + threadIdx.x;

	to[i] = from[i];
}

extern "C" __global__ void bfs_expand_dyn(const int *frontier, int n, const int *row,
	const int *col, int *edges, int *size)
{
	__shared__ int sums[BLOCK], place;

	for (int base = blockIdx.x * BLOCK; base < n; base += gridDim.x * BLOCK) {
		int from = 0, degree = 0, all;
		if (base + threadIdx.x < n) {
			int v = frontier[base + threadIdx.x];
			from = row[v];
			degree = row[v + 1] - from;
		}
		int to = scan(degree, sums, &all);
		to += reserve(size, all, &place);
		if (degree >= CHILD) {
			cudaStream_t stream;
			cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
			copy_args *args = (copy_args *)cudaGetParameterBufferV2(WL_KERNEL(bfs_copy),
				make_dim3(degree / CHILD, 1, 1), make_dim3(CHILD, 1, 1), 0);
			args->from = col + from;
			args->to = edges + to;
			cudaLaunchDeviceV2(args, stream);
		}
		for (int i = degree / CHILD * CHILD; i < degree; i++)
			edges[to + i] = col[from + i];
		__syncthreads();
	}
}
