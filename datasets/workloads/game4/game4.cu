/*
 * Shades what a first pass saw: one thread a pixel, blocks of 16 x 16, reads its texel of 16 bytes
 * and adds up the light of all lamps, which are in constant memory, by a microfacet model (GGX
 * distribution, Smith's visibility as Karis approximates it, Schlick's Fresnel term). Selects where
 * a lamp is beyond the surface's horizon; no branch of the data.
 */
#include "cuda.h"

#define LAMPS_MAX 64

struct lamp {
	float x, y, z, power;
};

extern "C" {
__constant__ lamp lamps[LAMPS_MAX];
}

static __device__ __forceinline__ unsigned channel(float light)
{
	return (unsigned)(255.0f * (light / (1.0f + light)));
}

/*
 * A texel: depth as bits of a float, the normal's x and y in 16 bits each, red, green, blue and
 * roughness in 8 bits each, and how much of a metal it is.
 */
extern "C" __global__ void game4_shade(const uint4 *surface, unsigned *picture, int width,
	int height, int nlamps)
{
	int px = blockIdx.x * blockDim.x + threadIdx.x;
	int py = blockIdx.y * blockDim.y + threadIdx.y;

	if (px >= width || py >= height)
		return;
	uint4 texel = surface[py * width + px];
	float depth = __int_as_float(texel.x), metal = (float)texel.w * (1.0f / 255.0f);
	float nx = (float)(texel.y & 0xffff) * (1.0f / 32768.0f) - 1.0f;
	float ny = (float)(texel.y >> 16) * (1.0f / 32768.0f) - 1.0f;
	float nz = -sqrtf(fmaxf(1.0f - nx * nx - ny * ny, 0.0f));
	float red = (float)(texel.z & 255) * (1.0f / 255.0f);
	float green = (float)(texel.z >> 8 & 255) * (1.0f / 255.0f);
	float blue = (float)(texel.z >> 16 & 255) * (1.0f / 255.0f);
	float rough = (float)(texel.z >> 24) * (1.0f / 255.0f);
	float x = (((float)px + 0.5f) / (float)width - 0.5f) * depth;
	float y = (((float)py + 0.5f) / (float)height - 0.5f) * depth;
	float away = 1.0f / sqrtf(x * x + y * y + depth * depth);
	float vx = -x * away, vy = -y * away, vz = -depth * away; /* to the eye */
	float nv = fmaxf(nx * vx + ny * vy + nz * vz, 0.001f);
	float a2 = rough * rough * rough * rough + 0.001f;
	float k = (rough + 1.0f) * (rough + 1.0f) * 0.125f;
	float diffuse = 0, glossy = 0, grazing = 0;

	for (int i = 0; i < nlamps; i++) {
		float lx = lamps[i].x - x, ly = lamps[i].y - y, lz = lamps[i].z - depth;
		float square = lx * lx + ly * ly + lz * lz;
		float scale = 1.0f / sqrtf(square);
		lx *= scale;
		ly *= scale;
		lz *= scale;
		float hx = lx + vx, hy = ly + vy, hz = lz + vz;
		float half = 1.0f / sqrtf(hx * hx + hy * hy + hz * hz + 1e-6f);
		float nl = fmaxf(nx * lx + ny * ly + nz * lz, 0.0f);
		float nh = fmaxf((nx * hx + ny * hy + nz * hz) * half, 0.0f);
		float vh = fmaxf((vx * hx + vy * hy + vz * hz) * half, 0.0f);
		float d = nh * nh * (a2 - 1.0f) + 1.0f;
		float facing = fmaxf(1.0f - vh, 0.0f);
		float fresnel = facing * facing * facing * facing * facing;
		float light = lamps[i].power * nl / (square + 1.0f);
		float gloss = light * a2 /
			      (4.0f * d * d * (nl * (1.0f - k) + k) * (nv * (1.0f - k) + k));

		diffuse += light * (1.0f - metal);
		glossy += gloss * (1.0f - fresnel);
		grazing += gloss * fresnel;
	}
	float plain = 0.04f * (1.0f - metal);
	red = red * (diffuse + metal * glossy) + plain * glossy + grazing;
	green = green * (diffuse + metal * glossy) + plain * glossy + grazing;
	blue = blue * (diffuse + metal * glossy) + plain * glossy + grazing;
	picture[py * width + px] =
		0xff000000u | channel(blue) << 16 | channel(green) << 8 | channel(red);
}
