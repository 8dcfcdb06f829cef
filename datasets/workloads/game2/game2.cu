/*
 * One step of a cloth of particles, one thread a particle, blocks of 32 x 8: where it flies on to
 * (Verlet), and what its springs to twelve neighbours pull, which are one and two places away along
 * rows and columns and one along diagonals. Particles are float4, x, y, z and the inverse of the
 * mass; one without that is pinned. A warp reads whole lines, and those of its neighbours.
 */
#include "cuda.h"

#define SPRINGS 12

extern "C" {
__constant__ int4 springs[SPRINGS]; /* across, down, and the length at rest as bits */
}

extern "C" __global__ void game2_step(const float4 *before, const float4 *now, float4 *next,
	int width, int height, float damping, float fall, float stiffness)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	int i = y * width + x;

	if (x >= width || y >= height)
		return;
	float4 p = now[i], old = before[i];
	float pull_x = 0, pull_y = 0, pull_z = 0;

	for (int s = 0; s < SPRINGS; s++) {
		int nx = x + springs[s].x, ny = y + springs[s].y;

		if (nx >= 0 && nx < width && ny >= 0 && ny < height) {
			float4 q = now[ny * width + nx];
			float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
			float length = sqrtf(dx * dx + dy * dy + dz * dz);
			float pull = stiffness * (length - __int_as_float(springs[s].z)) / length;

			pull_x += pull * dx;
			pull_y += pull * dy;
			pull_z += pull * dz;
		}
	}
	float4 to = p;
	if (p.w > 0) {
		to.x += damping * (p.x - old.x) + p.w * pull_x;
		to.y += damping * (p.y - old.y) + p.w * pull_y - fall;
		to.z += damping * (p.z - old.z) + p.w * pull_z;
	}
	next[i] = to;
}
