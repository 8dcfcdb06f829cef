/*
 * A convolution with a filter of 9 x 9: a block of 16 x 16 threads copies its tile and the four
 * pixels around it to shared memory, then each thread makes one pixel. Pixels beyond the edge are
 * the edge's own, by clamped coordinates.
 */
#include "cuda.h"

#define TILE 16
#define RADIUS 4
#define SIDE (2 * RADIUS + 1)
#define WIDE (TILE + 2 * RADIUS)

extern "C" {
__constant__ float filter[SIDE * SIDE];
}

extern "C" __global__ void convolution(const float *in, float *out, int width, int height)
{
	__shared__ float tile[WIDE * WIDE];
	int left = blockIdx.x * TILE - RADIUS, top = blockIdx.y * TILE - RADIUS;
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
	float sum = 0;

	for (int i = threadIdx.y * TILE + threadIdx.x; i < WIDE * WIDE; i += TILE * TILE) {
		int from_x = min(max(left + i % WIDE, 0), width - 1);
		int from_y = min(max(top + i / WIDE, 0), height - 1);

		tile[i] = in[from_y * width + from_x];
	}
	__syncthreads();
	if (x >= width || y >= height)
		return;
	for (int dy = 0; dy < SIDE; dy++)
		for (int dx = 0; dx < SIDE; dx++)
			sum += filter[dy * SIDE + dx] *
			       tile[(threadIdx.y + dy) * WIDE + threadIdx.x + dx];
	out[y * width + x] = sum;
}
