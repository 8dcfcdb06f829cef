/*
 * Relational join of two sorted lists of keys (dragon_li's of 2014, after Diamos et al.). A first
 * kernel finds, for each part of the left list, the range of the right list that may match. Then
 * one block a part goes over tiles of 256 keys of both, in shared memory: a thread finds the range
 * of its key in the tile, a prefix sum gives it its place, and it writes one pair of places a
 * match. A last kernel gathers keys and values of the pairs.
 *
 * Flat: a thread writes all its pairs, through shared memory where the block's fit in. Dynamic
 * (Wang et al., ISCA 2015): a thread with 32 matches or more has them written by a kernel that it
 * launches, as many blocks of 32 as they fill, and writes what is left over.
 */
#include "cuda.h"

#define BLOCK 256
#define CHILD 32
#define STAGE 1536 /* pairs in shared memory */

/* The first of list[from] ... list[to - 1] that is not less than key, or to. */
static __device__ __forceinline__ int lower(const int *list, int from, int to, int key)
{
	while (from < to) {
		int middle = (from + to) / 2;
		if (list[middle] < key)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Likewise the first that is greater. */
static __device__ __forceinline__ int upper(const int *list, int from, int to, int key)
{
	while (from < to) {
		int middle = (from + to) / 2;
		if (list[middle] <= key)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

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

extern "C" __global__ void join_bounds(const int *left, int nleft, const int *right, int nright,
	int part, int parts, int2 *bounds)
{
	int p = blockIdx.x * blockDim.x + threadIdx.x;

	if (p < parts) {
		int last = min((p + 1) * part, nleft) - 1;
		bounds[p].x = lower(right, 0, nright, left[p * part]);
		bounds[p].y = upper(right, 0, nright, left[last]);
	}
}

/* A thread's matches in the tiles: its key's place in the left list, a range of the right list. */
struct found {
	int left, right, count;
	int to;  /* its place among the block's pairs */
	int all; /* the block's pairs */
	int out; /* and the place of their first */
};

/* Reads a tile of each list and finds the matches. All threads call it. */
static __device__ found find(const int *left, int l, int lend, const int *right, int r, int rend,
	int *size)
{
	__shared__ int keys[BLOCK], sums[BLOCK];
	__shared__ volatile int place;
	int many = min(rend - r, BLOCK);
	found f;

	if (threadIdx.x < many)
		keys[threadIdx.x] = right[r + threadIdx.x];
	__syncthreads();
	f.left = l + threadIdx.x;
	f.right = r;
	f.count = 0;
	if (f.left < lend) {
		int key = left[f.left];
		int first = lower(keys, 0, many, key);
		f.right = r + first;
		f.count = upper(keys, first, many, key) - first;
	}
	f.to = scan(f.count, sums, &f.all);
	if (threadIdx.x == 0)
		place = atomicAdd(size, f.all);
	__syncthreads();
	f.out = place;
	return f;
}

extern "C" __global__ void join_part(const int *left, int nleft, const int *right, int part,
	const int2 *bounds, int2 *pairs, int *size)
{
	__shared__ int2 stage[STAGE];
	int lend = min((blockIdx.x + 1) * part, nleft);
	int rfirst = bounds[blockIdx.x].x, rend = bounds[blockIdx.x].y;

	for (int l = blockIdx.x * part; l < lend; l += BLOCK)
		for (int r = rfirst; r < rend; r += BLOCK) {
			found f = find(left, l, lend, right, r, rend, size);
			int2 *out = f.all <= STAGE ? stage : pairs + f.out;
			for (int i = 0; i < f.count; i++) {
				int2 pair;
				pair.x = f.left;
				pair.y = f.right + i;
				out[f.to + i] = pair;
			}
			__syncthreads();
			if (f.all <= STAGE)
				for (int i = threadIdx.x; i < f.all; i += BLOCK)
					pairs[f.out + i] = stage[i];
			__syncthreads();
		}
}

extern "C" __global__ void join_gather(const int2 *pairs, int n, const int *left,
	const int *left_value, const int *right_value, int *key, int *a, int *b)
{
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
		int2 pair = pairs[i];
		key[i] = left[pair.x];
		a[i] = left_value[pair.x];
		b[i] = right_value[pair.y];
	}
}

/* ---- dynamic ---- */

struct matches_args {
	int left, right;
	int2 *pairs;
};

extern "C" __global__ void join_matches(int left, int right, int2 *pairs)
{
	int i = blockIdx.x * CHILD + threadIdx.x;
	int2 pair;

	pair.x = left;
	pair.y = right + i;
	pairs[i] = pair;
}

extern "C" __global__ void join_part_dyn(const int *left, int nleft, const int *right, int part,
	const int2 *bounds, int2 *pairs, int *size)
{
	int lend = min((blockIdx.x + 1) * part, nleft);
	int rfirst = bounds[blockIdx.x].x, rend = bounds[blockIdx.x].y;

	for (int l = blockIdx.x * part; l < lend; l += BLOCK)
		for (int r = rfirst; r < rend; r += BLOCK) {
			found f = find(left, l, lend, right, r, rend, size);
			int2 *out = pairs + f.out + f.to;
			if (f.count >= CHILD) {
				cudaStream_t stream;
				cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
				matches_args *args = (matches_args *)cudaGetParameterBufferV2(
					WL_KERNEL(join_matches), make_dim3(f.count / CHILD, 1, 1),
					make_dim3(CHILD, 1, 1), 0);
				args->left = f.left;
				args->right = f.right;
				args->pairs = out;
				cudaLaunchDeviceV2(args, stream);
			}
			for (int i = f.count / CHILD * CHILD; i < f.count; i++) {
				int2 pair;
				pair.x = f.left;
				pair.y = f.right + i;
				out[i] = pair;
			}
			__syncthreads();
		}
}
