/*
 * N queens after the solver that Bakhoda and others (ISPASS 2009) run: the host places the first
 * rows, each thread counts the ways to finish one such start, by backtracking with an explicit
 * stack in shared memory. A block adds up its counts.
 */
#include "cuda.h"

#define THREADS 96
#define ROWS 10

/* Bits of `full` are the columns; a start is the columns and both diagonals that are attacked. */
extern "C" __global__ void nqueens_count(const uint *columns, const uint *lefts, const uint *rights,
	uint *counts, uint starts, uint full, int rows)
{
	__shared__ uint column[THREADS][ROWS], left[THREADS][ROWS], right[THREADS][ROWS];
	__shared__ uint tried[THREADS][ROWS]; /* attacked, or done with */
	__shared__ uint sum[THREADS];
	int t = threadIdx.x, row = 0;
	uint start = blockIdx.x * blockDim.x + t;

	if (start < starts) {
		uint solutions = 0;

		column[t][0] = columns[start];
		left[t][0] = lefts[start];
		right[t][0] = rights[start];
		tried[t][0] = column[t][0] | left[t][0] | right[t][0];
		while (row >= 0) {
			uint queen = ~tried[t][row] & (tried[t][row] + 1);

			if ((queen & full) == 0) {
				row--;
			} else {
				tried[t][row] |= queen;
				if (row + 1 == rows) {
					solutions++;
					row--;
				} else {
					column[t][row + 1] = column[t][row] | queen;
					left[t][row + 1] = (left[t][row] | queen) << 1;
					right[t][row + 1] = (right[t][row] | queen) >> 1;
					row++;
					tried[t][row] =
						column[t][row] | left[t][row] | right[t][row];
				}
			}
		}
		sum[t] = solutions;
	} else {
		sum[t] = 0;
	}
	__syncthreads();
	if (t < 32)
		sum[t] += sum[t + 64];
	__syncthreads();
	for (int half = 32; half > 0; half >>= 1) {
		if (t < half)
			sum[t] += sum[t + half];
		__syncthreads();
	}
	if (t == 0)
		counts[blockIdx.x] = sum[0];
}
