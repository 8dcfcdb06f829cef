/*
 * Blurs ambient occlusion along one axis without crossing edges of depth: a pass of a separable
 * bilateral filter with 9 taps, one thread a pixel, blocks of 16 x 16. A texel of 32 bits holds 24
 * of depth and 8 of occlusion. Beyond the picture lies its last texel.
 */
#include "cuda.h"

#define REACH 4 /* taps to each side */

extern "C" {
__constant__ float taper[2 * REACH + 1]; /* weights by distance */
}

extern "C" __global__ void game1_blur(const unsigned *in, unsigned *out, int width, int height,
	int step_x, int step_y, float sharpness)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x >= width || y >= height)
		return;
	unsigned here = in[y * width + x];
	float depth = (float)(here >> 8), sum = 0, weights = 0;
	for (int tap = -REACH; tap <= REACH; tap++) {
		int tx = min(max(x + tap * step_x, 0), width - 1);
		int ty = min(max(y + tap * step_y, 0), height - 1);
		unsigned texel = in[ty * width + tx];
		float apart = fabsf((float)(texel >> 8) - depth);
		float weight = taper[tap + REACH] / (1.0f + sharpness * apart);

		sum += weight * (float)(texel & 255);
		weights += weight;
	}
	out[y * width + x] = (here & ~255u) | (unsigned)(sum / weights + 0.5f);
}
