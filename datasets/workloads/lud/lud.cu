/*
 * LU decomposition without pivoting by 16 x 16 blocks, in place, after Rodinia's lud: for each
 * step factor the diagonal block, solve its row and column of blocks, update the rest.
 */
#include "cuda.h"

#define TILE 16

/* One block of 16 threads: thread t owns row t of L and column t of U. */
extern "C" __global__ void lud_diagonal(float *m, int n, int offset)
{
	__shared__ float tile[TILE][TILE];
	int t = threadIdx.x;
	float *corner = m + offset * n + offset;

	for (int i = 0; i < TILE; i++)
		tile[i][t] = corner[i * n + t];
	__syncthreads();
	for (int i = 0; i < TILE - 1; i++) {
		if (t > i) {
			for (int j = 0; j < i; j++)
				tile[t][i] -= tile[t][j] * tile[j][i];
			tile[t][i] /= tile[i][i];
		}
		__syncthreads();
		if (t > i)
			for (int j = 0; j < i + 1; j++)
				tile[i + 1][t] -= tile[i + 1][j] * tile[j][t];
		__syncthreads();
	}
	for (int i = 1; i < TILE; i++)
		corner[i * n + t] = tile[i][t];
}

/* Block b: 16 threads solve block b + 1 of the row, 16 more the same of the column. */
extern "C" __global__ void lud_perimeter(float *m, int n, int offset)
{
	__shared__ float diagonal[TILE][TILE], row[TILE][TILE], column[TILE][TILE];
	int away = (blockIdx.x + 1) * TILE;
	float *corner = m + offset * n + offset;
	float *right = corner + away, *below = corner + away * n;

	if (threadIdx.x < TILE) {
		int t = threadIdx.x;

		for (int i = 0; i < TILE / 2; i++)
			diagonal[i][t] = corner[i * n + t];
		for (int i = 0; i < TILE; i++)
			row[i][t] = right[i * n + t];
	} else {
		int t = threadIdx.x - TILE;

		for (int i = TILE / 2; i < TILE; i++)
			diagonal[i][t] = corner[i * n + t];
		for (int i = 0; i < TILE; i++)
			column[i][t] = below[i * n + t];
	}
	__syncthreads();
	if (threadIdx.x < TILE) {
		int t = threadIdx.x;

		for (int i = 1; i < TILE; i++)
			for (int j = 0; j < i; j++)
				row[i][t] -= diagonal[i][j] * row[j][t];
	} else {
		int t = threadIdx.x - TILE;

		for (int i = 0; i < TILE; i++) {
			for (int j = 0; j < i; j++)
				column[t][i] -= column[t][j] * diagonal[j][i];
			column[t][i] /= diagonal[i][i];
		}
	}
	__syncthreads();
	if (threadIdx.x < TILE) {
		int t = threadIdx.x;

		for (int i = 1; i < TILE; i++)
			right[i * n + t] = row[i][t];
	} else {
		int t = threadIdx.x - TILE;

		for (int i = 0; i < TILE; i++)
			below[i * n + t] = column[i][t];
	}
}

extern "C" __global__ void lud_internal(float *m, int n, int offset)
{
	__shared__ float row[TILE][TILE], column[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int i = offset + (blockIdx.y + 1) * TILE + y, j = offset + (blockIdx.x + 1) * TILE + x;
	float sum = 0;

	row[y][x] = m[(offset + y) * n + j];
	column[y][x] = m[i * n + offset + x];
	__syncthreads();
	for (int k = 0; k < TILE; k++)
		sum += column[y][k] * row[k][x];
	m[i * n + j] -= sum;
}
