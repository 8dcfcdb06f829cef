/*
 * Needleman-Wunsch alignment scores after Rodinia's needle: 16 x 16 blocks of the score matrix, all
 * of an anti-diagonal at once, one kernel until the longest anti-diagonal and one after it. A block
 * of 16 threads sweeps its own anti-diagonals in shared memory.
 */
#include "cuda.h"

#define TILE 16

/*
 * Block (bx, by) of `scores`, which has one more row and column than there are letters. Its corner
 * is read before the similarities or, as in the original's second kernel, after them (`late`).
 */
static __device__ __forceinline__ void align(
	const int *similarity, int *scores, int columns, int penalty, int bx, int by, bool late)
{
	__shared__ int cell[TILE + 1][TILE + 1], match[TILE][TILE];
	int t = threadIdx.x;
	int corner = columns * TILE * by + TILE * bx, inner = corner + columns + 1;

	if (!late && t == 0)
		cell[0][0] = scores[corner];
	for (int i = 0; i < TILE; i++)
		match[i][t] = similarity[inner + columns * i + t];
	__syncthreads();
	if (late && t == 0)
		cell[0][0] = scores[corner];
	cell[t + 1][0] = scores[corner + columns * (t + 1)];
	__syncthreads();
	cell[0][t + 1] = scores[corner + t + 1];
	__syncthreads();
	for (int d = 0; d < TILE; d++) {
		if (t <= d) {
			int x = t + 1, y = d - t + 1;

			cell[y][x] = max(cell[y - 1][x - 1] + match[y - 1][x - 1],
				max(cell[y][x - 1] - penalty, cell[y - 1][x] - penalty));
		}
		__syncthreads();
	}
	for (int d = TILE - 2; d >= 0; d--) {
		if (t <= d) {
			int x = t + TILE - d, y = TILE - t;

			cell[y][x] = max(cell[y - 1][x - 1] + match[y - 1][x - 1],
				max(cell[y][x - 1] - penalty, cell[y - 1][x] - penalty));
		}
		__syncthreads();
	}
	for (int i = 0; i < TILE; i++)
		scores[inner + columns * i + t] = cell[i + 1][t + 1];
}

/* Anti-diagonals from the first corner on: `length` blocks. */
extern "C" __global__ void needle_grow(
	const int *similarity, int *scores, int columns, int penalty, int length)
{
	int bx = blockIdx.x, by = length - 1 - bx;

	align(similarity, scores, columns, penalty, bx, by, false);
}

/* And on to the last corner, in a matrix of `tiles` blocks a side. */
extern "C" __global__ void needle_shrink(
	const int *similarity, int *scores, int columns, int penalty, int length, int tiles)
{
	int bx = blockIdx.x + tiles - length, by = tiles - 1 - blockIdx.x;

	align(similarity, scores, columns, penalty, bx, by, true);
}
