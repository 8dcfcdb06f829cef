/*
 * A separable filter of 17 taps, in the style of the CUDA SDK's convolutionSeparable: one kernel
 * filters rows, the other columns. A thread makes eight pixels, a block's width (or height) apart;
 * a block first has its stretch of the image and the pixels around it in shared memory. Pixels
 * beyond the edge are the edge's own, by clamped coordinates, where the original takes zeros.
 */
#include "cuda.h"

#define RADIUS 8
#define RESULTS 8
#define ROWS_X 16
#define ROWS_Y 4
#define COLS_X 16
#define COLS_Y 8

extern "C" {
__constant__ float taps[2 * RADIUS + 1];
}

extern "C" __global__ void filter_rows(float *out, const float *in, int width, int height)
{
	__shared__ float tile[ROWS_Y][(RESULTS + 2) * ROWS_X];
	int first = (blockIdx.x * RESULTS - 1) * ROWS_X + threadIdx.x;
	int y = blockIdx.y * ROWS_Y + threadIdx.y;
	const float *row = in + min(y, height - 1) * width;

	for (int i = 0; i < RESULTS + 2; i++) {
		int x = min(max(first + i * ROWS_X, 0), width - 1);

		tile[threadIdx.y][threadIdx.x + i * ROWS_X] = row[x];
	}
	__syncthreads();
	for (int i = 1; i <= RESULTS; i++) {
		const float *at = &tile[threadIdx.y][threadIdx.x + i * ROWS_X - RADIUS];
		int x = first + i * ROWS_X;
		float sum = 0;

		if (x >= width || y >= height)
			continue;
		for (int k = 0; k <= 2 * RADIUS; k++)
			sum += taps[k] * at[k];
		out[y * width + x] = sum;
	}
}

extern "C" __global__ void filter_columns(float *out, const float *in, int width, int height)
{
	__shared__ float tile[(RESULTS + 2) * COLS_Y][COLS_X];
	int x = blockIdx.x * COLS_X + threadIdx.x;
	int first = (blockIdx.y * RESULTS - 1) * COLS_Y + threadIdx.y;
	const float *column = in + min(x, width - 1);

	for (int i = 0; i < RESULTS + 2; i++) {
		int y = min(max(first + i * COLS_Y, 0), height - 1);

		tile[threadIdx.y + i * COLS_Y][threadIdx.x] = column[y * width];
	}
	__syncthreads();
	for (int i = 1; i <= RESULTS; i++) {
		const float *at = &tile[threadIdx.y + i * COLS_Y - RADIUS][threadIdx.x];
		int y = first + i * COLS_Y;
		float sum = 0;

		if (x >= width || y >= height)
			continue;
		for (int k = 0; k <= 2 * RADIUS; k++)
			sum += taps[k] * at[k * COLS_X];
		out[y * width + x] = sum;
	}
}
