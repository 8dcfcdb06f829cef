/*
 * Shades a sky: one thread a pixel, blocks of 16 x 16, marches a fixed number of steps through
 * clouds of value noise, three octaves of it at each step. Nothing is read; all threads take the
 * same way.
 */
#include "cuda.h"

#define OCTAVES 3

static __device__ __forceinline__ float lattice(int x, int y, int z)
{
	unsigned h = (unsigned)x * 0x8da6b343u ^ (unsigned)y * 0xd8163841u ^
		     (unsigned)z * 0xcb1ab31fu;

	h ^= h >> 13;
	h *= 0x5bd1e995u;
	h ^= h >> 15;
	return (float)(h & 0xffff) * (1.0f / 65535.0f);
}

static __device__ __forceinline__ float mix(float a, float b, float t)
{
	return a + (b - a) * t;
}

static __device__ __forceinline__ float noise(float x, float y, float z)
{
	float fx = floorf(x), fy = floorf(y), fz = floorf(z);
	int ix = (int)fx, iy = (int)fy, iz = (int)fz;
	float tx = x - fx, ty = y - fy, tz = z - fz;

	tx = tx * tx * (3.0f - 2.0f * tx);
	ty = ty * ty * (3.0f - 2.0f * ty);
	tz = tz * tz * (3.0f - 2.0f * tz);
	float near = mix(mix(lattice(ix, iy, iz), lattice(ix + 1, iy, iz), tx),
		mix(lattice(ix, iy + 1, iz), lattice(ix + 1, iy + 1, iz), tx), ty);
	float far = mix(mix(lattice(ix, iy, iz + 1), lattice(ix + 1, iy, iz + 1), tx),
		mix(lattice(ix, iy + 1, iz + 1), lattice(ix + 1, iy + 1, iz + 1), tx), ty);
	return mix(near, far, tz);
}

extern "C" __global__ void game3_sky(unsigned *picture, int width, int height, int steps,
	float wind)
{
	int px = blockIdx.x * blockDim.x + threadIdx.x;
	int py = blockIdx.y * blockDim.y + threadIdx.y;

	if (px >= width || py >= height)
		return;
	float dx = ((float)px + 0.5f) / (float)width - 0.5f;
	float dy = ((float)py + 0.5f) / (float)height;
	float scale = 1.0f / sqrtf(dx * dx + dy * dy + 1.0f);
	float light = 0, through = 1;

	dx *= scale;
	dy *= scale;
	for (int i = 0; i < steps; i++) {
		float way = 4.0f + 0.75f * (float)i, density = 0, weight = 0.5f;
		float x = dx * way + wind, y = dy * way, z = scale * way;

		for (int octave = 0; octave < OCTAVES; octave++) {
			density += weight * noise(x, y, z);
			weight *= 0.5f;
			x *= 2.0f;
			y *= 2.0f;
			z *= 2.0f;
		}
		density = fmaxf(density - 0.4f, 0.0f);
		float passes = 1.0f / (1.0f + 3.0f * density);
		light += through * (1.0f - passes) * (1.0f - 0.5f * density);
		through *= passes;
	}
	unsigned red = (unsigned)(255.0f * fminf(light + through * 0.2f, 1.0f));
	unsigned green = (unsigned)(255.0f * fminf(light + through * 0.4f, 1.0f));
	unsigned blue = (unsigned)(255.0f * fminf(light + through * 0.9f, 1.0f));
	picture[py * width + px] = 0xff000000u | blue << 16 | green << 8 | red;
}
