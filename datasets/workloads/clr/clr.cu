/*
 * Graph colouring after Cohen and Castonguay (2012): a round gives one colour to each vertex whose
 * hash is the largest among its uncoloured neighbours, and another one where it is the smallest. A
 * block of 256 threads takes every gridDim-th chunk of 256 vertices.
 *
 * A first kernel compares hashes and leaves two flags, a second one colours: so no vertex sees a
 * colour of its own round. Flat: a thread compares with all neighbours of its vertex. Dynamic (Wang
 * et al., ISCA 2015): a vertex with 32 neighbours or more has them compared by a kernel that its
 * thread launches, as many blocks of 32 as they fill, and the thread compares with what is left
 * over. Flags are only ever cleared, so it does not matter who comes first.
 */
#include "cuda.h"

#define BLOCK 256
#define CHILD 32
#define NONE (-1)

/* Different vertices have different hashes: every step can be undone. */
static __device__ __forceinline__ unsigned hash(unsigned v)
{
	v ^= v >> 16;
	v *= 0x7feb352du;
	v ^= v >> 15;
	v *= 0x846ca68bu;
	return v ^ v >> 16;
}

static __device__ __forceinline__ void compare(int u, int v, const int *colour, int *largest,
	int *smallest)
{
	if (v != u && colour[v] == NONE) {
		if (hash(v) > hash(u))
			largest[u] = 0;
		else
			smallest[u] = 0;
	}
}

extern "C" __global__ void clr_compare(const int *row, const int *col, int n, const int *colour,
	int *largest, int *smallest)
{
	for (int u = blockIdx.x * BLOCK + threadIdx.x; u < n; u += gridDim.x * BLOCK) {
		if (colour[u] != NONE)
			continue;
		largest[u] = smallest[u] = 1;
		int end = row[u + 1];
		for (int e = row[u]; e < end; e++)
			compare(u, col[e], colour, largest, smallest);
	}
}

extern "C" __global__ void clr_colour(int n, int *colour, const int *largest,
	const int *smallest, int round, int *left)
{
	for (int u = blockIdx.x * BLOCK + threadIdx.x; u < n; u += gridDim.x * BLOCK) {
		if (colour[u] != NONE)
			continue;
		if (largest[u])
			colour[u] = 2 * round;
		else if (smallest[u])
			colour[u] = 2 * round + 1;
		else
			*left = 1;
	}
}

/* ---- dynamic ---- */

struct neighbours_args {
	const int *col;
	int u;
	const int *colour;
	int *largest, *smallest;
};

extern "C" __global__ void clr_neighbours(const int *col, int u, const int *colour, int *largest,
	int *smallest)
{
	compare(u, col[blockIdx.x * CHILD + threadIdx.x], colour, largest, smallest);
}

extern "C" __global__ void clr_compare_dyn(const int *row, const int *col, int n,
	const int *colour, int *largest, int *smallest)
{
	for (int u = blockIdx.x * BLOCK + threadIdx.x; u < n; u += gridDim.x * BLOCK) {
		if (colour[u] != NONE)
			continue;
		largest[u] = smallest[u] = 1;
		int from = row[u], degree = row[u + 1] - from;
		if (degree >= CHILD) {
			cudaStream_t stream;
			cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
			neighbours_args *args = (neighbours_args *)cudaGetParameterBufferV2(
				WL_KERNEL(clr_neighbours), make_dim3(degree / CHILD, 1, 1),
				make_dim3(CHILD, 1, 1), 0);
			args->col = col + from;
			args->u = u;
			args->colour = colour;
			args->largest = largest;
			args->smallest = smallest;
			cudaLaunchDeviceV2(args, stream);
		}
		for (int i = degree / CHILD * CHILD; i < degree; i++)
			compare(u, col[from + i], colour, largest, smallest);
	}
}
