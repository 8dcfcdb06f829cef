/*
 * Harris corners of a grey image, one thread a pixel: Sobel gradients, the corner response from the
 * products of gradients over a window of 7 x 7, and the pixels whose response is the largest of
 * their neighbours'. All is read from global memory, where the pixels of a warp share lines; beyond
 * the edge lies the edge's own pixel. The clamps are selects, as any compiler makes them.
 */
#include "cuda.h"

#define REACH 3 /* of the window, to each side */

static __device__ __forceinline__ int clamp(int at, int size)
{
	return min(max(at, 0), size - 1);
}

extern "C" __global__ void feature_gradient(const float *image, float *across, float *down,
	int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x >= width || y >= height)
		return;
	int west = clamp(x - 1, width), east = clamp(x + 1, width);
	const float *north = image + clamp(y - 1, height) * width;
	const float *here = image + y * width;
	const float *south = image + clamp(y + 1, height) * width;
	float nw = north[west], n = north[x], ne = north[east];
	float sw = south[west], s = south[x], se = south[east];

	across[y * width + x] = (ne - nw) + 2.0f * (here[east] - here[west]) + (se - sw);
	down[y * width + x] = (sw - nw) + 2.0f * (s - n) + (se - ne);
}

extern "C" __global__ void feature_response(const float *across, const float *down,
	float *response, int width, int height, float k)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	float xx = 0, xy = 0, yy = 0;

	if (x >= width || y >= height)
		return;
	for (int dy = -REACH; dy <= REACH; dy++) {
		int row = clamp(y + dy, height) * width;

		for (int dx = -REACH; dx <= REACH; dx++) {
			int at = row + clamp(x + dx, width);
			float gx = across[at], gy = down[at];

			xx += gx * gx;
			xy += gx * gy;
			yy += gy * gy;
		}
	}
	float trace = xx + yy;
	response[y * width + x] = xx * yy - xy * xy - k * trace * trace;
}

extern "C" __global__ void feature_pick(const float *response, unsigned char *corner, int width,
	int height, float threshold)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x >= width || y >= height)
		return;
	float here = response[y * width + x], most = 0;
	if (here > threshold) {
		for (int dy = -1; dy <= 1; dy++)
			for (int dx = -1; dx <= 1; dx++)
				if (dx || dy)
					most = fmaxf(most, response[clamp(y + dy, height) * width +
								   clamp(x + dx, width)]);
	}
	corner[y * width + x] = here > threshold && here > most;
}
