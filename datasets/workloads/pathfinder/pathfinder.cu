/*
 * Cheapest ways through a grid, row by row, after Rodinia's pathfinder: a block takes 256 cells of
 * a row to shared memory and advances `steps` rows, with a cell less to trust at each end after
 * each row (ghost zones), then writes what is left. A cell is reached from the one below it or
 * from that one's neighbours; at the grid's edge from fewer. The least of three and the clamped
 * neighbours are selects, as any compiler for these machines makes them.
 */
#include "cuda.h"

#define BLOCK 256

WL_INLINE bool within(int x, int low, int high)
{
	return x >= low && x <= high;
}

extern "C" __global__ void pathfinder(int steps, const int *wall, const int *src, int *dst,
	int cols, int row, int border)
{
	__shared__ int prev[BLOCK], next[BLOCK];
	int tx = threadIdx.x;
	int left = (BLOCK - 2 * steps) * (int)blockIdx.x - border, right = left + BLOCK - 1;
	int x = left + tx;
	int xmin = left < 0 ? -left : 0;
	int xmax = right > cols - 1 ? BLOCK - 1 - (right - cols + 1) : BLOCK - 1;
	int w = max(tx - 1, xmin), e = min(tx + 1, xmax);
	bool valid = within(tx, xmin, xmax), computed = false;

	if (within(x, 0, cols - 1))
		prev[tx] = src[x];
	__syncthreads();
	for (int i = 0; i < steps; i++) {
		computed = false;
		if (within(tx, i + 1, BLOCK - i - 2) && valid) {
			int least = min(prev[w], min(prev[tx], prev[e]));
			computed = true;
			next[tx] = least + wall[cols * (row + i) + x];
		}
		__syncthreads();
		if (i == steps - 1)
			break;
		if (computed)
			prev[tx] = next[tx];
		__syncthreads();
	}
	if (computed)
		dst[x] = next[tx];
}
