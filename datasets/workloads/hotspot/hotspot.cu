/*
 * Temperature of a chip by a five-point stencil, after Rodinia's hotspot: a block of 16 x 16
 * advances `iterations` steps in shared memory on a tile that loses a ring at each step (pyramid
 * blocking), and writes what is left. Neighbours beyond the chip's edge are the edge itself.
 */
#include "cuda.h"

#define BLOCK 16

WL_INLINE bool within(int x, int low, int high)
{
	return x >= low && x <= high;
}

extern "C" __global__ void hotspot(int iterations, const float *power, const float *src,
	float *dst, int cols, int rows, int border, float cap, float rx, float ry, float rz,
	float step)
{
	__shared__ float temp[BLOCK][BLOCK], watts[BLOCK][BLOCK], next[BLOCK][BLOCK];
	const float ambient = 80.0f;
	float step_by_cap = step / cap, rx_1 = 1 / rx, ry_1 = 1 / ry, rz_1 = 1 / rz;
	int tx = threadIdx.x, ty = threadIdx.y;
	int kept = BLOCK - 2 * iterations;
	int top = kept * (int)blockIdx.y - border, left = kept * (int)blockIdx.x - border;
	int bottom = top + BLOCK - 1, right = left + BLOCK - 1;
	int y = top + ty, x = left + tx;
	int index = cols * y + x;

	if (within(y, 0, rows - 1) && within(x, 0, cols - 1)) {
		temp[ty][tx] = src[index];
		watts[ty][tx] = power[index];
	}
	__syncthreads();

	int ymin = top < 0 ? -top : 0, xmin = left < 0 ? -left : 0;
	int ymax = bottom > rows - 1 ? BLOCK - 1 - (bottom - rows + 1) : BLOCK - 1;
	int xmax = right > cols - 1 ? BLOCK - 1 - (right - cols + 1) : BLOCK - 1;
	int n = max(ty - 1, ymin), s = min(ty + 1, ymax);
	int w = max(tx - 1, xmin), e = min(tx + 1, xmax);
	bool computed = false;

	for (int i = 0; i < iterations; i++) {
		computed = false;
		if (within(tx, i + 1, BLOCK - i - 2) && within(ty, i + 1, BLOCK - i - 2) &&
			within(tx, xmin, xmax) && within(ty, ymin, ymax)) {
			float t = temp[ty][tx];
			computed = true;
			next[ty][tx] = t + step_by_cap * (watts[ty][tx] +
				(temp[s][tx] + temp[n][tx] - 2.0f * t) * ry_1 +
				(temp[ty][e] + temp[ty][w] - 2.0f * t) * rx_1 +
				(ambient - t) * rz_1);
		}
		__syncthreads();
		if (i == iterations - 1)
			break;
		if (computed)
			temp[ty][tx] = next[ty][tx];
		__syncthreads();
	}
	if (computed)
		dst[index] = next[ty][tx];
}
